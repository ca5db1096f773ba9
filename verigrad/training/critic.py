"""The critic of a Trainer: a head on the policy's trunk, or a model of its own with its own optimizer.

Both learn `losses.value_loss` on the values and returns that stand before the first update of a step. A head's loss
joins the policy's, and its parameters the policy's optimizer; a model takes a step of its own after each of the
policy's, on the same micro-batches. Left out: what values make of rewards (losses.value).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from verigrad.errors import Stopped
from verigrad.losses import MODEL_LR, Critic, value_loss
from verigrad.models import LanguageModel, ValueHead, Working, critic_of, new_value_head
from verigrad.recipe import Train
from verigrad.records import Batch
from verigrad.training.micro_batches import MicroBatch
from verigrad.training.optimizer import build_optimizer, clipped_step, set_rates
from verigrad.training.passes import forward_values, put


@dataclass(frozen=True, kw_only=True)
class Before:
    """What the critic says before a step's first update, and what it should say."""

    value_BT: np.ndarray
    """[B, T] float32, of the whole step."""
    return_BT: Tensor
    """[B, T] float64: losses.value_targets."""


class OwnModel:
    """A critic's own network: a copy of the initial policy. State: its weights and moments."""

    def __init__(self, policy: LanguageModel, head: ValueHead, choice: Critic, train: Train) -> None:
        """The learning rate's peak is `choice.lr`, else losses.MODEL_LR; all else is the policy's."""
        self.lm = critic_of(policy)
        self.working = Working(self.lm)
        self.peak = MODEL_LR if choice.lr is None else choice.lr
        parameters = [*self.lm.module.parameters(), *head.parameters()]
        self.optimizer = build_optimizer(parameters, train.optimizer, self.peak)


class TrainedCritic:
    """The critic of a Trainer. State: its head, and where it is a model of its own that model and its moments."""

    def __init__(self, policy: LanguageModel, choice: Critic, train: Train) -> None:
        """Values are 0 everywhere at first. Raises Refused where the model's hidden states cannot be had."""
        self.choice = choice
        self.train = train
        self.head = new_value_head(policy)
        self.own = OwnModel(policy, self.head, choice, train) if choice.value == "model" else None

    @property
    def joined(self) -> ValueHead | None:
        """The head that the policy's own forward runs through; None where the critic is a model of its own."""
        return self.head if self.own is None else None

    def named_parameters(self) -> list[tuple[str, torch.nn.Parameter]]:
        """Everything of the critic that is trained."""
        own = [] if self.own is None else list(self.own.lm.module.named_parameters())
        found = [("head." + n, p) for n, p in self.head.named_parameters()] + [("model." + n, p) for n, p in own]
        return [(n, p) for n, p in found if p.requires_grad]

    def sync(self) -> None:
        """Call after the critic's weights were changed from outside."""
        if self.own is not None:
            self.own.working.sync()

    @torch.no_grad()
    def read(self, batch: Batch, plan: Sequence[MicroBatch]) -> np.ndarray:
        """The values of these rows from a model of its own, [B, T] float32, zero elsewhere."""
        assert self.own is not None
        value_BT = np.zeros(batch.token_ids_BT.shape, dtype=np.float32)
        for micro in plan:
            put(value_BT, micro, forward_values(self.own.working, self.head, batch, micro))
        return value_BT

    def loss(
        self, found_NT: Tensor, before: Before, batch: Batch, micro: MicroBatch, *, step: int
    ) -> tuple[Tensor, dict[str, float]]:
        """A micro-batch's share of the update's value loss, and of the metric. Raises Stopped on a NaN."""
        rows, longest = torch.from_numpy(micro.rows), found_NT.shape[1]
        value, sums = value_loss(
            self.choice,
            found_NT,
            torch.from_numpy(before.value_BT)[rows, :longest],
            before.return_BT[rows, :longest],
            torch.from_numpy(batch.chosen_BT)[rows, :longest],
            tokens=batch.totals.tokens,
        )
        if not torch.isfinite(value):
            raise Stopped(f"step {step}: the value loss is {value.item()}; a smaller loss.baseline.lr or train.lr")
        return value, dict(sums)

    def update(
        self, before: Before, batch: Batch, plan: Sequence[MicroBatch], *, step: int, steps: int
    ) -> dict[str, float]:
        """One step of a model of its own on these micro-batches of an update; returns loss/value."""
        if self.own is None:
            return {}
        own, sums = self.own, defaultdict[str, float](float, {"loss/value": 0.0})
        set_rates(own.optimizer, [own.peak], step, steps=steps, schedule=self.train.schedule)
        own.optimizer.zero_grad(set_to_none=False)
        for micro in plan:
            value, told = self.loss(
                forward_values(own.working, self.head, batch, micro), before, batch, micro, step=step
            )
            value.backward()  # type: ignore[no-untyped-call]
            for name, share in told.items():
                sums[name] += share
        clipped_step(own.optimizer, self.train.optimizer.max_norm, step=step)
        own.working.sync()
        return dict(sums)
