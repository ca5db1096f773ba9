"""Trainer.step against a loop written out here: one row at a time, the full softmax, torch's own optimizer.

Nothing of verigrad stands in the loop. Advantages and losses are written as the papers write them.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import pytest
import torch
from torch import Tensor

from tests.training.training_cases import BUDGET, LR, TEMPERATURE, batch, furthest, tiny, trainer, weights
from verigrad.losses import build
from verigrad.models import freeze
from verigrad.records import Batch


@dataclass
class Row:
    group: int
    reward: float
    prompt: list[int]
    tokens: list[int]
    mu: list[float]
    old: list[float] = field(default_factory=list)
    ref: list[float] = field(default_factory=list)
    advantage: list[float] = field(default_factory=list)


def logps(module: torch.nn.Module, row: Row) -> list[Tensor]:
    """Each answer token's log-prob: the softmax at the place before it, over all 259 tokens."""
    logits = module(input_ids=torch.tensor([row.prompt + row.tokens])).logits[0]
    out = []
    for t, token in enumerate(row.tokens):
        scores = logits[len(row.prompt) + t - 1] / TEMPERATURE
        out.append(scores[token] - torch.log(torch.exp(scores).sum()))
    return out


def mates(row: Row, rows: Sequence[Row]) -> list[Row]:
    return [o for o in rows if o.group == row.group]


def mean(xs: Sequence[float]) -> float:
    return sum(xs) / len(xs)


def std(xs: Sequence[float]) -> float:
    return math.sqrt(mean([(x - mean(xs)) ** 2 for x in xs]))


def by_group_std(rows: list[Row]) -> None:
    for row in rows:
        rewards = [o.reward for o in mates(row, rows)]
        a = 0.0 if std(rewards) == 0 else (row.reward - mean(rewards)) / std(rewards)
        row.advantage = [a] * len(row.tokens)


def by_group_mean(rows: list[Row]) -> None:
    for row in rows:
        row.advantage = [row.reward - mean([o.reward for o in mates(row, rows)])] * len(row.tokens)


def leave_one_out(rows: list[Row]) -> None:
    def earned(row: Row) -> float:
        return row.reward - 0.03 * (sum(row.old) - sum(row.ref))

    for row in rows:
        a = earned(row) - mean([earned(o) for o in mates(row, rows) if o is not row])
        row.advantage = [a] * len(row.tokens)


def whitened_returns(rows: list[Row]) -> None:
    for row in rows:
        k1 = [o - r for o, r in zip(row.old, row.ref, strict=True)]
        row.advantage = [row.reward - 0.01 * sum(k1[t:]) for t in range(len(k1))]
    flat = [a for row in rows for a in row.advantage]
    m, s = mean(flat), std(flat)
    for row in rows:
        row.advantage = [(a - m) / s for a in row.advantage]


def weight(row: Row, t: int) -> float:
    return min(math.exp(row.old[t] - row.mu[t]), 2.0)


def gain(r: Tensor, a: float, low: float, high: float) -> Tensor:
    return torch.minimum(r * a, torch.clamp(r, 1 - low, 1 + high) * a)


def clipped(rows: list[Row], new: list[list[Tensor]], high: float = 0.2) -> list[list[Tensor]]:
    """Every token's loss with PPO's clip."""
    return [
        [
            -weight(row, t) * gain(torch.exp(now[t] - row.old[t]), row.advantage[t], 0.2, high)
            for t in range(len(row.tokens))
        ]
        for row, now in zip(rows, new, strict=True)
    ]


def grpo_none(rows: list[Row], new: list[list[Tensor]]) -> Tensor:
    return sum(sum(tokens) / len(tokens) for tokens in clipped(rows, new)) / len(rows)


def grpo_k3(rows: list[Row], new: list[list[Tensor]]) -> Tensor:
    loss = grpo_none(rows, new)
    for row, now in zip(rows, new, strict=True):
        for t, x in enumerate(now):
            gap = row.ref[t] - x
            loss = loss + 0.04 * (torch.exp(gap) - gap - 1) / len(now) / len(rows)
    return loss


def dr_grpo(rows: list[Row], new: list[list[Tensor]]) -> Tensor:
    return sum(sum(tokens) for tokens in clipped(rows, new)) / (BUDGET * len(rows))


def dapo(rows: list[Row], new: list[list[Tensor]]) -> Tensor:
    tokens = clipped(rows, new, high=0.28)
    ids = sorted({row.group for row in rows})
    total: Tensor = torch.zeros(())
    for g in ids:
        own = [x for row, xs in zip(rows, tokens, strict=True) if row.group == g for x in xs]
        total = total + sum(own) / len(own) / len(ids)
    return total


def gspo(rows: list[Row], new: list[list[Tensor]]) -> Tensor:
    total: Tensor = torch.zeros(())
    for row, now in zip(rows, new, strict=True):
        n = len(now)
        s = torch.exp(sum(x - o for x, o in zip(now, row.old, strict=True)) / n)
        total = total - mean([weight(row, t) for t in range(n)]) * gain(s, row.advantage[0], 3e-4, 4e-4) / len(rows)
    return total


def rloo(rows: list[Row], new: list[list[Tensor]]) -> Tensor:
    total: Tensor = torch.zeros(())
    for row, now in zip(rows, new, strict=True):
        for t, x in enumerate(now):
            total = total - weight(row, t) * row.advantage[t] * x / len(rows)
    return total


def reinforce_pp(rows: list[Row], new: list[list[Tensor]]) -> Tensor:
    flat = [x for tokens in clipped(rows, new) for x in tokens]
    return sum(flat) / len(flat)


Advantages = Callable[[list[Row]], None]
Loss = Callable[[list[Row], list[list[Tensor]]], Tensor]
CASES: dict[str, tuple[str, dict[str, str], Advantages, Loss]] = {
    "grpo without kl": ("grpo", {"kl": "none"}, by_group_std, grpo_none),
    "grpo": ("grpo", {}, by_group_std, grpo_k3),
    "dr_grpo": ("dr_grpo", {}, by_group_mean, dr_grpo),
    "dapo": ("dapo", {}, by_group_std, dapo),
    "gspo": ("gspo", {}, by_group_std, gspo),
    "rloo": ("rloo", {}, leave_one_out, rloo),
    "reinforce_pp": ("reinforce_pp", {}, whitened_returns, reinforce_pp),
}


def rows_of(b: Batch) -> list[Row]:
    return [
        Row(
            group=int(b.group_B[i]),
            reward=float(b.reward_B[i]),
            prompt=b.prompt_ids[i].tolist(),
            tokens=b.token_ids_BT[i, : b.length_B[i]].tolist(),
            mu=b.logp_sampler_BT[i, : b.length_B[i]].tolist(),
        )
        for i in range(b.rows)
    ]


def train_by_hand(
    module: torch.nn.Module,
    reference: torch.nn.Module,
    batches: Sequence[Batch],
    advantages: Advantages,
    loss: Loss,
    *,
    passes: int,
    halves: bool,
) -> None:
    optimizer = torch.optim.AdamW(module.parameters(), lr=LR, betas=(0.8, 0.95), eps=1e-2, weight_decay=0.1)
    for b in batches:
        rows = rows_of(b)
        with torch.no_grad():
            for row in rows:
                row.old = [x.item() for x in logps(module, row)]
                row.ref = [x.item() for x in logps(reference, row)]
        advantages(rows)
        middle = max(row.group for row in rows) // 2
        parts = [[r for r in rows if r.group <= middle], [r for r in rows if r.group > middle]] if halves else [rows]
        for _ in range(passes):
            for part in parts:
                optimizer.zero_grad()
                loss(part, [logps(module, row) for row in part]).backward()
                torch.nn.utils.clip_grad_norm_(module.parameters(), 0.5)
                optimizer.step()


@pytest.mark.parametrize(("passes", "minibatches"), [(1, 1), (2, 2)])
@pytest.mark.parametrize("case", sorted(CASES))
def test_three_steps_leave_the_weights_of_the_loop(case: str, passes: int, minibatches: int, tmp_path: Path) -> None:
    name, axes, advantages, loss = CASES[case]
    lm, by_hand = tiny(tmp_path), tiny(tmp_path)
    start = weights(lm)
    reference = freeze(lm)
    batches = [batch(seed) for seed in range(3)]
    t = trainer(lm, build(name, axes), reference=reference, passes=passes, minibatches=minibatches)
    for step, b in enumerate(batches, 1):
        metrics = t.step(b, step=step)
        assert np.isfinite(list(metrics.values())).all()
    train_by_hand(by_hand.module, reference.module, batches, advantages, loss, passes=passes, halves=minibatches == 2)
    assert furthest(weights(lm), start) > 3e-2
    assert furthest(weights(lm), weights(by_hand)) < 1e-5


def test_the_loop_notices_a_wrong_number(tmp_path: Path) -> None:
    """The tolerance above is no loose one: another clip range alone, where the ratio leaves it, is seen."""
    lm, by_hand = tiny(tmp_path), tiny(tmp_path)
    batches = [batch(seed) for seed in range(3)]
    t = trainer(lm, build("dapo", {"clip": {"high": 0.2}}), passes=2, minibatches=2)
    for step, b in enumerate(batches, 1):
        t.step(b, step=step)
    train_by_hand(by_hand.module, by_hand.module, batches, by_group_std, dapo, passes=2, halves=True)
    assert furthest(weights(lm), weights(by_hand)) > 1e-3
