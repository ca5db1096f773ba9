"""Low-rank adapters in place of all weights (LoRA, Hu et al., arXiv:2106.09685), put in by peft.

    lm = add_lora(base, recipe.model.lora, seed=seed("lora", run_seed, stage))
    reference = freeze(lm)      # adapters off: the base's own frozen parameters, no second copy

The Hugging Face module stays what it is, with some of its linear layers replaced by peft's. What needs a gradient is
the adapters alone, so the optimizer, its state and checkpoints hold nothing else. Files are peft's own, in float32.
Left out: dropout of an adapter's input (log-probs before and after an update must be one network's), adapters on
embeddings and on a head whose weights are the embedding's, other kinds of adapters.
"""

from __future__ import annotations

import copy
import json
import warnings
from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Protocol, TypeVar, cast, runtime_checkable

import torch
from safetensors import SafetensorError
from safetensors.torch import load_file, save_file
from torch import Tensor, nn
from transformers import PreTrainedModel
from transformers.pytorch_utils import Conv1D

from verigrad.errors import Refused, VerigradError
from verigrad.models.adapters import ADAPTER, adapters_of, merged
from verigrad.recipe import Lora

CONFIG, WEIGHTS = "adapter_config.json", "adapter_model.safetensors"
PREFIX = "base_model.model."
"""What peft's files put before the name of a parameter."""


@dataclass(frozen=True, kw_only=True)
class Adapted:
    """What of a model is adapters."""

    rank: int
    """Width of each."""
    alpha: float
    """Scale times rank."""
    layers: tuple[str, ...]
    """Last parts of the names of the layers that have one, sorted."""
    numbers: int
    """Numbers that are trained."""


@runtime_checkable
class Held(Protocol):
    """What holds a module: a LanguageModel, or a Scorer."""

    @property
    def module(self) -> PreTrainedModel:
        """The Hugging Face module."""
        ...

    @property
    def name(self) -> str:
        """Where it came from."""
        ...


H = TypeVar("H", bound=Held)


def add_lora(lm: H, lora: Lora, *, seed: int) -> H:
    """The model with adapters: a structure of its own over the parameters of `lm`, which are frozen from here on.

    A is drawn as peft does (Kaiming uniform) from `seed` alone, B is zero: the first log-probs are the base's, bit for
    bit. Of a Scorer the head called score is trained too, as a copy of its own. Raises Refused with key
    "model.lora.layers" or "model.lora.dropout"; ValueError where it has adapters already.
    """
    from peft import LoraConfig, inject_adapter_in_model

    if adapters_of(lm.module):
        raise ValueError("the model has adapters already; merge them first")
    check_lora(lm, lora)
    heads = [p for name, p in lm.module.named_parameters() if _is_head(name)]
    module = copy.deepcopy(lm.module, {id(p): p for p in lm.module.parameters() if not any(p is h for h in heads)})
    assert lora.alpha is not None, "the recipe fills alpha in"
    config = LoraConfig(
        task_type="SEQ_CLS" if heads else "CAUSAL_LM",
        base_model_name_or_path=lm.name,
        r=lora.rank,
        lora_alpha=lora.alpha,
        target_modules=_layers(module, lora.layers),
        fan_in_fan_out=any(isinstance(m, Conv1D) for m in module.modules()),
    )
    with torch.random.fork_rng(devices=[]), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        torch.manual_seed(seed)
        module.requires_grad_(False)
        inject_adapter_in_model(config, module, ADAPTER)
    for name, p in module.named_parameters():
        if _is_head(name):
            p.requires_grad_()
    return _with(lm, module.eval())


def check_lora(lm: Held, lora: Lora) -> None:
    """Refuse, with its key, what `add_lora` would: before anything is measured that is thrown away then."""
    if lora.dropout > 0:
        raise Refused(
            f"model.lora.dropout = {lora.dropout:g}: log-probs before, in and after an update must be one network's; "
            "use dropout = 0",
            key="model.lora.dropout",
        )
    _layers(lm.module, lora.layers)


def lora_of(lm: Held) -> Adapted | None:
    """What of the model is adapters; None where all weights are its own."""
    found = adapters_of(lm.module)
    if not found:
        return None
    first = next(iter(found.values()))
    rank = first.down_RI.shape[0]
    return Adapted(
        rank=rank,
        alpha=first.scale * rank,
        layers=tuple(sorted({name.rpartition(".")[2] for name in found})),
        numbers=sum(a.down_RI.numel() + a.up_OR.numel() for a in found.values()),
    )


def merge(lm: H) -> H:
    """The model with its adapters added into weights of its own, in float32; without adapters the model itself."""
    return _with(lm, merged(lm.module)) if adapters_of(lm.module) else lm


def save_adapter(lm: Held, folder: Path) -> None:
    """Write the adapters as peft does, in float32: PeftModel.from_pretrained(base, folder) loads them."""
    config = _config(lm).to_dict()
    config = {key: sorted(value) if isinstance(value, set) else value for key, value in config.items()}
    config |= {"peft_type": "LORA", "inference_mode": True}
    if config["task_type"] == "SEQ_CLS":
        config["modules_to_save"] = ["score"]
    folder.mkdir(parents=True, exist_ok=True)
    tensors = {name: p.detach().contiguous().cpu() for name, p in _named(lm.module).items()}
    save_file(tensors, folder / WEIGHTS, metadata={"format": "pt"})
    (folder / CONFIG).write_text(json.dumps(config, indent=2, sort_keys=True) + "\n", encoding="utf-8")


def restore_adapter(lm: Held, folder: Path) -> None:
    """Put the adapters that `save_adapter` wrote back in place, bit for bit. Raises VerigradError."""
    named = _named(lm.module)
    try:
        alpha = json.loads((folder / CONFIG).read_text(encoding="utf-8"))["lora_alpha"]
        if alpha != (own := _config(lm).lora_alpha):
            raise ValueError(f"their alpha is {alpha:g}, here it is {own:g}")
        tensors = load_file(folder / WEIGHTS)
        if odd := sorted(tensors.keys() ^ named.keys()):
            raise ValueError(f"they are on other layers ({odd[0].removeprefix(PREFIX)})")
        for name, p in named.items():
            if tensors[name].shape != p.shape:
                raise ValueError(f"{name.removeprefix(PREFIX)} is {list(tensors[name].shape)}, here {list(p.shape)}")
    except (OSError, KeyError, ValueError, SafetensorError) as error:
        reason = " ".join(str(error).split())[:200]
        raise VerigradError(f"{folder}: no adapters of this model: {reason}") from None
    with torch.no_grad():
        for name, p in named.items():
            p.copy_(tensors[name])


def _named(module: nn.Module) -> dict[str, Tensor]:
    """The adapters' parameters by peft's names of them."""
    middle = f".{ADAPTER}."
    return {
        PREFIX + name.replace(middle, "."): p
        for name, p in module.named_parameters()
        if f"lora_A{middle}" in name or f"lora_B{middle}" in name or _is_head(name)
    }


def _is_head(name: str) -> bool:
    """A scorer's own head, which is small and trained as it is."""
    return name in ("score.weight", "score.bias")


def _with(lm: H, module: PreTrainedModel) -> H:
    return cast(H, replace(cast(Any, lm), module=module))


def _config(lm: Held) -> Any:
    return lm.module.peft_config[ADAPTER]


def _layers(module: PreTrainedModel, asked: str | tuple[str, ...]) -> list[str]:
    """Names for peft, sorted: of every linear layer but the head, or those asked for. Raises Refused."""
    head: Any = module.get_output_embeddings()
    tied = head is not None and head.weight is module.get_input_embeddings().weight
    linear = [
        name
        for name, m in module.named_modules()
        if type(m) in (nn.Linear, Conv1D) and not (tied and m is head) and not _is_head(f"{name}.weight")
    ]
    if asked == "all-linear":
        names = {name.rpartition(".")[2] for name in linear if module.get_submodule(name) is not head}
        if not names:
            raise Refused(f"{type(module).__name__} has no linear layers for adapters", key="model.lora.layers")
        return sorted(names)
    names = {asked} if isinstance(asked, str) else set(asked)
    for name in sorted(names):
        everyone = [n for n, _ in module.named_modules() if n == name or n.endswith(f".{name}")]
        if not everyone or not set(everyone) <= set(linear):
            why = "there is no such layer" if not everyone else _why_not(module, everyone, linear)
            raise Refused(f"model.lora.layers: {name}: {why}; it has {_some(linear)}", key="model.lora.layers")
    return sorted(names)


def _why_not(module: PreTrainedModel, names: Iterable[str], linear: Iterable[str]) -> str:
    shares = any(module.get_submodule(n) is module.get_output_embeddings() for n in set(names) - set(linear))
    return "its weights are the embedding's" if shares else "it is no linear layer"


def _some(linear: Iterable[str]) -> str:
    return ", ".join(sorted({name.rpartition(".")[2] for name in linear}))
