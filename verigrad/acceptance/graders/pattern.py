r"""Grader `pattern`: the committed answer has the form of a regular expression, matched by the module regex.

Accepted for "[0-9]{4}": "1999", "<answer>1999</answer>", "The answer is 1999." Not accepted: "1999 or 2000", "in 1999".
A backtracking engine in a killable process, where the verifier's is linear: what they disagree on is seen. Left out:
several patterns at once.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Mapping
from typing import Any

from verigrad.acceptance.reading import MAX_ANSWER, after_reasoning, explicit
from verigrad.acceptance.workers import Broke, Calling
from verigrad.records import BROKE_CHECK, Grade, Status, Task
from verigrad.sandbox import Worker

SECONDS = 5.0
GOLD_OPTIONS = ("mode", "ignore_case")
"""Options of the verifier of this name that say how golds are written; a recipe's reach this grader too."""


def grade(answer: str, task: Task, *, mode: str = "full", ignore_case: bool = False) -> Grade:
    """Strict by the one committed text, lenient by a match of the last line that is not empty."""
    gold: Any = task.gold if isinstance(task.gold, Mapping) else {"pattern": task.gold}
    pattern, mode = gold.get("pattern"), gold.get("mode", mode)
    ignore_case = bool(gold.get("ignore_case", ignore_case))
    if not isinstance(pattern, str) or not pattern or mode not in ("full", "search"):
        return Grade(strict="ungraded", lenient="ungraded", reason="the gold is no pattern")
    said = _committed(answer)
    lines = [line.strip() for line in answer[-MAX_ANSWER:].split("\n") if line.strip()]
    strict: Status = "unreadable" if isinstance(said, Grade) else "wrong"
    reason, lenient = said.reason if isinstance(said, Grade) else "", strict
    if isinstance(said, str):
        strict, reason = lenient, reason = _match(pattern, said, mode, ignore_case)
    if strict in ("wrong", "unreadable") and lines and lines[-1] != said and not reason.startswith(BROKE_CHECK):
        lenient = _match(pattern, lines[-1], mode, ignore_case)[0]
    return Grade(strict=strict, lenient=lenient, read=said[:200] if isinstance(said, str) else None, reason=reason)


def gold_as(task: Task, **_: Any) -> list[str]:
    """The gold's example as an answer, where it has one."""
    example = task.gold.get("example") if isinstance(task.gold, Mapping) else None
    return [f"<answer>{example}</answer>"] if isinstance(example, str) else []


def _committed(answer: str) -> str | Grade:
    unread = functools.partial(Grade, strict="unreadable", lenient="unreadable")
    text = after_reasoning(answer) if len(answer) <= MAX_ANSWER else None
    if text is None:
        return unread(reason="unclosed reasoning, or too long")
    found = explicit(text)
    if isinstance(found, str):
        return unread(reason=found)
    segments = [s.strip().rstrip("\n") for s in found[0]]
    if not segments:
        segments = [m.strip() for m in re.findall(r"(?ms)^```[^\n]*\n(.*?)^```", text)] or [text.strip()]
    segments = [_unwrapped(s) for s in segments]
    if len(set(segments)) > 1:
        return unread(reason="several candidates")
    return segments[0] or unread(reason="empty")


def _unwrapped(text: str) -> str:
    if (block := re.fullmatch(r"```[^\n]*\n(.*)\n?```", text, re.DOTALL)) is not None:
        return block[1].strip()
    for mark in ("**", "`", "$"):
        if text.startswith(mark) and text.endswith(mark) and len(text) > 2 * len(mark) and text.count(mark) == 2:
            return text[len(mark) : -len(mark)].strip()
    return text


def _match(pattern: str, text: str, mode: str, ignore_case: bool) -> tuple[Status, str]:
    # a sentence's full stop is the sentence's, where the phrase "the answer is" led to it
    forms = [text, *([text[:-1]] if text.endswith(".") and mode == "full" else [])]
    try:
        said = [str(_process()(pattern, form, mode == "full", ignore_case)) for form in forms]
    except Broke as broke:
        return _broken(broke, pattern, mode, ignore_case)
    if said[0].startswith("pattern:"):
        return "ungraded", said[0]
    return ("right", "") if "yes" in said else ("wrong", "does not match")


def _broken(broke: Broke, pattern: str, mode: str, ignore_case: bool) -> tuple[Status, str]:
    _process().fresh()
    try:
        _process()(pattern, "", mode == "full", ignore_case)
    except Broke as probe:
        return "ungraded", f"the engine fails on the empty text too ({probe})"
    return "wrong", f"{BROKE_CHECK}: {broke}"


@functools.cache
def _process() -> Calling:
    return Calling(Worker(), "verigrad.acceptance.pattern_worker:matches", seconds=SECONDS)
