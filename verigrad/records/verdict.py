"""What a check said, and whether it could say anything.

Four statuses (docs/design.md 3). `right` and `wrong`: it was judged. `unreadable`: no single committed answer; rewarded
as wrong, counted apart. `ungraded`: what no answer could have caused. Left out: who judges, and how a reward is paid.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Literal

Status = Literal["right", "wrong", "unreadable", "ungraded"]
STATUSES: tuple[Status, ...] = ("right", "wrong", "unreadable", "ungraded")
BROKE_CHECK = "broke_check"


@dataclass(frozen=True, kw_only=True)
class Verdict:
    """One judgement of one answer.

    >>> Verdict(status="right", score=1.0, read="56", rule="number").correct
    True
    """

    status: Status
    """right | wrong | unreadable | ungraded."""
    score: float | None
    """In [0, 1]; 1 for right, 0 for wrong without partial credit, 0 for unreadable; None iff ungraded."""
    reason: str = ""
    """Why, in a few words; starts with `broke_check` where the answer made the check fail, `timed_out` within it."""
    read: str | None = None
    """What was taken as the answer; None where nothing was."""
    rule: str = ""
    """The verifier or grader that spoke."""
    isolation: int = 0
    """Sandbox level the check ran at: 0 in process, 1 own process with limits, 2 Landlock and seccomp, 3 namespaces."""
    seconds: float = 0.0
    """Wall time of the check. Never part of what a resumed run must reproduce."""
    process: tuple[float, ...] | None = None
    """Rewards of steps of reasoning, where the check gives them; any numbers."""
    process_ends: tuple[int, ...] | None = None
    """Where those steps end: characters of the answer up to and with each step's last, rising. A process reward that
    trains (`loss.baseline.rewards = "process"`) needs them."""

    def __post_init__(self) -> None:
        if self.status not in STATUSES:
            raise ValueError(f"a verdict's status is one of {', '.join(STATUSES)}, not {self.status!r}")
        if (self.score is None) != (self.status == "ungraded"):
            raise ValueError("a verdict has a score unless it is ungraded")
        if self.score is not None and not (math.isfinite(self.score) and 0.0 <= self.score <= 1.0):
            raise ValueError(f"a verdict's score is in [0, 1], not {self.score!r}")
        if self.process_ends is None:
            return
        if self.process is None or len(self.process) != len(self.process_ends):
            count = 0 if self.process is None else len(self.process)
            raise ValueError(f"a verdict has an end for every step: {count} rewards, {len(self.process_ends)} ends")
        if not all(math.isfinite(reward) for reward in self.process):
            raise ValueError(f"a verdict's process rewards are finite numbers, not {self.process!r}")
        if any(b <= a for a, b in zip((0, *self.process_ends), self.process_ends, strict=False)):
            raise ValueError(f"a verdict's steps end one after the other, from 1 on, not at {self.process_ends!r}")

    @property
    def correct(self) -> bool:
        """True iff right."""
        return self.status == "right"


def right(read: str | None = None, *, rule: str = "", reason: str = "") -> Verdict:
    """A right answer, score 1."""
    return Verdict(status="right", score=1.0, read=read, rule=rule, reason=reason)


def wrong(read: str | None = None, *, rule: str = "", reason: str = "", score: float = 0.0) -> Verdict:
    """A wrong answer; `score` below 1 is partial credit."""
    return Verdict(status="wrong", score=score, read=read, rule=rule, reason=reason)


def unreadable(reason: str, *, rule: str = "") -> Verdict:
    """No single committed answer."""
    return Verdict(status="unreadable", score=0.0, reason=reason, rule=rule)


def ungraded(reason: str, *, rule: str = "") -> Verdict:
    """Could not judge, and no answer could have caused it."""
    return Verdict(status="ungraded", score=None, reason=reason, rule=rule)


def from_value(value: Any, *, rule: str) -> Verdict:
    """The verdict a user's check means by its return value.

    True or 1.0 is right; False or 0.0 wrong; a number between is wrong with that score; a Verdict is taken as it is.
    None and anything else (nan, out of range, another type) is the caller's to judge by the rule of docs/design.md 3:
    raises ValueError, whose text says what came back.
    """
    if isinstance(value, Verdict):
        return value
    if isinstance(value, bool):
        return right(rule=rule) if value else wrong(rule=rule)
    if value is None:
        raise ValueError("the check returned None")
    if not isinstance(value, (int, float)):
        raise ValueError(f"the check returned {type(value).__name__}, not bool, a number in [0, 1], None or Verdict")
    score = float(value)
    if not (math.isfinite(score) and 0.0 <= score <= 1.0):
        raise ValueError(f"the check returned {value!r}, not a number in [0, 1]")
    return right(rule=rule) if score == 1.0 else wrong(rule=rule, score=score)
