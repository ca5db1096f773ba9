r"""Whole numbers between bounds, in SMT-LIB: name one number that satisfies the assertions.

{"prompt": "...\n(assert (> x 12))\n(assert (< x 16))\nx =", "gold": {"type": "smt", "constraints": "(declare-const x
Int)...", "ask": "x", "value": 13}, "family": "13 to 15"}. Two to four numbers are right; the gold shows the least of
them. The same numbers asked for in another form are of the same family. Four solved examples come first (for
`model.template = "none"`, `sampling.stop = ["\n"]`).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from verigrad.records import seed

NAME = "smt_bounds"
LOWEST = range(10, 95)
WIDTHS = (1, 2, 3)
"""Highest number that is right less the lowest."""
FORMS: Sequence[tuple[str, ...]] = (
    ("(> x {below})", "(< x {above})"),
    ("(>= x {low})", "(<= x {high})"),
    ("(< x {above})", "(> x {below})"),
    ("(> x {below})", "(<= x {high})"),
    ("(>= x {below})", "(<= x {high})", "(not (= x {below}))"),
    ("(> {above} x)", "(>= x {low})"),
)
EXAMPLES = (
    ("(> x 3)", "(< x 6)", 4),
    ("(>= x 97)", "(<= x 99)", 98),
    ("(> 8 x)", "(> x 5)", 7),
    ("(< x 3)", "(>= x 1)", 2),
)
ROWS_A_FAMILY = 2


def rows() -> list[dict[str, Any]]:
    """Two rows for each lowest and highest number, in two forms."""
    return [
        row(FORMS[(seed(NAME, low, width) + 2 * i + 1) % len(FORMS)], low, low + width)
        for low in LOWEST
        for width in WIDTHS
        for i in range(ROWS_A_FAMILY)
    ]


def row(form: Sequence[str], low: int, high: int) -> dict[str, Any]:
    """One item: a form of assertions that allow low to high and nothing else."""
    bounds = {"low": low, "high": high, "below": low - 1, "above": high + 1}
    asserted = [text.format(**{name: _numeral(n) for name, n in bounds.items()}) for text in form]
    shown = "".join(f"{_asserted(assertions)}\nx = {number}\n\n" for *assertions, number in EXAMPLES)
    return {
        "prompt": f"{shown}{_asserted(asserted)}\nx =",
        "gold": {
            "type": "smt",
            "constraints": f"(declare-const x Int)\n{_asserted(asserted)}",
            "ask": "x",
            "value": low,
        },
        "family": f"{low} to {high}",
    }


def _numeral(n: int) -> str:
    """SMT-LIB has no numerals below zero."""
    return str(n) if n >= 0 else f"(- {-n})"


def _asserted(assertions: Sequence[object]) -> str:
    return "\n".join(f"(assert {text})" for text in assertions)
