"""What a critic makes of rewards (GAE), what it is trained on, and the KL coefficient that adapts beside it.

Shape suffixes: B rollouts, T response tokens. V_t, `value_BT`, is the guess before token t is drawn. Left out: the
critic's network and its optimizer (models, training), whitening (scales.py).
"""

# ruff: noqa: F722
from __future__ import annotations

from collections.abc import Mapping

import torch
from jaxtyping import Bool, Float
from torch import Tensor

from verigrad.losses.baselines import Critic
from verigrad.records import Signal


def gae(
    reward_BT: Float[Tensor, "B T"],
    value_BT: Float[Tensor, "B T"],
    chosen_BT: Bool[Tensor, "B T"],
    gamma: float,
    lambda_: float,
) -> Float[Tensor, "B T"]:
    """A_t = sum_k (gamma lambda)^k d_(t+k), d_t = r_t + gamma V_(t+1) - V_t: [B, T] float64, unwhitened.

    arXiv:1506.02438, eq. 16; PPO, arXiv:1707.06347, eq. 11. t counts chosen tokens: one that is not chosen is carried
    over, neither discounts nor pays and comes out 0, as in verl 0.9.1 (OpenRLHF 0.11.2 takes its reward and value as 0
    and discounts over it). After an answer's last chosen token V is 0: an answer cut at max_tokens ends there too.
    """
    zero_BT = torch.zeros(chosen_BT.shape, dtype=torch.float64)
    reward_BT = torch.where(chosen_BT, reward_BT.double(), zero_BT)
    value_BT = torch.where(chosen_BT, value_BT.double(), zero_BT)
    next_B = zero_BT.new_zeros(chosen_BT.shape[0])
    advantage_B = next_B
    out = []
    for t in reversed(range(chosen_BT.shape[1])):
        here_B = chosen_BT[:, t]
        surprise_B = reward_BT[:, t] + gamma * next_B - value_BT[:, t]
        advantage_B = torch.where(here_B, surprise_B + gamma * lambda_ * advantage_B, advantage_B)
        next_B = torch.where(here_B, value_BT[:, t], next_B)
        out.append(advantage_B)
    return torch.where(chosen_BT, torch.stack(out[::-1], dim=1), zero_BT) if out else zero_BT


def values_of(signal: Signal) -> Float[Tensor, "B T"]:
    """The critic's values before the update, [B, T] float64. Raises ValueError where there are none."""
    if signal.value_BT is None:
        raise ValueError("this method has a critic: value_BT is missing")
    return torch.tensor(signal.value_BT, dtype=torch.float64)


def value_loss(
    critic: Critic,
    value_BT: Float[Tensor, "B T"],
    value_old_BT: Float[Tensor, "B T"],
    return_BT: Float[Tensor, "B T"],
    chosen_BT: Bool[Tensor, "B T"],
    *,
    tokens: int,
) -> tuple[Float[Tensor, ""], Mapping[str, float]]:
    """1/2 sum max((V - Ret)^2, (V_old + clip(V - V_old, +-critic.clip) - Ret)^2) / tokens, these rows' share of it.

    `value_BT` carries the gradient; `value_old_BT` are the values before the update and `return_BT` those rows of
    `value_targets`; `tokens`: chosen tokens of the whole update. The second number of the pair is the metric
    loss/value, which adds up over micro-batches as the loss does. Not yet times `critic.coefficient`. Tokens that are
    not chosen add exactly 0 to both, whatever (even nan) stands there. As in TRL to 1.10, verl 0.9.1 and OpenRLHF
    0.11.2; PPO's paper has the square without the clip (eq. 9).
    """
    dtype = torch.float64 if value_BT.dtype == torch.float64 else torch.float32
    chosen_BT = chosen_BT.to(value_BT.device)
    zero_BT = torch.zeros(chosen_BT.shape, dtype=dtype, device=value_BT.device)

    def here(x_BT: Tensor) -> Tensor:
        return torch.where(chosen_BT, x_BT.to(device=value_BT.device, dtype=dtype), zero_BT)

    value, old, target = here(value_BT), here(value_old_BT).detach(), here(return_BT).detach()
    missed_BT = (value - target) ** 2
    if critic.clip is not None:
        held_BT = old + (value - old).clamp(-critic.clip, critic.clip)
        missed_BT = torch.max(missed_BT, (held_BT - target) ** 2)
    loss = missed_BT.sum() / (2 * max(tokens, 1))
    return loss, {"loss/value": loss.item()}


def explained_variance(
    value_BT: Float[Tensor, "B T"], return_BT: Float[Tensor, "B T"], chosen_BT: Bool[Tensor, "B T"]
) -> float:
    """1 - Var(Ret - V) / Var(Ret) over the chosen tokens: 1 a perfect critic, 0 a constant, below 0 worse than one.

    Population variances, in float64. Where the returns do not vary (or there are none) it is 0: nothing to explain.
    """
    value_N, return_N = value_BT.detach().cpu()[chosen_BT].double(), return_BT.detach().cpu()[chosen_BT].double()
    if return_N.numel() == 0:
        return 0.0
    spread = float(return_N.var(correction=0))
    return 1 - float((return_N - value_N).var(correction=0)) / spread if spread > 0 else 0.0


def mean_k1(signal: Signal) -> float:
    """Mean of log pi_old - log pi_ref over the step's chosen tokens, in nats: what `adapted` compares with its target.

    verl 0.9.1 takes the mean per answer first; TRL to 1.10 the mean over answers of their sum.
    Raises ValueError without a reference.
    """
    if signal.logp_ref_BT is None:
        raise ValueError("this method pays KL: logp_ref_BT is missing")
    chosen_BT = signal.batch.chosen_BT
    gap_N = signal.logp_old_BT[chosen_BT].astype("float64") - signal.logp_ref_BT[chosen_BT].astype("float64")
    return float(gap_N.mean()) if gap_N.size else 0.0


def adapted(coefficient: float, kl: float, *, target: float, horizon: float, n: int) -> float:
    """The KL coefficient after a step of n answers whose KL was `kl`: x (1 + clip(kl / target - 1, +-0.2) n / horizon).

    Ziegler et al., arXiv:1909.08593, 2.2, in the form of TRL and verl 0.9.1; n counts as at most the horizon, so that
    one step never moves it by more than a fifth.

    >>> round(adapted(0.05, 0.15, target=0.1, horizon=10000.0, n=256), 6)
    0.050256
    """
    return coefficient * (1 + min(max(kl / target - 1, -0.2), 0.2) * min(n / horizon, 1.0))
