"""AdamW, the learning rate of a step, the clipped gradient. Left out: when a step is taken (update)."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

import torch

from verigrad.errors import Stopped
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


def set_rates(
    optimizer: torch.optim.AdamW, peaks: Sequence[float], step: int, *, steps: int, schedule: Schedule
) -> float:
    """Set the learning rate of each group of parameters, one peak a group; returns the first group's."""
    rates = [learning_rate(step, steps=steps, peak=peak, schedule=schedule) for peak in peaks]
    for group, rate in zip(optimizer.param_groups, rates, strict=True):
        group["lr"] = rate
    return rates[0]


def clipped_step(optimizer: torch.optim.AdamW, max_norm: float, *, step: int) -> float:
    """Clip the gradient of all groups together and take the step; returns the norm before. Raises Stopped on a NaN."""
    parameters = [p for group in optimizer.param_groups for p in group["params"]]
    for p in parameters:
        # A parameter no active row reached still takes its AdamW step with a zero gradient, as if it had been.
        if p.grad is None:
            p.grad = torch.zeros_like(p)
    norm = float(torch.nn.utils.clip_grad_norm_(parameters, max_norm))
    if not math.isfinite(norm):
        raise Stopped(f"step {step}: the gradient's norm is {norm}; a smaller train.lr or optimizer.max_norm")
    optimizer.step()
    return norm
