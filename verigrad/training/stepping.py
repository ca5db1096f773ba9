"""One optimizer step of the loops without sampling: learning rate, clipped gradient, AdamW; its state on disk.

Left out: the loss (sft, preference, reward_model) and rl's several updates a step (update).
"""

from __future__ import annotations

import json
import math
from pathlib import Path

import torch
from safetensors import SafetensorError
from safetensors.torch import load_file, save_file

from verigrad.errors import Stopped, VerigradError
from verigrad.recipe import Train
from verigrad.training.moments import moments_of, put_moments
from verigrad.training.optimizer import build_optimizer, clipped_step, set_rates


class Stepper:
    """The optimizer of a module. State: its moments. `begin`, backward passes, `end`: one update."""

    def __init__(self, module: torch.nn.Module, train: Train, *, steps: int) -> None:
        """`steps` is the stage's length, for the schedule."""
        self.module = module
        self.train = train
        self.steps = steps
        self.optimizer = build_optimizer(module.parameters(), train.optimizer, train.lr)

    def begin(self, step: int) -> float:
        """Sets the learning rate of this step (from 1) and returns it; gradients are zero afterwards."""
        self.optimizer.zero_grad(set_to_none=False)
        return set_rates(self.optimizer, [self.train.lr], step, steps=self.steps, schedule=self.train.schedule)

    def end(self, step: int, loss: float) -> float:
        """Clips and takes the step; returns the gradient's norm before it. Raises Stopped on a NaN, nothing moved."""
        if not math.isfinite(loss):
            raise Stopped(f"step {step}: the loss is {loss}; a smaller train.lr")
        return clipped_step(self.optimizer, self.train.optimizer.max_norm, step=step)

    def save(self, folder: Path) -> None:
        """The moments into `folder` (made if missing), by parameter name: exact bits."""
        folder.mkdir(parents=True, exist_ok=True)
        tensors, updates = moments_of(self._trained())
        save_file(tensors, folder / "optimizer.safetensors")
        (folder / "state.json").write_text(json.dumps({"updates": updates}), encoding="utf-8")

    def load(self, folder: Path) -> None:
        """What `save` wrote. Raises VerigradError."""
        try:
            updates = json.loads((folder / "state.json").read_text(encoding="utf-8"))["updates"]
            put_moments(self._trained(), load_file(folder / "optimizer.safetensors"), updates)
        except (OSError, KeyError, ValueError, SafetensorError) as error:
            reason = " ".join(str(error).split())[:200]
            raise VerigradError(f"{folder} holds no optimizer state of this model ({reason})") from error

    def _trained(self) -> list[tuple[str, torch.nn.Parameter, torch.optim.AdamW]]:
        return [(n, p, self.optimizer) for n, p in self.module.named_parameters() if p.requires_grad]
