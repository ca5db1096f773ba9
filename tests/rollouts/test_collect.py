"""Groups: seeds, attempts counting on, keeping, refilling, and the pilot's numbers."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest

from verigrad.records import Completion, Group, Request, Rollout, Scored, Task, right, seed, ungraded, wrong
from verigrad.rollouts import DrawPlan, Keep, advice, carrying, collect, judge_step, pilot_numbers, select

PLAN = DrawPlan(run_seed=3, stage=1, group=4, max_tokens=8, temperature=1.0)
TASKS = [Task.make(prompt=f"task {i}", gold=i) for i in range(40)]


class Fake:
    """A sampler whose answers and a check whose verdicts are written down by the test."""

    def __init__(self, says: dict[str, str]) -> None:
        self.says = says
        self.requests: list[Request] = []

    def sample(self, requests: Sequence[Request]) -> list[Completion]:
        self.requests += requests
        return [
            Completion(
                prompt_ids=np.array([1]),
                token_ids=np.array([2, 3]),
                logp=np.array([-0.5, -0.5], dtype=np.float32),
                text=str(r.seed),
                finish="stop",
            )
            for r in requests
        ]

    def verify(self, rollouts: Sequence[Rollout]) -> list[Scored]:
        out = []
        for r in rollouts:
            letter = self.says[r.task.key][max(r.draw.attempt, 0) % len(self.says[r.task.key])]
            verdict = {"r": right("x"), "w": wrong("y"), "u": ungraded("no gold")}[letter]
            out.append(Scored(rollout=r, verdict=verdict, parts={"v": verdict.score or 0.0}, reward=verdict.score))
        return out


def fake(*patterns: str) -> tuple[list[Task], Fake]:
    tasks = TASKS[: len(patterns)]
    return tasks, Fake({t.key: p for t, p in zip(tasks, patterns, strict=True)})


def test_each_draw_has_the_seed_of_its_place() -> None:
    tasks, f = fake("rwrw", "wwww")
    judge_step(PLAN, tasks, f.sample, f.verify, step=7)
    assert [r.seed for r in f.requests] == [seed("draw", 3, 1, 7, t.key, a) for t in tasks for a in range(4)]
    assert {r.temperature for r in f.requests} == {1.0}


def test_attempts_at_a_task_drawn_twice_count_on() -> None:
    tasks, f = fake("rwrw")
    groups = judge_step(PLAN, [tasks[0], tasks[0]], f.sample, f.verify, step=1)
    assert [m.rollout.draw.attempt for g in groups for m in g.members] == list(range(8))
    assert len({r.seed for r in f.requests}) == 8


def test_the_greedy_answer_is_beside_the_group_and_not_in_it() -> None:
    tasks, f = fake("rwrw")
    plan = DrawPlan(run_seed=3, stage=1, group=4, max_tokens=8, temperature=1.0, greedy=True)
    (group,) = judge_step(plan, tasks, f.sample, f.verify, step=1)
    assert len(group.members) == 4
    assert group.greedy is not None
    assert group.greedy.rollout.draw.attempt == -1
    assert [r.temperature for r in f.requests] == [1.0] * 4 + [0.0]


@pytest.mark.parametrize(
    ("pattern", "varied", "stays"),
    [
        ("rwrw", False, True),
        ("rrrr", False, True),
        ("rrrr", True, False),
        ("wwww", True, False),
        ("rwww", True, True),
        ("ruuu", False, False),
        ("uuuu", False, False),
        ("rwuu", True, True),
    ],
)
def test_which_groups_stay(pattern: str, varied: bool, stays: bool) -> None:
    tasks, f = fake(pattern)
    groups = judge_step(PLAN, tasks, f.sample, f.verify, step=1)
    assert (len(select(groups, Keep(varied=varied), wanted=1).kept) == 1) is stays


def test_ungraded_answers_are_left_out_and_kept_on_record() -> None:
    tasks, f = fake("rwuw")
    (group,) = judge_step(PLAN, tasks, f.sample, f.verify, step=1)
    assert [m.rollout.draw.attempt for m in group.members] == [0, 1, 3]
    assert [m.rollout.draw.attempt for m in group.left_out] == [2]


def test_an_ungraded_greedy_answer_drops_the_group() -> None:
    tasks, f = fake("rwrw")
    plan = DrawPlan(run_seed=3, stage=1, group=4, max_tokens=8, temperature=1.0, greedy=True)
    (group,) = judge_step(plan, tasks, f.sample, f.verify, step=1)
    lost = Scored(rollout=group.greedy.rollout, verdict=ungraded("x"), reward=None)  # type: ignore[union-attr]
    dropped = Group(task=group.task, members=group.members, greedy=lost)
    assert not select([dropped], Keep(), wanted=1).kept


def test_a_filtered_group_is_refilled_and_still_counts_as_generated() -> None:
    tasks, f = fake("rrrr", "rwww", "wwww", "rwrw", "rrww")
    asked: list[tuple[int, int]] = []

    def more(round_: int, count: int) -> list[Task]:
        asked.append((round_, count))
        return TASKS[1 + round_ : 1 + round_ + count]

    groups = collect(PLAN, tasks[:2], more, f.sample, f.verify, Keep(varied=True), step=1)
    assert asked == [(1, 1), (2, 1)]
    assert len(groups) == 4
    collected = select(groups, Keep(varied=True), wanted=2)
    assert [g.task.key for g in collected.kept] == [tasks[1].key, tasks[3].key]
    assert len(collected.dropped) == 2


def test_refilling_ends_at_the_cap_with_what_it_has() -> None:
    tasks, f = fake("rrrr", "wwww")
    groups = collect(PLAN, tasks[:1], lambda r, n: [tasks[1]], f.sample, f.verify, Keep(varied=True, rounds=3), step=1)
    assert len(groups) == 4
    assert len({m.rollout.draw.seed for g in groups for m in g.members}) == 16
    assert not select(groups, Keep(varied=True), wanted=1).kept


def test_pilot_numbers_and_what_they_advise() -> None:
    tasks, f = fake("rrrr", "rwww", "wwww", "uuww")
    groups = judge_step(PLAN, tasks, f.sample, f.verify, step=0)
    n = pilot_numbers(groups, group=4)
    assert n.pass_rates == (1.0, 0.25, 0.0, 0.0)
    assert (n.ever_right, n.all_right, n.all_wrong, n.varied, n.carrying) == (2, 1, 2, 1, 1)
    assert n.right == pytest.approx(5 / 14)
    assert n.verdicts["ungraded"] == pytest.approx(2 / 16)
    assert advice(n, dead=0.95, ungraded=0.2) is None
    assert "could not be graded" in str(advice(n, dead=0.95, ungraded=0.05))
    assert "3 of 4 groups carry no gradient" in str(advice(n, dead=0.5, ungraded=0.2))


def test_what_carries_a_gradient_depends_on_the_baseline() -> None:
    tasks, f = fake("rrrr", "wwww", "rwww")
    groups = judge_step(PLAN, tasks, f.sample, f.verify, step=0)
    assert carrying(groups, compared=True) == 1
    assert carrying(groups, compared=False) == 3
    assert carrying(groups[:1], compared=False) == 0
    greedy = [replace(g, greedy=groups[0].members[0]) for g in groups]
    assert carrying(greedy, compared=False) == 2


def test_partial_credit_without_a_right_answer_is_something_to_learn_from() -> None:
    tasks, f = fake("wwww", "wwww")
    groups = judge_step(PLAN, tasks, f.sample, f.verify, step=0)
    partly = [
        replace(
            g,
            members=tuple(
                replace(m, verdict=wrong("y", score=0.1 * i), reward=0.1 * i) for i, m in enumerate(g.members)
            ),
        )
        for g in groups
    ]
    n = pilot_numbers(partly, group=4)
    assert (n.ever_right, n.ever_scored, n.carrying) == (0, 2, 2)
    assert advice(n, dead=0.95, ungraded=0.05) is None


def test_nothing_ever_right_is_said_as_the_recipe_page_says_it() -> None:
    tasks, f = fake(*["wwww"] * 32)
    n = pilot_numbers(judge_step(PLAN, tasks, f.sample, f.verify, step=0), group=8)
    assert advice(n, dead=0.95, ungraded=0.05) == (
        "pilot: 0 of 32 prompts had a right answer in 8: an sft stage first, easier data, a larger group"
    )


def judged(*rounds: Sequence[float]) -> list[Group]:
    """Groups a reward model alone judged, of these scores."""
    tasks, f = fake(*["w" * len(scores) for scores in rounds])
    groups = judge_step(PLAN, tasks, f.sample, f.verify, step=0)
    return [
        replace(
            g,
            members=tuple(
                replace(m, verdict=right() if s > 0 else wrong(), reward=s)
                for m, s in zip(g.members, scores, strict=True)
            ),
        )
        for g, scores in zip(groups, rounds, strict=True)
    ]


def test_a_judge_below_zero_teaches_as_soon_as_its_scores_differ() -> None:
    n = pilot_numbers(judged([-4.0, -3.0, -2.0, -1.0], [-1.0, -2.0, -1.5, -3.0]), group=4, verified=lambda _: False)
    assert (n.ever_right, n.carrying) == (0, 2)
    assert advice(n, dead=0.95, ungraded=0.05) is None
    flat = pilot_numbers(judged([-1.0] * 4, [-2.0] * 4), group=4, verified=lambda _: False)
    assert "2 of 2 groups carry no gradient" in str(advice(flat, dead=0.95, ungraded=0.05))
