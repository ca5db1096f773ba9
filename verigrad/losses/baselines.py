"""Axis `baseline`: what a typical answer would have earned.

Each value maps rewards to rewards minus the baseline, [B] -> [B], in float64. `Rows` is all it may look at. Left out:
what a critic's values make of the rewards (value.py), the critic's network (models).
"""

# ruff: noqa: F722
from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

import torch
from jaxtyping import Float, Int
from torch import Tensor

from verigrad.errors import Refused
from verigrad.losses import grouping
from verigrad.losses.axis import AxisValue, quiet


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

    rewards: Literal["outcome", "process"] = quiet("outcome")
    """outcome: the answer's reward. process: the rewards of its steps of reasoning, as the verdict gives them
    (`Verdict.process`), centred and scaled over all steps of the group; a token's advantage is the sum over the steps
    that end at it or after (4.1.3). The outcome's reward is then only reported."""

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


@dataclass(frozen=True, kw_only=True)
class Critic(AxisValue):
    """R - V: a network's guess before every token, and GAE over what it got wrong. PPO, arXiv:1707.06347, eq. 11.

    Generalised advantage estimation: arXiv:1506.02438. One answer a prompt is enough. "head" is a linear head on the
    policy's own trunk, trained with it in one loss; "model" a network of its own, begun as a copy of the policy.
    Libraries: TRL to 1.10 gamma 1, lambda 0.95, value clip 0.2, coefficient 0.1, a model of its own (removed by 1.16);
    verl 0.9.1 and OpenRLHF 0.11.2 gamma 1, lambda 1, value clip 0.5, a model and an optimizer of its own.
    """

    axis: ClassVar[str] = "baseline"
    word: ClassVar[str] = "critic"
    compares: ClassVar[bool] = False

    value: Literal["head", "model"] = "head"
    """head: on the policy's trunk, almost no memory; model: a second network, undisturbed by the policy's loss."""
    gamma: float = 1.0
    """Discount per chosen token."""
    lambda_: float = 0.95
    """GAE's lambda (the recipe writes `lambda`): 1 trusts what was paid, 0 the critic's next value."""
    lr: float | None = None
    """Learning rate of the critic's own parameters; none: `train.lr` for a head, MODEL_LR for a model."""
    clip: float | None = 0.2
    """A value may gain by moving this far from what it was before the update; "none": as far as it likes."""
    coefficient: float = 0.1
    """Weight of the value loss beside the policy's, where both train one trunk (head)."""

    def __post_init__(self) -> None:
        """Refuses gamma outside (0, 1], lambda outside [0, 1], an lr or clip of 0 and below, a negative coefficient."""
        self.in_range("gamma", above=0, high=1)
        self.in_range("lambda_", low=0, high=1)
        self.in_range("lr", above=0)
        self.in_range("clip", above=0)
        self.in_range("coefficient", low=0)

    def __call__(self, reward_B: Float[Tensor, " B"], rows: Rows) -> Float[Tensor, " B"]:
        """[B] -> [B], unchanged: this baseline is subtracted token by token (value.gae)."""
        return reward_B


MODEL_LR = 1e-5
"""Learning rate of a critic that is a model, unless said: verl 0.9.1's default (OpenRLHF 0.11.2: 9e-6)."""


def _compared(rows: Rows) -> None:
    if bool((grouping.sizes(rows.group_B) < 2).any()):
        raise Refused("a group baseline needs at least two answers to each prompt", key="train.group")


Baseline = GroupMean | LeaveOneOut | Greedy | BatchMean | Critic
WORDS: tuple[type[AxisValue], ...] = (GroupMean, LeaveOneOut, Greedy, BatchMean, Critic)
