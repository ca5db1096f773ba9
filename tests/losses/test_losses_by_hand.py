"""Losses and gradients against loops written by hand from the papers, and gradients against finite differences."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch

from tests.losses.cases import EVERY, arrays, loss_of, random_case
from tests.losses.hand import HAND
from verigrad.losses import Method, advantages, methods, policy_loss
from verigrad.losses.clips import NoClip, Weighted
from verigrad.losses.ratios import NoRatio, SequenceToken


def test_every_method_has_its_loop() -> None:
    assert set(HAND) == set(methods), "write the new method's loop in hand.py, from its paper"


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("name", sorted(methods))
def test_loss_and_gradient_are_those_of_the_loop(name: str, seed: int) -> None:
    signal, logp_BT, entropy_BT = random_case(seed, groups=2 + seed % 2, size=2 + seed)
    value, gradient, _, _ = loss_of(methods[name], signal, logp_BT, entropy_BT)

    b = signal.batch
    new_BT = logp_BT.clone().requires_grad_()
    rows: list[dict[str, Any]] = []
    for i in range(b.rows):
        at = np.flatnonzero(b.chosen_BT[i])
        rows.append(
            {
                "group": int(b.group_B[i]),
                "reward": float(b.reward_B[i]),
                "greedy": float(b.greedy_reward_B[i]),
                "new": [new_BT[i, t] for t in at],
                "old": [float(signal.logp_old_BT[i, t]) for t in at],
                "ref": [float(signal.logp_ref_BT[i, t]) for t in at],
                "mu": [float(b.logp_sampler_BT[i, t]) for t in at],
                "value": [float(signal.value_BT[i, t]) for t in at],
            }
        )
    by_hand = HAND[name](rows, b.totals.budget)
    by_hand.backward()
    assert value == pytest.approx(by_hand.item(), rel=1e-10, abs=1e-12)
    np.testing.assert_allclose(gradient, new_BT.grad.numpy(), rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("name", sorted(EVERY))
def test_gradient_is_the_finite_difference(name: str) -> None:
    method = EVERY[name]
    signal, logp_BT, entropy_BT = random_case(11, groups=2, size=3)
    if isinstance(method.ratio, SequenceToken):  # its stop-gradient cancels out where an answer's tokens weigh alike
        signal = arrays(signal, logp_sampler_BT=signal.logp_old_BT)
    advantage_BT = advantages(method, signal)
    _, gradient, by_entropy, _ = loss_of(method, signal, logp_BT, entropy_BT, advantage_BT)
    step = 1e-6
    for b, t in np.argwhere(signal.batch.chosen_BT):
        ends = []
        for sign in (1, -1):
            moved = logp_BT.clone()
            moved[b, t] += sign * step
            ends.append(frozen_loss(method, moved, logp_BT, signal, advantage_BT, entropy_BT))
        assert (ends[0] - ends[1]) / (2 * step) == pytest.approx(gradient[b, t], rel=1e-5, abs=1e-8)
        moved = entropy_BT.clone()
        moved[b, t] += step
        slope = policy_loss(method, logp_BT, signal, advantage_BT, moved).value.item()
        slope -= policy_loss(method, logp_BT, signal, advantage_BT, entropy_BT).value.item()
        assert slope / step == pytest.approx(by_entropy[b, t], rel=1e-4, abs=1e-8)


def frozen_loss(
    method: Method, logp_BT: torch.Tensor, base_BT: torch.Tensor, signal: Any, advantage_BT: Any, entropy_BT: Any
) -> float:
    """The loss at logp, with what the method holds constant (stop-gradient) held at base.

    Where a weight is held constant, sg(w) A log pi differs from its value at base by w A (logp - base): the weight is
    read off the gradient-free part of the loss, by moving nothing but log pi.
    """
    value = policy_loss(method, logp_BT, signal, advantage_BT, entropy_BT).value.item()
    if isinstance(method.clip, (Weighted, NoClip)) and not isinstance(method.ratio, NoRatio):
        chosen_BT = torch.tensor(signal.batch.chosen_BT)
        weight = method.aggregation(chosen_BT, torch.tensor(signal.batch.group_B), signal.batch.totals)
        zero = torch.zeros_like(logp_BT)

        def held(at_BT: torch.Tensor) -> torch.Tensor:
            log_ratio = torch.where(chosen_BT, at_BT - torch.tensor(signal.logp_old_BT), zero)
            r = method.ratio(log_ratio, chosen_BT)
            return r.clamp(method.clip.floor, method.clip.cap) if isinstance(method.clip, Weighted) else r

        mu = torch.where(chosen_BT, torch.tensor(signal.logp_old_BT - signal.batch.logp_sampler_BT), zero)
        change = (held(logp_BT) - held(base_BT)) * advantage_BT * torch.where(chosen_BT, logp_BT, zero)
        value += float((weight * method.mismatch(mu) * change).sum())
    return value


def test_gspo_token_has_the_gradient_of_gspo() -> None:
    assert isinstance(methods["gspo_token"].ratio, SequenceToken)
    signal, logp_BT, entropy_BT = random_case(5)
    signal = arrays(signal, logp_sampler_BT=signal.logp_old_BT)
    whole, parts = (loss_of(methods[n], signal, logp_BT, entropy_BT) for n in ("gspo", "gspo_token"))
    assert whole[0] == pytest.approx(parts[0], rel=1e-12)
    np.testing.assert_allclose(whole[1], parts[1], rtol=1e-10, atol=1e-14)
