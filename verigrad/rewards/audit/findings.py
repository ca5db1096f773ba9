"""What is wrong with a check beside the answers it accepts: faults, unsteady scores, constants, part of the score.

Each finding is one line. Left out: false accepts and refused right answers, which are counted.
"""

from __future__ import annotations

from collections.abc import Sequence

from verigrad.rewards.audit.constants import Constant
from verigrad.rewards.audit.judging import Shot
from verigrad.rewards.audit.records import Row
from verigrad.rewards.audit.result import Finding, cut
from verigrad.rewards.audit.steady import Wobble

_SAID = {
    "exception": "raises on",
    "hang": "gives no answer in time on",
    "died": "ends its process on",
    "no score": "gives no score on",
    "not a number": "gives something else than a number on",
    "non-finite": "gives nan or infinity on",
    "out of range": "gives a score outside [0, 1] on",
}
"""Fault -> words before the number of answers."""


def fault_findings(shots: Sequence[Shot], *, own: bool) -> list[Finding]:
    """One for each sort of fault. A shipped kind that cannot judge a row at all is a note, not a failure: a program is
    missing there; a fault on one answer alone is one, since no answer may cause it.
    """
    hopeless = _unjudged(shots)
    out = []
    for fault, words in _SAID.items():
        of = [s for s in shots if s.said.fault == fault and not s.attack.by_hand]
        if not own:
            of = [s for s in of if s.attack.row.task.key not in hopeless]
        if not of:
            continue
        shortest = min(of, key=lambda s: len(s.attack.answer))
        tricks = list(dict.fromkeys(s.attack.trick for s in of))
        where = ", ".join(tricks[:5]) + (f" and {len(tricks) - 5} more" if len(tricks) > 5 else "")
        line = f"{words} {len(of)} of {len(shots)} answers ({where}): {cut(shortest.said.reason, 160)}"
        out.append(Finding(name=fault, fails=True, line=line, answer=shortest.attack.answer))
    left = [s for s in shots if not own and s.said.fault and s.attack.row.task.key in hopeless and not s.attack.by_hand]
    if left:
        line = f"cannot judge {len(hopeless)} rows on this machine: {cut(left[0].said.reason, 160)}"
        out.append(Finding(name="no score", fails=False, line=line))
    return out


def _unjudged(shots: Sequence[Shot]) -> set[str]:
    """Rows of which no right answer got a score."""
    judged = {s.attack.row.task.key for s in shots if s.attack.claim == "right" and not s.said.fault}
    return {s.attack.row.task.key for s in shots} - judged


def wobble_findings(found: Sequence[Wobble]) -> list[Finding]:
    """One for each way a score changed."""
    said = {
        "random score": "the same answers, in the same order, from a fresh process",
        "depends on the order": "the same answers after or among others",
        "depends on the company": "the same answers, one at a time and in one call together",
    }
    return [
        Finding(
            name=w.name,
            fails=True,
            line=f"{said[w.name]}: {w.differ} of {w.of} scores differ (one was {_score(w.scores[0])}, then "
            f"{_score(w.scores[1])})",
            answer=w.answer,
        )
        for w in found
    ]


def constant_finding(best: Constant | None, *, limit: float) -> list[Finding]:
    """The best constant with its share; it fails above the limit."""
    if best is None or not best.won:
        return []
    line = (
        f"one answer for all is accepted on {best.won} of {best.rows} rows ({best.share:.0%}; the limit is {limit:.0%})"
    )
    return [Finding(name="constant", fails=best.share > limit, line=line, answer=best.answer)]


def other_findings(shots: Sequence[Shot], rows: Sequence[Row]) -> list[Finding]:
    """Part of the score for wrong answers (a note), and a check that pays no gold (fails)."""
    out = []
    right = [s for s in shots if s.attack.claim == "right" and not s.attack.by_hand]
    if right and not any(s.accepted for s in right):
        line = f"none of {len(right)} right answers to {len(rows)} rows is accepted: {cut(right[0].said.reason, 160)}"
        out.append(Finding(name="pays no gold", fails=True, line=line, answer=right[0].attack.answer))
    wrong = [s for s in shots if s.attack.claim == "wrong" and not s.said.fault]
    part = [s for s in wrong if s.outcome == "refused" and (s.said.score or 0.0) > 0.0]
    if part:
        most = max(part, key=lambda s: s.said.score or 0.0)
        line = (
            f"pays part of the score, up to {most.said.score:g}, for {len(part)} of {len(wrong)} wrong answers "
            f"(most for {most.attack.trick})"
        )
        out.append(Finding(name="partial credit", fails=False, line=line, answer=most.attack.answer))
    return out


def _score(score: float | None) -> str:
    return "none" if score is None else f"{score:g}"
