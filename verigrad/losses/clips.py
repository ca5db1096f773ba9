"""Axis `clip`: what a token's objective is, given its ratio and its advantage.

Each value gives the objective J [B, T] (to be maximised) and says where it held the ratio back. J is not yet weighted
by its aggregation. Left out: clipping by probability differences (DPPO), smooth gates (SAPO).
"""

# ruff: noqa: F722
from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import torch
from jaxtyping import Bool, Float
from torch import Tensor

from verigrad.errors import Refused
from verigrad.losses.axis import AxisValue


@dataclass(frozen=True, kw_only=True)
class NoClip(AxisValue):
    """J = sg(r) A log pi: REINFORCE, under the plain importance weight where there is a ratio.

    Its gradient is r A grad log pi, as that of r A. RLOO, arXiv:2402.14740; ReMax, arXiv:2310.10505.
    """

    axis: ClassVar[str] = "clip"
    word: ClassVar[str] = "none"

    def __call__(
        self, ratio_BT: Float[Tensor, "B T"], advantage_BT: Float[Tensor, "B T"], logp_BT: Float[Tensor, "B T"]
    ) -> Float[Tensor, "B T"]:
        """[B, T] -> [B, T]."""
        return ratio_BT.detach() * advantage_BT * logp_BT

    def held(
        self, ratio_BT: Float[Tensor, "B T"], advantage_BT: Float[Tensor, "B T"]
    ) -> tuple[Bool[Tensor, "B T"], Bool[Tensor, "B T"]]:
        """(at the low end, at the high end): nowhere."""
        nowhere = torch.zeros_like(ratio_BT, dtype=torch.bool)
        return nowhere, nowhere


@dataclass(frozen=True, kw_only=True)
class Pessimistic(AxisValue):
    """J = min(r A, clip(r, 1 - low, 1 + high) A); dual: max(J, dual A) where A < 0.

    PPO, arXiv:1707.06347, eq. 7; clip-higher: DAPO, arXiv:2503.14476; dual: arXiv:1912.09729.
    Libraries: TRL 1.16 0.2/0.2, its `delta` bounds the unclipped side from above; verl 0.9.1 0.2/0.2 with dual 3 on by
    default; OpenRLHF 0.11.2 0.2/0.2. verl and OpenRLHF report one clip fraction for both ends.
    """

    axis: ClassVar[str] = "clip"
    word: ClassVar[str] = "pessimistic"

    low: float = 0.2
    """The ratio's gain ends at 1 - low where A < 0."""
    high: float = 0.2
    """The ratio's gain ends at 1 + high where A > 0."""
    dual: float | None = None
    """Where A < 0 the ratio's harm ends at this ratio; none: it does not end."""

    def __post_init__(self) -> None:
        """Refuses low outside [0, 1], a negative high, and a dual at or inside 1 + high."""
        self.in_range("low", low=0, high=1)
        self.in_range("high", low=0)
        self.in_range("dual", above=1)
        if self.dual is not None and self.dual <= 1 + self.high:
            raise Refused(
                f"loss.clip.dual is {self.dual:g}; it must lie above 1 + high = {1 + self.high:g}", key="loss.clip.dual"
            )

    def __call__(
        self, ratio_BT: Float[Tensor, "B T"], advantage_BT: Float[Tensor, "B T"], logp_BT: Float[Tensor, "B T"]
    ) -> Float[Tensor, "B T"]:
        """[B, T] -> [B, T]. Where the clip holds, the gradient is 0."""
        clipped_BT = ratio_BT.clamp(1 - self.low, 1 + self.high) * advantage_BT
        gain_BT = torch.min(ratio_BT * advantage_BT, clipped_BT)
        if self.dual is None:
            return gain_BT
        return torch.where(advantage_BT < 0, torch.max(gain_BT, self.dual * advantage_BT), gain_BT)

    def held(
        self, ratio_BT: Float[Tensor, "B T"], advantage_BT: Float[Tensor, "B T"]
    ) -> tuple[Bool[Tensor, "B T"], Bool[Tensor, "B T"]]:
        """(low, high): exactly where the gradient is 0, that is with the sign of A; dual counts as high."""
        low_BT = (advantage_BT < 0) & (ratio_BT < 1 - self.low)
        high_BT = (advantage_BT > 0) & (ratio_BT > 1 + self.high)
        if self.dual is not None:
            high_BT = high_BT | ((advantage_BT < 0) & (ratio_BT > self.dual))
        return low_BT, high_BT


@dataclass(frozen=True, kw_only=True)
class Weighted(AxisValue):
    """J = sg(clip(r, floor, cap)) A log pi: every token keeps its gradient. CISPO, arXiv:2506.13585, eqs 4-5.

    cap and floor are ratios: the paper's epsilon_high is cap - 1, its epsilon_low 1 - floor.
    Libraries mean three things by one knob: verl 0.9.1 follows the paper (0.2: cap 1.2, floor 0.8); TRL 1.16's
    `epsilon_high` is the cap itself, and its default 0.2 scales every gradient to a fifth; OpenRLHF 0.11.2 has none.
    """

    axis: ClassVar[str] = "clip"
    word: ClassVar[str] = "weighted"

    cap: float = 5.0
    """Largest weight."""
    floor: float = 0.0
    """Smallest weight; 0: none."""

    def __post_init__(self) -> None:
        """Refuses a cap below 1 and a floor outside [0, 1]: the weight must be 1 where the policy has not moved."""
        self.in_range("cap", low=1)
        self.in_range("floor", low=0, high=1)

    def __call__(
        self, ratio_BT: Float[Tensor, "B T"], advantage_BT: Float[Tensor, "B T"], logp_BT: Float[Tensor, "B T"]
    ) -> Float[Tensor, "B T"]:
        """[B, T] -> [B, T]."""
        return ratio_BT.detach().clamp(self.floor, self.cap) * advantage_BT * logp_BT

    def held(
        self, ratio_BT: Float[Tensor, "B T"], advantage_BT: Float[Tensor, "B T"]
    ) -> tuple[Bool[Tensor, "B T"], Bool[Tensor, "B T"]]:
        """(at the floor, at the cap), where there is an advantage; the sign does not matter here."""
        learns_BT = advantage_BT != 0
        return learns_BT & (ratio_BT < self.floor), learns_BT & (ratio_BT > self.cap)


Clip = NoClip | Pessimistic | Weighted
WORDS: tuple[type[AxisValue], ...] = (NoClip, Pessimistic, Weighted)
