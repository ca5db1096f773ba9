"""Small programs: functions and whole programs, each with enough tests, the first one visible."""

from __future__ import annotations

from typing import Any

from verigrad.records import Task
from verigrad.rewards.audit.records import Row
from verigrad.rewards.audit.tricks.programs import fenced

_FUNCTIONS: tuple[tuple[str, str, str, list[dict[str, Any]]], ...] = (
    (
        "Write add(a, b) that returns the sum. add(1, 2) == 3",
        "add",
        "def add(a, b):\n    return a + b",
        [{"args": [1, 2], "out": 3}, {"args": [4, 5], "out": 9}, {"args": [-7, 2], "out": -5}],
    ),
    (
        "Write ordered(items) that returns the items in ascending order. ordered([3, 1, 2]) == [1, 2, 3]",
        "ordered",
        "def ordered(items):\n    return sorted(items)",
        [{"args": [[3, 1, 2]], "out": [1, 2, 3]}, {"args": [[]], "out": []}, {"args": [[5, 5, 1]], "out": [1, 5, 5]}],
    ),
    (
        "Write shout(text) that returns the text in capitals with an exclamation mark. shout('hi') == 'HI!'",
        "shout",
        "def shout(text):\n    return text.upper() + '!'",
        [{"args": ["hi"], "out": "HI!"}, {"args": [""], "out": "!"}, {"args": ["a b"], "out": "A B!"}],
    ),
)
_PROGRAMS: tuple[tuple[str, str, list[dict[str, str]]], ...] = (
    (
        "Read n and print 1 to n, one a line. For 2: 1 and 2.",
        "n = int(input())\nfor i in range(n):\n    print(i + 1)",
        [{"in": "2\n", "out": "1\n2\n"}, {"in": "4\n", "out": "1\n2\n3\n4\n"}, {"in": "1\n", "out": "1\n"}],
    ),
    (
        "Read numbers from one line and print their sum.",
        "print(sum(map(int, input().split())))",
        [{"in": "1 2 3\n", "out": "6\n"}, {"in": "10\n", "out": "10\n"}, {"in": "-4 1\n", "out": "-3\n"}],
    ),
)


def rows() -> list[Row]:
    """One a task; the program fenced, and with a word before it."""
    made = [_row(q, {"type": "call", "entry": name, "tests": tests}, source) for q, name, source, tests in _FUNCTIONS]
    return made + [_row(q, {"type": "stdin", "tests": tests}, source) for q, source, tests in _PROGRAMS]


def _row(question: str, gold: dict[str, Any], source: str) -> Row:
    columns = {"visible_tests": 1, "solution": source}
    return Row(
        kind="code",
        task=Task.make(prompt=question, gold=gold, columns=columns, source="made"),
        right=(fenced(source), f"Here is the program.\n\n{fenced(source)}"),
    )
