"""The loop without sampling: examples in hash order, one update a step, look, save. For sft, preference, reward_model.

As in rl every step can be replayed: its examples are a pure function of run seed, stage and step, and a checkpoint
holds the rest, so that a resumed stage equals the undisturbed one bit for bit. Left out: what a step learns (the
learners), and what a verb around it does (runs).
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from verigrad.errors import DataError
from verigrad.recipe import Limits, Train
from verigrad.records import seed, uniforms
from verigrad.store import RunDirectory
from verigrad.training.looping import Best, Checkpoints, Clock, Ended, check_memory, out_of_time, stopped_by_hand
from verigrad.training.step_metrics import merge

WINDOW = 10
"""Steps at either end over which the chosen answers' log-probs are averaged before anything is said of them."""


class Learner(Protocol):
    """What is trained, and by which loss. `training` has SftLearner, PreferenceLearner and RewardModelLearner."""

    def prepare(self, examples: Sequence[Any]) -> None:
        """All examples of the stage, once before its first step: read into tokens, and what is computed beforehand.

        Raises DataError for one that the model cannot read.
        """
        ...

    def step(self, examples: Sequence[Any], *, step: int) -> Mapping[str, float]:
        """One update on these examples, which are its whole denominator; returns its metrics (docs/design.md 9)."""
        ...

    def measure(self, examples: Sequence[Any]) -> Mapping[str, float]:
        """What the loss says of these examples, without an update: for held-out ones."""
        ...

    def save(self, folder: Path) -> None:
        """Write `model/` (what transformers loads) and `state/` (the optimizer's) into this folder."""
        ...

    def load(self, folder: Path) -> None:
        """Restore exactly what `save` wrote there."""
        ...


@dataclass(frozen=True, kw_only=True)
class OfflineLoop:
    """All the loop needs, handed over by the verb."""

    learner: Learner
    """What is trained."""
    examples: Sequence[Any]
    """Pair, Labelled or Demonstration: the stage's training side."""
    stage: int
    """The stage's number, from 1."""
    run_seed: int
    """`run.seed`."""
    train: Train
    """`[train]` of the recipe."""
    limits: Limits
    """`run.limits`."""
    run: RunDirectory
    """Where everything is written."""
    look: Callable[[int], Mapping[str, float]] | None = None
    """Validation metrics of the weights after this step; validation/right decides which step is the best."""
    every: int = 0
    """Steps between looks; 0 never."""
    stop_asked: Callable[[], bool] = lambda: False
    """True once the user asked to stop: the step is finished, saved and the loop left."""
    told: Callable[[int, Mapping[str, float], Mapping[str, float]], None] = lambda step, metrics, timings: None
    """Called after every step with its metrics and timings."""
    warn: Callable[[str], None] = lambda line: None
    """Called at most once, with one line: the chosen answers are becoming less likely (`falling`)."""


def steps_of(num_examples: int, train: Train) -> int:
    """Steps of a stage over so many examples: train.steps, or epochs of as many steps as train.prompts asks for.

    >>> steps_of(20, Train(epochs=2, prompts=8))
    6
    """
    return train.steps or (train.epochs or 1) * _of_epoch(num_examples, train)


def of_step(num_examples: int, train: Train, step: int, *, run_seed: int, stage: int) -> list[int]:
    """Which examples step `step` (from 1) learns from. Every example stands once in an epoch.

    An epoch is shuffled by hash of (run seed, stage, epoch) and cut into the fewest steps of at most train.prompts
    examples, as even as can be: no step is a short rest, whose few examples would weigh more than the others.
    """
    steps = _of_epoch(num_examples, train)
    epoch, at = divmod(step - 1, steps)
    shuffled = np.argsort(_hashes(num_examples, seed("order", run_seed, stage, epoch)), kind="stable")
    return [int(i) for i in np.array_split(shuffled, steps)[at]]


def train_offline(loop: OfflineLoop, *, start: int = 0) -> Ended:
    """Run the stage's steps after `start`, the step of the checkpoint the learner was loaded from.

    Raises Stopped (NaN, memory), Interrupted (asked to stop; saved) and DataError (nothing to learn from, an example
    too long for the model).
    """
    if not loop.examples:
        raise DataError(f"stage {loop.stage}: no examples to learn from")
    stage, run, steps = loop.stage, loop.run, steps_of(len(loop.examples), loop.train)
    began = time.monotonic()
    best = Best()
    checkpoints = Checkpoints(run=run, stage=stage, train=loop.train, best=best)
    before = [m for m in run.read_metrics() if m["stage"] == stage and m["step"] <= start]
    for metrics_before in before:
        best.seen(metrics_before, metrics_before["step"])
    warned = False
    if start:
        # A run killed here before has saved its step, and perhaps not cleared up.
        checkpoints.drop_old()
    loop.learner.prepare(loop.examples)
    step = start
    for step in range(start + 1, steps + 1):
        clock = Clock()
        at = of_step(len(loop.examples), loop.train, step, run_seed=loop.run_seed, stage=stage)
        with clock.timing("update"):
            metrics = loop.learner.step([loop.examples[i] for i in at], step=step)
        looked = bool(loop.look and loop.every and (step % loop.every == 0 or step == steps))
        if looked and loop.look:
            metrics = merge([metrics, loop.look(step)])
        run.append_metrics(stage, step, metrics)
        before.append(dict(metrics))
        better = looked and best.seen(metrics, step)
        check_memory(loop.limits, step)
        ended = out_of_time(loop.limits, step, began) if step < steps else None
        stopping = loop.stop_asked()
        if ended or better or stopping or step == steps or step % loop.train.save_every == 0:
            with clock.timing("save"):
                checkpoints.save(step, loop.learner.save)
        run.append_timings(stage, step, clock.seconds)
        loop.told(step, metrics, clock.seconds)
        if not warned and (line := falling(before[:WINDOW], before[WINDOW:][-WINDOW:])):
            loop.warn(line)
            warned = True
        if stopping:
            raise stopped_by_hand(run, step)
        if ended:
            return Ended(step=step, best=best.step, why=ended)
    return Ended(step=step, best=best.step, why="all steps done")


def falling(early: Sequence[Mapping[str, Any]], late: Sequence[Mapping[str, Any]]) -> str:
    """One line that says so where the chosen answers became less likely from the early to the late steps' metrics.

    "" where not, or where nobody can tell. Compares means of logp/moved (each answer against the same answer under the
    reference) where it is measured, else of logp/chosen. Steps have other examples, so a fall counts beyond two
    standard errors of the difference. WINDOW steps each at least.
    """
    name = "logp/moved" if any("logp/moved" in m for m in late) else "logp/chosen"
    first, last = (np.array([m[name] for m in part if m.get(name) is not None]) for part in (early, late))
    if min(len(first), len(last)) < WINDOW:
        return ""
    error = math.sqrt(first.var(ddof=1) / len(first) + last.var(ddof=1) / len(last))
    if not last.mean() < first.mean() - 2 * error:
        return ""
    against = " against the reference" if name == "logp/moved" else ""
    return (
        f"the chosen answers are becoming less likely: their mean log-prob{against} was {first.mean():.2f} nats in the "
        f"first {WINDOW} steps and is {last.mean():.2f} in the last {WINDOW}. The loss sees only the difference to the "
        'rejected ones; a smaller train.lr, a larger link.beta or anchor = { name = "reference", nll = 1 } holds them'
    )


def _of_epoch(num_examples: int, train: Train) -> int:
    return math.ceil(num_examples / train.prompts)


def _hashes(count: int, order: int) -> np.ndarray:
    return uniforms(np.full(count, order, dtype=np.uint64), np.arange(count))
