"""Batch -> Signal -> updates: old and reference log-probs, advantages of the whole step, passes over minibatches.

The only place where models and losses meet. Every weight in the loss uses totals of the whole update, so the
micro-batch split cannot change it. Rows that add exactly zero (no advantage, no KL or entropy) are *skipped*: not
computed, but in every total. *Filtered* groups are another thing: they never reach this file.

Old log-probs are the trainer's own; the sampler's enter through the mismatch weight alone. Left out: which answers are
in the batch (rollouts), how rows are put together (micro_batches) and read (passes), when a step is taken (rl), files
(checkpoints), the critic's own part (critic), what becomes of KL after a step (reference).
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import torch
from torch import Tensor

from verigrad.errors import Refused, Stopped
from verigrad.losses import (
    Critic,
    Method,
    advantages,
    explained_variance,
    idle_rows,
    mean_k1,
    needs,
    policy_loss,
    value_targets,
)
from verigrad.models import LanguageModel, Working
from verigrad.recipe import Train
from verigrad.records import Batch, Signal, Totals, totals_of
from verigrad.training.changed import looked_at, share_changed
from verigrad.training.critic import Before, TrainedCritic
from verigrad.training.micro_batches import TOKENS, MicroBatch, cut, micro_batches, minibatches
from verigrad.training.optimizer import build_optimizer, clipped_step, set_rates
from verigrad.training.passes import Pass, forward
from verigrad.training.reference import adapts, due, refresh_every, replaced, with_next_coefficient


class Trainer:
    """A policy, its optimizer and the method it is trained by.

    State, all of it in checkpoints: weights and optimizer moments; with a critic its own; an adaptive KL coefficient
    (it stands in `method`); with kl.refresh the reference and the step of its last replacement.
    """

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
        engine_dtype: torch.dtype | None = None,
    ) -> None:
        """`steps` is the stage's length (for the schedule); `reference` is needed where the method pays KL; `tokens`
        bounds a micro-batch; `engine_dtype`: what the sampler's weights are in (None: the policy's arithmetic).

        A critic begins from the policy as it is now. Raises Refused for KL without a reference, and for a model that
        can be no critic.
        """
        if needs(method).reference and reference is None:
            raise Refused(
                f'{method.name} pays KL to a reference and was given none: a reference, or kl = "none"', key="loss.kl"
            )
        self.policy = policy
        self.method = method
        self.train = train
        self.steps = steps
        self.temperature = temperature
        self.tokens = tokens
        self.engine_dtype = engine_dtype or policy.dtype
        self.needs = needs(method)
        self.working = Working(policy)
        self.reference = Working(reference) if reference is not None and self.needs.reference else None
        self.refreshed = 0
        """The step after which the reference was replaced last; 0: never."""
        self.optimizer = build_optimizer(policy.module.parameters(), train.optimizer, train.lr)
        self._peaks = [train.lr]
        self.critic: TrainedCritic | None = None
        if isinstance(method.baseline, Critic):
            self.critic = TrainedCritic(policy, method.baseline, train)
            if self.critic.joined is not None:
                self._peaks.append(train.lr if method.baseline.lr is None else method.baseline.lr)
                self.optimizer.add_param_group({"params": list(self.critic.joined.parameters()), "lr": self._peaks[1]})

    def sync(self) -> None:
        """Call after the policy's weights were changed from outside, as by a checkpoint."""
        self.working.sync()

    def step(self, batch: Batch, *, step: int) -> dict[str, float]:
        """All updates of step `step` on this batch; returns the update's metrics. Raises Stopped on a NaN."""
        lr = set_rates(self.optimizer, self._peaks, step, steps=self.steps, schedule=self.train.schedule)
        engine_N = looked_at(self.policy.module, self.engine_dtype)
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
        changed = share_changed(engine_N, looked_at(self.policy.module, self.engine_dtype))
        of_step = {"lr": lr, "tokens/trained": float(trained), "weights/changed": changed}
        after = self._after(ready)
        del ready  # it holds the reference, which may go now
        return {**merged, **of_step, **after, **self._refresh(step)}

    def _ready(self, batch: Batch, parts: Sequence[np.ndarray]) -> _Ready:
        """What stands before the first update, in this order: the log-probs and values an advantage looks at (KL in the
        reward, a critic), advantages of the whole step, the skip, reference and old log-probs of what is left.
        """
        joined = None if self.critic is None else self.critic.joined
        old, reference = Pass(self.working, batch, temperature=self.temperature, head=joined), None
        if self.needs.reference:
            assert self.reference is not None
            reference = Pass(self.reference, batch, temperature=self.temperature)
        paid_first = reference if self.needs.old_first else None
        early = parts if paid_first is not None or self.critic is not None else []
        everyone = [micro for rows in early for micro in self._micro_batches(batch, rows)]
        if paid_first is not None or joined is not None:
            old.read(everyone)
        if paid_first is not None:
            paid_first.read(everyone)
        signal = _signal(batch, old, reference, self._values(batch, old, everyone))
        advantage_BT = advantages(self.method, signal)
        before = None
        if signal.value_BT is not None:
            before = Before(value_BT=signal.value_BT, return_BT=value_targets(self.method, signal))
        kl = mean_k1(signal) if adapts(self.method) else 0.0
        idle_B = idle_rows(self.method, advantage_BT, signal)
        plans = [self._micro_batches(batch, rows[~idle_B[rows]]) for rows in parts]
        for n, plan in enumerate(plans):
            if reference is not None:
                reference.read(plan)
            if n > 0:  # the first update's own forward is what the policy said before: nothing has moved
                old.read(plan)
        return _Ready(
            batch=batch, old=old, reference=reference, advantage_BT=advantage_BT, plans=plans, before=before, kl=kl
        )

    def _values(self, batch: Batch, old: Pass, plan: Sequence[MicroBatch]) -> np.ndarray | None:
        """The critic's values of the whole step; None without one."""
        if self.critic is None:
            return None
        if old.value_BT is not None:
            return old.value_BT.copy()  # what it is read again for later is the log-probs alone
        return self.critic.read(batch, plan)

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
        joined = None if self.critic is None else self.critic.joined
        self.optimizer.zero_grad(set_to_none=False)
        sums: dict[str, float] = defaultdict(float, self._nothing())
        maxima: dict[str, float] = {}
        computed = sum(int(batch.chosen_BT[micro.rows].sum()) for micro in plan)
        for micro in plan:
            logp_BT, entropy_BT, value_BT = forward(
                self.working, batch, micro, temperature=self.temperature, entropy=self.needs.entropy, head=joined
            )
            longest = logp_BT.shape[1]
            part = cut(signal.take(micro.rows), longest)
            if first:
                part = replace(part, logp_old_BT=ready.old.keep(micro, logp_BT))
            advantage_BT = ready.advantage_BT[torch.from_numpy(micro.rows), :longest]
            loss = policy_loss(self.method, logp_BT, part, advantage_BT, entropy_BT, computed_tokens=computed)
            if not torch.isfinite(loss.value):
                raise Stopped(f"step {step}: the loss is {loss.value.item()}; a smaller train.lr or loss.clip")
            objective, told = loss.value, dict(loss.sums)
            if self.critic is not None and ready.before is not None and value_BT is not None:
                value_loss, more = self.critic.loss(value_BT, ready.before, batch, micro, step=step)
                objective, told = objective + self.critic.choice.coefficient * value_loss, {**told, **more}
            objective.backward()  # type: ignore[no-untyped-call]
            for name, value in told.items():
                sums[name] += value
            for name, value in loss.maxima.items():
                maxima[name] = max(maxima.get(name, -math.inf), value)
        norm = clipped_step(self.optimizer, self.train.optimizer.max_norm, step=step)
        self.working.sync()
        if self.critic is not None and ready.before is not None:
            sums.update(self.critic.update(ready.before, batch, plan, step=step, steps=self.steps))
        return {**sums, **maxima, "grad/norm": norm}, computed

    def _after(self, ready: _Ready) -> dict[str, float]:
        """How good the critic was; and the KL coefficient of the next step."""
        told: dict[str, float] = {}
        if ready.before is not None:
            told["value/explained"] = explained_variance(
                torch.from_numpy(ready.before.value_BT),
                ready.before.return_BT,
                torch.from_numpy(ready.batch.chosen_BT),
            )
        if adapts(self.method):
            self.method, told["kl/coef"] = with_next_coefficient(self.method, ready.kl, n=ready.batch.rows)
        return told

    def _refresh(self, step: int) -> dict[str, float]:
        """The policy in the reference's place where that is due."""
        every = refresh_every(self.method)
        if not every:
            return {}
        now = due(step, last=self.refreshed, every=every)
        if now:
            self.reference = None  # gone before its successor is made: never two at a time
            self.reference, self.refreshed = replaced(self.policy), step
        return {"kl/refreshed": float(now)}

    def _nothing(self) -> dict[str, float]:
        """What skipped rows add to an update's metrics: an update of these alone still has a loss, and it is 0."""
        in_loss = self.needs.reference and not self.needs.old_first
        more = [*(["loss/kl"] if in_loss else []), *(["loss/value"] if self.critic is not None else [])]
        return dict.fromkeys(["loss/policy", "clip/low", "clip/high", *more], 0.0)


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
    before: Before | None
    """The critic's values and what they should be; None without one."""
    kl: float
    """Mean k1 of the step's tokens, in nats, where the coefficient adapts."""


def _signal(batch: Batch, old: Pass, reference: Pass | None, value_BT: np.ndarray | None = None) -> Signal:
    """What is known so far."""
    return Signal(
        batch=batch,
        logp_old_BT=old.logp_BT,
        logp_ref_BT=None if reference is None else reference.logp_BT,
        value_BT=value_BT,
    )
