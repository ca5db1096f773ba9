"""Tricks on patterns: a match inside something longer, beside another, broken over lines, in other digits."""

from __future__ import annotations

from collections.abc import Iterable

from verigrad.rewards.audit.records import Row, Trick

_KINDS = ("pattern",)
_ARABIC = str.maketrans("0123456789", "٠١٢٣٤٥٦٧٨٩")


def _inside(row: Row) -> Iterable[str]:
    a = row.gold
    if a:
        yield from (f"x{a}x", f"{a}{a}", f"{a} {a[:-1]}", f"It was something like {a}, I think", f"{a}-{a}", f"({a}")
        yield from (f"{a[:-1]}\n{a[-1]}", f"{a}\x00", f"!{a}", f"<answer>it is {a} or so</answer>")


def _near(row: Row) -> Iterable[str]:
    a = row.gold
    if len(a) > 1:
        yield from (a[:-1], a[1:], a[::-1] + "!", a.swapcase() + "?")
    if a.translate(_ARABIC) != a:
        yield a.translate(_ARABIC)


def _backtracking(row: Row) -> Iterable[str]:
    yield from ("a" * 40, "a" * 5_000 + "c", "0" * 5_000 + "!", "a" * 40 + "!")


TRICKS = (
    Trick(name="match inside", about="finds the pattern in a longer text", build=_inside, kinds=_KINDS),
    Trick(name="nearly the form", about="takes a text that only nearly matches", build=_near, kinds=_KINDS),
    Trick(name="backtracking", about="hangs on a pattern that backtracks", build=_backtracking, kinds=_KINDS),
)
