"""Sums, differences and products of numbers up to 99, drawn by hash: 1,200 items.

{"prompt": "What is 47 + 36?", "gold": 83, "family": "36+47", "op": "+", "a": 47, "b": 36}. Both orders of a sum or a
product are one family; a product's family is named as in times_table. The larger number stands first in a difference.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from verigrad.records import seed

NAME = "arithmetic"
ITEMS_PER_OPERATION = 400
OPERATIONS: dict[str, Callable[[int, int], int]] = {
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "*": lambda a, b: a * b,
}
RANGES = {"+": ((10, 99), (10, 99)), "-": ((10, 99), (10, 99)), "*": ((11, 99), (2, 9))}


def rows() -> list[dict[str, Any]]:
    """1,200 different rows: 400 sums, then differences, then products."""
    return [row(op, a, b, f"What is {a} {op} {b}?") for op in OPERATIONS for a, b in _pairs(op)]


def row(op: str, a: int, b: int, prompt: str) -> dict[str, Any]:
    """One row with its gold and family."""
    low, high = (a, b) if op == "-" else sorted((a, b))
    return {
        "prompt": prompt,
        "gold": OPERATIONS[op](a, b),
        "family": f"{low}{op}{high}",
        "op": op,
        "a": a,
        "b": b,
    }


def draw(low: int, high: int, *parts: object) -> int:
    """A whole number in [low, high] that depends on the parts alone."""
    return low + seed(NAME, *parts) % (high - low + 1)


def _pairs(op: str) -> list[tuple[int, int]]:
    pairs: dict[tuple[int, int], None] = {}
    index = 0
    while len(pairs) < ITEMS_PER_OPERATION:
        a, b = (draw(low, high, op, index, which) for which, (low, high) in enumerate(RANGES[op]))
        pairs[(max(a, b), min(a, b)) if op == "-" else (a, b)] = None
        index += 1
    return list(pairs)
