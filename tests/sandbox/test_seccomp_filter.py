"""The filter, run by an interpreter of classic BPF for both machines, and its numbers against the kernel's headers."""

import re
import struct
from pathlib import Path

import pytest

from verigrad.sandbox import kernel, seccomp

ALLOWED = "allowed"
ARCH = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
HEADERS = {"x86_64": "/usr/include/x86_64-linux-gnu/asm/unistd_64.h", "aarch64": "/usr/include/asm-generic/unistd.h"}
USUAL = {
    "read": (0, 63), "write": (1, 64), "openat": (257, 56), "close": (3, 57), "mmap": (9, 222), "munmap": (11, 215),
    "brk": (12, 214), "rt_sigaction": (13, 134), "execve": (59, 221), "exit_group": (231, 94), "wait4": (61, 260),
    "pipe2": (293, 59), "futex": (202, 98), "getrandom": (318, 278), "newfstatat": (262, 79), "getpid": (39, 172),
    "landlock_restrict_self": (446, 446), "kill": (62, 129),
}  # fmt: skip


@pytest.fixture(params=["x86_64", "aarch64"])
def machine(request, monkeypatch):
    monkeypatch.setattr(kernel, "MACHINE", request.param)
    monkeypatch.setattr(kernel, "AUDIT_ARCH", ARCH[request.param])
    return request.param


def ask(program, machine, number, *args):
    """What the filter answers: "allowed", or the error's number."""
    data = struct.pack("<IIQ6Q", number & 0xFFFFFFFF, ARCH[machine], 0, *(*args, 0, 0, 0, 0, 0, 0)[:6])
    register, at = 0, 0
    while True:
        code, yes, no, value = struct.unpack_from("<HBBI", program, 8 * at)
        at += 1
        if code == 0x20:
            register = struct.unpack_from("<I", data, value)[0]
        elif code == 0x54:
            register &= value
        elif code == 0x06:
            assert value >> 16 in (0x7FFF, 0x0005)
            return ALLOWED if value >> 16 == 0x7FFF else value & 0xFFFF
        else:
            taken = {0x15: register == value, 0x35: register >= value, 0x45: bool(register & value)}[code]
            at += yes if taken else no


def column(machine):
    return ("x86_64", "aarch64").index(machine)


def test_a_usual_program_runs(machine):
    program = seccomp.program()
    for name, numbers in USUAL.items():
        assert ask(program, machine, numbers[column(machine)]) == ALLOWED, name


@pytest.mark.parametrize(
    ("table", "error"),
    [
        (seccomp.REFUSED, 1),
        (seccomp.ABSENT, 38),
        (seccomp.NO_XATTR, 95),
        ({"f": seccomp.FLOCK}, 37),
        (seccomp.QUIET, 0),
    ],
)
def test_what_is_refused_whatever_its_arguments(machine, table, error):
    program = seccomp.program()
    for name, numbers in table.items():
        number = numbers[column(machine)]
        for args in ((), (2**64 - 1,) * 6):
            assert number < 0 or ask(program, machine, number, *args) == error, name


def test_what_is_refused_only_where_nothing_else_stops_it(machine):
    at = column(machine)
    loose, tight = seccomp.program(), seccomp.program(own_files=True, signals_to=77, truncate=False)
    for table, error in ((seccomp.SIGNALS, 1), (seccomp.IDLE, 0), (seccomp.TRUNCATE, 1)):
        for name, numbers in table.items():
            if numbers[at] >= 0:
                assert ask(loose, machine, numbers[at]) == ALLOWED, name
                assert ask(tight, machine, numbers[at]) == error, name
    for name, numbers in seccomp.TO_ITSELF.items():
        assert [ask(loose, machine, numbers[at], pid, 9) for pid in (77, 1, 2**64 - 1)] == [ALLOWED] * 3, name
        assert [ask(tight, machine, numbers[at], pid, 9) for pid in (77, 1, 0, 2**64 - 1)] == [ALLOWED, 1, 1, 1], name


def test_arguments_decide(machine):
    at, program = column(machine), seccomp.program()

    def say(numbers, *args):
        return ask(program, machine, numbers[at], *args)

    assert say(seccomp.CLONE, 0x003D0F00) == ALLOWED  # a thread
    assert say(seccomp.CLONE, 0x01200011) == ALLOWED  # a fork
    for space in (0x00020000, 0x02000000, 0x04000000, 0x08000000, 0x10000000, 0x20000000, 0x40000000):
        assert say(seccomp.CLONE, space | 17) == 1
    assert say(seccomp.SOCKETPAIR, 1, 1) == ALLOWED
    assert say(seccomp.SOCKETPAIR, 1, 1 | 0o2000000) == ALLOWED
    assert [say(seccomp.SOCKETPAIR, *pair) for pair in ((1, 2), (1, 5), (2, 1), (16, 1), (0, 1))] == [1] * 5
    for name, (numbers, wanted) in seccomp.ON_ITSELF.items():
        args = [wanted.get(at, 0) for at in range(6)]
        assert say(numbers, *args) == ALLOWED, name
        for which in wanted:
            assert say(numbers, *args[:which], 1234, *args[which + 1 :]) == 1, name
    assert [say(seccomp.FCNTL, 3, command) for command in (1, 2, 3, 4, 6, 1030)] == [ALLOWED] * 6
    assert [say(seccomp.FCNTL, 3, command) for command in (8, 10, 15, 1024, 1026)] == [1] * 5
    assert [say(seccomp.IOCTL, 1, word) for word in (0x5401, 0x5413, 0x541B, 0x5421)] == [ALLOWED] * 4
    assert [say(seccomp.IOCTL, 1, word) for word in (0x5412, 0x541C, 0x40086602)] == [1] * 3
    assert say(seccomp.PERSONALITY, 0xFFFFFFFF) == ALLOWED
    assert say(seccomp.PERSONALITY, 0x0040000) == 1


def test_other_machines_and_other_numbers(machine):
    program = seccomp.program()
    other = next(name for name in ARCH if name != machine)
    assert ask(program, other, USUAL["read"][column(other)]) == 38
    assert [ask(program, machine, number) for number in (470, 1000, 0x40000000, 0x40000000 | 39, -1)] == [38] * 5


@pytest.mark.parametrize("machine_name", HEADERS)
def test_numbers_are_the_kernels(machine_name):
    path = Path(HEADERS[machine_name])
    if machine_name == "x86_64" and not path.exists():  # headers of a machine that is not x86_64
        assert kernel.MACHINE != "x86_64", "the compiler's headers are not installed: apt-get install gcc"
        return
    words = re.findall(r"#define __NR(?:3264)?_(\w+) (\d+)", path.read_text())
    there = {name: int(number) for name, number in words}
    at = column(machine_name)
    mine = {**seccomp.REFUSED, **seccomp.ABSENT, **seccomp.NO_XATTR, **seccomp.SIGNALS, **seccomp.IDLE}
    mine |= (
        seccomp.QUIET
        | seccomp.TO_ITSELF
        | seccomp.TRUNCATE
        | {name: numbers for name, (numbers, _) in seccomp.ON_ITSELF.items()}
    )
    mine |= {"clone": seccomp.CLONE, "socketpair": seccomp.SOCKETPAIR, "fcntl": seccomp.FCNTL, "ioctl": seccomp.IOCTL}
    mine |= {"personality": seccomp.PERSONALITY, "flock": seccomp.FLOCK}
    checked = {name: numbers[at] for name, numbers in mine.items() if name in there and numbers[at] >= 0}
    assert len(checked) > 100
    assert checked == {name: there[name] for name in checked}
    missing = [name for name in mine if name in there and mine[name][at] < 0]
    assert missing == []
