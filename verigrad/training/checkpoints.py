"""The optimizer's state on disk: exact bits, so that a resumed run equals the undisturbed one.

`state/optimizer.safetensors` holds AdamW's moments by parameter name, `state/state.json` the counts. Weights are
saved by `models`; folders are renamed into place by `store`.
"""

from __future__ import annotations

import json
from pathlib import Path

import torch
from safetensors import SafetensorError
from safetensors.torch import load_file, save_file

from verigrad.errors import VerigradError
from verigrad.training.update import Trainer

_MOMENTS = ("exp_avg", "exp_avg_sq")


def save_state(trainer: Trainer, folder: Path, *, version: int) -> None:
    """Write the optimizer's state into `folder` (made if missing). `version` is the published weights' version."""
    folder.mkdir(parents=True, exist_ok=True)
    tensors: dict[str, torch.Tensor] = {}
    updates: dict[str, float] = {}
    for name, parameter in _named(trainer):
        state = trainer.optimizer.state.get(parameter)
        if state:
            updates[name] = float(state["step"])
            for moment in _MOMENTS:
                tensors[f"{name}.{moment}"] = state[moment].detach().contiguous().cpu()
    save_file(tensors, folder / "optimizer.safetensors")
    (folder / "state.json").write_text(json.dumps({"version": version, "updates": updates}), encoding="utf-8")


def load_state(trainer: Trainer, folder: Path) -> int:
    """Restore what `save_state` wrote into the trainer's optimizer; returns the version. Raises VerigradError."""
    try:
        about = json.loads((folder / "state.json").read_text(encoding="utf-8"))
        tensors = load_file(folder / "optimizer.safetensors")
        for name, parameter in _named(trainer):
            if name in about["updates"]:
                state = trainer.optimizer.state[parameter]
                state["step"] = torch.tensor(about["updates"][name], dtype=torch.float32)
                for moment in _MOMENTS:
                    state[moment] = tensors[f"{name}.{moment}"].to(parameter.device, parameter.dtype)
    except (OSError, KeyError, ValueError, SafetensorError) as error:
        reason = " ".join(str(error).split())[:200]
        raise VerigradError(f"{folder} holds no optimizer state of this model ({reason})") from error
    return int(about["version"])


def _named(trainer: Trainer) -> list[tuple[str, torch.nn.Parameter]]:
    return [(n, p) for n, p in trainer.policy.module.named_parameters() if p.requires_grad]
