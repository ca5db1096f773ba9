"""A module with low-rank adapters (peft's LoRA layers), and what can be made of it without copying its frozen weights.

A layer W with an adapter computes W x + scale * B (A x) (Hu et al., arXiv:2106.09685, section 4.1). Each function here
gives another structure over the same base parameters: the adapters taken out, merged, as copies, or filled with random
numbers for a probe. Left out: putting adapters in, and files (lora); arithmetic of the fast paths (fused_layer,
sampling.weights).
"""

from __future__ import annotations

import copy
from dataclasses import dataclass
from typing import Any, cast

import torch
from torch import Tensor, nn
from transformers import PreTrainedModel

ADAPTER = "default"
"""peft's name of the one adapter a layer has here."""


@dataclass(frozen=True, kw_only=True)
class Adapter:
    """One layer's adapter."""

    base: nn.Module
    """The layer itself, frozen."""
    down_RI: Tensor
    """A: [rank, inputs]."""
    up_OR: Tensor
    """B: [outputs, rank]; zeros at the start."""
    scale: float
    """alpha / rank."""


def adapter_of(module: nn.Module) -> Adapter | None:
    """The adapter of a peft layer; None of any other module."""
    downs = getattr(module, "lora_A", None)
    if not isinstance(downs, nn.ModuleDict) or ADAPTER not in downs:
        return None
    layer: Any = module
    return Adapter(
        base=layer.base_layer,
        down_RI=layer.lora_A[ADAPTER].weight,
        up_OR=layer.lora_B[ADAPTER].weight,
        scale=float(layer.scaling[ADAPTER]),
    )


def adapters_of(module: nn.Module) -> dict[str, Adapter]:
    """All adapters by the name of their layer; empty where every weight is the module's own."""
    found = {name: adapter_of(layer) for name, layer in module.named_modules()}
    return {name: adapter for name, adapter in found.items() if adapter is not None}


def taken_out(module: PreTrainedModel) -> PreTrainedModel:
    """The module as it was before it had adapters, over the same parameters."""
    memo = _shared(module)
    for layer in module.modules():
        if adapter := adapter_of(layer):
            memo[id(layer)] = copy.deepcopy(adapter.base, memo)
    return _plain(module, memo)


def merged(module: PreTrainedModel) -> PreTrainedModel:
    """A module without adapters whose weights have them added in, W + scale * B A, in float32.

    Only layers with an adapter get weights of their own.
    """
    memo = _shared(module)
    for layer in module.modules():
        if adapter := adapter_of(layer):
            base = cast(Any, adapter.base)
            delta: Tensor = cast(Any, layer).get_delta_weight(ADAPTER)  # it knows which layers are transposed
            weight = nn.Parameter(base.weight.detach() + delta.detach(), requires_grad=False)
            memo[id(layer)] = copy.deepcopy(base, {**memo, id(base.weight): weight})
    return _plain(module, memo)


def copied(module: PreTrainedModel, *, requires_grad: bool) -> PreTrainedModel:
    """The same with adapters of its own, equal to these."""
    memo = _shared(module)
    for adapter in adapters_of(module).values():
        for p in (adapter.down_RI, adapter.up_OR):
            memo[id(p)] = nn.Parameter(p.detach().clone(), requires_grad=requires_grad)
    return copy.deepcopy(module, memo)


def filled(module: PreTrainedModel, seed: int = 0) -> PreTrainedModel:
    """The same with adapters that are not zero, for a probe: fresh ones would hide what is wrong with their products.

    Without adapters: the module itself.
    """
    adapters = adapters_of(module)
    if not adapters:
        return module
    memo, generator = _shared(module), torch.Generator().manual_seed(seed)
    for adapter in adapters.values():
        like, up = cast(Any, adapter.base).weight, adapter.up_OR
        numbers = torch.randn(up.shape, generator=generator).to(up.device, up.dtype) * like.detach().std()
        memo[id(up)] = nn.Parameter(numbers, requires_grad=up.requires_grad)
    return copy.deepcopy(module, memo)


def _shared(module: nn.Module) -> dict[int, Any]:
    return {id(p): p for p in module.parameters()}


def _plain(module: PreTrainedModel, memo: dict[int, Any]) -> PreTrainedModel:
    found: PreTrainedModel = copy.deepcopy(module, memo)
    vars(found).pop("peft_config", None)
    return found
