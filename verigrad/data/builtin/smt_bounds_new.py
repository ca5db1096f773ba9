r"""Bounds of three digits and below zero, in forms smt_bounds has not: a second suite for acceptance.

{"prompt": "...\n(assert (and (> x 412) (< x 415)))\nx =", "gold": {"type": "smt", ...}, "family": "413 to 414"}. One
assertion with `and`, `or` or `not` around the bounds; 72 items, each its own family.
"""

from __future__ import annotations

from typing import Any

from verigrad.data.builtin.smt_bounds import WIDTHS, row
from verigrad.records import seed

NAME = "smt_bounds_new"
ITEMS = 72
FORMS = (
    "(and (> x {below}) (< x {above}))",
    "(and (<= x {high}) (>= x {low}))",
    "(not (or (< x {low}) (> x {high})))",
)


def rows() -> list[dict[str, Any]]:
    """72 rows: three digits, every fourth below zero."""
    return [_row(i) for i in range(ITEMS)]


def _row(i: int) -> dict[str, Any]:
    size = 100 + 12 * i + seed(NAME, "low", i) % 8
    low = -size if i % 4 == 3 else size
    return row([FORMS[i % len(FORMS)]], low, low + WIDTHS[seed(NAME, "width", i) % len(WIDTHS)])
