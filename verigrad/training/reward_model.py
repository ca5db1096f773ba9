"""A reward model from pairs: the score of the chosen answer above that of the rejected one (Bradley and Terry).

The whole body is trained with the head. Micro-batches keep a pair together and add up. Left out: the loss
(losses.bradley_terry), the scorer (models), the loop (offline), what it pays later (rewards.reward_model).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
import torch
from torch import Tensor

from verigrad.losses import bradley_terry
from verigrad.models import Scorer, restore_scorer_checkpoint, save_scorer_checkpoint, score_texts, scores
from verigrad.recipe import Train
from verigrad.records import Pair
from verigrad.training.micro_batches import TOKENS
from verigrad.training.rows import Reading, Rows, bundles
from verigrad.training.stepping import Stepper

CENTER = 0.01
"""Weight of the squared sum of a pair's scores, which keeps their mean near 0: TRL 1.16 recommends it (its default is
none). Without it a score's sign, and what a judge alone pays, would mean nothing."""


class RewardModelLearner:
    """`training.Learner` over pairs. State: weights and optimizer moments."""

    def __init__(
        self,
        scorer: Scorer,
        train: Train,
        *,
        steps: int,
        center: float = CENTER,
        tokens: int = TOKENS,
        card: str = "",
    ) -> None:
        """`steps` is the stage's length (for the schedule); `tokens` bounds a micro-batch, padding included; `card` is
        the README of saved models.
        """
        self.scorer = scorer
        self.center = center
        self.tokens = tokens
        self.card = card
        self.stepper = Stepper(scorer.module, train, steps=steps)
        self._reading = Reading(scorer)

    def prepare(self, examples: Sequence[Pair]) -> None:
        """See training.Learner."""
        self._rows(examples)

    def step(self, examples: Sequence[Pair], *, step: int) -> Mapping[str, float]:
        """See training.Learner; preference/right is the share of pairs whose chosen answer scored higher before it."""
        lr = self.stepper.begin(step)
        rows = self._rows(examples)
        told: dict[str, float] = defaultdict(float)
        for pairs in self._parts(rows):
            value, sums = self._loss(examples, rows, pairs)
            value.backward()  # type: ignore[no-untyped-call]
            for name, amount in sums.items():
                told[name] += amount
        norm = self.stepper.end(step, told["loss/policy"])
        return {**told, "grad/norm": norm, "lr": lr, "tokens/trained": float(rows.tokens)}

    @torch.no_grad()
    def measure(self, examples: Sequence[Pair]) -> Mapping[str, float]:
        """The step's metrics of these pairs, without an update."""
        rows = self._rows(examples)
        told: dict[str, float] = defaultdict(float)
        for pairs in self._parts(rows):
            for name, amount in self._loss(examples, rows, pairs)[1].items():
                told[name] += amount
        return dict(told)

    @torch.no_grad()
    def judge(self, pairs: Sequence[Pair]) -> tuple[np.ndarray, np.ndarray]:
        """Scores [N] float32 of the chosen and of the rejected answers, as a [[reward]] would pay them."""
        chosen = [(p.task.prompt, p.chosen) for p in pairs]
        found = score_texts(self.scorer, [*chosen, *((p.task.prompt, p.rejected) for p in pairs)])
        return found[: len(pairs)], found[len(pairs) :]

    def save(self, folder: Path) -> None:
        """See training.Learner."""
        save_scorer_checkpoint(self.scorer, folder, self.card)
        self.stepper.save(folder / "state")

    def load(self, folder: Path) -> None:
        """See training.Learner."""
        restore_scorer_checkpoint(self.scorer, folder)
        self.stepper.load(folder / "state")

    def _rows(self, examples: Sequence[Pair]) -> Rows:
        chosen = [(e.task, e.chosen) for e in examples]
        return self._reading.rows([*chosen, *((e.task, e.rejected) for e in examples)])

    def _parts(self, rows: Rows) -> list[list[int]]:
        """Pairs of each micro-batch."""
        half = len(rows.length_B) // 2
        return bundles(rows, [[i, half + i] for i in range(half)], self.tokens, packed=False)

    def _loss(self, examples: Sequence[Pair], rows: Rows, pairs: Sequence[int]) -> tuple[Tensor, dict[str, float]]:
        at = [*pairs, *(len(examples) + i for i in pairs)]
        part = rows.take(at)
        answer_ids = [ids_T[:length] for ids_T, length in zip(part.token_ids_BT, part.length_B, strict=True)]
        chosen_B, rejected_B = scores(self.scorer, part.prompt_ids, answer_ids).chunk(2)
        margin_B = torch.from_numpy(np.array([examples[i].margin for i in pairs], dtype=np.float32))
        return bradley_terry(
            chosen_B, rejected_B, margin_B.to(chosen_B.device), center=self.center, pairs=len(examples)
        )
