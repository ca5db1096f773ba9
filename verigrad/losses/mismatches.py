"""Axis `mismatch`: the weight pi_old / mu where the engine that sampled (mu) is not bitwise the trainer (pi_old).

Each value maps log(pi_old / mu) [B, T], 0 at tokens that are not chosen, to a weight [B, T] without gradient that
multiplies the policy's objective (not the KL). Where both log-probs are bitwise equal it is exactly 1. Left out: gates
by other divergences, normalising the weights over a batch.
"""

# ruff: noqa: F722
from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

import torch
from jaxtyping import Float
from torch import Tensor

from verigrad.losses.axis import AxisValue
from verigrad.losses.ratios import bounded_exp

Level = Literal["token", "sequence"]


@dataclass(frozen=True, kw_only=True)
class NoCorrection(AxisValue):
    """1 everywhere: the sampler is taken for the trainer. verl 0.9.1's and OpenRLHF 0.11.2's default."""

    axis: ClassVar[str] = "mismatch"
    word: ClassVar[str] = "none"

    def __call__(self, log_weight_BT: Float[Tensor, "B T"]) -> Float[Tensor, "B T"]:
        """[B, T] -> [B, T]."""
        return torch.ones_like(log_weight_BT)


@dataclass(frozen=True, kw_only=True)
class Truncated(AxisValue):
    """min(pi_old / mu, cap): truncated importance sampling, no lower bound. Yao et al., August 2025 (TIS; 2 or 8).

    Libraries: verl 0.9.1 `rollout_is` (off, 2.0); OpenRLHF 0.11.2 token + clip bounds below too; TRL 1.16
    `token_truncate` / `sequence_truncate` (its default is `sequence_mask` with 3).
    """

    axis: ClassVar[str] = "mismatch"
    word: ClassVar[str] = "truncated"

    level: Level = "token"
    """token: each token its own weight; sequence: the product over the answer (unbiased, and wild)."""
    cap: float = 2.0
    """Largest weight; at least 1."""

    def __post_init__(self) -> None:
        """Refuses a cap below 1: the weight must be 1 without mismatch."""
        self.in_range("cap", low=1)

    def __call__(self, log_weight_BT: Float[Tensor, "B T"]) -> Float[Tensor, "B T"]:
        """[B, T] -> [B, T]."""
        return _weight(log_weight_BT, self.level).clamp(max=self.cap)


@dataclass(frozen=True, kw_only=True)
class Masked(AxisValue):
    """pi_old / mu where low <= it <= high, else 0: masked importance sampling (IcePop).

    Libraries: OpenRLHF 0.11.2 token + mask [0.5, 5]; TRL 1.16 `token_mask`, `sequence_mask` (no lower bound, 3, on by
    default: long answers lose their gradient first); verl 0.9.1's rejection bounds act on the inverse ratio.
    """

    axis: ClassVar[str] = "mismatch"
    word: ClassVar[str] = "masked"

    level: Level = "token"
    """token | sequence, as for `truncated`."""
    low: float = 0.5
    """Smallest weight kept; at most 1."""
    high: float = 2.0
    """Largest weight kept; at least 1."""

    def __post_init__(self) -> None:
        """Refuses bounds that leave out 1: the weight must be 1 without mismatch."""
        self.in_range("low", low=0, high=1)
        self.in_range("high", low=1)

    def __call__(self, log_weight_BT: Float[Tensor, "B T"]) -> Float[Tensor, "B T"]:
        """[B, T] -> [B, T]."""
        weight_BT = _weight(log_weight_BT, self.level)
        return torch.where((weight_BT >= self.low) & (weight_BT <= self.high), weight_BT, torch.zeros_like(weight_BT))


def _weight(log_weight_BT: Float[Tensor, "B T"], level: Level) -> Float[Tensor, "B T"]:
    if level == "sequence":
        log_weight_BT = log_weight_BT.sum(dim=1, keepdim=True).expand_as(log_weight_BT)
    return bounded_exp(log_weight_BT)


Mismatch = NoCorrection | Truncated | Masked
WORDS: tuple[type[AxisValue], ...] = (NoCorrection, Truncated, Masked)
