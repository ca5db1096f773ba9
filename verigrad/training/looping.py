"""What every loop of a stage shares: its end, its clock, its limits, the best step, checkpoints kept.

Left out: what a step is (rl, offline).
"""

from __future__ import annotations

import resource
import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from verigrad.errors import Interrupted, Stopped
from verigrad.recipe import Limits, Train
from verigrad.store import RunDirectory

LOOKED = "validation/right"
"""The metric by which a step is the best."""


@dataclass(frozen=True, kw_only=True)
class Ended:
    """How the loop ended."""

    step: int
    """The last step done."""
    best: int | None
    """The step whose weights did best on the validation slice (the earlier of equals); None without looks."""
    why: str
    """ "all steps done", or why it ended before."""


class Clock:
    """Seconds by name; written to timings.jsonl alone."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}
        self._name = ""
        self._start = 0.0

    def timing(self, name: str) -> Clock:
        """`with clock.timing("update"):` adds the block's seconds to that name."""
        self._name = name
        return self

    def __enter__(self) -> None:
        self._start = time.monotonic()

    def __exit__(self, *_: object) -> None:
        self.seconds[self._name] = self.seconds.get(self._name, 0.0) + time.monotonic() - self._start


class Best:
    """The step that did best on the validation slice so far, the earlier of equals. State: that step, its value."""

    def __init__(self) -> None:
        self.step: int | None = None
        self._value = 0.0

    def seen(self, metrics: Mapping[str, Any], step: int) -> bool:
        """Whether this step is now the best one."""
        value = metrics.get(LOOKED)
        if value is None or (self.step is not None and value <= self._value):
            return False
        self._value, self.step = value, step
        return True


@dataclass(frozen=True, kw_only=True)
class Checkpoints:
    """Where a stage's checkpoints go, and which stay."""

    run: RunDirectory
    """The run."""
    stage: int
    """The stage's number."""
    train: Train
    """`[train]`: how many are kept."""
    best: Best
    """The best step, which is kept too."""

    def save(self, step: int, save: Callable[[Path], None]) -> None:
        """One more, by `save(folder)`, unless it is there already; older ones go."""
        if step not in self.run.checkpoints(self.stage):
            with self.run.staged(self.run.checkpoint_path(self.stage, step)) as folder:
                save(folder)
        self.drop_old()

    def drop_old(self) -> None:
        """All but the last and the best."""
        self.run.drop_old(self.stage, keep_last=self.train.keep_last, best=self.best.step)


def peak_memory_gb() -> float:
    """Most resident memory of this process so far, in GB (10^9 bytes)."""
    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit / 1e9


def check_memory(limits: Limits, step: int) -> None:
    """Raises Stopped over `run.limits.memory_gb`."""
    if limits.memory_gb is not None and peak_memory_gb() > limits.memory_gb:
        raise Stopped(f"step {step}: {peak_memory_gb():.1f} GB used, run.limits.memory_gb is {limits.memory_gb:g}")


def out_of_time(limits: Limits, step: int, began: float) -> str | None:
    """Why the stage ends after this step, where it `began` (time.monotonic) over `run.limits.hours` ago."""
    if limits.hours is not None and time.monotonic() - began > 3600 * limits.hours:
        return f"step {step}: run.limits.hours {limits.hours:g} reached"
    return None


def stopped_by_hand(run: RunDirectory, step: int) -> Interrupted:
    """What is raised once a step that was asked to be the last is saved."""
    return Interrupted(f"stopped after step {step}, saved: train --resume {run.folder} goes on")
