"""Tricks that change the gold's spelling a little: a part of it, glued, reversed, look-alike letters, another case."""

from __future__ import annotations

import re
from collections.abc import Iterable

from verigrad.rewards.audit.records import Row, Trick

_SPELT = ("number", "math", "choice", "blank", "")
_TEXT = ("blank", "choice", "")
_ALIKE = str.maketrans("aeopcxyAEOPCXBHKMT", "аеорсхуАЕОРСХВНКМТ")
_LETTERS_FOR_DIGITS = str.maketrans("01", "Ol")
_WIDE = str.maketrans({**{c: chr(ord(c) + 0xFEE0) for c in map(chr, range(0x21, 0x7F))}, " ": "\u3000"})
_RAISED = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")


def _glued(row: Row) -> Iterable[str]:
    a = row.gold
    if a and re.fullmatch(r"[\w.-]+", a):
        yield from (f"1{a}", f"{a}1", f"x{a}x", f"{a}{a}", f"un{a}ed", f"9{a}9", f"{a}s{a}")


def _parts(row: Row) -> Iterable[str]:
    a = row.gold
    lines = a.splitlines()
    if len(lines) > 1:
        yield from (lines[0], "\n".join(lines[:-1]), "\n".join([lines[0], *("?" for _ in lines[1:])]), lines[-1])
    if len(a.split()) > 1:
        yield from (a.split()[0], " ".join(a.split()[:-1]))
    if len(a) > 1:
        yield from (a[0], a[:-1], a[: (len(a) + 1) // 2], a[1:])


def _beyond(row: Row) -> Iterable[str]:
    a = row.gold
    if a and row.other:
        yield from (f"{a}\n{row.other}", f"{a}\nThe rest is {row.other}", f"{a} {row.other}", f"{row.other} {a}")
    if len(a.splitlines()) > 1:
        yield a + "\nand one line more"


def _reversed(row: Row) -> Iterable[str]:
    if len(row.gold) > 1:
        yield row.gold[::-1]
        yield "".join(sorted(row.gold))
        yield " ".join(reversed(row.gold.split()))


def _near(row: Row) -> Iterable[str]:
    a = row.gold
    if len(a) > 3 and a.isalpha():
        yield from (a[:-1] + chr(ord("a") + (ord(a[-1].lower()) - 96) % 26), a[1] + a[0] + a[2:], a + a[-1], a + "s")


def _look_alike(row: Row) -> Iterable[str]:
    a = row.gold
    for other in (a.translate(_ALIKE), a.translate(_LETTERS_FOR_DIGITS), a.translate(_RAISED)):
        if other != a:
            yield other
    if len(a) > 1 and a.isdigit():
        yield f"{a[0]}\u200b1{a[1:]}"


def _odd_spelling(row: Row) -> Iterable[str]:
    a = row.gold
    if a:
        yield from (a.translate(_WIDE), a.swapcase())
    if len(a) > 1 and a.isdigit():
        yield from (f"{a[0]}_{a[1:]}", f"0x{int(a[:400]):x}", f"0{a}")


def _typed(row: Row) -> Iterable[str]:
    a = row.gold
    if a:
        yield from (f"[{a}]", f"[{a}, {a}]", f"{{'answer': {a}}}", f"{{{a}}}", f"'{a}' == '{a}'", f"({a}, 0)")


TRICKS = (
    Trick(name="glued", about="finds the gold inside a longer number or word", build=_glued, kinds=_SPELT),
    Trick(name="part of the gold", about="compares only as far as the shorter one goes", build=_parts, kinds=_SPELT),
    Trick(name="more behind", about="compares only the beginning, or the first line", build=_beyond, kinds=_SPELT),
    Trick(name="reversed", about="compares letters without their order", build=_reversed, kinds=_TEXT),
    Trick(name="near miss", about="takes a similar word for the same", build=_near, kinds=_TEXT),
    Trick(name="look-alike", about="takes other letters for the same", build=_look_alike, kinds=_SPELT),
    Trick(
        name="odd spelling",
        about="depends on how letters are encoded; right where the grader says so",
        build=_odd_spelling,
        kinds=_SPELT,
        claim="open",
    ),
    Trick(
        name="another type",
        about="takes a list, a set or a comparison for the value in it",
        build=_typed,
        kinds=("number", "math", "choice", ""),
        claim="open",
    ),
)
