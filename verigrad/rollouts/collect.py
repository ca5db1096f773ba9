"""A step's groups: draw, judge, keep, refill.

A *filtered* group leaves the batch and its totals and is refilled; it still counts as generated. Filtering looks at
correctness, never at the shaped reward (DAPO, arXiv:2503.14476, Algorithm 1: 0 < right < G): a length penalty would
make an all-wrong group look informative. A group with fewer than two graded answers, or with an ungraded greedy
answer, is dropped whole under every method. `select` is a pure function of the judged groups, so that a stored step
replays to the same batch. Left out: the reward's arithmetic and the update.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from verigrad.records import Completion, Group, Request, Rollout, Scored, Task
from verigrad.rollouts.draws import GREEDY, DrawPlan, requests_for, rollouts_from

Sample = Callable[[Sequence[Request]], list[Completion]]
Verify = Callable[[Sequence[Rollout]], list[Scored]]
MoreTasks = Callable[[int, int], Sequence[Task]]
"""`more(round, count)`: the tasks of a refill round, from 1."""


@dataclass(frozen=True, kw_only=True)
class Keep:
    """Which groups stay, as the method says."""

    varied: bool = False
    """Only groups with right and not right answers (dynamic sampling)."""
    rounds: int = 10
    """Most refill rounds in a step; then the step goes on with what it has."""
    grade_at_least: int = 2
    """Graded answers a group needs; 1 for methods without a group baseline."""
    process: bool = False
    """What carries a gradient is told by the rewards of steps of reasoning, not by the answers'."""


@dataclass(frozen=True, kw_only=True)
class Collected:
    """The judged groups of one step and what became of them."""

    kept: tuple[Group, ...]
    """The step's batch, in the order drawn."""
    dropped: tuple[Group, ...]
    """Filtered, surplus or not gradable, in the order drawn."""


def judge_step(
    plan: DrawPlan,
    tasks: Sequence[Task],
    sample: Sample,
    verify: Verify,
    *,
    step: int,
    drawn: Counter[str] | None = None,
) -> list[Group]:
    """Draw and judge one round: one group for each task, in order. `drawn` is counted on."""
    drawn = drawn if drawn is not None else Counter()
    draws, requests = requests_for(plan, tasks, step=step, drawn=drawn)
    scored = verify(rollouts_from(draws, sample(requests)))
    width = plan.group + plan.greedy
    for task in tasks:
        drawn[task.key] += plan.group
    return [_group(task, scored[i * width : (i + 1) * width]) for i, task in enumerate(tasks)]


def _group(task: Task, scored: Sequence[Scored]) -> Group:
    sampled = [s for s in scored if s.rollout.draw.attempt != GREEDY]
    greedy = [s for s in scored if s.rollout.draw.attempt == GREEDY]
    return Group(
        task=task,
        members=tuple(s for s in sampled if s.reward is not None),
        left_out=tuple(s for s in sampled if s.reward is None),
        greedy=greedy[0] if greedy else None,
    )


def stays(group: Group, keep: Keep) -> bool:
    """True if the group may enter the batch."""
    if len(group.members) < keep.grade_at_least:
        return False
    if group.greedy is not None and group.greedy.reward is None:
        return False
    return group.varied or not keep.varied


def select(groups: Sequence[Group], keep: Keep, *, wanted: int) -> Collected:
    """The first `wanted` groups that may stay; the rest is dropped."""
    kept: list[Group] = []
    dropped: list[Group] = []
    for group in groups:
        (kept if len(kept) < wanted and stays(group, keep) else dropped).append(group)
    return Collected(kept=tuple(kept), dropped=tuple(dropped))


def collect(
    plan: DrawPlan,
    tasks: Sequence[Task],
    more: MoreTasks,
    sample: Sample,
    verify: Verify,
    keep: Keep,
    *,
    step: int,
) -> list[Group]:
    """Draw a step's groups until `len(tasks)` of them stay or the refill rounds are used up. Returns every group."""
    wanted = len(tasks)
    drawn: Counter[str] = Counter()
    groups = judge_step(plan, tasks, sample, verify, step=step, drawn=drawn)
    for round_ in range(1, keep.rounds + 1):
        missing = wanted - sum(stays(g, keep) for g in groups)
        if missing <= 0:
            break
        groups += judge_step(plan, more(round_, missing), sample, verify, step=step, drawn=drawn)
    return groups
