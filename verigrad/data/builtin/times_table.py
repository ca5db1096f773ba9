"""The times table: products of 2 to 12, both orders.

{"prompt": "What is 7 * 8?", "gold": 56, "family": "7*8", "a": 7, "b": 8}; 8 * 7 is of the same family. 121 items in
66 families.
"""

from __future__ import annotations

from typing import Any

NAME = "times_table"
FACTORS = range(2, 13)


def rows() -> list[dict[str, Any]]:
    """121 rows, by the first factor, then the second."""
    return [
        {"prompt": f"What is {a} * {b}?", "gold": a * b, "family": f"{min(a, b)}*{max(a, b)}", "a": a, "b": b}
        for a in FACTORS
        for b in FACTORS
    ]
