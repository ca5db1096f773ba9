"""AdamW's moments by parameter name, and back: exact bits. Left out: files (checkpoints, stepping)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import torch

_MOMENTS = ("exp_avg", "exp_avg_sq")

Trained = Iterable[tuple[str, torch.nn.Parameter, torch.optim.AdamW]]
"""Parameters with their names on disk and the optimizers that hold their moments."""


def moments_of(trained: Trained) -> tuple[dict[str, torch.Tensor], dict[str, float]]:
    """Tensors on the CPU as they are written, and how many updates each parameter had; none for one without any."""
    tensors: dict[str, torch.Tensor] = {}
    updates: dict[str, float] = {}
    for name, parameter, optimizer in trained:
        state = optimizer.state.get(parameter)
        if state:
            updates[name] = float(state["step"])
            for moment in _MOMENTS:
                tensors[f"{name}.{moment}"] = state[moment].detach().contiguous().cpu()
    return tensors, updates


def put_moments(trained: Trained, tensors: Mapping[str, torch.Tensor], updates: Mapping[str, float]) -> None:
    """What `moments_of` gave, back into the optimizers. Raises KeyError where a tensor is missing."""
    for name, parameter, optimizer in trained:
        if name in updates:
            state = optimizer.state[parameter]
            state["step"] = torch.tensor(updates[name], dtype=torch.float32)
            for moment in _MOMENTS:
                state[moment] = tensors[f"{name}.{moment}"].to(parameter.device, parameter.dtype)
