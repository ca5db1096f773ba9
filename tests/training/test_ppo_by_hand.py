"""PPO with a critic against a loop written out here: one row at a time, GAE backwards, two optimizers where there are.

Nothing of verigrad stands in the loop. Values are read off the hidden state before each token by plain transformers.
"""

from __future__ import annotations

import copy
import math
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import Tensor

from tests.training.test_trainer_by_hand import Row, gain, logps, mean, rows_of, std, weight
from tests.training.training_cases import LR, batch, furthest, tiny, trainer, weights
from verigrad.losses import build
from verigrad.models import freeze

GAMMA, LAMBDA, VALUE_CLIP, SHARE, BETA = 0.9, 0.8, 0.05, 0.3, 0.2
TARGET, HORIZON = 1e-3, 50.0


class Hand:
    """The critic of the loop."""

    def __init__(self, module: torch.nn.Module, *, own: bool) -> None:
        self.trunk = copy.deepcopy(module) if own else module
        self.w = torch.zeros(32, requires_grad=True)
        self.b = torch.zeros((), requires_grad=True)

    def values(self, row: Row) -> list[Tensor]:
        ids = torch.tensor([row.prompt + row.tokens])
        hidden = self.trunk(input_ids=ids, output_hidden_states=True).hidden_states[-1][0]
        return [(hidden[len(row.prompt) + t - 1] * self.w).sum() + self.b for t in range(len(row.tokens))]


def gae(rewards: list[float], values: list[float]) -> list[float]:
    out: list[float] = []
    later = 0.0
    for t in reversed(range(len(rewards))):
        after = values[t + 1] if t + 1 < len(values) else 0.0
        later = rewards[t] + GAMMA * after - values[t] + GAMMA * LAMBDA * later
        out.insert(0, later)
    return out


def by_hand(module: torch.nn.Module, reference: torch.nn.Module, batches: list[Any], *, own: bool, lr: float) -> Hand:
    hand = Hand(module, own=own)
    reference = copy.deepcopy(reference)
    settings = {"betas": (0.8, 0.95), "eps": 1e-2, "weight_decay": 0.1}
    beta = BETA
    if own:
        trunk = [p for p in hand.trunk.parameters() if p.requires_grad]
        optimizers = [
            torch.optim.AdamW(module.parameters(), lr=LR, **settings),
            torch.optim.AdamW([*trunk, hand.w, hand.b], lr=lr, **settings),
        ]
    else:
        groups = [{"params": list(module.parameters()), "lr": LR}, {"params": [hand.w, hand.b], "lr": lr}]
        optimizers = [torch.optim.AdamW(groups, **settings)]
    for number, b in enumerate(batches, 1):
        rows = rows_of(b)
        value: dict[int, list[float]] = {}
        due: dict[int, list[float]] = {}
        with torch.no_grad():
            for i, row in enumerate(rows):
                row.old = [x.item() for x in logps(module, row)]
                row.ref = [x.item() for x in logps(reference, row)]
                value[i] = [x.item() for x in hand.values(row)]
        for i, row in enumerate(rows):
            rewards = [-beta * (o - r) for o, r in zip(row.old, row.ref, strict=True)]
            rewards[-1] += row.reward
            row.advantage = gae(rewards, value[i])
            due[i] = [a + v for a, v in zip(row.advantage, value[i], strict=True)]
        flat = [a for row in rows for a in row.advantage]
        m, s = mean(flat), std(flat)
        for row in rows:
            row.advantage = [(a - m) / s for a in row.advantage]
        middle = max(row.group for row in rows) // 2
        halves = [[i for i, r in enumerate(rows) if (r.group <= middle) == first] for first in (True, False)]
        for _ in range(2):
            for part in halves:
                tokens = sum(len(rows[i].tokens) for i in part)
                policy: Tensor = torch.zeros(())
                critic: Tensor = torch.zeros(())
                for i in part:
                    row, now, guess = rows[i], logps(module, rows[i]), hand.values(rows[i])
                    for t in range(len(row.tokens)):
                        ratio = torch.exp(now[t] - row.old[t])
                        policy = policy - weight(row, t) * gain(ratio, row.advantage[t], 0.2, 0.2) / tokens
                        near = value[i][t] + torch.clamp(guess[t] - value[i][t], -VALUE_CLIP, VALUE_CLIP)
                        worst = torch.maximum((guess[t] - due[i][t]) ** 2, (near - due[i][t]) ** 2)
                        critic = critic + 0.5 * worst / tokens
                for optimizer in optimizers:
                    optimizer.zero_grad()
                if own:
                    policy.backward()
                    critic.backward()
                else:
                    (policy + SHARE * critic).backward()
                for optimizer in optimizers:
                    every = [p for group in optimizer.param_groups for p in group["params"] if p.grad is not None]
                    torch.nn.utils.clip_grad_norm_(every, 0.5)
                    optimizer.step()
        k1 = mean([o - r for row in rows for o, r in zip(row.old, row.ref, strict=True)])
        beta *= 1 + min(max(k1 / TARGET - 1, -0.2), 0.2) * len(rows) / HORIZON
        if number == 2:
            reference = copy.deepcopy(module)
    hand.b.beta = beta  # type: ignore[attr-defined]
    return hand


@pytest.mark.parametrize("value", ["head", "model"])
def test_four_steps_leave_the_weights_of_the_loop(value: str, tmp_path: Path) -> None:
    """Two passes over two minibatches, an adaptive coefficient, the reference replaced after the second step."""
    lm, twin = tiny(tmp_path), tiny(tmp_path)
    start = weights(lm)
    reference = freeze(lm)
    reference.module.model.norm.weight.data *= 1.05  # so that there is a KL to pay in the first step
    batches = [batch(seed) for seed in range(4)]
    of_critic = {"value": value, "gamma": GAMMA, "lambda": LAMBDA, "clip": VALUE_CLIP, "coefficient": SHARE, "lr": 2e-2}
    of_kl = {"coefficient": BETA, "target": TARGET, "horizon": HORIZON, "refresh": 2}
    method = build("ppo", {"baseline": of_critic, "kl": of_kl})
    hand = by_hand(twin.module, reference.module, batches, own=value == "model", lr=2e-2)
    t = trainer(lm, method, reference=reference, passes=2, minibatches=2, tokens=40)
    told = [t.step(b, step=step) for step, b in enumerate(batches, 1)]

    assert furthest(weights(lm), start) > 3e-2
    assert furthest(weights(lm), weights(twin)) < 2e-5
    assert t.critic is not None
    assert float(hand.w.detach().abs().max()) > 1e-2
    torch.testing.assert_close(t.critic.head.weight_H.detach(), hand.w.detach(), atol=2e-5, rtol=0)
    torch.testing.assert_close(t.critic.head.bias.detach(), hand.b.detach(), atol=2e-5, rtol=0)
    if t.critic.own is not None:
        others = {n: p.detach().numpy() for n, p in hand.trunk.named_parameters()}
        assert furthest(weights(t.critic.own.lm), others) < 2e-5
        assert furthest(weights(t.critic.own.lm), start) > 1e-2
    assert told[-1]["kl/coef"] == pytest.approx(hand.b.beta, rel=1e-5)  # type: ignore[attr-defined]
    assert told[-1]["kl/coef"] != pytest.approx(BETA, rel=0.02)
    assert [one["kl/refreshed"] for one in told] == [0.0, 1.0, 0.0, 1.0]
    assert math.isclose(told[0]["value/explained"], 0.0, abs_tol=1e-12)  # a new head says 0 everywhere
    assert all(one["loss/value"] > 0 for one in told)
