"""Records refuse what they cannot mean, and a batch is its groups."""

import dataclasses

import numpy as np
import pytest

from verigrad import records
from verigrad.records import Draw, Group, Rollout, Scored, Task, Verdict, batch_of, from_value, right, totals_of, wrong


def scored(
    task: Task, attempt: int, tokens: int, reward: float | None, parts: dict[str, float] | None = None
) -> Scored:
    verdict = right("1") if reward else wrong("2")
    if reward is None:
        verdict = records.ungraded("no gold")
    rollout = Rollout(
        task=task,
        draw=Draw(stage=1, step=1, attempt=attempt, seed=attempt),
        answer="x",
        prompt_ids=np.arange(3),
        token_ids=np.arange(tokens) + 5,
        chosen=np.ones(tokens, dtype=bool),
        logp=-np.ones(tokens, dtype=np.float32),
        finish="stop",
    )
    return Scored(
        rollout=rollout, verdict=verdict, parts=parts if parts is not None else {"r": reward or 0.0}, reward=reward
    )


def group(name: str, rewards: list[float | None]) -> Group:
    task = Task.make(prompt=name, gold=1)
    everyone = [scored(task, i, i + 1, r) for i, r in enumerate(rewards)]
    return Group(
        task=task,
        members=tuple(s for s in everyone if s.reward is not None),
        left_out=tuple(s for s in everyone if s.reward is None),
    )


@pytest.mark.parametrize("name", [n for n in records.__all__ if dataclasses.is_dataclass(getattr(records, n))])
def test_every_record_is_frozen_keyword_only_and_every_field_documented(name: str) -> None:
    import ast
    import inspect

    cls = getattr(records, name)
    assert cls.__dataclass_params__.frozen
    assert cls.__doc__
    assert all(f.kw_only for f in dataclasses.fields(cls))
    tree = ast.parse(inspect.getsource(inspect.getmodule(cls)))
    (node,) = [n for n in tree.body if isinstance(n, ast.ClassDef) and n.name == name]
    for here, after in zip(node.body, [*node.body[1:], None], strict=True):
        if isinstance(here, ast.AnnAssign):
            assert isinstance(after, ast.Expr), f"{name}.{here.target.id} has no docstring"  # type: ignore[union-attr]


@pytest.mark.parametrize(
    ("status", "score"),
    [("right", None), ("ungraded", 0.0), ("right", 1.5), ("wrong", float("nan")), ("wrong", -0.1), ("perhaps", 0.0)],
)
def test_a_verdict_refuses_what_it_cannot_mean(status: str, score: float | None) -> None:
    with pytest.raises(ValueError, match="verdict"):
        Verdict(status=status, score=score)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("value", "status", "score"),
    [(True, "right", 1), (1.0, "right", 1), (1, "right", 1), (0, "wrong", 0), (0.4, "wrong", 0.4)],
)
def test_a_checks_value_becomes_a_verdict(value: object, status: str, score: float) -> None:
    verdict = from_value(value, rule="mine")
    assert (verdict.status, verdict.score) == (status, score)


@pytest.mark.parametrize("value", [None, float("nan"), float("inf"), 1.0001, -1, "yes", [1], {"a": 1}])
def test_anything_else_is_no_verdict(value: object) -> None:
    with pytest.raises(ValueError, match="the check returned"):
        from_value(value, rule="mine")


def test_a_batch_holds_graded_members_alone_and_its_totals() -> None:
    batch = batch_of([group("a", [1.0, 0.0, None]), group("b", [0.0, 1.0])], budget=9)
    assert batch.rows == 4
    assert batch.group_B.tolist() == [0, 0, 1, 1]
    assert batch.length_B.tolist() == [1, 2, 1, 2]
    assert batch.totals == totals_of(batch.chosen_BT, batch.group_B, budget=9)
    assert dict(batch.totals.group_tokens) == {0: 3, 1: 3}
    assert (batch.totals.tokens, batch.totals.sequences, batch.totals.groups, batch.totals.budget) == (6, 4, 2, 9)
    assert batch.greedy_reward_B is None


def test_a_micro_batch_keeps_the_updates_totals() -> None:
    batch = batch_of([group("a", [1.0, 0.0]), group("b", [0.0, 1.0])], budget=9)
    part = batch.take([3, 0])
    assert part.totals == batch.totals
    assert part.length_B.tolist() == [2, 1]
    assert part.reward_B.tolist() == [1.0, 1.0]


def test_parts_of_different_sources_stand_in_their_own_columns() -> None:
    task = Task.make(prompt="a")
    one = Group(task=task, members=(scored(task, 0, 1, 1.0, {"x": 1.0}), scored(task, 1, 1, 0.0, {"y": 0.0, "x": 2.0})))
    batch = batch_of([one], budget=3)
    assert batch.part_names == ("x", "y")
    assert batch.parts_BK.tolist() == [[1.0, 0.0], [2.0, 0.0]]


def test_a_batch_of_nothing_is_refused() -> None:
    with pytest.raises(ValueError, match="graded"):
        batch_of([group("a", [None, None])], budget=3)


def test_a_key_depends_on_prompt_gold_and_columns_alone() -> None:
    key = Task.make(prompt="a", gold=1).key
    assert key == Task.make(prompt="a", gold=1, source="other", family="f").key
    assert key != Task.make(prompt="a", gold=2).key
    assert key != Task.make(prompt="b", gold=1).key
    assert key != Task.make(prompt="a", gold=1, columns={"db": 1}).key
