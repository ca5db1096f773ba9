"""A list of system calls as a tiny executable: what happens inside bubblewrap between its mounts and the program.

A second Python there would double the cost of a start, a compiler may not be on the host. The executable makes the
calls in order, with arguments that are all known beforehand; the first that fails ends it. Left out: which calls
(layers). x86_64: Intel SDM vol. 2; aarch64: Arm ARM C6; ELF: System V gABI 4, 5.
"""

from __future__ import annotations

import struct
from collections.abc import Sequence
from dataclasses import dataclass

BASE = 0x400000
_HEADERS = 64 + 56


@dataclass(frozen=True, kw_only=True)
class Bytes:
    """An argument that points to these bytes."""

    content: bytes


@dataclass(frozen=True, kw_only=True)
class Strings:
    """An argument that points to a null-ended array of strings, as execve takes two."""

    content: tuple[bytes, ...]


class Last:
    """An argument that is what the call before gave back."""


Argument = int | Bytes | Strings | Last


def executable(machine: str, calls: Sequence[Sequence[Argument]], failed: Sequence[Sequence[Argument]]) -> bytes:
    """An ELF file for `machine` (x86_64, aarch64) that makes `calls`, each (number, arguments...).

    When one fails it makes `failed`, whatever they give. The lists should end in exec or exit.
    """
    size = len(_code(machine, calls, failed, {}, 0))
    at = BASE + _HEADERS + size
    at += -at % 8
    places, data = _lay_out([a for call in (*calls, *failed) for a in call], at)
    code = _code(machine, calls, failed, places, 0)
    body = code + b"\0" * (at - BASE - _HEADERS - len(code)) + data
    return _elf(machine, len(body)) + body


def _lay_out(arguments: Sequence[Argument], at: int) -> tuple[dict[int, int], bytes]:
    """Where each pointed-to argument lies (by its id), and the bytes there."""
    places: dict[int, int] = {}
    data = bytearray()

    def put(content: bytes) -> int:
        data.extend(b"\0" * (-len(data) % 8))
        data.extend(content)
        return at + len(data) - len(content)

    for argument in arguments:
        if isinstance(argument, Bytes):
            places[id(argument)] = put(argument.content)
        elif isinstance(argument, Strings):
            pointers = [put(text + b"\0") for text in argument.content]
            places[id(argument)] = put(struct.pack(f"<{len(pointers) + 1}Q", *pointers, 0))
    return places, bytes(data)


def _code(
    machine: str, calls: Sequence[Sequence[Argument]], failed: Sequence[Sequence[Argument]], places: dict[int, int],
    tail: int,
) -> bytes:  # fmt: skip
    call, skip = {"x86_64": (_x86_call, _x86_failed), "aarch64": (_arm_call, _arm_failed)}[machine]
    ending = b"".join(call(one, places) for one in failed)
    parts = [call(one, places) for one in calls]
    tails = [len(skip(0))] * len(parts)
    out = bytearray()
    whole = sum(map(len, parts)) + sum(tails)
    for part in parts:
        out += part
        out += skip(whole - len(out))
    return bytes(out) + ending


def _value(argument: Argument, places: dict[int, int]) -> int:
    if isinstance(argument, int):
        return argument & 0xFFFFFFFFFFFFFFFF
    return places.get(id(argument), BASE)


_X86_IMMEDIATE = (b"\x48\xb8", b"\x48\xbf", b"\x48\xbe", b"\x48\xba", b"\x49\xba", b"\x49\xb8", b"\x49\xb9")
"""mov rax|rdi|rsi|rdx|r10|r8|r9, imm64: the call's number and its six arguments."""
_X86_FROM_RAX = (
    b"",
    b"\x48\x89\xc7",
    b"\x48\x89\xc6",
    b"\x48\x89\xc2",
    b"\x49\x89\xc2",
    b"\x49\x89\xc0",
    b"\x49\x89\xc1",
)


def _x86_call(call: Sequence[Argument], places: dict[int, int]) -> bytes:
    copies = [_X86_FROM_RAX[at] for at, argument in enumerate(call) if isinstance(argument, Last)]
    loads = [
        _X86_IMMEDIATE[at] + struct.pack("<Q", _value(argument, places))
        for at, argument in enumerate(call)
        if not isinstance(argument, Last)
    ]
    return b"".join([*copies, *loads, b"\x0f\x05"])


def _x86_failed(distance: int) -> bytes:
    """Where the sign is set (test rax, rax; js), on to the calls for failure, `distance` bytes from here."""
    return b"\x48\x85\xc0\x0f\x88" + struct.pack("<i", distance - 9)


def _arm_call(call: Sequence[Argument], places: dict[int, int]) -> bytes:
    number, *arguments = call
    words = [0xAA0003E0 | at for at, argument in enumerate(arguments) if isinstance(argument, Last)]  # mov xN, x0
    for register, argument in ((8, number), *enumerate(arguments)):
        if isinstance(argument, Last):
            continue
        value = _value(argument, places)
        for half in range(4):  # movz, then movk
            word = 0xD2800000 if half == 0 else 0xF2800000
            words.append(word | half << 21 | (value >> 16 * half & 0xFFFF) << 5 | register)
    words.append(0xD4000001)  # svc #0
    return struct.pack(f"<{len(words)}I", *words)


def _arm_failed(distance: int) -> bytes:
    """Where the sign is set (tbz x0, #63, over; b), on to the calls for failure, `distance` bytes from here."""
    return struct.pack("<II", 0xB6F80000 | 2 << 5 | 0, 0x14000000 | (distance - 4) // 4 & 0x3FFFFFF)


def _elf(machine: str, size: int) -> bytes:
    number = {"x86_64": 62, "aarch64": 183}[machine]
    header = struct.pack(
        "<16sHHIQQQIHHHHHH", b"\x7fELF\x02\x01\x01", 2, number, 1, BASE + _HEADERS, 64, 0, 0, 64, 56, 1, 64, 0, 0
    )
    whole = _HEADERS + size
    return header + struct.pack("<IIQQQQQQ", 1, 5, 0, BASE, BASE, whole, whole, 0x10000)
