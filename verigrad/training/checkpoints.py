"""A trainer's state on disk: exact bits, so that a resumed run equals the undisturbed one.

`state/optimizer.safetensors` holds AdamW's moments by parameter name, `critic.safetensors` the critic's weights,
`reference.safetensors` a reference that is replaced on the way, `state.json` counts and the KL coefficient. Only files
the method asks for are there. The policy's weights are saved by `models`; folders are renamed into place by `store`.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import torch
from safetensors import SafetensorError
from safetensors.torch import load_file, save_file

from verigrad.errors import VerigradError
from verigrad.models import Working, freeze
from verigrad.training.moments import moments_of, put_moments
from verigrad.training.reference import adapts, refresh_every, with_coefficient
from verigrad.training.update import Trainer

_CRITIC = "critic."


def save_state(trainer: Trainer, folder: Path, *, version: int) -> None:
    """Write the trainer's state into `folder` (made if missing). `version` is the published weights' version."""
    folder.mkdir(parents=True, exist_ok=True)
    tensors, updates = moments_of(_trained(trainer))
    save_file(tensors, folder / "optimizer.safetensors")
    about: dict[str, Any] = {"version": version, "updates": updates}
    if trainer.critic is not None:
        weights = {name: _on_disk(p) for name, p in trainer.critic.named_parameters()}
        save_file(weights, folder / "critic.safetensors")
    if adapts(trainer.method):
        about["kl_coefficient"] = trainer.method.kl.coefficient  # type: ignore[union-attr]
    if refresh_every(trainer.method) and trainer.reference is not None:
        about["refreshed"] = trainer.refreshed
        save_file(_reference(trainer), folder / "reference.safetensors")
    (folder / "state.json").write_text(json.dumps(about), encoding="utf-8")


def load_state(trainer: Trainer, folder: Path) -> int:
    """Restore what `save_state` wrote into the trainer; returns the version. Raises VerigradError.

    The policy's own weights must be restored already.
    """
    try:
        about = json.loads((folder / "state.json").read_text(encoding="utf-8"))
        put_moments(_trained(trainer), load_file(folder / "optimizer.safetensors"), about["updates"])
        if trainer.critic is not None:
            _put(load_file(folder / "critic.safetensors"), dict(trainer.critic.named_parameters()))
            trainer.critic.sync()
        if adapts(trainer.method):
            trainer.method = with_coefficient(trainer.method, float(about["kl_coefficient"]))
        if refresh_every(trainer.method):
            _load_reference(trainer, int(about["refreshed"]), load_file(folder / "reference.safetensors"))
    except (OSError, KeyError, ValueError, RuntimeError, SafetensorError) as error:
        reason = " ".join(str(error).split())[:200]
        raise VerigradError(f"{folder} holds no optimizer state of this model ({reason})") from error
    return int(about["version"])


def _trained(trainer: Trainer) -> list[tuple[str, torch.nn.Parameter, torch.optim.AdamW]]:
    """Every trained parameter with its name on disk and the optimizer that holds its moments."""
    found = [(n, p, trainer.optimizer) for n, p in trainer.policy.module.named_parameters() if p.requires_grad]
    if trainer.critic is not None:
        own = trainer.optimizer if trainer.critic.own is None else trainer.critic.own.optimizer
        found += [(_CRITIC + n, p, own) for n, p in trainer.critic.named_parameters()]
    return found


def _reference(trainer: Trainer) -> dict[str, torch.Tensor]:
    """What of the reference the policy's training can have changed: all, or beside a frozen base its adapters."""
    assert trainer.reference is not None
    trained = {n for n, p in trainer.policy.module.named_parameters() if p.requires_grad}
    return {n: _on_disk(p) for n, p in trainer.reference.lm.module.named_parameters() if n in trained}


def _load_reference(trainer: Trainer, refreshed: int, weights: Mapping[str, torch.Tensor]) -> None:
    trainer.reference = None  # gone before its successor is made: never two at a time
    lm = freeze(trainer.policy, now=refreshed > 0)
    _put(weights, {n: p for n, p in lm.module.named_parameters() if n in weights})
    trainer.reference, trainer.refreshed = Working(lm), refreshed


@torch.no_grad()
def _put(weights: Mapping[str, torch.Tensor], parameters: Mapping[str, torch.nn.Parameter]) -> None:
    """Copy weights into parameters of the same names and shapes. Raises ValueError where they differ."""
    if weights.keys() != parameters.keys():
        raise ValueError(f"no weights called {', '.join(sorted(weights.keys() ^ parameters.keys()))}")
    for name, parameter in parameters.items():
        if weights[name].shape != parameter.shape:
            raise ValueError(f"{name} has another shape")
        parameter.copy_(weights[name])


def _on_disk(tensor: torch.Tensor) -> torch.Tensor:
    return tensor.detach().contiguous().cpu()
