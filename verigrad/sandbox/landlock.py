"""Landlock: which paths a process may still open, for itself and all it starts. Linux 5.13 on; no privilege needed.

What it does not cover (chmod, chown, utimes, xattrs, stat, UDP) is seccomp's, or stands in the table of level 2.
Kernel documentation: userspace-api/landlock.
"""

from __future__ import annotations

import os
import struct
from collections.abc import Sequence

from verigrad.sandbox import kernel

CREATE, ADD, RESTRICT = 444, 445, 446
READ = 1 << 0 | 1 << 2 | 1 << 3
"""Execute, read a file, list a folder."""
_OF_FILES = 1 << 0 | 1 << 1 | 1 << 2 | 1 << 14 | 1 << 15
_DEVICES = 1 << 6 | 1 << 11
_IOCTL_DEV = 1 << 15
DEVICES = ("/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom")


def abi() -> int:
    """The version this kernel speaks; 0 where there is none."""
    try:
        return kernel.syscall(CREATE, None, 0, 1)
    except OSError:
        return 0


def handled(version: int) -> tuple[int, int, int]:
    """(file rights, network rights, scopes) of that version: all it knows, so that what has no rule is refused.

    >>> handled(1)
    (8191, 0, 0)
    """
    rights = (1 << 13) - 1
    for since, bit in ((2, 13), (3, 14), (5, 15)):
        rights |= (1 << bit) if version >= since else 0
    return rights, 3 if version >= 4 else 0, 3 if version >= 6 else 0


def attributes(version: int) -> bytes:
    """Struct landlock_ruleset_attr, as long as that version knows it."""
    return struct.pack("=QQQ", *handled(version))[: 24 if version >= 6 else 16 if version >= 4 else 8]


def access(*, folder: bool, write: bool, version: int) -> int:
    """The rights a rule gives: reading and executing, or all but making devices; a file has fewer than a folder."""
    rights = handled(version)[0]
    wanted = rights & ~(_DEVICES | _IOCTL_DEV) if write else READ
    return wanted if folder else wanted & _OF_FILES


def restrict(readable: Sequence[str], writable: Sequence[str]) -> None:
    """This process, from now on: reads `readable`, also writes `writable`, opens nothing else. Paths not there: none.

    Sends no TCP (version 4), no signal out of the box and no abstract socket (version 6). Raises OSError.
    """
    version = abi()
    attr = attributes(version)
    ruleset = kernel.syscall(CREATE, attr, len(attr), 0)
    for paths, write in ((readable, False), (writable, True)):
        for path in paths:
            try:
                fd = os.open(path, os.O_PATH | os.O_CLOEXEC)
            except OSError:
                continue
            rule = struct.pack("=Qi", access(folder=os.path.isdir(path), write=write, version=version), fd)
            kernel.syscall(ADD, ruleset, 1, rule, 0)
            os.close(fd)
    kernel.prctl(kernel.PR_SET_NO_NEW_PRIVS, 1)
    kernel.syscall(RESTRICT, ruleset, 0)
    os.close(ruleset)
