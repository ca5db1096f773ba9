"""A list of system calls as an executable: it runs here, and the other machine's is well formed."""

import platform
import struct
import subprocess

import pytest

from verigrad.sandbox.straight import BASE, Bytes, Last, Strings, executable

CALLS = {
    "x86_64": {"write": 1, "dup": 32, "execve": 59, "exit_group": 231},
    "aarch64": {"write": 64, "dup": 23, "execve": 221, "exit_group": 94},
}


def run(tmp_path, calls, failed):
    path = tmp_path / "program"
    path.write_bytes(executable(platform.machine(), calls, failed))
    path.chmod(0o755)
    return subprocess.run([str(path)], capture_output=True, timeout=20, check=False)


def test_calls_are_made_in_order_and_results_handed_on(tmp_path):
    call = CALLS[platform.machine()]
    text = Bytes(content=b"second\n")
    steps = [
        (call["write"], 1, Bytes(content=b"first\n"), 6),
        (call["dup"], 1),
        (call["write"], Last(), text, 7),
        (call["execve"], Bytes(content=b"/bin/echo\0"), Strings(content=(b"echo", b"third", b"")), Strings(content=())),
    ]
    done = run(tmp_path, steps, [(call["exit_group"], 9)])
    assert (done.returncode, done.stdout) == (0, b"first\nsecond\nthird \n")


@pytest.mark.parametrize("failing", [0, 1, 2])
def test_the_first_that_fails_ends_it(tmp_path, failing):
    call = CALLS[platform.machine()]
    steps = [(call["write"], 1, Bytes(content=b"x"), 1)] * 3
    steps[failing] = (call["write"], 999, Bytes(content=b"x"), 1)
    failed = [(call["write"], 1, Bytes(content=b"failed"), 6), (call["exit_group"], 71)]
    done = run(tmp_path, steps, failed)
    assert (done.returncode, done.stdout) == (71, b"x" * failing + b"failed")


def test_the_environment_is_the_one_given(tmp_path):
    call = CALLS[platform.machine()]
    step = (call["execve"], Bytes(content=b"/usr/bin/env\0"), Strings(content=(b"env",)), Strings(content=(b"A=1",)))
    assert run(tmp_path, [step], [(call["exit_group"], 1)]).stdout == b"A=1\n"


@pytest.mark.parametrize("machine", CALLS)
def test_the_file_is_an_elf_of_that_machine(machine):
    call = CALLS[machine]
    body = executable(machine, [(call["write"], 1, Bytes(content=b"hello"), 5)], [(call["exit_group"], 0)])
    assert body[:7] == b"\x7fELF\x02\x01\x01"
    kind, number, _, entry, segments = struct.unpack_from("<HHIQQ", body, 16)
    assert (kind, number, segments) == (2, {"x86_64": 62, "aarch64": 183}[machine], 64)
    assert BASE < entry < BASE + len(body)
    what, flags, offset, address, _, size, memory = struct.unpack_from("<IIQQQQQ", body, 64)
    assert (what, flags, offset, address, size, memory) == (1, 5, 0, BASE, len(body), len(body))
    assert body.count(b"hello") == 1


def test_aarch64_code_as_an_assembler_writes_it():
    body = executable("aarch64", [(64, 1, 0x12345, 5), (57, Last())], [(94, 7)])
    words = list(struct.unpack_from("<36I", body, 120))
    mov = lambda register, value: [  # noqa: E731
        0xD2800000 | (value & 0xFFFF) << 5 | register, 0xF2A00000 | (value >> 16 & 0xFFFF) << 5 | register,
        0xF2C00000 | register, 0xF2E00000 | register,
    ]  # fmt: skip
    first = [*mov(8, 64), *mov(0, 1), *mov(1, 0x12345), *mov(2, 5), 0xD4000001]
    assert words[:17] == first
    assert words[17] == 0xB6F80040  # tbz x0, #63, two further
    rest = words[19:]
    assert rest[:6] == [0xAA0003E0, *mov(8, 57), 0xD4000001]
    assert rest[6] == 0xB6F80040
    assert words[18] == 0x14000000 | 9  # b to the calls for failure: 9 words on
    assert rest[7] == 0x14000000 | 1
    assert rest[8:13] == mov(8, 94) + mov(0, 7)[:1]
