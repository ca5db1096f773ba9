"""Axis `aggregation`: the loss's denominator, as a weight of each token.

Each value gives weights [B, T], 0 at tokens that are not chosen; an update's loss is -sum(weight x objective), over
all its micro-batches and ranks. Denominators come from the totals of the WHOLE update, never from the rows at hand.
Left out: means over micro-batches (TRL's `bnpo`), which change with the split.
"""

# ruff: noqa: F722
from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor

from verigrad.losses.axis import AxisValue
from verigrad.records import Totals


@dataclass(frozen=True, kw_only=True)
class TokenMean(AxisValue):
    """1 / (chosen tokens of the update): the libraries' reading of DAPO.

    Libraries: TRL 1.16 `dapo` and `cispo`, verl 0.9.1 `token-mean`, OpenRLHF 0.11.2's default. TRL divides by the
    tokens of a generation batch, exact only where that is one update.
    """

    axis: ClassVar[str] = "aggregation"
    word: ClassVar[str] = "token_mean"
    by_token: ClassVar[bool] = True

    def __call__(
        self, chosen_BT: Bool[Tensor, "B T"], group_B: Int[Tensor, " B"], totals: Totals
    ) -> Float[Tensor, "B T"]:
        """[B, T] float64."""
        return chosen_BT.double() / max(totals.tokens, 1)


@dataclass(frozen=True, kw_only=True)
class GroupTokenMean(AxisValue):
    """1 / (chosen tokens of the row's group in the update x groups): as the papers print it.

    DAPO, arXiv:2503.14476, eq. 8; CISPO, arXiv:2506.13585, eq. 4. Libraries: none of the three has it; it differs
    from `token_mean` wherever groups differ in length.
    """

    axis: ClassVar[str] = "aggregation"
    word: ClassVar[str] = "group_token_mean"
    by_token: ClassVar[bool] = True

    def __call__(
        self, chosen_BT: Bool[Tensor, "B T"], group_B: Int[Tensor, " B"], totals: Totals
    ) -> Float[Tensor, "B T"]:
        """[B, T] float64."""
        tokens = [max(totals.group_tokens[int(g)], 1) for g in group_B]
        tokens_B = torch.tensor(tokens, dtype=torch.float64, device=chosen_BT.device)
        return chosen_BT.double() / (tokens_B[:, None] * max(totals.groups, 1))


@dataclass(frozen=True, kw_only=True)
class SequenceMean(AxisValue):
    """1 / (the answer's chosen tokens x answers of the update). GRPO, arXiv:2402.03300, eq. 3; GSPO, eq. 5.

    Libraries: TRL 1.16 `grpo`, OpenRLHF 0.11.2 `gspo`, verl 0.9.1 `seq-mean-token-mean`. verl and OpenRLHF may leave
    fully masked answers out of the count; here and in TRL they stay in it.
    """

    axis: ClassVar[str] = "aggregation"
    word: ClassVar[str] = "sequence_mean"
    by_token: ClassVar[bool] = False

    def __call__(
        self, chosen_BT: Bool[Tensor, "B T"], group_B: Int[Tensor, " B"], totals: Totals
    ) -> Float[Tensor, "B T"]:
        """[B, T] float64."""
        length_B1 = chosen_BT.sum(dim=1, keepdim=True).clamp(min=1)
        return chosen_BT.double() / (length_B1 * max(totals.sequences, 1))


@dataclass(frozen=True, kw_only=True)
class SequenceSum(AxisValue):
    """1 / (answers of the update). RLOO, arXiv:2402.14740; Dr.GRPO as printed, arXiv:2503.20783.

    Libraries: TRL 1.16 `luspo`, verl 0.9.1 `seq-mean-token-sum`; OpenRLHF 0.11.2 has none.
    """

    axis: ClassVar[str] = "aggregation"
    word: ClassVar[str] = "sequence_sum"
    by_token: ClassVar[bool] = False

    def __call__(
        self, chosen_BT: Bool[Tensor, "B T"], group_B: Int[Tensor, " B"], totals: Totals
    ) -> Float[Tensor, "B T"]:
        """[B, T] float64."""
        return chosen_BT.double() / max(totals.sequences, 1)


@dataclass(frozen=True, kw_only=True)
class Budget(AxisValue):
    """1 / (a constant x answers of the update). Dr.GRPO's code (sail-sg/oat: generate_max_length, 3000).

    Equal to `sequence_sum` but for the size of a step. Libraries: TRL 1.16 `dr_grpo` (max_completion_length);
    verl 0.9.1 `seq-mean-token-sum-norm`, whose default divisor is the padded width of the batch.
    """

    axis: ClassVar[str] = "aggregation"
    word: ClassVar[str] = "budget"
    by_token: ClassVar[bool] = False

    tokens: int | None = None
    """The constant; none: `sampling.max_tokens`."""

    def __post_init__(self) -> None:
        """Refuses a constant below 1."""
        self.in_range("tokens", low=1)

    def __call__(
        self, chosen_BT: Bool[Tensor, "B T"], group_B: Int[Tensor, " B"], totals: Totals
    ) -> Float[Tensor, "B T"]:
        """[B, T] float64."""
        return chosen_BT.double() / ((self.tokens or totals.budget) * max(totals.sequences, 1))


Aggregation = TokenMean | GroupTokenMean | SequenceMean | SequenceSum | Budget
WORDS: tuple[type[AxisValue], ...] = (TokenMean, GroupTokenMean, SequenceMean, SequenceSum, Budget)
