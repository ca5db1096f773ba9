"""All work in this process: the model, its sampler and the checks' workers side by side.

Left out: other processes (a later version), the loop (training).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from verigrad.models import restore_checkpoint, save_checkpoint, tokens_at
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
        return [self._placed(scored) for scored in self.rewards.score(rollouts)]

    def _placed(self, scored: Scored) -> Scored:
        """The same with its steps of reasoning found among the tokens, where the verdict says where they end."""
        ends, rollout = scored.verdict.process_ends, scored.rollout
        if ends is None:
            return scored
        at = tokens_at(self.trainer.policy, rollout.token_ids, rollout.answer, ends)
        return replace(scored, process_at=at)

    def step(self, batch: Batch, *, step: int) -> Mapping[str, float]:
        """See training.Workers."""
        return self.trainer.step(batch, step=step)

    def publish(self) -> None:
        """See training.Workers."""
        self.sampler.version += 1
        self.sampler.changed()

    def save(self, folder: Path) -> None:
        """See training.Workers."""
        save_checkpoint(self.trainer.policy, folder, self.card)
        save_state(self.trainer, folder / "state", version=self.sampler.version)

    def load(self, folder: Path) -> None:
        """See training.Workers."""
        restore_checkpoint(self.trainer.policy, folder)
        self.trainer.sync()
        self.sampler.changed()
        self.sampler.version = load_state(self.trainer, folder / "state")
