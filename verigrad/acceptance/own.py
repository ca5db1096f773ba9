"""A user's own grader, `file.py:function`, in a killable process; and `same`, the training verifier handed over.

Left out: reading for the user. Both give one status, so strict and lenient agree.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from verigrad.acceptance.golds import Probe
from verigrad.acceptance.workers import Broke
from verigrad.records import BROKE_CHECK, STATUSES, Grade, Task, Verdict, from_value

Call = Callable[[str, Task], Any]


def grade(
    answer: str, task: Task, *, call: Call, name: str, probe: Probe, fresh: Callable[[], None] = lambda: None
) -> Grade:
    """The Grade that `call(answer, task)` means: bool, a number in [0, 1], Verdict or Grade.

    No value (None, nan, an exception, silence, or its own word "ungraded") is retried once after `fresh()` (a new
    process) beside `probe`, the task's gold in its plain spellings: wrong with reason broke_check where it is right in
    one of them, else ungraded (docs/design.md 3).
    """
    said = once(answer, task, call=call, name=name)
    if isinstance(said, Grade):
        return said
    fresh()
    gold_fails = probe(task)
    again = once(answer, task, call=call, name=name)
    if isinstance(again, Grade):
        return again
    if not gold_fails:
        return Grade(strict="wrong", lenient="wrong", reason=f"{BROKE_CHECK}: {again}")
    return Grade(strict="ungraded", lenient="ungraded", reason=f"the grader fails on this item's gold too: {again}")


def grade_same(answer: str, task: Task, *, training_verdict: Callable[[str, Task], Verdict]) -> Grade:
    """The training verifier's verdict as a grade: NOT INDEPENDENT, and marked so wherever it stands."""
    return _of(training_verdict(answer, task))


def guarded(function: Callable[[str, Task], Any]) -> Call:
    """A callable of this process as a `call`: its exceptions are breaks. It has no deadline; a file's function has."""

    def call(answer: str, task: Task) -> Any:
        try:
            return function(answer, task)
        except Exception as error:
            raise Broke(f"{type(error).__name__}: {error}"[:300]) from error

    return call


def once(answer: str, task: Task, *, call: Call, name: str) -> Grade | str:
    """One call's Grade, or why it gave none. Raises nothing."""
    try:
        value = call(answer, task)
        if isinstance(value, dict):  # as it comes back from the process, so nothing in it is believed
            if "grade" in value:
                value = Grade(**value["grade"])
            else:
                value = Verdict(**value["verdict"]) if "verdict" in value else value["value"]
        if not (isinstance(value, Grade) and {value.strict, value.lenient} <= set(STATUSES)):
            value = _of(from_value(value, rule=name))
        return value if value.strict != "ungraded" else value.reason or "it could not judge"
    except Broke as broke:
        return str(broke)
    except (ValueError, TypeError, KeyError) as error:
        return str(error)


def _of(verdict: Verdict) -> Grade:
    return Grade(strict=verdict.status, lenient=verdict.status, read=verdict.read, reason=verdict.reason)
