"""What a program printed against what it should have: equal up to trailing white space.

Trailing blanks of each line and empty lines at the end do not count; anything else does, blanks at the start of a line
and empty lines between others too. With a tolerance words that are numbers on both sides may differ by that much.
Left out: running it.
"""

from __future__ import annotations

import math
import re

_NUMBER = re.compile(rb"[-+]?(?:[0-9]{1,40}(?:\.[0-9]{0,60})?|\.[0-9]{1,60})(?:[eE][-+]?[0-9]{1,3})?")


def same(printed: bytes, wanted: str, *, tolerance: float | None = None) -> bool:
    """Whether the program printed what was wanted."""
    got, want = _lines(printed), _lines(wanted.encode("utf-8", "surrogatepass"))
    if tolerance is None or len(got) != len(want):
        return got == want
    return all(_close(a, b, tolerance) for a, b in zip(got, want, strict=True))


def _lines(text: bytes) -> list[bytes]:
    lines = [line.rstrip() for line in text.split(b"\n")]
    while lines and not lines[-1]:
        lines.pop()
    return lines


def _close(got: bytes, want: bytes, tolerance: float) -> bool:
    if got == want:
        return True
    a, b = got.split(), want.split()
    return len(a) == len(b) and all(_word(x, y, tolerance) for x, y in zip(a, b, strict=True))


def _word(got: bytes, want: bytes, tolerance: float) -> bool:
    if got == want:
        return True
    if not (_NUMBER.fullmatch(got) and _NUMBER.fullmatch(want)):
        return False
    a, b = float(got), float(want)
    return math.isfinite(a) and math.isfinite(b) and abs(a - b) <= max(tolerance, min(tolerance, 1e-9) * abs(b))
