"""The signal check: do these prompts give a gradient at all? Numbers of a pilot sample and what they advise.

With a pass rate p, a group of G is all right or all wrong with probability p^G + (1-p)^G, and then teaches nothing to
a group baseline. Left out: drawing the sample (collect) and refusing (runs).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from verigrad.records import STATUSES, Group


@dataclass(frozen=True, kw_only=True)
class PilotNumbers:
    """What a pilot sample showed."""

    prompts: int
    """Groups drawn."""
    group: int
    """Answers a prompt."""
    pass_rates: tuple[float, ...]
    """Share of right answers of each prompt, among its graded ones, in the order drawn."""
    right: float
    """Share of right answers overall."""
    ever_right: int
    """Prompts with at least one right answer."""
    ever_scored: int
    """Prompts with an answer whose verdict scored above 0: a check with partial credit teaches before it says right.
    Every prompt that no program judges counts: a reward model's sign says nothing of what is learnt from it."""
    all_right: int
    """Groups all right."""
    all_wrong: int
    """Groups with none right."""
    varied: int
    """Groups with right and not right answers: the ones that teach correctness."""
    carrying: int
    """Groups that carry any gradient: see `carrying`."""
    verdicts: dict[str, float]
    """Share of each verdict status."""
    truncated: float
    """Share of answers cut at max_tokens."""
    mean_tokens: float
    """Mean response tokens."""

    def as_json(self) -> dict[str, Any]:
        """For pilot.json."""
        return asdict(self)


def carrying(groups: Sequence[Group], *, compared: bool, process: bool = False) -> int:
    """Groups of one round that carry a gradient. `compared`: the method compares the answers to one prompt.

    Then a group's rewards must differ; beside a greedy answer one must differ from its reward; else (a baseline over
    the step, one answer a prompt) every group carries one as soon as any two rewards of the round differ. `process`:
    what must differ are the rewards of a group's steps of reasoning, whatever the answers earned.
    """
    paid = {m.reward for g in groups for m in g.members}

    def carries(group: Group) -> bool:
        if process:
            return len({r for m in group.members if m.process_at for r in m.verdict.process or ()}) > 1
        own = {m.reward for m in group.members}
        if group.greedy is not None:
            return bool(own - {group.greedy.reward})
        return len(own) > 1 if compared else bool(own) and len(paid) > 1

    return sum(map(carries, groups))


def pilot_numbers(
    groups: Sequence[Group],
    *,
    group: int,
    compared: bool = True,
    process: bool = False,
    verified: Callable[[str], bool] = lambda _: True,
) -> PilotNumbers:
    """The numbers of these groups; `compared` and `process` as in `carrying`. `verified`: of a source, whether a
    program judges it and not a reward model alone.
    """
    everyone = [s for g in groups for s in (*g.members, *g.left_out)]
    graded = [m for g in groups for m in g.members]
    rates = tuple(g.num_right / len(g.members) if g.members else 0.0 for g in groups)
    total = max(len(everyone), 1)
    return PilotNumbers(
        prompts=len(groups),
        group=group,
        pass_rates=rates,
        right=sum(m.verdict.correct for m in graded) / max(len(graded), 1),
        ever_right=sum(g.num_right > 0 for g in groups),
        ever_scored=sum(
            not verified(g.task.source) or any((m.verdict.score or 0.0) > 0 for m in g.members) for g in groups
        ),
        all_right=sum(bool(g.members) and g.num_right == len(g.members) for g in groups),
        all_wrong=sum(bool(g.members) and g.num_right == 0 for g in groups),
        varied=sum(g.varied for g in groups),
        carrying=carrying(groups, compared=compared, process=process),
        verdicts={s: sum(m.verdict.status == s for m in everyone) / total for s in STATUSES},
        truncated=sum(m.rollout.finish == "length" for m in everyone) / total,
        mean_tokens=sum(len(m.rollout.token_ids) for m in everyone) / total,
    )


def advice(numbers: PilotNumbers, *, dead: float, ungraded: float) -> str | None:
    """Why training would learn nothing, in one line; None where it can. `dead`, `ungraded`: the recipe's limits."""
    n = numbers
    if n.verdicts["ungraded"] > ungraded:
        return (
            f"pilot: {n.verdicts['ungraded']:.0%} of the answers could not be graded "
            f"(run.limits.ungraded {ungraded:g}): mend the check or the golds it reads"
        )
    if n.ever_scored == 0:
        return (
            f"pilot: 0 of {n.prompts} prompts had a right answer in {n.group}: "
            "an sft stage first, easier data, a larger group"
        )
    if n.prompts - n.carrying > dead * n.prompts:
        side = "all right: harder data" if n.all_right >= n.all_wrong else "all wrong: easier data, a larger group"
        return (
            f"pilot: {n.prompts - n.carrying} of {n.prompts} groups carry no gradient "
            f"(run.limits.dead {dead:g}), most of them {side}"
        )
    return None
