"""The Python a box runs: the one running now, without its virtual environment. Left out: what boxes read besides."""

from __future__ import annotations

import functools
import os
import stat
import sys


@functools.cache
def python() -> str:
    """The interpreter to put first in a command: reachable inside every box of this host.

    It is the base interpreter behind a virtual environment, so only the standard library is importable there.
    """
    return os.path.realpath(getattr(sys, "_base_executable", "") or sys.executable)


@functools.cache
def interpreter_folders() -> tuple[str, ...]:
    """What that interpreter reads: its prefix, unless the system folders hold it."""
    found = []
    for path in dict.fromkeys(os.path.realpath(p) for p in (sys.base_prefix, sys.base_exec_prefix)):
        if path != "/usr" and not path.startswith("/usr/"):
            found.append(path)
    return tuple(found)


def open_to_all() -> bool:
    """Every user may read the interpreter and its library, once there."""
    return all(os.stat(path).st_mode & stat.S_IROTH for path in (python(), os.__file__))


@functools.cache
def reachable() -> bool:
    """Every user may walk to them."""
    return all(open_way(path) for path in (python(), os.__file__))


def open_way(path: str) -> bool:
    """Every user may walk to it: no folder above it is closed to others."""
    at = os.path.realpath(path)
    while at != "/":
        at = os.path.dirname(at)
        if not os.stat(at).st_mode & stat.S_IXOTH:
            return False
    return True
