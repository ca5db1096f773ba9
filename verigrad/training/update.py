"""Batch -> Signal -> updates: old and reference log-probs, advantages of the whole step, passes over minibatches.

The only place where models and losses meet. Every weight in the loss uses totals of the whole update, so the
micro-batch split cannot change it. Rows whose advantage is exactly zero and that pay no KL or entropy are not
computed, but stay in every total. Left out: which answers are in the batch (rollouts), when a step is taken (rl),
files (checkpoints).
"""

from __future__ import annotations

import math
from collections import defaultdict
from dataclasses import dataclass, replace

import numpy as np
import torch

from verigrad.errors import Stopped
from verigrad.losses import Method, advantages, idle_rows, needs, policy_loss
from verigrad.models import LanguageModel, response_logps
from verigrad.recipe import Train
from verigrad.records import Batch, Signal, totals_of
from verigrad.training.optimizer import build_optimizer, learning_rate

ROWS = 8
"""Distinct rows of a micro-batch: bounds memory, never the loss."""


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
        rows: int = ROWS,
    ) -> None:
        """`steps` is the stage's length (for the schedule); `reference` is needed where the method pays KL."""
        self.policy = policy
        self.method = method
        self.train = train
        self.steps = steps
        self.temperature = temperature
        self.reference = reference
        self.rows = rows
        self.needs = needs(method)
        self.optimizer = build_optimizer(policy.module.parameters(), train.optimizer, train.lr)

    def step(self, batch: Batch, *, step: int) -> dict[str, float]:
        """All updates of step `step` on this batch; returns the update's metrics. Raises Stopped on a NaN."""
        lr = learning_rate(step, steps=self.steps, peak=self.train.lr, schedule=self.train.schedule)
        for group in self.optimizer.param_groups:
            group["lr"] = lr
        signal = self._signal(batch)
        advantage_BT = advantages(self.method, signal)
        metrics: dict[str, list[float]] = defaultdict(list)
        trained = 0
        for _ in range(self.train.passes):
            for rows in minibatches(batch.group_B, self.train.minibatches):
                totals = totals_of(batch.chosen_BT[rows], batch.group_B[rows], budget=batch.totals.budget)
                part = signal.take(rows, totals=totals)
                values, tokens = self._update(part, advantage_BT[torch.from_numpy(rows)], step=step)
                trained += tokens
                for name, value in values.items():
                    metrics[name].append(value)
        merged = {name: max(v) if name.endswith("/max") else sum(v) / len(v) for name, v in metrics.items()}
        return {**merged, "lr": lr, "tokens/trained": float(trained)}

    def _signal(self, batch: Batch) -> Signal:
        """Old and reference log-probs, where anything will look at them.

        With one update a step the policy now *is* the old policy: the loss then takes old log-probs from the update's
        own forward, detached, so that its ratio is exactly 1. Unless the advantages look at them (KL in the reward),
        that saves a pass, and here they stay zero.
        """
        everyone = np.arange(batch.rows)
        old = np.zeros(batch.token_ids_BT.shape, dtype=np.float32)
        if not self._single or self.needs.old_first:
            old = self._logps(self.policy, batch, everyone)
        reference = None
        if self.needs.reference:
            assert self.reference is not None, "the method pays KL and was given no reference"
            reference = self._logps(self.reference, batch, everyone)
        return Signal(batch=batch, logp_old_BT=old, logp_ref_BT=reference)

    @property
    def _single(self) -> bool:
        return self.train.passes == 1 and self.train.minibatches == 1

    @torch.no_grad()
    def _logps(self, model: LanguageModel, batch: Batch, rows: np.ndarray) -> np.ndarray:
        out = np.zeros((len(rows), batch.token_ids_BT.shape[1]), dtype=np.float32)
        for micro in micro_batches(batch, rows, self.rows):
            longest = int(batch.length_B[micro.rows].max())
            logp_BT, _ = self._forward(model, batch, micro, longest, entropy=False)
            out[micro.rows, :longest] = logp_BT.float().cpu().numpy()
        return out

    def _forward(
        self, model: LanguageModel, batch: Batch, micro: MicroBatch, longest: int, *, entropy: bool
    ) -> tuple[torch.Tensor, torch.Tensor | None]:
        logp_UT, entropy_UT = response_logps(
            model,
            [batch.prompt_ids[i] for i in micro.distinct],
            batch.token_ids_BT[micro.distinct, :longest],
            batch.length_B[micro.distinct],
            temperature=self.temperature,
            entropy=entropy,
            rows=len(micro.distinct),
        )
        of = torch.from_numpy(micro.of).to(logp_UT.device)
        return logp_UT[of], None if entropy_UT is None else entropy_UT[of]

    def _update(self, signal: Signal, advantage_BT: torch.Tensor, *, step: int) -> tuple[dict[str, float], int]:
        """One optimizer step on the whole of `signal`, in micro-batches. Returns metrics and the tokens computed."""
        batch, method = signal.batch, self.method
        self.optimizer.zero_grad(set_to_none=False)
        sums: dict[str, float] = defaultdict(float)
        maxima: dict[str, float] = {}
        active = np.flatnonzero(~idle_rows(method, advantage_BT, signal))
        computed = int(batch.chosen_BT[active].sum())
        for micro in micro_batches(batch, active, self.rows):
            rows = micro.rows
            longest = int(batch.length_B[rows].max())
            logp_BT, entropy_BT = self._forward(self.policy, batch, micro, longest, entropy=self.needs.entropy)
            part = _cut(signal.take(rows), longest)
            if self._single:
                part = replace(part, logp_old_BT=logp_BT.detach().float().cpu().numpy())
            index = torch.from_numpy(rows)
            loss = policy_loss(
                method, logp_BT, part, advantage_BT[index, :longest], entropy_BT, computed_tokens=computed
            )
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
        return {**sums, **maxima, "grad/norm": norm}, computed

    def _clip_gradient(self) -> float:
        parameters = [p for group in self.optimizer.param_groups for p in group["params"]]
        for p in parameters:
            # A parameter no active row reached still takes its AdamW step with a zero gradient, as if it had been.
            if p.grad is None:
                p.grad = torch.zeros_like(p)
        return float(torch.nn.utils.clip_grad_norm_(parameters, self.train.optimizer.max_norm))


def minibatches(group_B: np.ndarray, count: int) -> list[np.ndarray]:
    """Row indices of each minibatch: whole groups, in order, split as evenly as can be; never more than groups."""
    ids = list(dict.fromkeys(group_B.tolist()))
    parts = np.array_split(np.array(ids), min(count, len(ids)))
    return [np.flatnonzero(np.isin(group_B, part)) for part in parts]


@dataclass(frozen=True, kw_only=True)
class MicroBatch:
    """Rows that go through the model together, equal ones once."""

    rows: np.ndarray
    """[N] int64: rows of the batch, equal ones beside each other."""
    distinct: np.ndarray
    """[U] int64: one row of each kind; these are computed."""
    of: np.ndarray
    """[N] int64: which of the distinct ones each row equals."""


def micro_batches(batch: Batch, rows: np.ndarray, size: int) -> list[MicroBatch]:
    """These rows in micro-batches of `size` distinct ones, in the order of their first appearance.

    Short answers repeat: eight attempts at one word are often two or three texts. Equal prompt and tokens have equal
    log-probs, so they are computed once and their gradients add up in the one row, which changes nothing.
    """
    same: dict[tuple[bytes, bytes], list[int]] = {}
    for i in rows.tolist():
        tokens = batch.token_ids_BT[i, : batch.length_B[i]]
        same.setdefault((batch.prompt_ids[i].tobytes(), tokens.tobytes()), []).append(i)
    kinds = list(same.values())
    return [
        MicroBatch(
            rows=np.array([i for kind in part for i in kind], dtype=np.int64),
            distinct=np.array([kind[0] for kind in part], dtype=np.int64),
            of=np.repeat(np.arange(len(part)), [len(kind) for kind in part]),
        )
        for part in (kinds[k : k + size] for k in range(0, len(kinds), size))
    ]


def _cut(signal: Signal, longest: int) -> Signal:
    """The first `longest` columns: no row here is longer."""
    b = signal.batch
    batch = replace(
        b,
        token_ids_BT=b.token_ids_BT[:, :longest],
        chosen_BT=b.chosen_BT[:, :longest],
        logp_sampler_BT=b.logp_sampler_BT[:, :longest],
    )
    return Signal(
        batch=batch,
        logp_old_BT=signal.logp_old_BT[:, :longest],
        logp_ref_BT=None if signal.logp_ref_BT is None else signal.logp_ref_BT[:, :longest],
        value_BT=None if signal.value_BT is None else signal.value_BT[:, :longest],
    )
