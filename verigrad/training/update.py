"""Batch -> Signal -> updates: old and reference log-probs, advantages of the whole step, passes over minibatches.

The only place where models and losses meet. Every weight in the loss uses totals of the whole update, so the
micro-batch split cannot change it. Rows that add exactly zero (no advantage, no KL or entropy) are *skipped*: not
computed, but in every total. *Filtered* groups are another thing: they never reach this file.

Old log-probs are the trainer's own; the sampler's enter through the mismatch weight alone. Left out: which answers are
in the batch (rollouts), how rows are put together (micro_batches) and read (passes), when a step is taken (rl), files
(checkpoints).
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import torch
from torch import Tensor

from verigrad.errors import Stopped
from verigrad.losses import Method, advantages, idle_rows, needs, policy_loss
from verigrad.models import LanguageModel, Working
from verigrad.recipe import Train
from verigrad.records import Batch, Signal, Totals, totals_of
from verigrad.training.micro_batches import TOKENS, MicroBatch, cut, micro_batches, minibatches
from verigrad.training.optimizer import build_optimizer, learning_rate
from verigrad.training.passes import Pass, forward


class Trainer:
    """A policy, its optimizer and the method it is trained by. State: weights and optimizer moments, nothing else."""

    def __init__(
        self,
        policy: LanguageModel,
        method: Method,
        train: Train,
        *,
        steps: int,
        temperature: float,
        reference: LanguageModel | None = None,
        tokens: int = TOKENS,
    ) -> None:
        """`steps` is the stage's length (for the schedule); `reference` is needed where the method pays KL; `tokens`
        bounds a micro-batch.
        """
        self.policy = policy
        self.method = method
        self.train = train
        self.steps = steps
        self.temperature = temperature
        self.tokens = tokens
        self.needs = needs(method)
        self.working = Working(policy)
        self.reference = Working(reference) if reference is not None and self.needs.reference else None
        self.optimizer = build_optimizer(policy.module.parameters(), train.optimizer, train.lr)

    def sync(self) -> None:
        """Call after the policy's weights were changed from outside, as by a checkpoint."""
        self.working.sync()

    def step(self, batch: Batch, *, step: int) -> dict[str, float]:
        """All updates of step `step` on this batch; returns the update's metrics. Raises Stopped on a NaN."""
        lr = learning_rate(step, steps=self.steps, peak=self.train.lr, schedule=self.train.schedule)
        for group in self.optimizer.param_groups:
            group["lr"] = lr
        parts = minibatches(batch.group_B, self.train.minibatches)
        totals = [totals_of(batch.chosen_BT[p], batch.group_B[p], budget=batch.totals.budget) for p in parts]
        ready = self._ready(batch, parts)
        metrics: dict[str, list[float]] = defaultdict(list)
        if not any(ready.plans):
            metrics.update({name: [value] for name, value in self._mismatch(ready, parts[0]).items()})
        trained = 0
        for update in range(self.train.passes * len(parts)):
            part = update % len(parts)
            values, tokens = self._update(ready, ready.plans[part], totals[part], step=step, first=update == 0)
            trained += tokens
            for name, value in values.items():
                metrics[name].append(value)
        metrics.pop("entropy", None)  # the name is the step's sampled estimate (step_metrics), under every method
        merged = {name: max(v) if name.endswith("/max") else sum(v) / len(v) for name, v in metrics.items()}
        return {**merged, "lr": lr, "tokens/trained": float(trained)}

    def _ready(self, batch: Batch, parts: Sequence[np.ndarray]) -> _Ready:
        """What stands before the first update, in this order: the log-probs an advantage looks at (KL in the reward),
        advantages of the whole step, the skip, reference and old log-probs of what is left.
        """
        old, reference = Pass(self.working, batch, temperature=self.temperature), None
        if self.needs.reference:
            assert self.reference is not None, "the method pays KL and was given no reference"
            reference = Pass(self.reference, batch, temperature=self.temperature)
        if self.needs.old_first and reference is not None:
            for rows in parts:
                everyone = self._micro_batches(batch, rows)
                old.read(everyone)
                reference.read(everyone)
        signal = _signal(batch, old, reference)
        advantage_BT = advantages(self.method, signal)
        idle_B = idle_rows(self.method, advantage_BT, signal)
        plans = [self._micro_batches(batch, rows[~idle_B[rows]]) for rows in parts]
        for n, plan in enumerate(plans):
            if reference is not None:
                reference.read(plan)
            if n > 0:  # the first update's own forward is what the policy said before: nothing has moved
                old.read(plan)
        return _Ready(batch=batch, old=old, reference=reference, advantage_BT=advantage_BT, plans=plans)

    def _micro_batches(self, batch: Batch, rows: np.ndarray) -> list[MicroBatch]:
        return micro_batches(batch, rows, self.tokens, packed=not self.working.why_padded)

    def _mismatch(self, ready: _Ready, rows: np.ndarray) -> dict[str, float]:
        """mismatch/* of a step that skips every row, from one micro-batch without gradient: it is never unknown."""
        micro = self._micro_batches(ready.batch, rows)[0]
        ready.old.read([micro])
        batch = replace(ready.batch.take(micro.rows), truncated_B=np.zeros(len(micro.rows), dtype=bool))
        logp_BT = ready.old.logp_BT[micro.rows]
        loss = policy_loss(
            self.method,
            torch.from_numpy(logp_BT),
            Signal(batch=batch, logp_old_BT=logp_BT, logp_ref_BT=logp_BT),
            torch.zeros(logp_BT.shape),
            torch.zeros(logp_BT.shape),
            computed_tokens=int(batch.chosen_BT.sum()),
        )
        return {k: v for k, v in {**loss.sums, **loss.maxima}.items() if k.startswith("mismatch/")}

    def _update(
        self, ready: _Ready, plan: Sequence[MicroBatch], totals: Totals, *, step: int, first: bool
    ) -> tuple[dict[str, float], int]:
        """One optimizer step on these micro-batches of an update of these totals. Returns metrics, tokens computed.

        In the `first` one of a step old log-probs are its own forward's, so that its ratio is exactly 1; later passes
        over the same rows find them kept.
        """
        batch = replace(ready.batch, totals=totals)
        signal = _signal(batch, ready.old, ready.reference)
        self.optimizer.zero_grad(set_to_none=False)
        sums: dict[str, float] = defaultdict(float, self._nothing())
        maxima: dict[str, float] = {}
        computed = sum(int(batch.chosen_BT[micro.rows].sum()) for micro in plan)
        for micro in plan:
            logp_BT, entropy_BT = forward(
                self.working, batch, micro, temperature=self.temperature, entropy=self.needs.entropy
            )
            longest = logp_BT.shape[1]
            part = cut(signal.take(micro.rows), longest)
            if first:
                part = replace(part, logp_old_BT=ready.old.keep(micro, logp_BT))
            advantage_BT = ready.advantage_BT[torch.from_numpy(micro.rows), :longest]
            loss = policy_loss(self.method, logp_BT, part, advantage_BT, entropy_BT, computed_tokens=computed)
            if not torch.isfinite(loss.value):
                raise Stopped(f"step {step}: the loss is {loss.value.item()}; a smaller train.lr or loss.clip")
            loss.value.backward()  # type: ignore[no-untyped-call]
            for name, value in loss.sums.items():
                sums[name] += value
            for name, value in loss.maxima.items():
                maxima[name] = max(maxima.get(name, -math.inf), value)
        norm = self._clip_gradient()
        if not math.isfinite(norm):
            raise Stopped(f"step {step}: the gradient's norm is {norm}; a smaller train.lr or optimizer.max_norm")
        self.optimizer.step()
        self.working.sync()
        return {**sums, **maxima, "grad/norm": norm}, computed

    def _nothing(self) -> dict[str, float]:
        """What skipped rows add to an update's metrics: an update of these alone still has a loss, and it is 0."""
        in_loss = self.needs.reference and not self.needs.old_first
        return dict.fromkeys(["loss/policy", "clip/low", "clip/high", *(["loss/kl"] if in_loss else [])], 0.0)

    def _clip_gradient(self) -> float:
        parameters = [p for group in self.optimizer.param_groups for p in group["params"]]
        for p in parameters:
            # A parameter no active row reached still takes its AdamW step with a zero gradient, as if it had been.
            if p.grad is None:
                p.grad = torch.zeros_like(p)
        return float(torch.nn.utils.clip_grad_norm_(parameters, self.train.optimizer.max_norm))


@dataclass(frozen=True, kw_only=True)
class _Ready:
    """A step before its first update."""

    batch: Batch
    """All of its rows, skipped ones too."""
    old: Pass
    """The policy's log-probs before the updates."""
    reference: Pass | None
    """The frozen reference's."""
    advantage_BT: Tensor
    """Of the whole step."""
    plans: Sequence[Sequence[MicroBatch]]
    """The micro-batches of each minibatch, skipped rows left out."""


def _signal(batch: Batch, old: Pass, reference: Pass | None) -> Signal:
    """What is known so far."""
    return Signal(batch=batch, logp_old_BT=old.logp_BT, logp_ref_BT=None if reference is None else reference.logp_BT)
