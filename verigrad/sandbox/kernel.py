"""The few system calls Python has no name for, on x86_64 and aarch64. Runs in the launcher; nothing is sandboxed here.

Each wrapper raises OSError. Left out: what to refuse (seccomp), which paths to open (landlock).
"""

from __future__ import annotations

import ctypes
import os
import platform
from typing import Any

MACHINE = platform.machine()
AUDIT_ARCH = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}.get(MACHINE, 0)
"""What seccomp's filter sees as architecture; 0: not one this package knows."""

PR_SET_PDEATHSIG, PR_SET_DUMPABLE, PR_SET_SECCOMP = 1, 4, 22
PR_CAPBSET_DROP, PR_SET_CHILD_SUBREAPER, PR_SET_NO_NEW_PRIVS, PR_CAP_AMBIENT = 24, 36, 38, 47
CLONE_NEWNS, CLONE_NEWUSER, CLONE_NEWNET, CLONE_NEWIPC = 0x00020000, 0x10000000, 0x40000000, 0x08000000
MS_RDONLY, MS_NOSUID, MS_NODEV, MS_REMOUNT, MS_BIND, MS_REC, MS_PRIVATE = 1, 2, 4, 32, 4096, 16384, 1 << 18
CAP_DAC_READ_SEARCH = 2

_libc: Any = ctypes.CDLL(None, use_errno=True) if os.name == "posix" else None
if _libc is not None:
    _libc.syscall.restype = ctypes.c_long


def syscall(number: int, *args: int | bytes | ctypes.Array[ctypes.c_char] | None) -> int:
    """Any system call; pointers as bytes or buffers."""
    typed = [ctypes.c_long(a) if isinstance(a, int) else a for a in args]
    return _checked(_libc.syscall(ctypes.c_long(number), *typed), f"system call {number}")


def prctl(option: int, *args: int | bytes) -> int:
    """Sets one of a process's switches; unused arguments are zero, as the kernel asks."""
    typed = [ctypes.c_ulong(a) if isinstance(a, int) else ctypes.c_char_p(a) for a in (*args, 0, 0, 0, 0)[:4]]
    return _checked(_libc.prctl(ctypes.c_int(option), *typed), f"prctl {option}")


def unshare(flags: int) -> None:
    """Leaves some namespaces for new ones."""
    _checked(_libc.unshare(ctypes.c_int(flags)), "unshare")


def mount(source: str, target: str, kind: str, flags: int = 0, options: str = "") -> None:
    """Mounts a file system."""
    text = [t.encode() for t in (source, target, kind)]
    _checked(_libc.mount(*text, ctypes.c_ulong(flags), options.encode() or None), f"mount {target}")


def unmount(target: str) -> None:
    """Takes it away, when the last user is gone."""
    _checked(_libc.umount2(target.encode(), ctypes.c_int(2)), f"umount {target}")


def drop_capabilities(keep: frozenset[int] = frozenset()) -> None:
    """Every capability out of the bounding set, then out of the others; `keep` stays, over exec too."""
    for number in range(64):
        if number not in keep:
            try:
                prctl(PR_CAPBSET_DROP, number)
            except OSError:  # unknown to this kernel, or not ours to drop
                continue
    mask = sum(1 << number for number in keep)
    low, high = mask & 0xFFFFFFFF, mask >> 32
    header = (ctypes.c_uint32 * 2)(0x20080522, 0)
    data = (ctypes.c_uint32 * 6)(low, low, low, high, high, high)
    _checked(_libc.capset(header, data), "capset")
    for number in keep:
        prctl(PR_CAP_AMBIENT, 2, number)


def _checked(value: int, what: str) -> int:
    if value < 0:
        number = ctypes.get_errno()
        raise OSError(number, f"{what}: {os.strerror(number)}")
    return int(value)
