"""The small process that starts boxes: one thread, few modules, so that a fork of it is cheap and safe.

Started by boxes, one per level; ends when the program that started it does. For each run it forks a keeper (keeper),
which makes the box, waits for the program, ends everything the program started, and reports. At level 3 it first
moves into namespaces of its own: an empty network that all its boxes share with nothing in it, and private mounts
for size-limited folders. Left out: clocks and byte caps, which are the caller's.
"""

from __future__ import annotations

import contextlib
import json
import os
import select
import signal
import socket
import sys
import time
from typing import Any, NoReturn

from verigrad.sandbox import cgroups, folders, kernel
from verigrad.sandbox.keeper import children, keep

SWEEP = b"sweep"
"""What a caller says whose keeper was lost."""


def main() -> None:
    """Serves runs from the socket argv[1] with the settings in argv[2]."""
    door = socket.socket(fileno=int(sys.argv[1]))
    settings: dict[str, Any] = json.loads(sys.argv[2])
    os.set_inheritable(door.fileno(), False)
    owner = os.pidfd_open(settings["owner"])
    os.umask(0o022)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    groups = {pids: cgroups.found(pids=pids) for pids in (False, True)}
    settings["private"], settings["own_users"] = _namespaces(settings)
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    kernel.prctl(kernel.PR_SET_CHILD_SUBREAPER, 1)
    settings["groups"] = groups[os.geteuid() == 0 and not settings["own_users"]]
    door.send(json.dumps({name: settings[name] for name in ("private", "own_users", "groups")}).encode())
    waiting = select.poll()
    waiting.register(door.fileno(), select.POLLIN)
    waiting.register(owner, select.POLLIN)
    keepers: set[int] = set()
    while True:
        events = dict(waiting.poll())
        message, fds, _, _ = (b"", [], 0, None) if owner in events else socket.recv_fds(door, 64, 8)
        if not message:
            _leave(settings)
        if message == SWEEP:
            _end_strays(keepers, settings)
            continue
        keeper = os.fork()
        if keeper == 0:
            try:
                door.close()
                signal.signal(signal.SIGCHLD, signal.SIG_DFL)
                keep(fds, owner, settings)
            finally:
                os._exit(70)
        keepers.add(keeper)
        for fd in fds:
            os.close(fd)


def _end_strays(keepers: set[int], settings: dict[str, Any]) -> None:
    """What a keeper that was killed had in its box is ours now (child subreaper): our children that are no keepers."""
    while strays := [pid for pid in children(os.getpid()) if pid not in keepers]:
        for pid in strays:
            with contextlib.suppress(OSError):
                os.kill(pid, signal.SIGKILL)
        time.sleep(0.002)
    for keeper in [pid for pid in keepers if not os.path.exists(f"/proc/{pid}")]:
        keepers.discard(keeper)
        cgroups.forget(settings["groups"], keeper)
        folders.clear(os.path.join(settings["base"], str(keeper)), private=settings["private"])


def _leave(settings: dict[str, Any]) -> NoReturn:
    """Ends, and takes its folder along once the last keeper has taken its own."""
    with contextlib.suppress(OSError):
        if settings["private"]:
            kernel.unmount(settings["base"])
    for _ in range(200):
        try:
            os.rmdir(settings["base"])
            break
        except FileNotFoundError:
            break
        except OSError:
            time.sleep(0.02)
    os._exit(0)


def _namespaces(settings: dict[str, Any]) -> tuple[bool, bool]:
    """(private mounts and an empty network, users of its own for boxes): what this host allows at this level."""
    own_users = bool(settings["own_users"])
    if settings["level"] == 2:
        return False, own_users
    for users in (True, False) if own_users else (False,):
        child = os.fork()  # tried in a child first: half done is no way
        if child == 0:
            try:
                _enter(settings["base"], users)
                os._exit(0)
            finally:
                os._exit(1)
        if os.waitpid(child, 0)[1] == 0:
            _enter(settings["base"], users)
            return True, users
    return False, False


def _enter(base: str, users: bool) -> None:
    uid, gid = os.geteuid(), os.getegid()
    mapped, us = _map_users(os.getpid()) if users else (None, -1)
    kernel.unshare(kernel.CLONE_NEWUSER | kernel.CLONE_NEWNS | kernel.CLONE_NEWNET)
    if mapped is not None:
        os.write(us, b"u")
        if os.waitpid(mapped, 0)[1] != 0:
            raise OSError("users cannot be mapped here")
    else:
        for name, text in (("setgroups", "deny"), ("uid_map", f"{uid} {uid} 1"), ("gid_map", f"{gid} {gid} 1")):
            with open(f"/proc/self/{name}", "w") as file:
                file.write(text)
    kernel.mount("none", "/", "", kernel.MS_REC | kernel.MS_PRIVATE)
    kernel.mount("verigrad", base, "tmpfs", kernel.MS_NOSUID | kernel.MS_NODEV, "size=1m,mode=0755")


def _map_users(process: int) -> tuple[int, int]:
    """A child outside the namespaces, which root needs to map users other than itself, and the pipe it waits on."""
    told, tell = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            os.read(told, 1)
            for name in ("uid_map", "gid_map"):
                with open(f"/proc/{process}/{name}", "w") as file:
                    file.write(f"0 0 1\n1 {folders.UIDS} 65535\n")
            os._exit(0)
        finally:
            os._exit(1)
    return child, tell
