"""A control group around a box, where this host lets us make one (root, or a delegated folder; version 1 or 2).

It bounds what limits on single processes do not: memory of the whole box and, where root's own limit on processes
would not bite, their number. Left out: everything else (the layers hold without any group).
"""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Iterator
from typing import Any

_MOUNTS = {"memory": "/sys/fs/cgroup/memory", "pids": "/sys/fs/cgroup/pids"}
_UNIFIED = ("/sys/fs/cgroup/unified", "/sys/fs/cgroup")
_LIMIT = {
    ("memory", 1): "memory.limit_in_bytes", ("memory", 2): "memory.max", ("pids", 1): "pids.max",
    ("pids", 2): "pids.max",
}  # fmt: skip
_KILLED = {1: "memory.oom_control", 2: "memory.events"}


def found(*, pids: bool) -> list[list[Any]]:
    """[[controllers, version, folder to make groups in]]; empty where none can be made. A child process tries it."""
    wanted = ["memory", "pids"] if pids else ["memory"]
    return [
        [names, version, folder] for names, version, folder in _candidates(wanted) if _works(folder, names, version)
    ]


def _candidates(wanted: list[str]) -> Iterator[tuple[list[str], int, str]]:
    with contextlib.suppress(OSError), open("/proc/self/cgroup") as file:
        for line in file.read().splitlines():
            _, names, path = line.split(":", 2)
            mine = [name for name in wanted if name in names.split(",")]
            if mine and os.path.isdir(_MOUNTS[mine[0]]):
                yield mine, 1, _MOUNTS[mine[0]] + path.rstrip("/")
            elif not names:
                mount = next((m for m in _UNIFIED if os.path.exists(f"{m}/cgroup.controllers")), None)
                if mount is not None and (folder := _delegated(mount, path, wanted)) is not None:
                    yield wanted, 2, folder


def _delegated(mount: str, path: str, wanted: list[str]) -> str | None:
    """The nearest folder above us whose groups get the wanted controllers: one with processes in it gives none."""
    parts = path.strip("/").split("/") if path.strip("/") else []
    for depth in range(len(parts), -1, -1):
        folder = "/".join([mount, *parts[:depth]])
        with contextlib.suppress(OSError), open(f"{folder}/cgroup.subtree_control") as file:
            if set(wanted) <= set(file.read().split()):
                return folder
    return None


def _works(folder: str, names: list[str], version: int) -> bool:
    group = f"{folder}/verigrad-probe-{os.getpid()}"
    try:
        os.mkdir(group)
    except OSError:
        return False
    child = os.fork()
    if child == 0:
        try:
            with open(f"{group}/cgroup.procs", "w") as file:
                file.write("0")
            os._exit(0 if all(os.path.exists(f"{group}/{_LIMIT[name, version]}") for name in names) else 1)
        finally:
            os._exit(1)
    status = os.waitpid(child, 0)[1]
    _remove(group)
    return status == 0


class Group:
    """The control groups of one box.

    Moving a process into one takes the kernel a grace period, about as long as a start of Python. So a box is moved
    only once it has lived for a while, but where the number of processes hangs on it.
    """

    def __init__(self, settings: dict[str, Any], limits: dict[str, Any]) -> None:
        self._made: list[tuple[int, str, list[str]]] = []
        self._folders: list[list[Any]] = settings["groups"]
        self._bounds = {"memory": limits["memory_bytes"] + limits["tmp_bytes"], "pids": limits["processes"] + 3}
        if any("pids" in names for names, _, _ in self._folders):
            self._make()

    def _make(self) -> None:
        for names, version, folder in self._folders:
            group = f"{folder}/verigrad-{os.getpid()}"
            with contextlib.suppress(FileExistsError):
                os.mkdir(group)
            self._made.append((version, group, names))
            for name in names:
                _write(f"{group}/{_LIMIT[name, version]}", str(self._bounds[name]))

    def join(self) -> None:
        """Puts this process, and all it will start, into it, where that is needed from the start."""
        for _, group, _ in self._made:
            _write(f"{group}/cgroup.procs", "0")

    def gather(self, pids: list[int]) -> None:
        """Puts these processes into it."""
        with contextlib.suppress(OSError):
            if not self._made:
                self._make()
        for _, group, _ in self._made:
            for pid in pids:
                with contextlib.suppress(OSError):  # it has ended meanwhile
                    _write(f"{group}/cgroup.procs", str(pid))

    def kill(self) -> None:
        """Everything in it at once, where the kernel can (version 2, Linux 5.14)."""
        for version, group, _ in self._made:
            if version == 2:
                with contextlib.suppress(OSError):
                    _write(f"{group}/cgroup.kill", "1")

    def out_of_memory(self) -> bool:
        """Something in it was ended for memory."""
        for version, group, names in self._made:
            if "memory" in names:
                with contextlib.suppress(OSError), open(f"{group}/{_KILLED[version]}") as file:
                    counts = dict(line.split() for line in file.read().splitlines())
                    return int(counts.get("oom_kill", 0)) > 0
        return False

    def remove(self) -> None:
        """After everything in it has ended."""
        for _, group, _ in self._made:
            _remove(group)


def forget(folders: list[list[Any]], keeper: int) -> None:
    """Takes away the groups of a keeper that could not do so itself."""
    for _, _, folder in folders:
        if os.path.isdir(group := f"{folder}/verigrad-{keeper}"):
            _remove(group)


def _write(path: str, text: str) -> None:
    fd = os.open(path, os.O_WRONLY)
    try:
        os.write(fd, text.encode())
    finally:
        os.close(fd)


def _remove(group: str) -> None:
    for _ in range(50):  # the kernel lets go of an ended process a little later
        try:
            return os.rmdir(group)
        except FileNotFoundError:
            return None
        except OSError:
            time.sleep(0.002)
    return None
