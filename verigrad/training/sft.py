"""Supervised fine-tuning: the answers of demonstrations become likelier, token by token.

Only the answer and its end token count, never the prompt; several examples go through the model as one packed row, and
the mean is over all answer tokens of the update, so neither packing nor the micro-batch split changes it. Left out:
the loss (losses.likelihood), the loop (offline).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import torch

from verigrad.losses import nll
from verigrad.models import LanguageModel, Working, restore_checkpoint, save_checkpoint
from verigrad.recipe import Train
from verigrad.records import Demonstration
from verigrad.training.micro_batches import TOKENS
from verigrad.training.rows import Reading, Rows, bundles, logps
from verigrad.training.stepping import Stepper


class SftLearner:
    """`training.Learner` over demonstrations. State: weights and optimizer moments."""

    def __init__(
        self, policy: LanguageModel, train: Train, *, steps: int, tokens: int = TOKENS, card: str = ""
    ) -> None:
        """`steps` is the stage's length (for the schedule); `tokens` bounds a micro-batch; `card` is the README of
        saved models.
        """
        self.policy = policy
        self.tokens = tokens
        self.card = card
        self.working = Working(policy)
        self.stepper = Stepper(policy.module, train, steps=steps)
        self._reading = Reading(policy)

    def prepare(self, examples: Sequence[Demonstration]) -> None:
        """See training.Learner."""
        for example in examples:
            self._reading.tokens(example.task, example.answer)

    def step(self, examples: Sequence[Demonstration], *, step: int) -> Mapping[str, float]:
        """See training.Learner; loss/policy is the mean negative log-prob of an answer token, in nats."""
        lr = self.stepper.begin(step)
        rows = self._rows(examples)
        loss = 0.0
        for part in self._parts(rows):
            value, sums = nll(logps(self.working, part), torch.from_numpy(part.real_BT), tokens=rows.tokens)
            value.backward()  # type: ignore[no-untyped-call]
            loss += sums["loss/policy"]
        norm = self.stepper.end(step, loss)
        self.working.sync()
        return {"loss/policy": loss, "grad/norm": norm, "lr": lr, "tokens/trained": float(rows.tokens)}

    @torch.no_grad()
    def measure(self, examples: Sequence[Demonstration]) -> Mapping[str, float]:
        """loss/policy of these, without an update."""
        rows = self._rows(examples)
        parts = [
            nll(logps(self.working, part), torch.from_numpy(part.real_BT), tokens=rows.tokens)[1]["loss/policy"]
            for part in self._parts(rows)
        ]
        return {"loss/policy": sum(parts)}

    def save(self, folder: Path) -> None:
        """See training.Learner."""
        save_checkpoint(self.policy, folder, self.card)
        self.stepper.save(folder / "state")

    def load(self, folder: Path) -> None:
        """See training.Learner."""
        restore_checkpoint(self.policy, folder)
        self.working.sync()
        self.stepper.load(folder / "state")

    def _rows(self, examples: Sequence[Demonstration]) -> Rows:
        return self._reading.rows((e.task, e.answer) for e in examples)

    def _parts(self, rows: Rows) -> Iterator[Rows]:
        units = [[i] for i in range(len(rows.length_B))]
        for bundle in bundles(rows, units, self.tokens, packed=not self.working.why_padded):
            yield rows.take(bundle)
