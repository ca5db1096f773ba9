"""The signal check: draw a few groups of training prompts, judge them, and say whether there is anything to learn.

`train` runs it first. Left out: the numbers and the advice (rollouts).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from verigrad.records import Group, Task
from verigrad.rollouts import PilotNumbers, advice, judge_step, pilot_numbers
from verigrad.runs.prepare import Prepared
from verigrad.runs.talk import Talk
from verigrad.sampling import Sampler

PROMPTS = 32
"""Prompts of a pilot, or as many as there are."""


@dataclass(frozen=True, kw_only=True)
class Pilot:
    """What a pilot showed."""

    numbers: PilotNumbers
    """Its numbers."""
    advice: str | None
    """Why training would learn nothing; None where it can."""
    notes: tuple[str, ...]
    """Warnings found before: few items, left-out rows."""
    samples: tuple[dict[str, str], ...]
    """A few answers with their verdicts."""

    def as_json(self) -> dict[str, Any]:
        """pilot.json."""
        return {
            "numbers": self.numbers.as_json(),
            "advice": self.advice,
            "notes": list(self.notes),
            "samples": list(self.samples),
        }

    def lines(self) -> list[str]:
        """For a person."""
        n = self.numbers
        verdicts = ", ".join(f"{name} {share:.0%}" for name, share in n.verdicts.items() if share)
        told = [
            f"pilot: {n.prompts} prompts x {n.group} answers: {n.right:.1%} right ({verdicts})",
            f"  groups: {n.varied} varied, {n.all_right} all right, {n.all_wrong} all wrong; "
            f"{n.carrying} of {n.prompts} carry a gradient",
            f"  answers: {n.mean_tokens:.1f} tokens, {n.truncated:.1%} cut at max_tokens",
        ]
        told += [f"  {s['status']:<10} {s['answer'][:70]!r}  gold {s['gold'][:20]!r}" for s in self.samples]
        return [*told, *self.notes, *([self.advice] if self.advice else [])]


def run_pilot(ready: Prepared, sampler: Sampler, talk: Talk) -> Pilot:
    """Draw and judge the pilot's groups: step 0 of the stage, whose draws training never uses."""
    recipe = ready.recipe
    assert ready.order is not None, "a pilot is of an rl stage"
    assert ready.rewards is not None
    prompts = min(PROMPTS, sum(len(tasks) for tasks in ready.split.train.values()))
    found: dict[str, Task] = {}
    for step in range(1, 4 * prompts + 1):  # a source of weight 0 is never asked: it must not be waited for
        if len(found) >= prompts:
            break
        found.update({t.key: t for t in ready.order.tasks(step) if t.key not in found})
    tasks = list(found.values())[:prompts]
    prompts = len(tasks)
    talk.phase("pilot", prompts)
    groups: list[Group] = []
    for start in range(0, prompts, recipe.train.prompts):
        part = tasks[start : start + recipe.train.prompts]
        groups += judge_step(ready.draws, part, sampler.sample, ready.rewards.score, step=0)
        talk.advance(len(part))
    compared = ready.keep.grade_at_least > 1
    numbers = pilot_numbers(
        groups,
        group=recipe.train.group,
        compared=compared,
        process=ready.keep.process,
        verified=ready.rewards.has_verifier,
    )
    limits = recipe.run.limits
    return Pilot(
        numbers=numbers,
        advice=advice(numbers, dead=limits.dead, ungraded=limits.ungraded),
        notes=(*ready.notes, *_below_zero(groups, ready.rewards.gated)),
        samples=tuple(_samples(groups)),
    )


def _below_zero(groups: Sequence[Group], gated: Sequence[str]) -> Iterator[str]:
    """A warning for each gated reward model that pays right answers less than 0: wrong ones it pays 0."""
    answers = [m for group in groups for m in group.members if m.verdict.correct]
    for name in gated:
        paid = [m.parts[name] for m in answers if name in m.parts]
        if paid and (mean := sum(paid) / len(paid)) < 0:
            yield (
                f"gated reward model {name} paid right answers {mean:+.2f} on average, so being right may earn less "
                "than being wrong: a smaller reward weight for it, or more for a right answer "
                "(the verifier's options = { pays = [0, 5] })"
            )


def _samples(groups: list[Group]) -> list[dict[str, str]]:
    """One answer of each verdict status, the first drawn."""
    found: dict[str, dict[str, str]] = {}
    for group in groups:
        for scored in (*group.members, *group.left_out):
            found.setdefault(
                scored.verdict.status,
                {
                    "status": scored.verdict.status,
                    "answer": scored.rollout.answer,
                    "gold": str(group.task.gold),
                    "reason": scored.verdict.reason,
                },
            )
    return list(found.values())
