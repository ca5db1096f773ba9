r"""Grader `number`: one literal number against a numeric gold, compared by math_verify as exact rationals.

Accepted for gold 80: `80`, `80.`, `The answer is 80.`, `\boxed{80}`, `$80$`, `8 * 10 = 80`. Not accepted: `8 * 10`,
`90 or 80`, `80%`, `8000%`, `8 * 10 =`. Left out: units (unread), tolerance (there is none), any form of arithmetic.
"""

from __future__ import annotations

from verigrad.acceptance.comparing import equal
from verigrad.acceptance.literals import Number, admits, gold_number, last_number, number
from verigrad.acceptance.reading import MAX_ANSWER, committed
from verigrad.records import Grade, Status, Task


def grade(answer: str, task: Task) -> Grade:
    """Strict by the one committed literal, lenient by the last number anywhere; ungraded where the gold is no literal.

    Never raises for what an answer holds: model output that breaks the comparison is wrong with reason broke_check.
    """
    gold = gold_number(task.gold)
    if gold is None:
        return Grade(strict="ungraded", lenient="ungraded", reason="the gold is no literal number")
    reading = committed(answer, number, same=lambda n: n.value)
    found, reason = reading.value, reading.reason
    if found is not None and (reason := admits(gold, found)):
        found = None
    percents, fractions = gold.percent or 0 < gold.value < 1, gold.value.denominator != 1
    last = last_number(answer[-MAX_ANSWER:], percents=percents, fractions=fractions)
    lenient, lenient_reason = _compare(gold, last)
    if found is None:
        return Grade(strict="unreadable", lenient=lenient, reason=reason)
    same = last is not None and last.value == found.value
    strict, reason = (lenient, lenient_reason) if same else _compare(gold, found)
    return Grade(strict=strict, lenient=lenient, read=found.text, reason=reason)


def _compare(gold: Number, found: Number | None) -> tuple[Status, str]:
    return ("unreadable", "no number") if found is None else equal(gold.exact, found.exact)
