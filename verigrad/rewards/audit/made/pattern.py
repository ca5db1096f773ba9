"""Forms of an answer as regular expressions: a date, a time, a code, and one that makes a backtracking engine hang."""

from __future__ import annotations

from verigrad.records import Task
from verigrad.rewards.audit.records import Row

_ASKED = (
    ("The first of May 2024 as YYYY-MM-DD.", "[0-9]{4}-[0-9]{2}-[0-9]{2}", "2024-05-01"),
    ("A quarter past nine on a clock of 24 hours.", "([01][0-9]|2[0-3]):[0-5][0-9]", "09:15"),
    ("An American zip code.", "[0-9]{5}", "90210"),
    ("Letters a, then one b.", "(a+)+b", "aab"),
    ("A product code: two capitals, a dash, three digits.", "[A-Z]{2}-\\d{3}", "QX-417"),
)


def rows() -> list[Row]:
    """One a pattern."""
    return [
        Row(
            kind="pattern",
            task=Task.make(prompt=question, gold={"pattern": pattern, "example": example}, source="made"),
            right=(example, f"<answer>{example}</answer>", f"The answer is {example}."),
        )
        for question, pattern, example in _ASKED
    ]
