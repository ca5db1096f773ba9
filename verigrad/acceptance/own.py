"""A user's own grader, `file.py:function`, in a killable process; and `same`, the training verifier handed over.

Left out: reading for the user. Both give one status, so strict and lenient agree.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from verigrad.acceptance.workers import Broke
from verigrad.records import BROKE_CHECK, STATUSES, Grade, Task, Verdict, from_value

Call = Callable[[str, Task], Any]


def grade(answer: str, task: Task, *, call: Call, name: str, fresh: Callable[[], None] = lambda: None) -> Grade:
    """The Grade that `call(answer, task)` means: bool, a number in [0, 1], Verdict or Grade.

    No value (None, nan, an exception, silence) is retried once after `fresh()` (a new process) beside a probe, the
    task's gold as answer: wrong with reason broke_check where the probe is right, else ungraded (docs/design.md 3).
    """
    said = _once(answer, task, call, name)
    if isinstance(said, Grade):
        return said
    fresh()
    known_good = _once(as_answer(task.gold), task, call, name)
    again = _once(answer, task, call, name)
    if isinstance(again, Grade):
        return again
    if isinstance(known_good, Grade) and known_good.strict == "right":
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


def as_answer(gold: Any) -> str:
    """The gold as a model would have to write it: text as it is, anything else as JSON."""
    return gold if isinstance(gold, str) else json.dumps(gold, ensure_ascii=False, default=str)


def _once(answer: str, task: Task, call: Call, name: str) -> Grade | str:
    try:
        value = call(answer, task)
        if isinstance(value, dict):  # as it comes back from the process, so nothing in it is believed
            if "grade" in value:
                value = Grade(**value["grade"])
            else:
                value = Verdict(**value["verdict"]) if "verdict" in value else value["value"]
        if isinstance(value, Grade) and {value.strict, value.lenient} <= set(STATUSES):
            return value
        return _of(from_value(value, rule=name))
    except Broke as broke:
        return str(broke)
    except (ValueError, TypeError, KeyError) as error:
        return str(error)


def _of(verdict: Verdict) -> Grade:
    return Grade(strict=verdict.status, lenient=verdict.status, read=verdict.read, reason=verdict.reason)
