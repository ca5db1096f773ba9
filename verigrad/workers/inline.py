"""All work in this process: the model, its sampler and the checks' workers side by side.

Left out: other processes (a later version), the loop (training).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from verigrad.models import restore, save
from verigrad.records import Batch, Completion, Request, Rollout, Scored
from verigrad.rewards import Rewards
from verigrad.sampling import LocalSampler
from verigrad.training import Trainer, load_state, save_state


class Inline:
    """`training.Workers` in one process. The sampler reads the trainer's own master weights at every call."""

    def __init__(self, trainer: Trainer, sampler: LocalSampler, rewards: Rewards, *, card: str = "") -> None:
        """The sampler must be over the trainer's policy; `card` is the README of saved models."""
        self.trainer = trainer
        self.sampler = sampler
        self.rewards = rewards
        self.card = card

    def sample(self, requests: Sequence[Request]) -> list[Completion]:
        """See training.Workers."""
        return self.sampler.sample(requests)

    def verify(self, rollouts: Sequence[Rollout]) -> list[Scored]:
        """See training.Workers."""
        return self.rewards.score(rollouts)

    def step(self, batch: Batch, *, step: int) -> Mapping[str, float]:
        """See training.Workers."""
        return self.trainer.step(batch, step=step)

    def publish(self) -> None:
        """See training.Workers."""
        self.sampler.version += 1
        self.sampler.changed()

    def save(self, folder: Path) -> None:
        """See training.Workers."""
        save(self.trainer.policy, folder / "model", self.card)
        save_state(self.trainer, folder / "state", version=self.sampler.version)

    def load(self, folder: Path) -> None:
        """See training.Workers."""
        restore(self.trainer.policy, folder / "model")
        self.trainer.sync()
        self.sampler.changed()
        self.sampler.version = load_state(self.trainer, folder / "state")
