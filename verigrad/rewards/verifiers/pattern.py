r"""`pattern`: the committed answer has the form of a regular expression.

Right, for the gold "[0-9]{4}-[0-9]{2}-[0-9]{2}": "2024-05-01", "<answer>2024-05-01</answer>",
"The answer is 2024-05-01."
Refused: "2024-5-1", "It was on 2024-05-01, I think", "2024-05-01 or 2024-05-02", "" (also where the pattern matches
the empty text).

The gold is a pattern, or a mapping with `pattern` and optionally `mode` ("full", the default: the whole committed
answer; "search": somewhere in it), `ignore_case`, `example` (for the gold check). Which text is committed: `spans`.
Patterns are RE2's, so matching takes linear time; what RE2 cannot (backreferences, lookaround, huge repeats) is
matched by Python's `re` in a killable process, and an answer that makes it run over time is wrong. \d \w \s are ASCII,
$ is the end of the text. Left out: several patterns at once (an alternation is one).
"""

from __future__ import annotations

import functools
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from verigrad.records import BROKE_CHECK, Task, Verdict, right, ungraded, unreadable, wrong
from verigrad.rewards import examples, regular
from verigrad.rewards.killable import Killable, shown
from verigrad.rewards.options import Option
from verigrad.rewards.spans import committed_text
from verigrad.rewards.tokens import TooBig, Unread

RULE = "pattern"
OPTIONS: Mapping[str, Option] = {
    "mode": Option(default="full", type=str, meaning="full or search; the gold's own word wins"),
    "ignore_case": Option(default=False, type=bool, meaning="letters match in either case; the gold's own word wins"),
    "seconds": Option(default=2.0, type=float, meaning="a match RE2 cannot do and that takes longer breaks the check"),
}


@dataclass(frozen=True, kw_only=True)
class _Gold:
    pattern: str
    how: regular.How
    ignore_case: bool
    example: str | None


def verify(answer: str, task: Task, *, mode: str = "full", ignore_case: bool = False, seconds: float = 2.0) -> Verdict:
    """The verdict on the one text the answer commits itself to."""
    try:
        gold = _read_gold(task, mode, ignore_case)
    except Unread as error:
        return ungraded(f"gold: {error}", rule=RULE)
    try:
        text = regular.whole(committed_text(answer, limit=regular.MAX_TEXT))
    except Unread as error:
        return unreadable(str(error), rule=RULE)
    except TooBig as error:
        return wrong(rule=RULE, reason=f"{BROKE_CHECK}: {error}")
    compiled = regular.linear(gold.pattern, ignore_case=gold.ignore_case)
    if compiled is not None:
        found = regular.matches(compiled, text, gold.how)
    else:
        probe = [gold.pattern, gold.example or "", gold.how, gold.ignore_case]
        args = [gold.pattern, text, gold.how, gold.ignore_case]
        said = _processes().ask("verigrad.rewards.regular:slow", args, probe=probe, seconds=seconds)
        if said.fault:
            return said.verdict(RULE)
        found = said.value is True
    return right(shown(text), rule=RULE) if found else wrong(shown(text), rule=RULE, reason="does not match")


def check_gold(task: Task, *, mode: str = "full", ignore_case: bool = False, **_: Any) -> str | None:
    """Why this task's gold cannot be read; None where it can."""
    try:
        _read_gold(task, mode, ignore_case)
    except Unread as error:
        return str(error)
    return None


def gold_answer(task: Task, *, mode: str = "full", ignore_case: bool = False, **_: Any) -> str | None:
    """The answer that must be right for this task: its example, or one made from the pattern; None where that fails."""
    gold = _read_gold(task, mode, ignore_case)
    if gold.example is not None:
        return f"<answer>{gold.example}</answer>"
    try:
        return f"<answer>{examples.of_pattern(gold.pattern)}</answer>"
    except examples.NoExample:
        return None


def _read_gold(task: Task, mode: str, ignore_case: bool) -> _Gold:
    gold: Any = task.gold if isinstance(task.gold, Mapping) else {"pattern": task.gold}
    pattern, how, example = gold.get("pattern"), gold.get("mode", mode), gold.get("example")
    if not isinstance(pattern, str) or not pattern:
        raise Unread("want a pattern, or a mapping with one")
    if how not in ("full", "search"):
        raise Unread(f"mode {how!r}: want full or search")
    if example is not None and not isinstance(example, str):
        raise Unread("an example that is no text")
    if why := _refused(pattern):
        raise Unread(why)
    return _Gold(
        pattern=pattern,
        how=how,
        ignore_case=bool(gold.get("ignore_case", ignore_case)),
        example=example,
    )


@functools.lru_cache(maxsize=4096)
def _refused(pattern: str) -> str:
    return regular.refused(pattern)


@functools.cache
def _processes() -> Killable:
    return Killable(memory_bytes=2 << 30)
