"""Multiple choice: letters with and without texts, words, several right letters."""

from __future__ import annotations

from typing import Any

from verigrad.records import Task
from verigrad.rewards.audit.records import Row
from verigrad.rewards.audit.rows import spellings

_ASKED: tuple[tuple[str, str, Any], ...] = (
    ("Which planet is the largest?\nA. Mars\nB. Jupiter\nC. Venus\nD. Earth", "B", "ABCD"),
    ("Which is a metal?\nA. iron\nB. wood\nC. glass\nD. paper", "A", "ABCD"),
    ("Which is even?\nA. 3\nB. 5\nC. 7\nD. 8", "D", "ABCD"),
    ("Which is a vowel?\nA. k\nB. m\nC. o\nD. r", "C", "ABCD"),
    ("Which is the ninth?\nA to J in order", "I", "ABCDEFGHIJ"),
    ("Which fit?\nA. 2\nB. 4\nC. 5\nD. 6 (even numbers, no two)", "B, D", "ABCD"),
    ("Is a carrot an animal or a food?", "food", ["animal", "food"]),
    ("Is a horse an animal or a food?", "animal", ["animal", "food"]),
    ("Capital of France?", "A", {"A": "Paris", "B": "Lyon", "C": "Nice"}),
)


def rows() -> list[Row]:
    """One a question; the label as honest people write it."""
    return [
        Row(
            kind="choice",
            task=Task.make(prompt=question, gold=label, columns={"choices": choices}, source="made"),
            right=spellings(label),
        )
        for question, label, choices in _ASKED
    ]
