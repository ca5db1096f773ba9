"""Who does the work of a step: the Protocol `Workers` the loop is written against. Left out: every implementation."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Protocol

from verigrad.records import Batch, Completion, Request, Rollout, Scored


class Workers(Protocol):
    """Four verbs and their state. The same recipe under any implementation gives the same metrics."""

    def sample(self, requests: Sequence[Request]) -> list[Completion]:
        """Answers of the published weights, in the order asked."""
        ...

    def verify(self, rollouts: Sequence[Rollout]) -> list[Scored]:
        """What each rollout earned, in order."""
        ...

    def step(self, batch: Batch, *, step: int) -> Mapping[str, float]:
        """All updates of one step on this batch; returns the update's metrics (docs/design.md 9)."""
        ...

    def publish(self) -> None:
        """Hand the updated weights to the sampler."""
        ...

    def save(self, folder: Path) -> None:
        """Write `model/` (what transformers loads) and `state/` (the optimizer's) into this folder."""
        ...

    def load(self, folder: Path) -> None:
        """Restore exactly what `save` wrote there, and publish it."""
        ...
