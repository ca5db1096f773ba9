"""Axis `ratio`: how far the policy has moved since the answers were sampled.

Each value maps log(pi / pi_old) [B, T], 0 at tokens that are not chosen, to the ratio [B, T] (1 there). `exp` is here,
bounded once for the whole package. Left out: what a ratio may do to the gradient (clips.py).
"""

# ruff: noqa: F722
from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import torch
from jaxtyping import Bool, Float
from torch import Tensor

from verigrad.losses.axis import AxisValue

# exp(20) is 4.9e8: no ratio of a run that still learns comes near it, its square still fits float32, and beyond it only
# a diverged or mistaken log-prob (-inf for a token the sampler did draw) is found. verl 0.9.1 bounds the same log-ratio
# by the same number. Without the bound one such token would make the loss inf and the next nan.
LOG_RATIO_BOUND = 20.0


def bounded_exp(log_ratio: Float[Tensor, "*S"]) -> Float[Tensor, "*S"]:
    """Exp of a log-ratio bounded to +-20; nan stays nan, so that a run can stop on it."""
    return log_ratio.clamp(-LOG_RATIO_BOUND, LOG_RATIO_BOUND).exp()


@dataclass(frozen=True, kw_only=True)
class NoRatio(AxisValue):
    """1 everywhere, without gradient: REINFORCE. RLOO, arXiv:2402.14740, section 3; ReMax, arXiv:2310.10505.

    Libraries: verl 0.9.1, OpenRLHF 0.11.2 and TRL 1.16 put these methods under a ratio and PPO's clip all the same.
    """

    axis: ClassVar[str] = "ratio"
    word: ClassVar[str] = "none"

    def __call__(self, log_ratio_BT: Float[Tensor, "B T"], chosen_BT: Bool[Tensor, "B T"]) -> Float[Tensor, "B T"]:
        """[B, T] -> [B, T]."""
        return torch.ones_like(log_ratio_BT)


@dataclass(frozen=True, kw_only=True)
class Token(AxisValue):
    """r_t = pi(o_t) / pi_old(o_t). PPO, arXiv:1707.06347, eq. 6; GRPO, arXiv:2402.03300, eq. 3. The three agree."""

    axis: ClassVar[str] = "ratio"
    word: ClassVar[str] = "token"

    def __call__(self, log_ratio_BT: Float[Tensor, "B T"], chosen_BT: Bool[Tensor, "B T"]) -> Float[Tensor, "B T"]:
        """[B, T] -> [B, T]."""
        return bounded_exp(log_ratio_BT)


@dataclass(frozen=True, kw_only=True)
class Sequence(AxisValue):
    """s = exp(mean over the answer's tokens of log r_t), the same at every token. GSPO, arXiv:2507.18071, eq. 7.

    Libraries: TRL 1.16 `importance_sampling_level="sequence"` (its RLOO takes the product instead of the geometric
    mean); verl 0.9.1 and OpenRLHF 0.11.2 implement the token form.
    """

    axis: ClassVar[str] = "ratio"
    word: ClassVar[str] = "sequence"

    def __call__(self, log_ratio_BT: Float[Tensor, "B T"], chosen_BT: Bool[Tensor, "B T"]) -> Float[Tensor, "B T"]:
        """[B, T] -> [B, T], constant along T."""
        return bounded_exp(mean_B1(log_ratio_BT, chosen_BT)).expand_as(log_ratio_BT)


@dataclass(frozen=True, kw_only=True)
class SequenceToken(AxisValue):
    """s_t = sg[s] pi(o_t) / sg[pi(o_t)]: the value of `sequence`, the gradient at each token its own.

    GSPO-token, arXiv:2507.18071, eq. 14; equal to GSPO where an answer's tokens share one advantage.
    Libraries: verl 0.9.1 `gspo` (log-ratio at most 10), OpenRLHF 0.11.2 `gspo`; TRL 1.16 dropped it.
    """

    axis: ClassVar[str] = "ratio"
    word: ClassVar[str] = "sequence_token"

    def __call__(self, log_ratio_BT: Float[Tensor, "B T"], chosen_BT: Bool[Tensor, "B T"]) -> Float[Tensor, "B T"]:
        """[B, T] -> [B, T], its value constant along T."""
        s_B1 = bounded_exp(mean_B1(log_ratio_BT, chosen_BT)).detach()
        bounded_BT = log_ratio_BT.clamp(-LOG_RATIO_BOUND, LOG_RATIO_BOUND)
        return s_B1 * (bounded_BT - bounded_BT.detach()).exp()


def mean_B1(x_BT: Float[Tensor, "B T"], chosen_BT: Bool[Tensor, "B T"]) -> Float[Tensor, "B 1"]:
    """Mean over the chosen tokens of each answer, [B, 1]; 0 for an answer without any. x is 0 where not chosen."""
    return x_BT.sum(dim=1, keepdim=True) / chosen_BT.sum(dim=1, keepdim=True).clamp(min=1)


Ratio = NoRatio | Token | Sequence | SequenceToken
WORDS: tuple[type[AxisValue], ...] = (NoRatio, Token, Sequence, SequenceToken)
