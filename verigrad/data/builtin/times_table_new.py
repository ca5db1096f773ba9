"""Products the times table does not have, in words it does not use: a second suite for acceptance.

{"prompt": "Multiply 13 by 7.", "gold": 91, "family": "7*13", "a": 13, "b": 7}. One factor of each product is 0, 1 or 13
to 15, so that no family is one of times_table's whatever its split; the wording follows from the factors. 135 items
(boundary factors beside 2 to 12, in both orders, and beside each other) in 70 families.
"""

from __future__ import annotations

from typing import Any

from verigrad.data.builtin.times_table import FACTORS

NAME = "times_table_new"
BOUNDARY = (0, 1, 13, 14, 15)
WORDINGS = (
    "Multiply {a} by {b}.",
    "What is the product of {a} and {b}?",
    "Compute {a} times {b}.",
    "There are {a} bags with {b} marbles in each. How many marbles are there in all?",
    "{a} x {b} = ?",
)


def rows() -> list[dict[str, Any]]:
    """The rows, by the first factor, then the second."""
    factors = sorted({*FACTORS, *BOUNDARY})
    pairs = [(a, b) for a in factors for b in factors if a in BOUNDARY or b in BOUNDARY]
    return [
        {
            "prompt": WORDINGS[(3 * a + b) % len(WORDINGS)].format(a=a, b=b),
            "gold": a * b,
            "family": f"{min(a, b)}*{max(a, b)}",
            "a": a,
            "b": b,
        }
        for a, b in pairs
    ]
