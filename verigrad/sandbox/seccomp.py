"""The system calls a program in a box does not get: a classic BPF filter, built here, installed by prctl or bubblewrap.

A list of what is refused, with unknown (newer) numbers refused too; conditions look at arguments that are plain
numbers, never at what a pointer leads to. Left out: paths (landlock), amounts (limits). See seccomp(2).
"""

from __future__ import annotations

import ctypes
import struct
from collections.abc import Iterator, Sequence

from verigrad.sandbox import kernel

EPERM, ENOSYS, ENOLCK, EOPNOTSUPP = 1, 38, 37, 95
_ALLOW, _ERRNO = 0x7FFF0000, 0x00050000
_NEWEST = 470
"""Numbers from here on are younger than this list."""
_NEW_NAMESPACE = 0x7E020000
_NUMBER, _ARCH, _ARGS = 0, 4, 16

# name: (x86_64, aarch64); -1: not on that machine. From 424 on both have the same numbers.
REFUSED: dict[str, tuple[int, int]] = {
    # sockets, but a connected pair of streams, which asyncio needs
    "socket": (41, 198), "connect": (42, 203), "accept": (43, 202), "accept4": (288, 242), "bind": (49, 200),
    "listen": (50, 201),
    # other processes
    "ptrace": (101, 117), "process_vm_readv": (310, 270), "process_vm_writev": (311, 271), "kcmp": (312, 272),
    "pidfd_getfd": (438, 438), "process_madvise": (440, 440), "process_mrelease": (448, 448),
    "migrate_pages": (256, 238), "move_pages": (279, 239),
    # namespaces and mounts
    "unshare": (272, 97), "setns": (308, 268), "mount": (165, 40), "umount2": (166, 39), "pivot_root": (155, 41),
    "chroot": (161, 51), "open_tree": (428, 428), "move_mount": (429, 429), "fsopen": (430, 430),
    "fsconfig": (431, 431), "fsmount": (432, 432), "fspick": (433, 433), "mount_setattr": (442, 442),
    "open_tree_attr": (467, 467),
    # the kernel
    "keyctl": (250, 219), "add_key": (248, 217), "request_key": (249, 218), "bpf": (321, 280),
    "perf_event_open": (298, 241), "userfaultfd": (323, 282), "io_uring_setup": (425, 425),
    "io_uring_enter": (426, 426), "io_uring_register": (427, 427), "kexec_load": (246, 104),
    "kexec_file_load": (320, 294), "init_module": (175, 105), "finit_module": (313, 273), "delete_module": (176, 106),
    "reboot": (169, 142), "swapon": (167, 224), "swapoff": (168, 225), "sethostname": (170, 161),
    "setdomainname": (171, 162), "settimeofday": (164, 170), "clock_settime": (227, 112), "adjtimex": (159, 171),
    "clock_adjtime": (305, 266), "acct": (163, 89), "quotactl": (179, 60), "quotactl_fd": (443, 443),
    "name_to_handle_at": (303, 264), "open_by_handle_at": (304, 265), "iopl": (172, -1), "ioperm": (173, -1),
    "syslog": (103, 116), "vhangup": (153, 58),
    # what several boxes could share, or see of each other
    "shmget": (29, 194), "shmat": (30, 196), "shmctl": (31, 195), "semget": (64, 190), "semop": (65, 193),
    "semctl": (66, 191), "semtimedop": (220, 192), "msgget": (68, 186), "msgsnd": (69, 189), "msgrcv": (70, 188),
    "msgctl": (71, 187), "mq_open": (240, 180), "mq_unlink": (241, 181), "inotify_init": (253, -1),
    "inotify_init1": (294, 26), "inotify_add_watch": (254, 27), "fanotify_init": (300, 262),
    "fanotify_mark": (301, 263), "mincore": (27, 232), "cachestat": (451, 451),
}  # fmt: skip
"""EPERM."""
ABSENT: dict[str, tuple[int, int]] = {
    "clone3": (435, 435), "memfd_create": (319, 279), "memfd_secret": (447, 447),
}  # fmt: skip
"""ENOSYS, at which libraries take the older way; memory files would not count as memory."""
NO_XATTR: dict[str, tuple[int, int]] = {
    "setxattr": (188, 5), "lsetxattr": (189, 6), "fsetxattr": (190, 7), "removexattr": (197, 14),
    "lremovexattr": (198, 15), "fremovexattr": (199, 16), "setxattrat": (463, 463), "removexattrat": (466, 466),
}  # fmt: skip
SIGNALS: dict[str, tuple[int, int]] = {
    "tkill": (200, 130), "rt_sigqueueinfo": (129, 138), "rt_tgsigqueueinfo": (297, 240),
    "pidfd_send_signal": (424, 424),
}  # fmt: skip
"""Refused at level 2 where Landlock cannot keep signals inside (before version 6), with the next two."""
TO_ITSELF: dict[str, tuple[int, int]] = {"kill": (62, 129), "tgkill": (234, 131)}
"""Then only to the program's own process."""
IDLE: dict[str, tuple[int, int]] = {
    "chmod": (90, -1), "fchmod": (91, 52), "fchmodat": (268, 53), "fchmodat2": (452, 452), "chown": (92, -1),
    "lchown": (94, -1), "fchown": (93, 55), "fchownat": (260, 54), "utime": (132, -1), "utimes": (235, -1),
    "futimesat": (261, -1), "utimensat": (280, 88),
}  # fmt: skip
"""Answered "done" and not done where the box's user also owns files outside it: Landlock does not cover them."""
TRUNCATE = {"truncate": (76, 45)}
"""Refused where Landlock does not cover it (before version 3)."""
QUIET: dict[str, tuple[int, int]] = {"sync": (162, 81), "syncfs": (306, 267)}
"""Answered "done" and not done: they would make the host's disks work for everybody."""
ON_ITSELF: dict[str, tuple[tuple[int, int], dict[int, int]]] = {
    "prlimit64": ((302, 261), {0: 0}), "sched_setaffinity": ((203, 122), {0: 0}),
    "sched_setscheduler": ((144, 119), {0: 0}), "sched_setparam": ((142, 118), {0: 0}),
    "sched_setattr": ((314, 274), {0: 0}), "setpriority": ((141, 140), {0: 0, 1: 0}),
    "ioprio_set": ((251, 30), {0: 1, 1: 0}),
}  # fmt: skip
"""Allowed where these arguments are these: one process, the caller itself, said as 0 (never a group or a user)."""
CLONE, SOCKETPAIR, FCNTL, IOCTL, PERSONALITY = (56, 220), (53, 199), (72, 25), (16, 29), (135, 92)
FLOCK = (73, 32)
_SIGNALLING_FCNTLS = (8, 10, 15, 1024, 1026)
"""F_SETOWN, F_SETSIG, F_SETOWN_EX (signals sent by the kernel), F_SETLEASE, F_NOTIFY (news of others' files)."""
_IOCTLS = (0x5412, 0x541C, 0x8901, 0x8902, 0x40086602, 0x40087602, 0x401C5820)
"""TIOCSTI, TIOCLINUX, FIOSETOWN, SIOCSPGRP, and the flags, version and project of a file one only reads."""


def program(*, own_files: bool = False, signals_to: int | None = None, truncate: bool = True) -> bytes:
    """The filter for this machine, as bubblewrap's --seccomp reads it.

    `own_files`: the box's user owns files outside. `signals_to`: the only process that may be signalled, where nothing
    else (a pid namespace, Landlock, a user of its own) keeps signals inside. `truncate`: Landlock covers it.
    """
    column = ("x86_64", "aarch64").index(kernel.MACHINE)
    code = [_load(_ARCH), *_unless(kernel.AUDIT_ARCH, _give(ENOSYS)), _load(_NUMBER)]
    code += [_jump(0x35, _NEWEST, 0, 1), _give(ENOSYS)]  # also the x32 numbers, which begin at 2^30
    plain = [(REFUSED, EPERM), (ABSENT, ENOSYS), (NO_XATTR, EOPNOTSUPP), (QUIET, 0)]
    plain += [(SIGNALS, EPERM)] if signals_to is not None else []
    plain += [(TRUNCATE, EPERM)] if not truncate else []
    plain += [(IDLE, 0)] if own_files else []
    for names, error in plain:
        for numbers in names.values():
            code += _when(numbers[column], [_give(error)])
    for numbers, arguments in ON_ITSELF.values():
        code += _when(numbers[column], [*_only(arguments), _allow()])
    for numbers in TO_ITSELF.values() if signals_to is not None else ():
        code += _when(numbers[column], [*_only({0: signals_to or 0}), _allow()])
    code += _when(FLOCK[column], [_give(ENOLCK)])
    code += _when(CLONE[column], [*_low(0), _jump(0x45, _NEW_NAMESPACE, 0, 1), _give(EPERM), _allow()])
    stream = [*_low(0), *_unless(1, _give(EPERM)), *_low(1), _operate(0x54, 0xF), *_unless(1, _give(EPERM)), _allow()]
    code += _when(SOCKETPAIR[column], stream)
    code += _when(FCNTL[column], [*_low(1), *_any(_SIGNALLING_FCNTLS), _allow()])
    code += _when(IOCTL[column], [*_low(1), *_any(_IOCTLS), _allow()])
    code += _when(PERSONALITY[column], [*_low(0), *_unless(0xFFFFFFFF, _give(EPERM)), _allow()])
    return b"".join([*code, _allow()])


def install(filter_bytes: bytes) -> None:
    """This process and all it starts, from now on. Raises OSError."""
    buffer = ctypes.create_string_buffer(filter_bytes, len(filter_bytes))
    header = struct.pack("=HxxxxxxQ", len(filter_bytes) // 8, ctypes.addressof(buffer))
    kernel.prctl(kernel.PR_SET_NO_NEW_PRIVS, 1)
    kernel.prctl(kernel.PR_SET_SECCOMP, 2, header)


def _when(number: int, then: Sequence[bytes]) -> list[bytes]:
    return [] if number < 0 else [_jump(0x15, number, 0, len(then)), *then]


def _unless(value: int, otherwise: bytes) -> list[bytes]:
    return [_jump(0x15, value, 1, 0), otherwise]


def _only(arguments: dict[int, int]) -> Iterator[bytes]:
    for at, value in arguments.items():
        yield from (*_low(at), *_unless(value, _give(EPERM)))


def _any(values: Sequence[int]) -> Iterator[bytes]:
    for value in values:
        yield from (_jump(0x15, value, 0, 1), _give(EPERM))


def _low(argument: int) -> list[bytes]:
    """The low half: both machines are little-endian, and the arguments looked at here are ints."""
    return [_load(_ARGS + 8 * argument)]


def _load(offset: int) -> bytes:
    return _operate(0x20, offset)


def _operate(code: int, value: int) -> bytes:
    return struct.pack("=HBBI", code, 0, 0, value)


def _jump(code: int, value: int, yes: int, no: int) -> bytes:
    return struct.pack("=HBBI", code, yes, no, value)


def _give(error: int) -> bytes:
    return _operate(0x06, _ERRNO | error)


def _allow() -> bytes:
    return _operate(0x06, _ALLOW)
