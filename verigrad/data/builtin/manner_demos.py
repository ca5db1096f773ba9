"""Questions with an explained right answer to imitate (sft), in the manner of manner_pairs: 360 demonstrations.

{"prompt": "What is 34 * 11?", "gold": 374, "family": "11*34", "completion": "Ten times 34 is 340 and 1 times 34 is 34,
so the answer is 374.", "op": "*", "a": 34, "b": 11}. Other questions than those of manner_pairs, arithmetic and
times_table.
"""

from __future__ import annotations

from typing import Any

from verigrad.data.builtin.manner_pairs import ITEMS_PER_OPERATION, explained, questions

NAME = "manner_demos"


def rows() -> list[dict[str, Any]]:
    """360 different rows: 120 sums, then differences, then products."""
    return [
        {**asked, "completion": explained(asked)} for asked in questions(ITEMS_PER_OPERATION, 2 * ITEMS_PER_OPERATION)
    ]
