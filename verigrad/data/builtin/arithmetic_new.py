"""Arithmetic out of range and in other words: three digits, negative results, boundary numbers. For acceptance.

{"prompt": "Subtract 731 from 204.", "gold": -527, "family": "204-731", "op": "-", "a": 204, "b": 731}. One number of
each item has three digits, or is 0, 1 or 100, so that no family is one of arithmetic's. 240 items.
"""

from __future__ import annotations

from typing import Any

from verigrad.data.builtin.arithmetic import OPERATIONS, draw, row

NAME = "arithmetic_new"
ITEMS_PER_OPERATION = 80
BOUNDARY = (0, 1, 100)
WORDINGS = {
    "+": ("Add {a} and {b}.", "What is the sum of {a} and {b}?", "{a} plus {b} equals what?"),
    "-": ("Subtract {b} from {a}.", "How much is {a} minus {b}?", "{a} minus {b} equals what?"),
    "*": ("Multiply {a} by {b}.", "What is the product of {a} and {b}?", "Compute {a} times {b}."),
}


def rows() -> list[dict[str, Any]]:
    """240 different rows: 80 sums, then differences, then products; a quarter of them with a boundary number."""
    return [
        row(op, a, b, WORDINGS[op][i % 3].format(a=a, b=b)) for op in OPERATIONS for i, (a, b) in enumerate(_pairs(op))
    ]


def _pairs(op: str) -> list[tuple[int, int]]:
    pairs: dict[tuple[int, int], None] = {}
    index = 0
    while len(pairs) < ITEMS_PER_OPERATION:
        boundary = len(pairs) < ITEMS_PER_OPERATION // 4
        a = BOUNDARY[draw(0, 2, "new", op, index, "a")] if boundary else draw(101, 999, "new", op, index, "a")
        b = draw(2, 9, "new", op, index, "b") if op == "*" else draw(10, 999, "new", op, index, "b")
        pairs[(b, a) if draw(0, 1, "new", op, index, "order") else (a, b)] = None
        index += 1
    return list(pairs)
