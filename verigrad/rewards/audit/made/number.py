"""Numeric golds of many shapes: whole, negative, zero, decimal, fraction, percent, thousands, long."""

from __future__ import annotations

from verigrad.records import Task
from verigrad.rewards.audit.records import Row
from verigrad.rewards.audit.rows import spellings

_ASKED = (
    ("What is 8 * 10?", "80"),
    ("What is 15 - 22?", "-7"),
    ("What is 6 / 8 as a decimal?", "0.75"),
    ("How many seconds are in 3 hours?", "10800"),
    ("What is 5 - 5?", "0"),
    ("What is one third of one?", "1/3"),
    ("A rope of 12.5 m is cut in half. How long is one half, in metres?", "6.25"),
    ("What is 111 * 111?", "12321"),
    ("By how much did 100 fall if it is now 81.5?", "18.5"),
    ("What is 2 to the power of 40?", "1099511627776"),
    ("What is 0.001 * 5?", "0.005"),
    ("What is 3 - 4.5?", "-1.5"),
)


def rows() -> list[Row]:
    """One a question; the gold as honest people write it."""
    return [
        Row(kind="number", task=Task.make(prompt=question, gold=gold, source="made"), right=spellings(gold))
        for question, gold in _ASKED
    ]
