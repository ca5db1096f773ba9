"""The audit: right answers first, then every trick on every row, then what else can be wrong with a check.

Nothing here knows a kind: tricks, rows and graders say what they are for. Left out: opening the target and the graders
(runs), the words of the result.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import replace

from verigrad.records import Task
from verigrad.rewards.audit.constants import best_constant
from verigrad.rewards.audit.findings import constant_finding, fault_findings, other_findings, wobble_findings
from verigrad.rewards.audit.judging import Measure, Shot, judge, measure_of, shoot, tried
from verigrad.rewards.audit.records import Attack, Grading, Row, Trick, words
from verigrad.rewards.audit.result import Audit, Count, Exploit, Refusal
from verigrad.rewards.audit.rows import FORMS, WORDED, with_others
from verigrad.rewards.audit.shipped import ABOUT, TRICK, shipped
from verigrad.rewards.audit.shrinking import MOST, smallest
from verigrad.rewards.audit.steady import wobbles
from verigrad.rewards.audit.targets import Target
from verigrad.rewards.audit.tricks import all_tricks

STEADY, STEADY_SHIPPED = 40, 8
"""Answers that are scored again and again: by a function of the user's, by a shipped kind."""
DRESSED = 2_000
"""Characters of an attack that is also put into the form the check asks for."""
SLOW_SECONDS, SLOW_MOST = 0.05, 24
"""A check slower than this is asked fewer times to make an exploit smaller."""

Progress = Callable[[str, int | None, int], None]
"""(phase, total if it begins, done)."""


def audit_target(
    target: Target,
    rows: Sequence[Row],
    *,
    grading: Callable[[Row], Grading | None],
    constant: float = 0.5,
    only: Collection[str] = (),
    notes: Sequence[str] = (),
    progress: Progress = lambda phase, total, done: None,
) -> Audit:
    """Everything of an audit, on these rows.

    `grading(row)`: the independent grader of that row, or None: then an attack is wrong by construction or not judged.
    `constant`: the share of rows above which a constant that wins them makes the audit fail. `only`: names of tricks
    ("shipped cases" is one); empty: all. `progress` hears phases with their sizes and what is done of them.
    """
    rows = with_others(rows)
    progress("right answers", sum(len(r.right) for r in rows), 0)
    right, measure = _right(target, rows, grading)
    dress = _dress(right) if target.own else None
    attacks = _attacks(rows, dress, [t for t in all_tricks() if not only or t.name in only])
    kinds = tuple(dict.fromkeys(r.kind for r in rows))
    by_hand = shipped(kinds, own=target.own) if not only or TRICK in only else []
    progress("attacks", len(attacks) + len(by_hand), 0)
    shots = [
        *right,
        *shoot(
            target,
            [*attacks, *by_hand],
            measure=measure,
            grading=grading,
            progress=lambda done, _: progress("attacks", None, done),
        ),
    ]
    progress("scored again", None, 0)
    unsteady = wobbles(target, _steady_pairs(rows, shots, STEADY if target.own else STEADY_SHIPPED))
    findings = [*wobble_findings(unsteady), *fault_findings(shots, own=target.own), *other_findings(shots, rows)]
    random = any(w.name == "random score" for w in unsteady)
    if not random:
        progress("constants", None, 0)
        best = best_constant(target, [r for r in rows if r.right], measure=measure)
        findings += constant_finding(best, limit=constant)
    progress("making exploits smaller", None, 0)
    exploits = _exploits(target, shots, measure, grading, shrink=not random)
    hung = len(attacks) + len(by_hand) + len(right) - len(shots)
    told = [
        *notes,
        *([f"{hung} attacks were not tried, after the check had hung twice on their trick"] if hung else []),
    ]
    if dress is not None:
        told.append(f"the check does not read a bare answer, so attacks were also tried as {dress!r}")
    return Audit(
        target=target.name,
        said=target.said,
        notes=tuple(told),
        rows={kind: sum(r.kind == kind for r in rows) for kind in kinds},
        counts=_counts(shots),
        right=_right_counts(shots),
        exploits=tuple(exploits),
        refusals=_refusals(shots),
        findings=tuple(findings),
    )


def _right(target: Target, rows: Sequence[Row], grading: Callable[[Row], Grading | None]) -> tuple[list[Shot], Measure]:
    attacks = [Attack(trick="right", answer=a, row=row, claim="right") for row in rows for a in row.right]
    said = target.score([(a.answer, a.row.task) for a in attacks])
    best: dict[str, int] = {}
    for i, (attack, one) in enumerate(zip(attacks, said, strict=True)):
        key = attack.row.task.key
        if one.score is not None and (key not in best or one.score > (said[best[key]].score or 0.0)):
            best[key] = i
    measure = measure_of([attacks[i].row for i in best.values()], [said[i] for i in best.values()])
    shots = [judge(a, s, measure=measure, grading=grading(a.row)) for a, s in zip(attacks, said, strict=True)]
    return shots, measure


def _dress(right: Sequence[Shot]) -> str | None:
    """The form that most rows are accepted in, where the bare gold mostly is not."""

    def share(form: str) -> float:
        of = [s for s in right if s.attack.row.kind in WORDED and s.attack.answer == form.format(s.attack.row.gold)]
        return sum(s.accepted for s in of) / len(of) if of else 0.0

    if share("{}") > 0.5:
        return None
    best = max(FORMS, key=share)
    return best if share(best) > 0.5 else None


def _attacks(rows: Sequence[Row], dress: str | None, tricks: Sequence[Trick]) -> list[Attack]:
    """Trick by trick over all rows."""
    out = []
    for trick in tricks:
        for attack in (a for row in _of(rows, trick) for a in trick.attacks(row)):
            out.append(attack)
            dressed = dress is not None and attack.row.kind in WORDED and 0 < len(attack.answer) <= DRESSED
            if dressed and dress is not None:
                out.append(replace(attack, answer=dress.format(attack.answer)))
    return out


def _of(rows: Sequence[Row], trick: Trick) -> Sequence[Row]:
    fit = [r for r in rows if not trick.kinds or r.kind in trick.kinds]
    return fit if trick.rows is None else fit[: trick.rows]


def _steady_pairs(rows: Sequence[Row], shots: Sequence[Shot], most: int) -> list[tuple[str, Task]]:
    """Golds, other rows' golds, and a few attacks from everywhere, without those the check failed on."""
    fine = [s for s in shots if not s.said.fault and len(s.attack.answer) < DRESSED]
    some = [(r.gold, r.task) for r in rows if r.right] + [(r.other, r.task) for r in rows if r.others]
    spread = fine[:: max(1, len(fine) // most)]
    return [*some[: most // 2], *((s.attack.answer, s.attack.row.task) for s in spread[: most // 2])]


def _exploits(
    target: Target,
    shots: Sequence[Shot],
    measure: Measure,
    grading: Callable[[Row], Grading | None],
    *,
    shrink: bool,
) -> list[Exploit]:
    about = {t.name: t.about for t in all_tricks()} | {TRICK: ABOUT}
    found: dict[tuple[str, str], list[Shot]] = {}
    for shot in shots:
        if shot.outcome == "false accept":
            found.setdefault((shot.attack.row.kind, shot.attack.trick), []).append(shot)
    counts = {(c.kind, c.trick): c for c in _counts(shots)}
    out = []
    for (kind, trick), accepted in found.items():
        shot = min(accepted, key=lambda s: len(s.attack.answer))
        answer = shot.attack.answer
        if shrink and not shot.attack.by_hand:
            most = SLOW_MOST if shot.said.seconds > SLOW_SECONDS else MOST
            answer = smallest(answer, _works(target, shot, measure, grading(shot.attack.row)), most=most)
        row = shot.attack.row
        out.append(
            Exploit(
                kind=kind,
                trick=trick,
                about=about[trick],
                answer=answer,
                gold=row.gold or str(row.task.gold),
                question=row.question[:300],
                score=shot.said.score,
                judged=_judged(shot),
                accepted=counts[kind, trick].accepted,
                attacks=counts[kind, trick].attacks,
            )
        )
    return out


def _works(target: Target, shot: Shot, measure: Measure, grade: Grading | None) -> Callable[[str], bool]:
    """The text is still accepted and still not right; without a grader it keeps something the gold does not have."""
    row = shot.attack.row
    own = {words(right) for right in row.right}
    gold = {word for right in own for word in right}
    extra = bool(set(words(shot.attack.answer)) - gold)

    def works(text: str) -> bool:
        said = words(text)
        if said in own or (extra and not set(said) - gold):
            return False
        if not measure.accepts(target.score([(text, row.task)])[0], row):
            return False
        return grade is None or grade(text, row.task) != "right"

    return works


def _judged(shot: Shot) -> str:
    if shot.attack.by_hand:
        return f"not right by the shipped case {shot.attack.label}"
    if shot.grade in ("wrong", "unreadable"):
        return f"{shot.grade} by the independent grader"
    return "not right by its construction"


def _counts(shots: Sequence[Shot]) -> tuple[Count, ...]:
    return tuple(
        Count(
            kind=kind,
            trick=trick,
            attacks=outcomes.total(),
            accepted=outcomes["false accept"],
            both=outcomes["both accept"],
            doubtful=outcomes["not judged"],
        )
        for (kind, trick), outcomes in tried([s for s in shots if s.attack.claim != "right"]).items()
    )


def _right_counts(shots: Sequence[Shot]) -> dict[str, tuple[int, int]]:
    out: dict[str, tuple[int, int]] = {}
    for shot in shots:
        if shot.outcome in ("right", "refused right"):
            tried_, refused = out.get(shot.attack.row.kind, (0, 0))
            out[shot.attack.row.kind] = (tried_ + 1, refused + (shot.outcome == "refused right"))
    return out


def _refusals(shots: Sequence[Shot]) -> tuple[Refusal, ...]:
    return tuple(
        Refusal(
            kind=s.attack.row.kind,
            answer=s.attack.answer,
            gold=s.attack.row.gold or str(s.attack.row.task.gold),
            reason=s.said.reason,
            label=s.attack.label,
        )
        for s in shots
        if s.outcome == "refused right"
    )
