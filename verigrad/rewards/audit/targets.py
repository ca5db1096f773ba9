"""What is audited: a shipped kind with its options, or a function of the user's in its killable workers.

Both give `Said` for an answer. A function's own score is looked at as it comes (also nan, 2.0, an exception), before
training's rules make a verdict of it. Left out: what a score means for an attack (`judging`).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Protocol

from verigrad.records import Task, Verdict
from verigrad.rewards.audit.records import Fault, Said
from verigrad.rewards.judges import Verifier
from verigrad.rewards.user import OwnCheck
from verigrad.sandbox import Outcome, Worker

Pairs = Sequence[tuple[str, Task]]


class Target(Protocol):
    """An audited check."""

    name: str
    said: str
    """One line: what it is and how it is called."""
    batched: bool
    """It judges many answers in one call, so that company may matter."""
    own: bool
    """A function of the user's."""

    def score(self, pairs: Pairs) -> list[Said]:
        """Each answer's score, in order."""
        ...

    def afresh(self) -> None:
        """The next score comes from a process that has seen nothing."""
        ...

    def together(self, pairs: Pairs) -> list[Said]:
        """The scores of one call on all of them, where `batched`."""
        ...


class KindTarget:
    """A shipped verifier."""

    def __init__(self, verifier: Verifier) -> None:
        self.name = verifier.name
        self.said = f"the shipped verifier {verifier.name}"
        self.batched, self.own = False, False
        self._verifier = verifier

    def score(self, pairs: Pairs) -> list[Said]:
        """By its verdicts; ungraded is no score."""
        return [_of_verdict(v) for v in self._verifier.verify_all(pairs)]

    def afresh(self) -> None:
        """Nothing: a shipped kind keeps nothing between answers in this process."""

    def together(self, pairs: Pairs) -> list[Said]:
        """As `score`."""
        return self.score(pairs)


class FunctionTarget:
    """A function of the user's in a pool of one worker, so that the order of its calls is known."""

    def __init__(self, check: OwnCheck) -> None:
        self.name, self.said = check.name, check.said
        self.batched, self.own = check.batched, True
        self._check = check

    def score(self, pairs: Pairs) -> list[Said]:
        """One call an answer, one after the other."""
        return self._check.use(lambda worker: [of_outcome(self._check.call(worker, a, task)) for a, task in pairs])

    def afresh(self) -> None:
        """Ends the worker; the next call starts another."""
        self._check.use(Worker.restart)

    def together(self, pairs: Pairs) -> list[Said]:
        """One call for all; one without an answer is no score for any."""
        outcome = self._check.use(lambda worker: self._check.call_together(worker, pairs))
        if outcome.kind != "value":
            return [of_outcome(outcome)] * len(pairs)
        return [of_reply(reply, outcome.seconds) for reply in outcome.value]


def _of_verdict(verdict: Verdict) -> Said:
    fault: Fault = "no score" if verdict.status == "ungraded" else ""
    return Said(score=verdict.score, reason=verdict.reason or verdict.status, fault=fault, seconds=verdict.seconds)


def of_outcome(outcome: Outcome) -> Said:
    """What a call in a worker means."""
    if outcome.kind == "value":
        return of_reply(outcome.value, outcome.seconds)
    faults: dict[str, Fault] = {"timed_out": "hang", "died": "died", "raised": "exception"}
    return Said(score=None, reason=outcome.error, fault=faults[outcome.kind], seconds=outcome.seconds)


def of_reply(reply: Any, seconds: float) -> Said:
    """What check_process.judge gave back means."""
    if "verdict" in reply:
        fields = reply["verdict"]
        fault: Fault = "no score" if fields["score"] is None else ""
        return Said(score=fields["score"], reason=fields["reason"] or fields["status"], fault=fault, seconds=seconds)
    if "fault" in reply:
        said = str(reply["fault"])
        return Said(
            score=None,
            reason=said,
            fault="exception" if said.startswith("raised") else "not a number",
            seconds=seconds,
        )
    value = reply["value"]
    if value is None:
        return Said(score=None, reason="returned None", fault="no score", seconds=seconds)
    if isinstance(value, int) and abs(value) > 10**300:
        return Said(score=None, reason="returned a whole number of more than 300 digits", fault="out of range")
    score = float(value)
    if not math.isfinite(score):
        return Said(score=None, reason=f"returned {value!r}", fault="non-finite", seconds=seconds)
    if not 0.0 <= score <= 1.0:
        return Said(score=score, reason=f"returned {value!r}", fault="out of range", seconds=seconds)
    return Said(score=score, seconds=seconds)
