"""Axis `baseline`: what a typical answer would have earned.

Each value maps rewards to rewards minus the baseline, [B] -> [B], in float64. `Rows` is all it may look at. Left out:
critics (`value`), which come with the critic itself.
"""

# ruff: noqa: F722
from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import torch
from jaxtyping import Float, Int
from torch import Tensor

from verigrad.errors import Refused
from verigrad.losses import grouping
from verigrad.losses.axis import AxisValue


@dataclass(frozen=True, kw_only=True)
class Rows:
    """The rows of a whole step, as rewards see them."""

    group_B: Int[Tensor, " B"]
    """Group of each row, counted from 0 without gaps."""
    greedy_B: Float[Tensor, " B"] | None
    """Reward of the group's greedy answer, where one was drawn."""

    @property
    def step_B(self) -> Int[Tensor, " B"]:
        """All rows as one group."""
        return torch.zeros_like(self.group_B)


@dataclass(frozen=True, kw_only=True)
class GroupMean(AxisValue):
    """R_i - mean of its group's R. GRPO, DeepSeekMath arXiv:2402.03300, 4.1.1.

    Libraries: TRL 1.16, verl 0.9.1 and OpenRLHF 0.11.2 agree where G > 1. For a group of one verl takes mean 0, TRL
    replaces nan; here it is refused.
    """

    axis: ClassVar[str] = "baseline"
    word: ClassVar[str] = "group_mean"
    compares: ClassVar[bool] = True

    def __call__(self, reward_B: Float[Tensor, " B"], rows: Rows) -> Float[Tensor, " B"]:
        """[B] -> [B]. Refused where a group has one member."""
        _compared(rows)
        return grouping.centred(reward_B, rows.group_B)


@dataclass(frozen=True, kw_only=True)
class LeaveOneOut(AxisValue):
    """R_i - mean of the other members' R = G/(G-1) (R_i - mean). RLOO, arXiv:2402.14740.

    Libraries: TRL 1.16 and verl 0.9.1 agree; OpenRLHF 0.11.2 subtracts it from the raw reward and adds the KL after,
    so its KL is not in the baseline.
    """

    axis: ClassVar[str] = "baseline"
    word: ClassVar[str] = "leave_one_out"
    compares: ClassVar[bool] = True

    def __call__(self, reward_B: Float[Tensor, " B"], rows: Rows) -> Float[Tensor, " B"]:
        """[B] -> [B]. Refused where a group has one member."""
        _compared(rows)
        n_B = grouping.sizes(rows.group_B)
        return n_B / (n_B - 1) * grouping.centred(reward_B, rows.group_B)


@dataclass(frozen=True, kw_only=True)
class Greedy(AxisValue):
    """R_i - R of the greedy answer to the same prompt. ReMax, arXiv:2310.10505, Algorithm 1.

    Libraries: the official code also clips the difference to +-5. verl 0.9.1 has it, under a PPO clip; TRL 1.16 and
    OpenRLHF 0.11.2 have not.
    """

    axis: ClassVar[str] = "baseline"
    word: ClassVar[str] = "greedy"
    compares: ClassVar[bool] = False

    def __call__(self, reward_B: Float[Tensor, " B"], rows: Rows) -> Float[Tensor, " B"]:
        """[B] -> [B]. Raises ValueError where no greedy answer was drawn (see `needs`)."""
        if rows.greedy_B is None:
            raise ValueError("the greedy baseline needs greedy_reward_B: draw the greedy answer of every group")
        return reward_B - rows.greedy_B


@dataclass(frozen=True, kw_only=True)
class BatchMean(AxisValue):
    """R_i - mean of R over the step's rows. REINFORCE with a batch baseline; works with one answer a prompt.

    Before whitening it changes nothing (a mean is subtracted twice), which is how REINFORCE++ uses it.
    Libraries: OpenRLHF 0.11.2 `reinforce` and verl 0.9.1 leave the centring to the whitening.
    """

    axis: ClassVar[str] = "baseline"
    word: ClassVar[str] = "batch_mean"
    compares: ClassVar[bool] = False

    def __call__(self, reward_B: Float[Tensor, " B"], rows: Rows) -> Float[Tensor, " B"]:
        """[B] -> [B]."""
        return grouping.centred(reward_B, rows.step_B)


def _compared(rows: Rows) -> None:
    if bool((grouping.sizes(rows.group_B) < 2).any()):
        raise Refused("a group baseline needs at least two answers to each prompt", key="train.group")


Baseline = GroupMean | LeaveOneOut | Greedy | BatchMean
WORDS: tuple[type[AxisValue], ...] = (GroupMean, LeaveOneOut, Greedy, BatchMean)
LATER = {"value": "critic comes later"}
