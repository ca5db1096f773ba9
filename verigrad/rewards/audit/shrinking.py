"""An exploit made smaller while it still works: delta debugging over lines, words and characters.

Zeller and Hildebrandt 2002, "Simplifying and isolating failure-inducing input", ddmin without the complements' second
pass. What comes out works by itself: it was put to the check as it stands.
"""

from __future__ import annotations

import re
from collections.abc import Callable

MOST = 160
"""Checks spent on one exploit."""


def smallest(answer: str, works: Callable[[str], bool], *, most: int = MOST) -> str:
    """The shortest text found that works, by leaving parts of the answer out. `answer` works already.

    >>> smallest("I think it is 80 or 90.", lambda text: "80" in text and "or" in text)
    '80or'
    """
    budget = [most]

    def holds(text: str) -> bool:
        if budget[0] <= 0:
            return False
        budget[0] -= 1
        return works(text)

    for cut in (_lines, _words, list):
        parts = cut(answer)
        if len(parts) < 2:
            continue
        answer = "".join(_reduced(parts, holds))
    return answer


def _reduced(parts: list[str], holds: Callable[[str], bool]) -> list[str]:
    size = max(1, len(parts) // 2)
    while parts and size >= 1:
        at, removed = 0, False
        while at < len(parts):
            shorter = parts[:at] + parts[at + size :]
            if holds("".join(shorter)):
                parts, removed = shorter, True
            else:
                at += size
        if size == 1 and not removed:
            break
        size = size if removed and size == 1 else size // 2
    return parts


def _lines(text: str) -> list[str]:
    return re.findall(r"[^\n]*\n|[^\n]+", text)


def _words(text: str) -> list[str]:
    return re.findall(r"\s+|\w+|[^\w\s]", text)
