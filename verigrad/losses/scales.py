"""Axis `scale`: the unit in which an advantage is measured.

`rows` acts on centred rewards [B]; `tokens` acts last, on the advantages of every token [B, T] (whitening). All
standard deviations are of the whole step, in float64; where one is 0 the result is exactly 0, whatever epsilon is.
ddof 0 is the population's std: [0, 1, 0, 0] -> [-0.577, 1.732, -0.577, -0.577]; ddof 1 (the three libraries') gives
-0.5 / 1.5. Left out: clipping of advantages.
"""

# ruff: noqa: F722
from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

import torch
from jaxtyping import Bool, Float
from torch import Tensor

from verigrad.errors import Refused
from verigrad.losses import grouping
from verigrad.losses.axis import AxisValue
from verigrad.losses.baselines import Rows


@dataclass(frozen=True, kw_only=True)
class ScaleValue(AxisValue):
    """What all scales share: without more said, nothing is scaled."""

    axis: ClassVar[str] = "scale"

    def rows(self, centred_B: Float[Tensor, " B"], reward_B: Float[Tensor, " B"], rows: Rows) -> Float[Tensor, " B"]:
        """Centred rewards -> the answers' advantages, [B] -> [B]."""
        return centred_B

    def tokens(self, advantage_BT: Float[Tensor, "B T"], chosen_BT: Bool[Tensor, "B T"]) -> Float[Tensor, "B T"]:
        """The tokens' advantages of the whole step, [B, T] -> [B, T]."""
        return advantage_BT


@dataclass(frozen=True, kw_only=True)
class NoScale(ScaleValue):
    """A = R - b. Dr.GRPO, arXiv:2503.20783: dividing by the std favours prompts that are nearly solved or unsolved.

    Libraries: TRL 1.16 needs `scale_rewards="none"` beside its `dr_grpo`; verl 0.9.1 `norm_adv_by_std_in_grpo=False`.
    """

    word: ClassVar[str] = "none"


@dataclass(frozen=True, kw_only=True)
class GroupStd(ScaleValue):
    """A = (R - b) / (std of the group's R + epsilon). GRPO, arXiv:2402.03300, 4.1.1 (which names no ddof, no epsilon).

    Libraries: all take ddof 1; epsilon is 1e-4 in TRL 1.16, 1e-6 in verl 0.9.1, 1e-9 in OpenRLHF 0.11.2
    (TRL's AsyncGRPO: ddof 0 and 1e-8).
    """

    word: ClassVar[str] = "group_std"

    ddof: int = 0
    """0: population std; 1: sample std."""
    epsilon: float = 0.0
    """Added to the std; decides how much near-ties count."""
    per_part: bool = False
    """Centre and scale each reward part alone, then add: GDPO's first step, arXiv:2601.05242. A part's weight then
    cancels out, but for its sign. GDPO's second step is `whiten` with per_part."""

    def __post_init__(self) -> None:
        """Refuses a ddof that is neither 0 nor 1 and a negative epsilon."""
        self.in_range("ddof", low=0, high=1)
        self.in_range("epsilon", low=0)

    def rows(self, centred_B: Float[Tensor, " B"], reward_B: Float[Tensor, " B"], rows: Rows) -> Float[Tensor, " B"]:
        """[B] -> [B]. Refused where a group has no more than ddof members."""
        return grouping.divided(centred_B, grouping.std(reward_B, rows.group_B, ddof=self.ddof), self.epsilon)


@dataclass(frozen=True, kw_only=True)
class BatchStd(ScaleValue):
    """A = (R - b) / (std of R over the step's rows + epsilon). Lite PPO, arXiv:2508.08221.

    Libraries: TRL 1.16 `scale_rewards="batch"` (ddof 1, epsilon 1e-4).
    """

    word: ClassVar[str] = "batch_std"

    ddof: int = 0
    """0: population std; 1: sample std."""
    epsilon: float = 0.0
    """Added to the std."""

    def __post_init__(self) -> None:
        """Refuses a ddof that is neither 0 nor 1 and a negative epsilon."""
        self.in_range("ddof", low=0, high=1)
        self.in_range("epsilon", low=0)

    def rows(self, centred_B: Float[Tensor, " B"], reward_B: Float[Tensor, " B"], rows: Rows) -> Float[Tensor, " B"]:
        """[B] -> [B]. Refused where the step has no more than ddof rows."""
        return grouping.divided(centred_B, grouping.std(reward_B, rows.step_B, ddof=self.ddof), self.epsilon)


@dataclass(frozen=True, kw_only=True)
class Whiten(ScaleValue):
    """A' = (A - mean) / sqrt(variance + epsilon) over the whole step. REINFORCE++, arXiv:2501.03262v9, eq. 5.

    A group whose answers are all right gets a non-zero advantage by it: a property of the method, not an error.
    Libraries: verl 0.9.1 whitens over tokens with ddof 1 and epsilon 1e-8, OpenRLHF 0.11.2 over tokens with ddof 0 and
    a variance of at least 1e-8; TRL 1.16 has none.
    """

    word: ClassVar[str] = "whiten"

    over: Literal["tokens", "answers"] = "tokens"
    """tokens: every chosen token counts once, so long answers count more; answers: every answer counts once, its
    tokens 1 / length each."""
    ddof: int = 0
    """0: population std; 1: sample std."""
    epsilon: float = 0.0
    """Added to the variance, under the root (unlike that of the two scales above), as the libraries do here."""
    per_part: bool = False
    """Divide each centred reward part by its group's std and add them before whitening: GDPO, arXiv:2601.05242, with
    `over = "answers"`. A part's weight then cancels out, but for its sign."""

    def __post_init__(self) -> None:
        """Refuses a ddof that is neither 0 nor 1 and a negative epsilon."""
        self.in_range("ddof", low=0, high=1)
        self.in_range("epsilon", low=0)

    def rows(self, centred_B: Float[Tensor, " B"], reward_B: Float[Tensor, " B"], rows: Rows) -> Float[Tensor, " B"]:
        """[B] -> [B]: unchanged unless per_part."""
        if not self.per_part:
            return centred_B
        return grouping.divided(centred_B, grouping.std(reward_B, rows.group_B, ddof=self.ddof), 0.0)

    def tokens(self, advantage_BT: Float[Tensor, "B T"], chosen_BT: Bool[Tensor, "B T"]) -> Float[Tensor, "B T"]:
        """[B, T] -> [B, T], 0 at tokens that are not chosen. Refused with no more than ddof tokens or answers."""
        length_B1 = chosen_BT.sum(dim=1, keepdim=True)
        weight_BT = chosen_BT.to(advantage_BT.dtype)
        if self.over == "answers":
            weight_BT = weight_BT / length_B1.clamp(min=1)
        n = int(chosen_BT.sum()) if self.over == "tokens" else int((length_B1 > 0).sum())
        if n <= self.ddof:
            raise Refused(f"whitening over {n} {self.over} with ddof {self.ddof}: too few", key="loss.scale")
        # Measured from the lowest, equal advantages give exactly 0 instead of rounding divided by rounding.
        low = advantage_BT[chosen_BT].min()
        rest_BT = torch.where(chosen_BT, advantage_BT - low, torch.zeros_like(advantage_BT))
        spread = rest_BT.max()
        if bool(spread <= grouping.ROUNDING * torch.maximum(low.abs(), (low + spread).abs())):
            return torch.zeros_like(advantage_BT)
        mean = (weight_BT * rest_BT).sum() / n
        variance = (weight_BT * (rest_BT - mean) ** 2).sum() / (n - self.ddof)
        return torch.where(chosen_BT, (rest_BT - mean) / (variance + self.epsilon).sqrt(), torch.zeros_like(rest_BT))


Scale = NoScale | GroupStd | BatchStd | Whiten
WORDS: tuple[type[AxisValue], ...] = (NoScale, GroupStd, BatchStd, Whiten)
