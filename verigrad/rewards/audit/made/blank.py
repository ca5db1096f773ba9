"""Fill-in: a word, a name with alternatives, a word with digits, lines that all count."""

from __future__ import annotations

from typing import Any

from verigrad.records import Task
from verigrad.rewards.audit.records import Row

_ASKED: tuple[tuple[str, Any, tuple[str, ...]], ...] = (
    ("Write hello backwards.", "olleh", ("olleh", "<answer>olleh</answer>", "Answer: olleh")),
    ("Capital of Germany?", ["Berlin", "Berlin, Germany"], ("Berlin", "<answer>Berlin</answer>", "berlin")),
    ("Chemical symbol of gold?", "Au", ("Au", "<answer>Au</answer>")),
    ("Who wrote Faust?", ["Goethe", "Johann Wolfgang von Goethe"], ("Goethe", "Johann Wolfgang von Goethe")),
    ("A metal like gold, but white?", "silver", ("silver", "Answer: silver")),
    ("Model number of the boat?", "X-17b", ("X-17b", "<answer>X-17b</answer>")),
    (
        "Sort pear, apple, fig, one a line.",
        "apple\nfig\npear",
        ("apple\nfig\npear", "<answer>apple\nfig\npear</answer>"),
    ),
    (
        "Count from one to three, one word a line.",
        "one\ntwo\nthree",
        ("one\ntwo\nthree", "<answer>one\ntwo\nthree</answer>"),
    ),
)


def rows() -> list[Row]:
    """One a question."""
    return [
        Row(kind="blank", task=Task.make(prompt=question, gold=gold, source="made"), right=right)
        for question, gold, right in _ASKED
    ]
