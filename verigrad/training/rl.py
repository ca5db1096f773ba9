"""The rl loop: sample, verify, keep, update, publish, look, save. One step after the other, each one replayable.

The loop is written against `Workers` and a run directory; validation comes in as `look(step)`, so that it needs to
know nothing of acceptance. A step's groups are stored whole before its update: a resumed run restarts at its last
checkpoint and replays later stored steps, verdicts included, instead of sampling again. Left out: what a verb around
it does (runs).
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from verigrad.errors import Stopped
from verigrad.recipe import Limits, Train
from verigrad.records import Group, Task, batch_of
from verigrad.rollouts import Collected, DrawPlan, Keep, carrying, collect, select
from verigrad.store import RunDirectory
from verigrad.training.looping import Best, Checkpoints, Clock, Ended, check_memory, out_of_time, stopped_by_hand
from verigrad.training.protocol import Workers
from verigrad.training.step_metrics import merge, step_metrics

DEAD_WINDOW = 10
"""Steps over which groups without a gradient are counted before the run ends itself."""
UNGRADED_STEPS = 3
"""Steps in a row over `limits.ungraded` that stop a run."""


class StepTasks(Protocol):
    """Which tasks a step asks; pure in its arguments, so that a resumed run asks the same."""

    def tasks(self, step: int) -> Sequence[Task]:
        """The tasks of step `step`, from 1."""
        ...

    def more(self, step: int, round_: int, count: int) -> Sequence[Task]:
        """`count` further tasks for refill round `round_`, from 1, of that step."""
        ...


@dataclass(frozen=True, kw_only=True)
class Loop:
    """All the loop needs, handed over by the verb."""

    workers: Workers
    """Who samples, verifies and updates."""
    tasks: StepTasks
    """What is asked."""
    plan: DrawPlan
    """How answers are drawn."""
    keep: Keep
    """Which groups stay."""
    train: Train
    """`[train]` of the recipe."""
    limits: Limits
    """`run.limits`."""
    run: RunDirectory
    """Where everything is written."""
    look: Callable[[int], Mapping[str, float]] | None = None
    """Validation metrics of the weights after this step."""
    every: int = 0
    """Steps between looks; 0 never."""
    stop_asked: Callable[[], bool] = lambda: False
    """True once the user asked to stop: the step is finished, saved and the loop left."""
    told: Callable[[int, Mapping[str, float], Mapping[str, float]], None] = lambda step, metrics, timings: None
    """Called after every step with its metrics and timings."""


@dataclass(kw_only=True)
class _History:
    """What earlier steps leave behind for the loop's own decisions; rebuilt from files on resume."""

    alive: deque[float] = field(default_factory=lambda: deque(maxlen=DEAD_WINDOW))
    ungraded: deque[float] = field(default_factory=lambda: deque(maxlen=UNGRADED_STEPS))
    best: Best = field(default_factory=Best)


def train_rl(loop: Loop, *, start: int = 0) -> Ended:
    """Run steps start+1 .. train.steps. `start` is the step of the checkpoint the workers were loaded from.

    Raises Stopped (NaN, ungraded answers, memory) and Interrupted (asked to stop; saved).
    """
    assert loop.train.steps is not None, "an rl stage has steps"
    stage, steps, run = loop.plan.stage, loop.train.steps, loop.run
    began = time.monotonic()
    history = _history(loop, start)
    checkpoints = Checkpoints(run=run, stage=stage, train=loop.train, best=history.best)
    stored = set(run.steps(stage))
    step = start
    if start:
        # A run killed here before has saved its step, and perhaps neither cleared up nor seen that this was its end.
        checkpoints.drop_old()
        collected = select(run.read_step(stage, start), loop.keep, wanted=loop.train.prompts)
        if why := _worn_out(loop, history, collected, start, steps):
            return _ended(history, start, why)
    for step in range(start + 1, steps + 1):
        clock = Clock()
        groups = run.read_step(stage, step) if step in stored else _draw(loop, step, clock)
        if step not in stored:
            run.write_step(stage, step, groups)
        collected = select(groups, loop.keep, wanted=loop.train.prompts)
        metrics = step_metrics(groups, collected, newest=step - 1)
        if collected.kept:
            metrics = merge([metrics, _update(loop, collected, step, clock)])
        with clock.timing("sync"):
            loop.workers.publish()
        looked = bool(loop.look and loop.every and (step % loop.every == 0 or step == steps))
        if looked and loop.look:
            metrics = merge([metrics, loop.look(step)])
        run.append_metrics(stage, step, metrics)
        _check_ungraded(loop, history, metrics, step)
        better = looked and history.best.seen(metrics, step)
        history.alive.append(_alive(loop, groups))
        ended = _ending(loop, history, collected, step, steps, began)
        stopping = loop.stop_asked()
        if ended or better or stopping or step == steps or step % loop.train.save_every == 0:
            with clock.timing("save"):
                checkpoints.save(step, loop.workers.save)
        run.append_timings(stage, step, clock.seconds)
        loop.told(step, metrics, clock.seconds)
        if stopping:
            raise stopped_by_hand(run, step)
        if ended:
            return _ended(history, step, ended)
    return _ended(history, step, "all steps done")


def _ended(history: _History, step: int, why: str) -> Ended:
    return Ended(step=step, best=history.best.step, why=why)


def _draw(loop: Loop, step: int, clock: Clock) -> list[Group]:
    def sample(requests):  # type: ignore[no-untyped-def]
        with clock.timing("sample"):
            return loop.workers.sample(requests)

    def verify(rollouts):  # type: ignore[no-untyped-def]
        with clock.timing("verify"):
            return loop.workers.verify(rollouts)

    return collect(
        loop.plan,
        loop.tasks.tasks(step),
        lambda round_, count: loop.tasks.more(step, round_, count),
        sample,
        verify,
        loop.keep,
        step=step,
    )


def _update(loop: Loop, collected: Collected, step: int, clock: Clock) -> Mapping[str, float]:
    batch = batch_of(collected.kept, budget=loop.plan.max_tokens)
    with clock.timing("update"):
        return loop.workers.step(batch, step=step)


def _check_ungraded(loop: Loop, history: _History, metrics: Mapping[str, float], step: int) -> None:
    history.ungraded.append(metrics["verdict/ungraded"])
    limit = loop.limits.ungraded
    if len(history.ungraded) == UNGRADED_STEPS and all(u > limit for u in history.ungraded):
        raise Stopped(
            f"step {step}: over {limit:.0%} of the answers could not be graded in {UNGRADED_STEPS} steps "
            f"(now {metrics['verdict/ungraded']:.0%}): mend what the check needs and begin a new run, or "
            f"train --resume {loop.run.folder} --set run.limits.ungraded=1 goes on over them"
        )


def _ending(loop: Loop, history: _History, collected: Collected, step: int, steps: int, began: float) -> str | None:
    """Why the stage ends after this step although steps remain; None to go on. Raises Stopped over the memory
    limit.
    """
    check_memory(loop.limits, step)
    if why := _worn_out(loop, history, collected, step, steps):
        return why
    return out_of_time(loop.limits, step, began) if step < steps else None


def _worn_out(loop: Loop, history: _History, collected: Collected, step: int, steps: int) -> str | None:
    """The endings that follow from the stored steps alone, so that a resumed run ends where it would have."""
    if step == steps:
        return None
    if loop.keep.varied and not collected.kept:
        return f"step {step}: no group with right and not right answers in {loop.keep.rounds} refill rounds"
    if len(history.alive) == DEAD_WINDOW and 1 - sum(history.alive) / DEAD_WINDOW > loop.limits.dead:
        return f"step {step}: over {loop.limits.dead:.0%} of the groups carried no gradient in {DEAD_WINDOW} steps"
    return None


def _alive(loop: Loop, groups: Sequence[Group]) -> float:
    """Share of the step's groups that carry a gradient under the method at hand."""
    compared = loop.keep.grade_at_least > 1
    return carrying(groups, compared=compared, process=loop.keep.process) / len(groups)


def _history(loop: Loop, start: int) -> _History:
    history = _History()
    stage = loop.plan.stage
    for line in loop.run.read_metrics():
        if line["stage"] == stage and line["step"] <= start:
            history.ungraded.append(line["verdict/ungraded"])
            history.best.seen(line, line["step"])
    for step in range(max(1, start - DEAD_WINDOW + 1), start + 1):
        groups = loop.run.read_step(stage, step)
        history.alive.append(_alive(loop, groups))
    return history
