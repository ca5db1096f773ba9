"""The small process that starts boxes: one thread, few modules, so that a fork of it is cheap and safe.

Started by boxes, one per level; ends when the program that started it does. For each run it forks a keeper (keeper),
which makes the box, waits for the program, ends everything the program started, and reports. At level 3 it first
moves into namespaces of its own: an empty network that all its boxes share with nothing in it, and private mounts
for size-limited folders. Left out: clocks and byte caps, which are the caller's.
"""

from __future__ import annotations

import json
import os
import select
import signal
import socket
import sys
from typing import Any

from verigrad.sandbox import kernel
from verigrad.sandbox.keeper import keep


def main() -> None:
    """Serves runs from the socket argv[1] with the settings in argv[2]."""
    door = socket.socket(fileno=int(sys.argv[1]))
    settings: dict[str, Any] = json.loads(sys.argv[2])
    os.set_inheritable(door.fileno(), False)
    owner = os.pidfd_open(settings["owner"])
    os.umask(0o022)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    settings["private"] = settings["level"] == 3 and _own_namespaces(settings["base"])
    door.send(json.dumps({"private": settings["private"]}).encode())
    waiting = select.poll()
    waiting.register(door.fileno(), select.POLLIN)
    waiting.register(owner, select.POLLIN)
    while True:
        events = dict(waiting.poll())
        if owner in events:
            os._exit(0)
        message, fds, _, _ = socket.recv_fds(door, 64, 8)
        if not message:
            os._exit(0)
        if os.fork() == 0:
            try:
                door.close()
                signal.signal(signal.SIGCHLD, signal.SIG_DFL)
                keep(fds, owner, settings)
            finally:
                os._exit(70)
        for fd in fds:
            os.close(fd)


def _own_namespaces(base: str) -> bool:
    """Empty network, private mounts, a small file system over `base`. Tried in a child first: half done is no way."""
    child = os.fork()
    if child == 0:
        try:
            _enter(base)
            os._exit(0)
        finally:
            os._exit(1)
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    try:
        if os.waitpid(child, 0)[1] != 0:
            return False
    except ChildProcessError:
        return False
    finally:
        signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    _enter(base)
    return True


def _enter(base: str) -> None:
    uid, gid = os.geteuid(), os.getegid()
    kernel.unshare(kernel.CLONE_NEWUSER | kernel.CLONE_NEWNS | kernel.CLONE_NEWNET)
    for name, text in (("setgroups", "deny"), ("uid_map", f"{uid} {uid} 1"), ("gid_map", f"{gid} {gid} 1")):
        with open(f"/proc/self/{name}", "w") as file:
            file.write(text)
    kernel.mount("none", "/", "", kernel.MS_REC | kernel.MS_PRIVATE)
    kernel.mount("verigrad", base, "tmpfs", kernel.MS_NOSUID | kernel.MS_NODEV, "size=1m,mode=0755")
