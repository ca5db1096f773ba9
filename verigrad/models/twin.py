"""A bfloat16 twin of a module, whose gradients are added to the float32 master's.

Its parameters are the twin's own; layers of the Llama kind are computed by `fused_layer`, after each was found equal to
the module's, forward and backward, in float32. Left out: when it is used (working).

Against autocast over the float32 weights, SmolLM2-135M on one busy AMX core, sides taking turns: forward and
backward of 64 answers of 32 tokens 5.8 CPU seconds against 9.5 (6.4 with the module's own layers; medians of 3), of 16
answers of 256 tokens 12.5 against 14.2 (13.1; means of 2, which lie within each other's range); peak memory of 16
answers of 32 tokens 0.45 GB over the weights against 1.15, measured once.
Gradient's distance from float32, one objective over 8 answers: 0.094 of its norm against 0.092 (0.134 with the module's
own layers, which add up branches in bfloat16); log-probs 0.029 nats off on average against 0.027.
"""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any, cast

import numpy as np
import torch
from torch import Tensor, nn
from transformers import PreTrainedModel
from transformers.modeling_layers import GradientCheckpointingLayer

from verigrad.models.adapters import filled
from verigrad.models.fused_layer import Layer
from verigrad.models.fused_weights import layer_of
from verigrad.models.layout import lay_out
from verigrad.models.tree_attention import Kind, Seat, attending

SLICE = 262_144
"""Elements of a gradient that are converted at once on a CPU: they stay in its cache."""
EQUAL = 1e-4
"""Of the norm: how far a fused layer may be from the module's in float32."""
Pairs = list[tuple[Tensor, Tensor]]


def sharing(master: PreTrainedModel) -> PreTrainedModel:
    """The same module over the same parameters with a config of its own: whose attention it uses is its own affair,
    and the master's stays what it was, also while several threads are at work.
    """
    module: PreTrainedModel = copy.deepcopy(master, {id(p): p for p in master.parameters()})
    return module


def twin_of(master: PreTrainedModel) -> tuple[PreTrainedModel, Pairs]:
    """The twin, and pairs of the master's parameters and views of the twin's that hold them.

    Buffers stay float32: a rotary frequency in bfloat16 is wrong by half a turn at a few hundred tokens.
    """
    fused, pairs, taken = _fused(master)
    memo: dict[int, object] = {}
    for parameter in master.parameters():
        # What a fused layer holds is not held again.
        data = parameter.detach()[:0] if id(parameter) in taken else parameter.detach()
        twin = nn.Parameter(data.to(torch.bfloat16), requires_grad=parameter.requires_grad)
        memo[id(parameter)] = twin
        if id(parameter) not in taken:
            pairs.append((parameter, twin))
            if twin.requires_grad:
                twin.register_post_accumulate_grad_hook(_handing_on(parameter))  # type: ignore[no-untyped-call]
    module = copy.deepcopy(master, memo)
    module.config.dtype = torch.bfloat16
    for name, layer in fused.items():
        setattr(module.get_submodule(name), "forward", layer.forward)  # noqa: B010
    embedding: Any = module.get_input_embeddings()
    plain = type(embedding) is nn.Embedding
    if plain and embedding.max_norm is None and not embedding.scale_grad_by_freq:
        # Where every layer can take it, what runs through them is float32: the sum of all branches is where rounding
        # to bfloat16 costs most.
        everyone = sum(isinstance(m, GradientCheckpointingLayer) for m in module.modules())
        dtype = torch.float32 if len(fused) == everyone else torch.bfloat16
        embedding.forward = _lookup(embedding, master.get_input_embeddings().weight, dtype)
    return module, pairs


def hand_on(master: Tensor, gradient: Tensor) -> None:
    """Add a gradient to a float32 parameter's. Several times as fast on a CPU as `add_` of mixed types."""
    if master.grad is None:
        master.grad = gradient.to(master.dtype).contiguous()
        return
    total = master.grad
    if total.is_cuda or gradient.dtype is total.dtype:
        total.add_(gradient)
        return
    flat, more = total.view(-1), gradient.reshape(-1)
    buffer = torch.empty(min(SLICE, len(flat)), dtype=total.dtype)
    for start in range(0, len(flat), SLICE):
        piece = more[start : start + SLICE]
        flat[start : start + SLICE].add_(buffer[: len(piece)].copy_(piece))


def _handing_on(master: Tensor) -> Callable[[Tensor], None]:
    def hook(twin: Tensor) -> None:
        gradient, twin.grad = twin.grad, None
        # The hook is also called where every use handed on nothing.
        if gradient is not None:
            hand_on(master, gradient)

    return hook


class _Lookup(torch.autograd.Function):
    """An embedding whose gradient is added to the rows looked up, instead of to a table of zeros of its size."""

    @staticmethod
    def forward(
        ctx: Any, ids: Tensor, weight_VH: Tensor, master_VH: Tensor, padding: int | None, dtype: torch.dtype
    ) -> Tensor:
        ctx.save_for_backward(ids)
        ctx.master, ctx.padding = master_VH, padding
        return nn.functional.embedding(ids, weight_VH).to(dtype)

    @staticmethod
    def backward(ctx: Any, *grads: Tensor) -> tuple[None, ...]:
        ids = ctx.saved_tensors[0].reshape(-1)
        gradient = grads[0].reshape(len(ids), -1).float()
        if ctx.padding is not None:
            gradient = gradient.masked_fill((ids == ctx.padding)[:, None], 0.0)
        if ctx.master.grad is None:
            ctx.master.grad = torch.zeros_like(ctx.master)
        ctx.master.grad.index_add_(0, ids, gradient)
        return None, None, None, None, None


def _lookup(embedding: nn.Embedding, master: Tensor, dtype: torch.dtype) -> Callable[[Tensor], Tensor]:
    def forward(ids: Tensor) -> Tensor:
        found = _Lookup.apply(  # type: ignore[no-untyped-call]
            ids, embedding.weight, master, embedding.padding_idx, dtype
        )
        return cast(Tensor, found)

    return forward


def _fused(master: PreTrainedModel) -> tuple[dict[str, Layer], Pairs, set[int]]:
    """Fused layers by their module's name, what they hold, and the ids of those parameters."""
    fused: dict[str, Layer] = {}
    pairs: Pairs = []
    taken: set[int] = set()
    tried = filled(master)  # fresh adapters add nothing, and a wrong product with them would not be seen
    for name, module in master.named_modules():
        if isinstance(module, GradientCheckpointingLayer):
            like = _like(tried, tried.get_submodule(name))
            found = None if like is None else layer_of(module, torch.bfloat16, like, hand_on)
            if found is not None:
                fused[name] = found[0]
                pairs += found[1]
                taken |= {id(parameter) for parameter, _ in found[1]}
    return fused, pairs, taken


def _like(master: PreTrainedModel, module: nn.Module) -> Kind | None:
    """What this layer's attention asks for, if a fused layer of its weights does the same; else None."""
    generator = np.random.default_rng(0)
    prompts, tokens = generator.integers(0, 9, (2, 3)), generator.integers(0, 9, (4, 6))
    device = next(module.parameters()).device
    layout = lay_out([prompts[i] for i in (0, 1, 0, 1)], tokens, np.array([6, 4, 2, 5]), device)
    width = master.config.get_text_config().hidden_size
    rotary = getattr(master.base_model, "rotary_emb", None)
    if rotary is None:
        return None
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        x = torch.randn(1, len(layout.token_N), width).to(device).requires_grad_()
        weight = torch.randn(1, len(layout.token_N), width).to(device)
    named = [p for p in module.parameters() if p.requires_grad]
    got: dict[int, Tensor] = {}
    seat = Seat(layout)
    try:
        with torch.enable_grad(), attending(master, seat):
            turns = rotary(x, layout.position_N[None])
            theirs = module(x, attention_mask=None, position_embeddings=turns, use_cache=False)
            found = layer_of(module, torch.float32, seat.kinds[0], lambda p, g: got.__setitem__(id(p), g))
            if found is None or not isinstance(theirs, Tensor):
                return None
            mine = found[0].forward(x, position_embeddings=turns)
            due = torch.autograd.grad((theirs * weight).sum(), [x, *named])
            gotten = [torch.autograd.grad((mine * weight).sum(), x)[0], *(got[id(p)] for p in named)]
    except (TypeError, ValueError, RuntimeError, KeyError, IndexError):  # a layer that is called otherwise
        return None
    pairs = [(theirs.detach(), mine.detach()), *zip(due, gotten, strict=True)]
    norm = torch.stack([a.norm() for a in due]).max()
    fits = all(float((a - b).norm()) <= EQUAL * float(a.norm() + 1e-3 * norm) for a, b in pairs)
    return seat.kinds[0] if fits else None
