"""One run of one box, from the inside of a process forked for it: make the box, start the program, end everything.

Every process the program starts has this one as its last ancestor (child subreaper), whatever sessions it makes for
itself. Left out: clocks and byte caps (the caller's, who says when to stop), and what the box is made of (layers).
"""

from __future__ import annotations

import contextlib
import json
import os
import select
import signal
import socket
from typing import Any

from verigrad.sandbox import cgroups, folders, kernel, layers

LOOK_MS = 100
"""How often memory is looked at, and when a box is first moved into its control group."""


def keep(fds: list[int], owner: int, settings: dict[str, Any]) -> None:
    """Serves the run whose stdin, stdout, stderr, result and control are `fds`; never returns."""
    kernel.prctl(kernel.PR_SET_CHILD_SUBREAPER, 1)
    control = socket.socket(fileno=fds[4])
    order, contents = _receive(control)
    box = folders.Box(settings, order)
    group = None
    try:
        box.make(contents)
        group = cgroups.Group(settings, order["limits"])
        failure, target, told = _start(fds[:4], order, settings, box, group)
        for fd in fds[:4]:
            os.close(fd)
        if failure:
            sweep(box.uid, group)
            _report(control, {"failed": failure}, {})
            return
        control.send(b"s")
        status, too_much = _wait(target, control, owner, order["limits"], group)
        sweep(box.uid, group)
        head = {
            "status": status,
            "changed": box.changed(),
            "no_program": os.read(told, 1) == b"x",
            "too_much": too_much or ("memory" if group.out_of_memory() else ""),
        }
        _report(control, head, box.kept())
    except (OSError, ValueError) as error:
        sweep(box.uid, group)
        with contextlib.suppress(OSError):
            _report(control, {"failed": f"{type(error).__name__}: {error}"}, {})
    finally:
        box.remove()
        if group is not None:
            group.remove()
        os._exit(0)


def _receive(control: socket.socket) -> tuple[dict[str, Any], dict[str, bytes]]:
    """The order, and the files that come behind it."""
    stream = control.makefile("rb")
    order = json.loads(stream.readline())
    return order, {name: stream.read(size) for name, size in order["sizes"]}


def _report(control: socket.socket, head: dict[str, Any], kept: dict[str, bytes]) -> None:
    head = head | {"sizes": [[name, len(body)] for name, body in kept.items()]}
    control.sendall(b"".join([json.dumps(head).encode(), b"\n", *kept.values()]))


def _start(
    pipes: list[int], order: dict[str, Any], settings: dict[str, Any], box: folders.Box, group: cgroups.Group
) -> tuple[str, int, int]:
    """Forks the program: ("", its process, the pipe it tells on), or (why it did not start, ...)."""
    told, tell = os.pipe()
    target = os.fork()
    if target == 0:
        try:
            os.close(told)
            group.join()
            layers.become(pipes, tell, order, settings, box)
        finally:
            os._exit(71)
    os.close(tell)
    first = os.read(told, 1)
    if first == b"o":
        return "", target, told
    rest = os.read(told, 1000) if first else b""
    os.waitpid(target, 0)
    return (first + rest).decode("utf-8", "replace") or "bubblewrap ended before the program", target, told


def _wait(
    target: int, control: socket.socket, owner: int, limits: dict[str, Any], group: cgroups.Group
) -> tuple[int | None, str]:
    """(exit status, minus the signal; None when the caller said to stop or is gone, what there was too much of)."""
    process = os.pidfd_open(target)
    poll = select.poll()
    for fd in (process, control.fileno(), owner):
        poll.register(fd, select.POLLIN)
    looks = 0
    while True:
        events = dict(poll.poll(LOOK_MS))
        if process in events:
            return os.waitstatus_to_exitcode(os.waitpid(target, 0)[1]), ""
        if events:
            return None, ""
        if not looks:
            for _ in range(3):  # what is started meanwhile is in the next list, or its parent was moved before
                group.gather(_descendants(os.getpid()))
        looks += 1
        if _memory() > limits["memory_bytes"] + limits["tmp_bytes"] or group.out_of_memory():
            return None, "memory"


def _memory() -> int:
    """Bytes that all descendants hold, as /proc tells it now."""
    total = 0
    for pid in _descendants(os.getpid()):
        with contextlib.suppress(OSError, ValueError, IndexError), open(f"/proc/{pid}/statm", "rb") as file:
            words = file.read().split()
            total += int(words[1]) - int(words[2])  # without what files have in common
    return total * os.sysconf("SC_PAGE_SIZE")


def sweep(uid: int | None, group: cgroups.Group | None) -> None:
    """Kills and reaps all descendants, and all they become while that goes on."""
    while True:
        try:
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass
        except ChildProcessError:
            return
        if group is not None:
            group.kill()
        if uid is not None:
            _kill_all_of(uid)
        for pid in _descendants(os.getpid()):
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(pid, signal.SIGKILL)
        with contextlib.suppress(ChildProcessError):
            os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOWAIT)


def _kill_all_of(uid: int) -> None:
    """Everything a private user runs, at once: no fork slips between finding and killing."""
    child = os.fork()
    if child == 0:
        try:
            os.setresuid(uid, uid, uid)
            os.kill(-1, signal.SIGKILL)
        finally:
            os._exit(0)
    os.waitpid(child, 0)


def _descendants(root: int) -> list[int]:
    """Processes below `root`, nearest first, as /proc tells it now."""
    parents = _parents()
    found = [root]
    for pid in found:
        found.extend(parents.get(pid, []))
    return found[1:]


def children(pid: int) -> list[int]:
    """Its living children."""
    return _parents().get(pid, [])


def _parents() -> dict[int, list[int]]:
    parents: dict[int, list[int]] = {}
    for name in os.listdir("/proc"):
        if name.isdigit():
            with contextlib.suppress(OSError, IndexError, ValueError), open(f"/proc/{name}/stat", "rb") as file:
                state, parent = file.read().rpartition(b")")[2].split()[:2]
                if state not in b"ZX":
                    parents.setdefault(int(parent), []).append(int(name))
    return parents
