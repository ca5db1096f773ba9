"""What a program is wrapped in before it starts. Runs in the process that becomes the program.

Level 2: a user of its own where root starts it, no capabilities, limits, Landlock, seccomp. Level 3: bubblewrap's
namespaces with a root of read-only system folders, and the same inside. Left out: folders (folders), ending (keeper).
"""

from __future__ import annotations

import os
import resource
import signal
from typing import Any

from verigrad.sandbox import bubblewrap, folders, interpreter, kernel, landlock, seccomp

SYSTEM = ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32")
ETC = ("/etc/alternatives", "/etc/ld.so.cache", "/etc/ld.so.conf", "/etc/ld.so.conf.d", "/etc/ssl/openssl.cnf")
"""The read-only system: programs, libraries, and how they are found."""
ENVIRONMENT = {
    "PATH": "/usr/local/bin:/usr/bin:/bin", "LANG": "C.UTF-8", "TZ": "UTC", "OMP_NUM_THREADS": "1",
    "PYTHONDONTWRITEBYTECODE": "1", "PYTHONHASHSEED": "0",
}  # fmt: skip
"""All of it: nothing of the caller's environment enters a box."""
_HIGH = 40


def become(pipes: list[int], tell: int, order: dict[str, Any], settings: dict[str, Any], box: folders.Box) -> None:
    """Turns this process into the program. `tell` hears "o" right before it starts, then "x" where it cannot start.

    Where a layer cannot be had it hears why instead, and the process ends.
    """
    tell = _arrange(pipes, tell)
    try:
        _wrap(tell, order, settings, box)
    except BaseException as error:
        os.write(tell, f"{type(error).__name__}: {error}"[:1000].encode("utf-8", "replace"))
        os._exit(71)


def _wrap(tell: int, order: dict[str, Any], settings: dict[str, Any], box: folders.Box) -> None:
    for number in range(1, signal.NSIG):
        if number not in (signal.SIGKILL, signal.SIGSTOP) and number < 32:
            signal.signal(number, signal.SIG_DFL)
    os.setsid()
    command = [word.encode("latin-1") for word in order["command"]]
    command[0] = _found(command[0])
    readable = [*SYSTEM, *ETC, *order["reads"]]
    if settings["level"] == 3:
        environment = ENVIRONMENT | {"HOME": "/box", "TMPDIR": "/tmp"}
        words = bubblewrap.prepare(command, environment, readable, tell, order, settings, box)
        _limit(order["limits"], processes=False)
        os.execve(words[0], words, {})
    _level_2(readable, order, settings, box)
    os.write(tell, b"o")
    try:
        os.execve(command[0], command, ENVIRONMENT | {"HOME": box.folder, "TMPDIR": box.tmp})
    except (OSError, ValueError):
        os.write(tell, b"x")
    os._exit(127)


def _arrange(pipes: list[int], tell: int) -> int:
    """Descriptors 0 to 3 are the pipes, one high one is `tell`, and no other is open."""
    high = [os.dup2(fd, _HIGH + at) for at, fd in enumerate((*pipes, tell))]
    for at in range(4):
        os.dup2(high[at], at)
    os.set_inheritable(high[4], False)
    for fd in map(int, os.listdir("/proc/self/fd")):
        if fd > 3 and fd != high[4]:
            try:
                os.close(fd)
            except OSError:
                continue
    return high[4]


def _limit(limits: dict[str, Any], *, processes: bool) -> None:
    seconds = int(limits["cpu_seconds"] or limits["seconds"]) + 1
    bounds = [
        (resource.RLIMIT_CORE, 0),
        (resource.RLIMIT_AS, limits["memory_bytes"]),
        (resource.RLIMIT_CPU, seconds),
        (resource.RLIMIT_FSIZE, limits["file_bytes"]),
        (resource.RLIMIT_NOFILE, 64),
        (resource.RLIMIT_MEMLOCK, 0),
        (resource.RLIMIT_MSGQUEUE, 0),
    ]
    if processes:
        bounds.append((resource.RLIMIT_NPROC, limits["processes"]))
    for what, bound in bounds:
        hard = resource.getrlimit(what)[1]
        value = bound if hard == resource.RLIM_INFINITY else min(bound, hard)
        resource.setrlimit(what, (value, value))


def _level_2(readable: list[str], order: dict[str, Any], settings: dict[str, Any], box: folders.Box) -> None:
    limits = order["limits"]
    version = landlock.abi()
    if version < 1:
        raise OSError("this kernel has no Landlock")
    os.chdir(box.folder)
    keep: frozenset[int] = frozenset()
    if box.uid is not None:
        if not settings["reachable"] or not all(map(interpreter.open_way, order["reads"])):
            # What it is shown lies in a folder closed to others; Landlock still bounds what it opens.
            keep = frozenset([kernel.CAP_DAC_READ_SEARCH])
            kernel.prctl(8, 1)  # PR_SET_KEEPCAPS
        os.setgroups([])
        os.setresgid(box.uid, box.uid, box.uid)
        os.setresuid(box.uid, box.uid, box.uid)
        _limit(limits, processes=True)
    else:
        if os.geteuid() == 0:
            os.setgroups([])
        spare = limits | {"processes": limits["processes"] + _tasks_of(os.getuid())}
        _limit(spare, processes=True)
    kernel.prctl(kernel.PR_SET_PDEATHSIG, 9)
    kernel.drop_capabilities(keep)
    landlock.restrict([*readable, *landlock.DEVICES[1:]], [box.folder, box.tmp, landlock.DEVICES[0]])
    own = box.uid is None
    signals_to = os.getpid() if own and version < 6 else None
    seccomp.install(seccomp.program(own_files=own, signals_to=signals_to, truncate=version >= 3))


def _tasks_of(uid: int) -> int:
    """Threads this user has now: the limit on processes counts them too."""
    count = 0
    for name in os.listdir("/proc"):
        if name.isdigit():
            try:
                if os.stat(f"/proc/{name}").st_uid == uid:
                    count += len(os.listdir(f"/proc/{name}/task"))
            except OSError:
                continue
    return count


def _found(name: bytes) -> bytes:
    if b"/" in name:
        return name
    for folder in ENVIRONMENT["PATH"].encode().split(b":"):
        if os.access(os.path.join(folder, name), os.X_OK):
            return os.path.join(folder, name)
    raise OSError(f"no such program: {os.fsdecode(name)}")
