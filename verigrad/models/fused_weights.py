"""A module's decoder layer as a fused Layer: whether its structure is that of the Llama kind, and its weights merged.

Left out: the arithmetic (fused_layer), and whether the numbers agree (twin).
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import torch
from torch import Tensor, nn

from verigrad.models.adapters import ADAPTER, adapter_of
from verigrad.models.fused_layer import Beside, Besides, Layer, Sink
from verigrad.models.tree_attention import Kind


def layer_of(
    module: nn.Module, dtype: torch.dtype, like: Kind, hand_on: Callable[[Tensor, Tensor], None]
) -> tuple[Layer, list[tuple[Tensor, Tensor]]] | None:
    """A module's decoder layer as a Layer with weights of its own; None where its structure is another.

    Also the pairs of the module's parameters and the views that hold them. `like`: what its attention asked for.
    `hand_on(parameter, gradient)` is called in backward for each parameter that wants a gradient.
    """
    found = _parts(module)
    if found is None or like.cap is not None:
        return None
    attention, mlp, norm1, norm2 = found
    four = attention.q_proj, attention.k_proj, attention.v_proj, attention.o_proj
    q, k, v, o = (_linear(module) for module in four)
    gate, up, down = (_linear(module) for module in (mlp.gate_proj, mlp.up_proj, mlp.down_proj))
    groups, repeat = like.groups, like.repeat
    width = k.weight.shape[0] // groups
    pairs: list[tuple[Tensor, Tensor]] = []
    sinks: list[Sink | None] = []

    def heads(whole: Tensor) -> list[Tensor]:
        split = whole.view(groups, repeat + 2, width, *whole.shape[1:])
        return [split[:, :repeat], split[:, repeat], split[:, repeat + 1]]

    def to(parameter: Tensor) -> Sink | None:
        return (lambda gradient: hand_on(parameter, gradient)) if parameter.requires_grad else None

    def own(parameter: Tensor) -> Tensor:
        pairs.append((parameter, parameter.detach().to(dtype, copy=True)))
        return pairs[-1][1]

    def beside(modules: list[nn.Module], views: Callable[[Tensor], list[Tensor]]) -> Besides:
        """Adapters of the members of one product, whose columns `views` tells apart."""
        found = [(n, adapter) for n, adapter in enumerate(map(adapter_of, modules)) if adapter is not None]
        return tuple(
            Beside(
                down_RI=own(a.down_RI),
                up_OR=own(a.up_OR),
                scale=a.scale,
                columns=partial(nth, views, n),
                to_down=to(a.down_RI),
                to_up=to(a.up_OR),
            )
            for n, a in found
        )

    def nth(views: Callable[[Tensor], list[Tensor]], n: int, y: Tensor) -> Tensor:
        return views(y)[n]

    def columns_of_heads(y: Tensor) -> list[Tensor]:
        split = y.view(len(y), groups, repeat + 2, width)
        return [split[:, :, :repeat], split[:, :, repeat], split[:, :, repeat + 1]]

    def merged(members: list[Tensor], views: Callable[[Tensor], list[Tensor]]) -> Tensor:
        shape = (sum(len(member) for member in members), *members[0].shape[1:])
        whole = torch.empty(shape, dtype=dtype, device=members[0].device)
        for member, view in zip(members, views(whole), strict=True):
            view.copy_(member.detach().view(view.shape))
            pairs.append((member, view))

        def sink(gradient: Tensor) -> None:
            for member, view in zip(members, views(gradient), strict=True):
                if member.requires_grad:
                    hand_on(member, view.reshape(member.shape))

        sinks.append(sink if any(member.requires_grad for member in members) else None)
        return whole

    def alone(member: Tensor) -> Tensor:
        return merged([member], lambda whole: [whole])

    norm1_H, qkv = alone(norm1.weight), merged([q.weight, k.weight, v.weight], heads)
    bias = None
    if q.bias is None:
        sinks.append(None)
    else:
        bias = merged([q.bias, k.bias, v.bias], heads)
    layer = Layer(
        norm1_H=norm1_H,
        qkv=qkv,
        bias=bias,
        out=alone(o.weight),
        norm2_H=alone(norm2.weight),
        gate_up=merged([gate.weight, up.weight], lambda whole: list(whole.chunk(2))),
        down=alone(down.weight).requires_grad_(),
        sinks=tuple(sinks),
        beside=(
            beside([attention.q_proj, attention.k_proj, attention.v_proj], columns_of_heads),
            beside([attention.o_proj], lambda y: [y]),
            beside([mlp.gate_proj, mlp.up_proj], lambda y: list(y.chunk(2, dim=1))),
            beside([mlp.down_proj], lambda y: [y]),
        ),
        eps=float(norm1.variance_epsilon if hasattr(norm1, "variance_epsilon") else norm1.eps),
        groups=groups,
        repeat=repeat,
        width=width,
        scale=like.scale,
        window=like.window,
    )
    return layer, pairs


def _parts(module: nn.Module) -> tuple[Any, Any, Any, Any] | None:
    """Attention, MLP and the two norms of a layer that has exactly the parameters of this file's head, and adapters."""
    linear = [f"self_attn.{x}_proj" for x in "qkvo"] + [f"mlp.{x}_proj" for x in ("gate", "up", "down")]
    beside = {f"{name}.lora_{x}.{ADAPTER}.weight" for name in linear for x in "AB"}
    names = {name.replace(".base_layer.", ".") for name, _ in module.named_parameters() if name not in beside}
    plain = {f"{name}.weight" for name in linear} | {"input_layernorm.weight", "post_attention_layernorm.weight"}
    if names not in (plain, plain | {f"self_attn.{x}_proj.bias" for x in "qkv"}):
        return None
    if not all(type(_linear(module.get_submodule(name))) is nn.Linear for name in linear):
        return None
    return (
        module.get_submodule("self_attn"),
        module.get_submodule("mlp"),
        module.get_submodule("input_layernorm"),
        module.get_submodule("post_attention_layernorm"),
    )


def _linear(module: nn.Module) -> Any:
    """The layer itself, where it has an adapter."""
    adapter = adapter_of(module)
    return module if adapter is None else adapter.base
