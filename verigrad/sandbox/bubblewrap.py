"""Level 3: bubblewrap's namespaces around everything level 2 has. Runs in the process that becomes bubblewrap.

Inside: own users, processes, mounts, IPC, host name and network, a root of read-only system folders, no capability,
folders of limited size, and then (straight) Landlock and the limit on processes before the program starts.
"""

from __future__ import annotations

import os
import resource
import struct
from collections.abc import Iterator, Sequence
from typing import Any

from verigrad.sandbox import folders, kernel, landlock, seccomp
from verigrad.sandbox.straight import Argument, Bytes, Last, Strings, executable

NOBODY = "65534"
_START = "/.start"
_RULES, _PLACE = 20, 21
_CALLS = {
    "x86_64": {"write": 1, "openat": 257, "dup3": 292, "fcntl": 72, "prctl": 157, "execve": 59, "exit_group": 231,
               "prlimit64": 302},
    "aarch64": {"write": 64, "openat": 56, "dup3": 24, "fcntl": 25, "prctl": 167, "execve": 221, "exit_group": 94,
                "prlimit64": 261},
}  # fmt: skip
_AT_FDCWD = -100


def prepare(
    command: Sequence[bytes], environment: dict[str, str], readable: Sequence[str], tell: int, order: dict[str, Any],
    settings: dict[str, Any], box: folders.Box,
) -> list[str]:  # fmt: skip
    """What to execute to become bubblewrap, which becomes `command`; this process is the box's user from here on.

    `tell` hears "o" right before the program starts, and then "x" where it cannot.
    """
    seen = [path for path in readable if os.path.exists(path)]
    start = os.path.join(box.root, "start")
    with open(start, "wb") as file:
        file.write(_starter(command, environment, seen, tell, order["limits"]))
        os.fchmod(file.fileno(), 0o755)
    words = _words(seen, start, order, settings, box)
    args = _kept_open(box, "args", b"\0".join([os.fsencode(word) for word in words]) + b"\0")
    os.set_inheritable(tell, True)
    if box.uid is not None:
        os.setgroups([])
        os.setresgid(box.uid, box.uid, box.uid)
        os.setresuid(box.uid, box.uid, box.uid)
    return [settings["bwrap"], "--args", str(args), "--", _START]


def _words(
    seen: Sequence[str], start: str, order: dict[str, Any], settings: dict[str, Any], box: folders.Box
) -> Iterator[str]:
    """Bubblewrap's arguments."""
    size = str(order["limits"]["tmp_bytes"])
    yield from ("--unshare-all", "--unshare-user", "--uid", NOBODY, "--gid", NOBODY)
    if settings["private"]:
        yield "--share-net"  # the launcher's own network, in which there is nothing
    if settings["disable_userns"]:
        yield "--disable-userns"
    yield from ("--cap-drop", "ALL", "--new-session", "--die-with-parent", "--hostname", "box", "--clearenv")
    yield from ("--proc", "/proc", "--dev", "/dev", "--size", size, "--tmpfs", "/dev/shm", "--remount-ro", "/dev")
    yield from ("--size", size, "--tmpfs", "/tmp", "--bind", box.folder, "/box", "--ro-bind", start, _START)
    for path in seen:
        if os.path.islink(path):
            yield from ("--symlink", os.readlink(path), path)
        else:
            yield from ("--ro-bind", box.bound.get(path, path), path)
    shielded: list[str] = []
    for name in box.locked:
        parts = name.split("/")
        for depth in range(1, len(parts)):
            if (folder := "/".join(parts[:depth])) not in shielded:  # a mount point cannot be renamed away
                shielded.append(folder)
                yield from ("--bind", f"{box.folder}/{folder}", f"/box/{folder}")
    for name in box.locked:
        yield from ("--ro-bind", f"{box.folder}/{name}", f"/box/{name}")
    yield from ("--remount-ro", "/", "--chdir", "/box", "--seccomp", str(_kept_open(box, "filter", seccomp.program())))


def _starter(
    command: Sequence[bytes], environment: dict[str, str], seen: Sequence[str], tell: int, limits: dict[str, Any]
) -> bytes:
    """The executable between bubblewrap and the program."""
    calls = _CALLS[kernel.MACHINE]
    version = landlock.abi()
    steps: list[Sequence[Argument]] = [(calls["prctl"], kernel.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)]
    if version:
        attr = landlock.attributes(version)
        steps += [(landlock.CREATE, Bytes(content=attr), len(attr), 0), (calls["dup3"], Last(), _RULES, os.O_CLOEXEC)]
        for path, write in _rules(seen):
            folder = path in _FOLDERS or os.path.isdir(path)
            rule = struct.pack("=Qi", landlock.access(folder=folder, write=write, version=version), _PLACE)
            steps += [
                (calls["openat"], _AT_FDCWD, Bytes(content=os.fsencode(path) + b"\0"), os.O_PATH | os.O_CLOEXEC, 0),
                (calls["dup3"], Last(), _PLACE, os.O_CLOEXEC),
                (landlock.ADD, _RULES, 1, Bytes(content=rule), 0),
            ]
        steps.append((landlock.RESTRICT, _RULES, 0))
    bound = limits["processes"] + 1  # bubblewrap's own first process is one of them
    steps += [
        (calls["prlimit64"], 0, resource.RLIMIT_NPROC, Bytes(content=struct.pack("=QQ", bound, bound)), 0),
        (calls["fcntl"], tell, 2, 1),
        (calls["write"], tell, Bytes(content=b"o"), 1),
        (
            calls["execve"],
            Bytes(content=command[0] + b"\0"),
            Strings(content=tuple(command)),
            Strings(content=tuple(f"{name}={value}".encode() for name, value in environment.items())),
        ),
    ]
    failed: list[Sequence[Argument]] = [(calls["write"], tell, Bytes(content=b"x"), 1), (calls["exit_group"], 127)]
    return executable(kernel.MACHINE, steps, failed)


_WRITABLE = ("/box", "/tmp", "/dev/shm", "/dev/null")
_OF_PROC = ("/proc/self", "/proc/cpuinfo", "/proc/meminfo")
"""All of /proc a program reads: itself, and what the machine is."""
_FOLDERS = ("/box", "/tmp", "/dev/shm", "/proc/self")
"""Inside, whatever they are outside."""


def _rules(seen: Sequence[str]) -> Iterator[tuple[str, bool]]:
    yield from ((path, False) for path in (*seen, *_OF_PROC, *landlock.DEVICES))
    yield from ((path, True) for path in _WRITABLE)


def _kept_open(box: folders.Box, name: str, content: bytes) -> int:
    """A descriptor that bubblewrap reads `content` from."""
    path = os.path.join(box.root, name)
    with open(path, "wb") as file:
        file.write(content)
    fd = os.open(path, os.O_RDONLY)
    os.set_inheritable(fd, True)
    os.unlink(path)
    return fd
