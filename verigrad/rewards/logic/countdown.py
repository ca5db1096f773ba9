r"""An arithmetic expression over + - * / that uses each number at most once and equals the target exactly.

Right, for {"numbers": [3, 7, 3], "target": 24}: "3 * 7 + 3", "(3*7)+3 = 24", "The answer is 7 × 3 + 3".
Refused: "21+3" (numbers that are not there), "24", "3*7+4", "73-49" (joined digits), "-3+7*3", "3*7+3 = 25".

The gold holds `numbers` (whole, not negative), `target`, optionally `oracle` or `expression`, and `use_all` (every
number must be used).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from verigrad.records import Task
from verigrad.rewards import extract
from verigrad.rewards.logic import Judged
from verigrad.rewards.solving import arithmetic
from verigrad.rewards.spans import inner
from verigrad.rewards.tokens import Unread

MAX_STATES = 300_000
"""Sets of numbers the search for an example looks at."""


def check(truth: Mapping[str, Any]) -> str:
    """Why this gold cannot be read."""
    numbers = truth.get("numbers")
    if not isinstance(numbers, (list, tuple)) or not 1 <= len(numbers) <= arithmetic.MAX_NUMBERS:
        return "numbers want a list"
    if not all(isinstance(n, int) and not isinstance(n, bool) and 0 <= n < 10**arithmetic.MAX_DIGITS for n in numbers):
        return "numbers want whole numbers that are not negative"
    try:
        _target(truth)
    except (TypeError, ValueError, ZeroDivisionError):
        return "target wants a number"
    return ""


def judge(answer: str, truth: Mapping[str, Any], *, task: Task, seconds: float) -> Judged:
    """Whether the one expression the answer commits itself to is a solution."""
    text = extract.visible(answer)
    value, used, read = extract.committed(
        text, lambda span, boxed: _read(span, truth), lambda line: _read(line, truth), _same, whole_line=True
    )
    left = Counter(used) - Counter(truth["numbers"])
    if left:
        return Judged(ok=False, read=read, reason=f"{next(iter(left))} is used too often")
    if truth.get("use_all") and len(used) != len(truth["numbers"]):
        return Judged(ok=False, read=read, reason="not every number is used")
    return Judged(ok=value == _target(truth), read=read, reason="another value")


def example(truth: Mapping[str, Any]) -> str | None:
    """The oracle, or the first expression a bounded search finds."""
    for key in ("oracle", "expression", "answer"):
        if isinstance(truth.get(key), str):
            return str(truth[key])
    return _search(truth)


def _target(truth: Mapping[str, Any]) -> Fraction:
    target = truth.get("target")
    if isinstance(target, bool) or not isinstance(target, (int, float, str)):
        raise ValueError
    return Fraction(str(target)[:40])


def _read(span: str, truth: Mapping[str, Any]) -> tuple[Fraction, list[int], str]:
    text = re.sub(r"[.!]$", "", inner(span).strip()).strip()
    text = re.sub(r"^(?:so|thus|hence|therefore|solution|expression|answer)\b[\s,:]*", "", text, flags=re.IGNORECASE)
    sides = re.split(r"={1,2}", text)
    if len(sides) > 2:
        raise Unread("several equations")
    if len(sides) == 2:
        said = sides[1].strip()
        if not re.fullmatch(r"-?[0-9]{1,20}(?:[./][0-9]{1,20})?", said) or said.endswith("/0") or "/0" in said:
            raise Unread("an equation whose right side is no number")
        if Fraction(said) != _target(truth):
            raise Unread("an equation for another target")
    value, used = arithmetic.evaluate(sides[0])
    return value, used, text


def _same(a: tuple[Fraction, list[int], str], b: tuple[Fraction, list[int], str]) -> bool:
    return a[0] == b[0] and sorted(a[1]) == sorted(b[1])


def _search(truth: Mapping[str, Any]) -> str | None:
    """Depth first over pairs of what is left, every set of values once."""
    target, whole = _target(truth), bool(truth.get("use_all"))
    seen = set[tuple[Fraction, ...]]()

    def solve(items: list[tuple[Fraction, str]]) -> str | None:
        key = tuple(sorted(value for value, _ in items))
        if key in seen or len(seen) > MAX_STATES:
            return None
        seen.add(key)
        for value, text in items:
            if value == target and (not whole or len(items) == 1):
                return text
        for i, (a, left) in enumerate(items):
            for j, (b, right) in enumerate(items):
                if i == j:
                    continue
                rest = [item for k, item in enumerate(items) if k not in (i, j)]
                made = [(a - b, f"({left}-{right})")] + ([(a / b, f"({left}/{right})")] if b else [])
                if i < j:
                    made += [(a + b, f"({left}+{right})"), (a * b, f"({left}*{right})")]
                for item in made:
                    if found := solve([*rest, item]):
                        return found
        return None

    return solve([(Fraction(n), str(n)) for n in truth["numbers"]]) if len(truth["numbers"]) <= 6 else None
