"""The same right answer twice, explained in a sentence (chosen) and as a bare number (rejected): 360 pairs.

{"prompt": "What is 28 + 7?", "gold": 35, "family": "7+28", "chosen": "Adding 7 to 28 in two steps, 28 and 2 make 30 and
5 more make 35, so the answer is 35.", "rejected": "35", "op": "+", "a": 28, "b": 7}. Written by rule, no model took
part. Both answers are right for verifier and grader `number`: what differs is the manner alone. Families are named as
in arithmetic and none is one of arithmetic's or times_table's, nor of their second suites', so that such pairs can be
trained on whole after a stage on those.
"""

from __future__ import annotations

from functools import cache
from typing import Any

from verigrad.data.builtin.arithmetic import draw, row

NAME = "manner_pairs"
ITEMS_PER_OPERATION = 120
RANGES = {"+": ((2, 99), (2, 9)), "-": ((11, 99), (2, 9)), "*": ((16, 99), (10, 12))}
"""Arithmetic's sums and differences have two digits on both sides, its products one digit on one; here it is not so."""


def rows() -> list[dict[str, Any]]:
    """360 different rows: 120 sums, then differences, then products."""
    return [
        {**asked, "chosen": explained(asked), "rejected": str(asked["gold"])}
        for asked in questions(0, ITEMS_PER_OPERATION)
    ]


def questions(start: int, stop: int) -> list[dict[str, Any]]:
    """Rows `start` to `stop` of each operation, without answers; each family once."""
    return [row(op, a, b, f"What is {a} {op} {b}?") for op in RANGES for a, b in _numbers(op, stop)[start:stop]]


@cache
def _numbers(op: str, count: int) -> list[tuple[int, int]]:
    found: dict[tuple[int, int], tuple[int, int]] = {}
    index = 0
    while len(found) < count:
        a, b = (draw(low, high, NAME, op, index, which) for which, (low, high) in enumerate(RANGES[op]))
        found.setdefault((a, b) if op == "-" else (min(a, b), max(a, b)), (a, b))
        index += 1
    return list(found.values())


def explained(asked: dict[str, Any]) -> str:
    """One sentence that shows the way and ends in the right answer."""
    way = {"+": _sum, "-": _difference, "*": _product}[asked["op"]](asked["a"], asked["b"])
    return f"{way}, so the answer is {asked['gold']}."


def _sum(a: int, b: int) -> str:
    up = -a % 10
    if not 0 < up < b:
        return f"Adding the ones, {a % 10} and {b} make {a % 10 + b}" + (f", beside {a - a % 10}" if a > 9 else "")
    return f"Adding {b} to {a} in two steps, {a} and {up} make {a + up} and {b - up} more make {a + b}"


def _difference(a: int, b: int) -> str:
    down = a % 10
    if not 0 < down < b:
        return f"Taking {b} from the ones, {a % 10 or 10} less {b} is {(a % 10 or 10) - b}, beside {a - (a % 10 or 10)}"
    return f"Taking {b} from {a} in two steps, {a} less {down} is {a - down} and {b - down} less is {a - b}"


def _product(a: int, b: int) -> str:
    if b == 10:
        return f"Ten times {a} is {a} with a zero behind it"
    return f"Ten times {a} is {10 * a} and {b - 10} times {a} is {(b - 10) * a}"
