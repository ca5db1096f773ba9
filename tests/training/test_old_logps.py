"""Whose log-probs are compared: old and reference are the trainer's, rounded as the update rounds; the sampler's only
weigh. In bfloat16, where a difference would show.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from pathlib import Path

import numpy as np
import pytest
import torch

from tests.training.training_cases import BUDGET, TEMPERATURE, apart, gradient, tiny, trainer
from verigrad.losses import build, methods, needs
from verigrad.models import LanguageModel, Working, freeze
from verigrad.records import Batch, Rollout, Scored, Task, batch_of, right, wrong
from verigrad.rollouts import DrawPlan, judge_step
from verigrad.sampling import LocalSampler
from verigrad.training import NAMES, Trainer
from verigrad.training.micro_batches import TOKENS, MicroBatch
from verigrad.training.passes import Pass

BUDGETS = (1, 20, TOKENS)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("models")


def verify(rollouts: Sequence[Rollout]) -> list[Scored]:
    """Every third answer right, and all to the second task."""
    out = []
    for r in rollouts:
        verdict = right("x") if r.draw.attempt % 3 == 0 or r.task.gold == 1 else wrong("y")
        out.append(Scored(rollout=r, verdict=verdict, parts={"check": verdict.score or 0.0}, reward=verdict.score))
    return out


@cache
def sampled(folder: Path, dtype: str, *, greedy: bool) -> Batch:
    """A step drawn by the engine from the tiny model itself."""
    plan = DrawPlan(run_seed=3, stage=1, group=3, max_tokens=BUDGET, temperature=TEMPERATURE, greedy=greedy)
    tasks = [Task.make(prompt="a" * (1 + 3 * i), gold=i) for i in range(3)]
    groups = judge_step(plan, tasks, LocalSampler(tiny(folder, dtype)).sample, verify, step=1)
    return batch_of(groups, budget=BUDGET)


def updates(t: Trainer, b: Batch, monkeypatch: pytest.MonkeyPatch, *, still: bool = False) -> list[dict[str, float]]:
    """The metrics of each single update of one step; `still`: none of them moves a weight."""
    told: list[dict[str, float]] = []
    update = Trainer._update

    def kept(self: Trainer, *args: object, **more: object) -> tuple[dict[str, float], int]:
        told.append(update(self, *args, **more)[0])  # type: ignore[arg-type]
        return told[-1], 0

    if still:
        monkeypatch.setattr(t.optimizer, "step", lambda: None)
    monkeypatch.setattr(Trainer, "_update", kept)
    t.step(b, step=1)
    monkeypatch.setattr(Trainer, "_update", update)
    return told


def of(name: str, lm: LanguageModel, tokens: int, **more: int) -> Trainer:
    return trainer(lm, methods[name], reference=freeze(lm), tokens=tokens, **more)


@pytest.mark.parametrize("name", sorted(methods))
def test_at_the_first_inner_step_the_ratio_is_exactly_1_and_nothing_is_clipped(
    name: str, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    b = sampled(folder, "bfloat16", greedy=needs(methods[name]).greedy)
    for tokens, often in [*((tokens, 1) for tokens in BUDGETS), (BUDGETS[1], 2)]:
        lm = tiny(folder, "bfloat16")
        assert lm.dtype is torch.bfloat16
        told = updates(of(name, lm, tokens, passes=often, minibatches=often), b, monkeypatch)
        assert len(told) == often * often
        assert told[0]["ratio/max"] == 1.0
        assert (told[0]["clip/low"], told[0]["clip/high"]) == (0.0, 0.0)
        assert told[0]["mismatch/mean"] > 1e-4  # the sampler's numbers would not do
        assert told[0].get("kl/reference", 0.0) == 0.0
        assert all(set(one) <= NAMES for one in told)
        assert all(one["ratio/max"] != 1.0 for one in told[1:])


@pytest.mark.parametrize("name", sorted(methods))
def test_old_log_probs_are_bitwise_those_of_the_forward_that_looks_at_them(
    name: str, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """While no weight moves, every minibatch of every pass finds ratio 1: read without gradient, in the same plan."""
    b = sampled(folder, "bfloat16", greedy=needs(methods[name]).greedy)
    for tokens in BUDGETS:
        told = updates(of(name, tiny(folder, "bfloat16"), tokens, passes=2, minibatches=2), b, monkeypatch, still=True)
        assert [one["ratio/max"] for one in told] == [1.0] * 4
        assert {one["clip/low"] + one["clip/high"] for one in told} == {0.0}
        assert {one.get("kl/reference", 0.0) for one in told} == {0.0}


def test_log_probs_of_another_precision_would_be_seen(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What the tests above hold apart: the same weights read in float32, and sequences leave gspo's clip of 3e-4."""
    b = sampled(folder, "bfloat16", greedy=False)
    plain, read = Working(tiny(folder)), Pass.read

    def read_plainly(self: Pass, plan: Sequence[MicroBatch]) -> None:
        self.working = plain
        read(self, plan)

    monkeypatch.setattr(Pass, "read", read_plainly)
    told = updates(of("gspo", tiny(folder, "bfloat16"), 30, minibatches=2), b, monkeypatch, still=True)
    assert told[0]["ratio/max"] == 1.0
    assert told[1]["ratio/max"] > 1 + 3e-4


@pytest.mark.parametrize("name", ["rloo", "reinforce_pp"])
def test_kl_in_the_reward_takes_the_trainers_log_probs_on_both_sides(name: str, folder: Path) -> None:
    """Before the first update policy and reference are one: nothing is paid, to the last bit of the gradient."""
    b = sampled(folder, "bfloat16", greedy=False)
    for tokens in BUDGETS:
        paying = of(name, tiny(folder, "bfloat16"), tokens)
        free = trainer(tiny(folder, "bfloat16"), build(name, {"kl": "none"}), tokens=tokens)
        assert paying.step(b, step=1)["kl/reference"] == 0.0
        free.step(b, step=1)
        assert apart(gradient(paying), gradient(free)) == 0.0


def test_in_float32_sampler_and_trainer_agree_and_the_weight_is_1(folder: Path) -> None:
    metrics = of("dapo", tiny(folder), TOKENS).step(sampled(folder, "float32", greedy=False), step=1)
    assert metrics["mismatch/max"] < 1e-4
    assert metrics["mismatch/weight"] == pytest.approx(1.0, abs=1e-4)


@pytest.mark.parametrize("name", sorted(methods))
def test_the_mismatch_is_measured_every_step_even_where_all_is_skipped(name: str, folder: Path) -> None:
    b = sampled(folder, "bfloat16", greedy=needs(methods[name]).greedy)
    same = b.take(np.flatnonzero(b.group_B == 1))
    for step in (b, same):
        metrics = of(name, tiny(folder, "bfloat16"), TOKENS).step(step, step=1)
        assert 1e-4 < metrics["mismatch/mean"] <= metrics["mismatch/max"]
        assert metrics["mismatch/weight"] == pytest.approx(1.0, abs=0.1)
