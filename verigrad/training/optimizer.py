"""AdamW and the learning rate of a step. Left out: when a step is taken (update)."""

from __future__ import annotations

import math
from collections.abc import Iterable

import torch

from verigrad.recipe import Optimizer, Schedule


def learning_rate(step: int, *, steps: int, peak: float, schedule: Schedule) -> float:
    """The learning rate of step `step` (from 1) of `steps`.

    Linear warm-up over the first `schedule.warmup` steps (step/warmup of the peak), then constant, or linear or
    cosine decay that reaches `floor` * peak one step after the last.
    """
    if step <= schedule.warmup:
        return peak * step / schedule.warmup
    if schedule.name == "constant":
        return peak
    done = (step - 1 - schedule.warmup) / max(steps - schedule.warmup, 1)
    shape = 1.0 - done if schedule.name == "linear" else 0.5 * (1.0 + math.cos(math.pi * done))
    return peak * (schedule.floor + (1.0 - schedule.floor) * shape)


def build_optimizer(parameters: Iterable[torch.nn.Parameter], optimizer: Optimizer, lr: float) -> torch.optim.AdamW:
    """AdamW (Loshchilov and Hutter, arXiv:1711.05101) over these parameters, fused where the device has it."""
    trainable = [p for p in parameters if p.requires_grad]
    fused = all(p.device.type in {"cpu", "cuda"} for p in trainable)
    return torch.optim.AdamW(
        trainable,
        lr=lr,
        betas=optimizer.betas,
        eps=optimizer.eps,
        weight_decay=optimizer.weight_decay,
        fused=fused,
    )
