"""Attacks put to a target, and what their acceptance means.

Accepted: paid more than half of what the row's gold is paid. A false accept is an accepted attack that is not right:
by the independent grader where there is one, else by its construction (docs/audit.md). Left out: how it is reported.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Literal

from verigrad.rewards.audit.records import Attack, Grade, Grading, Row, Said
from verigrad.rewards.audit.targets import Target

Outcome = Literal["refused", "false accept", "both accept", "right", "refused right", "not judged"]
"""refused: a wrong answer that was not accepted; both accept: grader and target alike; right: a right one accepted;
refused right: a right one that was not; not judged: nobody can say, or the target hung before."""
HANGS = 2
"""Hangs of one trick after which it is not tried on further rows: each costs the whole time limit."""
CHUNK = 32


@dataclass(frozen=True, kw_only=True)
class Shot:
    """An attack with what became of it."""

    attack: Attack
    """The attack."""
    said: Said
    """What the target said."""
    accepted: bool
    """It was paid more than half of the gold's pay."""
    grade: Grade | None
    """The independent grader's word; None where it was not asked."""
    outcome: Outcome
    """What that means."""


@dataclass(frozen=True, kw_only=True)
class Measure:
    """What right answers are paid: the scale acceptance is measured on."""

    golds: Mapping[str, float]
    """Task key -> its gold's pay, where that is above 0."""

    def accepts(self, said: Said, row: Row) -> bool:
        """The answer was paid more than half of the gold's pay (of 1 where the gold is not paid)."""
        return said.score is not None and said.score > self.golds.get(row.task.key, 1.0) / 2


def measure_of(rows: Sequence[Row], said: Sequence[Said]) -> Measure:
    """By what was said of each row's plainest right answer."""
    paid = {row.task.key: s.score for row, s in zip(rows, said, strict=True) if s.score is not None}
    return Measure(golds={key: score for key, score in paid.items() if score > 0})


def shoot(
    target: Target,
    attacks: Sequence[Attack],
    *,
    measure: Measure,
    grading: Callable[[Row], Grading | None],
    progress: Callable[[int, str], None] = lambda done, name: None,
) -> Iterator[Shot]:
    """Every attack, by trick. A trick that makes the target hang twice is not tried on the rows that are left."""
    for trick, group in groupby(attacks, key=lambda a: a.trick):
        left, hangs = list(group), 0
        while left and hangs < HANGS:
            # A target that hangs is asked one by one, so that the rest of a chunk need not hang too.
            size = 1 if hangs else CHUNK
            some, left = left[:size], left[size:]
            said = target.score([(a.answer, a.row.task) for a in some]) if not target.own else []
            for at, attack in enumerate(some):
                one = said[at] if said else target.score([(attack.answer, attack.row.task)])[0]
                hangs += one.fault == "hang"
                yield judge(attack, one, measure=measure, grading=grading(attack.row))
                if hangs >= HANGS and not said:
                    left = some[at + 1 :] + left
                    break
            progress(len(some), trick)
        if left:
            progress(len(left), trick)


def judge(attack: Attack, said: Said, *, measure: Measure, grading: Grading | None) -> Shot:
    """What the target's word on this attack means. The grader is asked only where it could matter."""
    accepted = measure.accepts(said, attack.row)
    asked = grading is not None and not attack.by_hand and accepted != (attack.claim == "right")
    grade = grading(attack.answer, attack.row.task) if asked and grading is not None else None
    return Shot(attack=attack, said=said, accepted=accepted, grade=grade, outcome=_outcome(attack, accepted, grade))


def _outcome(attack: Attack, accepted: bool, grade: Grade | None) -> Outcome:
    if attack.claim == "right":
        if accepted:
            return "right"
        return "not judged" if grade in ("wrong", "unreadable") else "refused right"
    if not accepted:
        return "refused"
    if grade == "right":
        return "both accept"
    if attack.claim == "wrong":
        return "false accept"
    return "false accept" if grade == "wrong" else "not judged"


def tried(shots: Sequence[Shot]) -> Mapping[tuple[str, str], Counter[str]]:
    """(kind, trick) -> how many of each outcome, in the order of the shots."""
    table: dict[tuple[str, str], Counter[str]] = {}
    for shot in shots:
        table.setdefault((shot.attack.row.kind, shot.attack.trick), Counter())[shot.outcome] += 1
    return table
