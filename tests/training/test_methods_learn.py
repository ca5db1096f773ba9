"""Every method learns: a tiny model, a task that only the prompt tells, and accuracy rises (not merely weights move).

Of each prompt's answer the first token alone counts: after one prompt it must be of the upper half of the vocabulary,
after the other of the lower. Who does not look at the prompt stays at one half.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import pytest

from tests.tiny import VOCABULARY
from tests.training.training_cases import tiny
from verigrad.losses import Method, build, methods, needs
from verigrad.models import freeze
from verigrad.recipe import Train
from verigrad.records import Rollout, Scored, Task, batch_of, right, wrong
from verigrad.rollouts import DrawPlan, Keep, collect, select
from verigrad.sampling import LocalSampler
from verigrad.training import Trainer

TASKS = [Task.make(prompt=word, gold=upper) for word, upper in (("upper upper", True), ("low", False))]
GROUP, TOKENS, STEPS, LR = 16, 2, 24, 1e-2
LEARNED, LAST = 0.9, 3

Verify = Callable[[Sequence[Rollout]], list[Scored]]
CASES: dict[str, Method] = {
    **methods,
    "ppo, a model of its own": build("ppo", {"baseline": {"value": "model", "lr": 1e-2}}),
    "ppo, adaptive kl, refreshed": build("ppo", {"kl": {"target": 0.05, "horizon": 100.0, "refresh": 4}}),
    "grpo, refreshed": build("grpo", {"kl": {"refresh": 4}}),
}


def judge(method: Method, *, blind: bool) -> Verify:
    """Pays what the method's recipe would; `blind`: every other answer, whatever it says."""
    wrong_pays, right_pays = method.elsewhere.get("reward.*.options.pays", (0, 1))

    def verify(rollouts: Sequence[Rollout]) -> list[Scored]:
        out = []
        for n, r in enumerate(rollouts):
            good = bool((r.token_ids[0] >= VOCABULARY / 2) == r.task.gold)
            pays = float(right_pays if (n % 2 if blind else good) else wrong_pays)
            verdict = right("x") if good else wrong("y")
            out.append(Scored(rollout=r, verdict=verdict, parts={"check": pays}, reward=pays))
        return out

    return verify


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("models")


def accuracies(method: Method, folder: Path, *, blind: bool = False) -> list[float]:
    """Share of right answers drawn in each step, until it is LEARNED over the LAST steps, at most STEPS.

    Two passes over two minibatches, the method's own keep and greedy answer.
    """
    lm = tiny(folder)
    sampler, verify = LocalSampler(lm), judge(method, blind=blind)
    train = Train(steps=STEPS, lr=LR, passes=2, minibatches=2)
    trainer = Trainer(lm, method, train, steps=STEPS, temperature=1.0, reference=freeze(lm))
    plan = DrawPlan(run_seed=1, stage=1, group=GROUP, max_tokens=TOKENS, temperature=1.0, greedy=needs(method).greedy)
    keep = Keep(varied=hasattr(method.keep, "rounds"), rounds=1, grade_at_least=2 if needs(method).group else 1)
    shares = []
    for step in range(1, STEPS + 1):
        groups = collect(plan, TASKS, lambda *_: TASKS, sampler.sample, verify, keep, step=step)
        shares.append(float(np.mean([s.verdict.correct for g in groups for s in g.members])))
        if learned(shares):
            break
        kept = select(groups, keep, wanted=len(TASKS)).kept
        if kept:  # dapo leaves out groups that are all right
            metrics = trainer.step(batch_of(kept, budget=TOKENS), step=step)
            assert np.isfinite(list(metrics.values())).all()
        sampler.changed()
    return shares


def learned(shares: Sequence[float]) -> bool:
    return len(shares) >= LAST and float(np.mean(shares[-LAST:])) >= LEARNED


@pytest.mark.parametrize("name", sorted(CASES))
def test_accuracy_rises(name: str, folder: Path) -> None:
    shares = accuracies(CASES[name], folder)
    assert 0.3 < shares[0] < 0.7
    assert learned(shares), shares


@pytest.mark.parametrize("name", ["grpo", "ppo"])
def test_under_a_reward_that_does_not_look_at_the_answer_it_does_not(name: str, folder: Path) -> None:
    shares = accuracies(CASES[name], folder, blind=True)
    assert len(shares) == STEPS
    assert float(np.mean(shares)) < 0.75
