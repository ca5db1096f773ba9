"""The critic's arithmetic against loops by hand: GAE over tokens nobody chose, value loss, its share, its measure."""

from __future__ import annotations

import math

import numpy as np
import pytest
import torch

from tests.losses.cases import random_case, signal_of
from verigrad.losses import (
    Critic,
    adapted,
    advantages,
    build,
    explained_variance,
    gae,
    mean_k1,
    methods,
    value_loss,
    value_targets,
)

PLAIN = build("ppo", {"scale": "none", "kl": "none"})


def by_hand(reward: list[float], value: list[float], gamma: float, lam: float) -> list[float]:
    """GAE of one answer's chosen tokens, as the double sum of its paper."""
    after = [*value[1:], 0.0][: len(reward)]
    surprise = [r + gamma * v2 - v for r, v2, v in zip(reward, after, value, strict=True)]
    n = len(reward)
    return [sum((gamma * lam) ** (k - t) * surprise[k] for k in range(t, n)) for t in range(n)]


@pytest.mark.parametrize(("gamma", "lam"), [(1.0, 1.0), (1.0, 0.95), (0.9, 0.8), (0.7, 0.0)])
def test_gae_is_the_double_sum_over_the_tokens_that_were_chosen(gamma: float, lam: float) -> None:
    rng = np.random.default_rng(4)
    chosen = torch.tensor(rng.random((6, 7)) < 0.6)
    chosen[0] = True
    chosen[1] = False
    reward, value = (torch.tensor(rng.normal(size=(6, 7))) for _ in range(2))
    got = gae(reward, value, chosen, gamma, lam)
    assert not got[~chosen].any()
    for b in range(6):
        at = chosen[b]
        np.testing.assert_allclose(
            got[b][at], by_hand(reward[b][at].tolist(), value[b][at].tolist(), gamma, lam), rtol=1e-12, atol=1e-12
        )


def test_a_token_nobody_chose_neither_pays_nor_discounts_nor_speaks() -> None:
    told = torch.tensor([[True, False, False, True]])
    noisy = torch.tensor([[0.0, math.nan, 5.0, 1.0]], dtype=torch.float64)
    values = torch.tensor([[0.5, math.inf, -3.0, 0.8]], dtype=torch.float64)
    short = gae(noisy[:, [0, 3]], values[:, [0, 3]], told[:, [0, 3]], 0.9, 0.5)
    assert gae(noisy, values, told, 0.9, 0.5)[:, [0, 3]].tolist() == short.tolist()


def test_the_reward_is_paid_at_the_last_token_the_policy_chose() -> None:
    signal = signal_of(
        reward=[1.0], old=[[-1.0] * 4], value=[[0.2, 0.4, 0.9, 0.9]], chosen=[[True, True, False, False]]
    )
    np.testing.assert_allclose(advantages(PLAIN, signal)[0], [0.2 + 0.95 * 0.6, 0.6, 0, 0], rtol=1e-12)
    np.testing.assert_allclose(value_targets(PLAIN, signal)[0], [0.4 + 0.95 * 0.6, 1.0, 0, 0], rtol=1e-12)


def test_with_lambda_1_the_target_is_what_was_earned_whatever_the_critic_said() -> None:
    method = build("ppo", {"baseline": {"lambda": 1.0}, "kl": {"coefficient": 0.3}})
    signal, _, _ = random_case(7)
    for b in range(signal.batch.rows):
        at = signal.batch.chosen_BT[b]
        paid = 0.3 * (signal.logp_old_BT - signal.logp_ref_BT)[b][at]
        to_go = signal.batch.reward_B[b] - np.cumsum(paid[::-1])[::-1]
        np.testing.assert_allclose(value_targets(method, signal)[b][at], to_go, rtol=1e-9, atol=1e-12)


def test_a_perfect_critic_leaves_nothing_to_learn() -> None:
    signal = signal_of(reward=[0.3, 0.7], old=[[-1.0] * 3, [-1.0]], value=[[0.3] * 3, [0.7]])
    assert not advantages(PLAIN, signal).any()


def test_targets_are_not_whitened_and_truncated_answers_keep_theirs() -> None:
    signal, _, _ = random_case(9)
    raw = value_targets(build("ppo", {"scale": "none"}), signal)
    masked = build("ppo", {"keep": {"truncated": "masked"}})
    assert value_targets(methods["ppo"], signal).tolist() == raw.tolist() == value_targets(masked, signal).tolist()
    assert not advantages(masked, signal)[torch.tensor(signal.batch.truncated_B)].any()


@pytest.mark.parametrize("clip", [None, 0.2])
def test_value_loss_and_gradient_are_those_of_the_loop_and_micro_batches_add_up(clip: float | None) -> None:
    rng = np.random.default_rng(3)
    chosen = torch.tensor(rng.random((5, 6)) < 0.7)
    old, target = (torch.tensor(rng.normal(size=(5, 6))) for _ in range(2))
    new = (old + torch.tensor(rng.normal(0, 0.3, (5, 6)))).requires_grad_()
    tokens = int(chosen.sum())
    noise = torch.where(chosen, 0.0, math.nan)
    loss, sums = value_loss(Critic(clip=clip), new + noise, old + noise, target + noise, chosen, tokens=tokens)
    gradient = torch.autograd.grad(loss, new)[0]

    by_hand_, slope = 0.0, torch.zeros_like(new)
    for b, t in torch.argwhere(chosen).tolist():
        v, v0, r = new[b, t].item(), old[b, t].item(), target[b, t].item()
        held = v if clip is None else min(max(v, v0 - clip), v0 + clip)
        by_hand_ += 0.5 * max((v - r) ** 2, (held - r) ** 2) / tokens
        slope[b, t] = 0.0 if (held - r) ** 2 > (v - r) ** 2 else (v - r) / tokens
    assert loss.item() == pytest.approx(by_hand_, rel=1e-12)
    assert sums == {"loss/value": loss.item()}
    np.testing.assert_allclose(gradient, slope, rtol=1e-10, atol=1e-14)
    assert not gradient[~chosen].any()
    if clip is not None:
        assert (gradient[chosen] == 0).any(), "the case must hold some values back"

    parts = [
        value_loss(Critic(clip=clip), *(x[i] for x in (new, old, target, chosen)), tokens=tokens)[0]
        for i in (slice(0, 2), slice(2, 3), slice(3, 5))
    ]
    assert sum(p.item() for p in parts) == pytest.approx(loss.item(), rel=1e-12)


def test_value_loss_is_float32_at_least_and_0_without_tokens() -> None:
    new = torch.tensor([[0.3, 0.4]], dtype=torch.bfloat16, requires_grad=True)
    rest = torch.zeros(1, 2, dtype=torch.float64)
    loss, _ = value_loss(Critic(), new, rest, rest, torch.ones(1, 2, dtype=torch.bool), tokens=2)
    assert loss.dtype == torch.float32
    none, sums = value_loss(Critic(), new, rest, rest, torch.zeros(1, 2, dtype=torch.bool), tokens=0)
    assert none.item() == sums["loss/value"] == 0
    assert not torch.autograd.grad(none, new)[0].any()


def test_explained_variance() -> None:
    every = torch.ones(1, 4, dtype=torch.bool)
    returns = torch.tensor([[0.0, 1.0, 0.0, 1.0]])
    assert explained_variance(returns, returns, every) == 1
    assert explained_variance(returns + 3, returns, every) == pytest.approx(1)
    assert explained_variance(torch.full((1, 4), 0.5), returns, every) == 0
    assert explained_variance(1 - returns, returns, every) == -3
    assert explained_variance(returns / 2, returns, every) == pytest.approx(0.75)
    noise = torch.tensor([[math.nan, 1.0, 0.0, 5.0]])
    assert explained_variance(noise, returns, torch.tensor([[False, True, True, False]])) == 1
    assert explained_variance(returns, torch.ones(1, 4), every) == 0
    assert explained_variance(returns, returns, ~every) == 0


@pytest.mark.parametrize(
    ("kl", "n", "factor"),
    [
        (0.1, 256, 1.0),
        (0.15, 256, 1.00512),
        (9.0, 256, 1.00512),
        (0.0, 256, 0.99488),
        (0.11, 100, 1.001),
        (-5.0, 10**9, 0.8),
    ],
)
def test_the_coefficient_follows_the_distance(kl: float, n: int, factor: float) -> None:
    assert adapted(0.05, kl, target=0.1, horizon=10000.0, n=n) == pytest.approx(0.05 * factor, rel=1e-12)


def test_mean_k1_counts_chosen_tokens_once_each() -> None:
    signal = signal_of(
        reward=[0.0, 0.0],
        old=[[-1.0, -1.0, -1.0], [-1.0]],
        ref=[[-1.1, -9.0, -1.3], [-0.8]],
        chosen=[[True, False, True], [True]],
    )
    assert mean_k1(signal) == pytest.approx((0.1 + 0.3 - 0.2) / 3, rel=1e-12)
