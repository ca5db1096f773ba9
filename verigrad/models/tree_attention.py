"""Attention over the paths of a Layout, as a function transformers' AttentionInterface calls.

    with attending(module, Seat(layout)):
        module(input_ids=layout.token_N[None], position_ids=layout.position_N[None], use_cache=False)

Within it the module's attention is this function and nothing else: it takes `scaling`, grouped heads, `sliding_window`
(by position) and `softcap`, and raises on anything else that would change the result (sinks, dropout, masks).
Probabilities are recomputed in the backward pass, so that memory is linear in tokens. Products and one softmax a
block instead of the fused kernel: on a CPU its backward pass takes several times their time. Left out: key and value
caches (sampling).
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, cast

import torch
from torch import Tensor
from transformers import AttentionInterface, PreTrainedModel

from verigrad.models.layout import Block, Layout

NAME = "verigrad_tree"
HARMLESS = frozenset({"position_ids", "position_embeddings", "cache_position", "use_cache", "output_attentions"})
"""What modules hand on to their attention although it changes nothing in it."""


class Unfit(Exception):
    """The module asks its attention for something that is not implemented here. Caught by the probe."""


class Seat:
    """The layout of the forward under way, and the windows its layers named."""

    def __init__(self, layout: Layout) -> None:
        self.layout = layout
        self.windows: list[int | None] = []


_SEAT: ContextVar[Seat | None] = ContextVar("verigrad_tree", default=None)


@contextmanager
def attending(module: PreTrainedModel, seat: Seat) -> Iterator[None]:
    """Within it the module attends by the tree, its own attention comes back after; also around a recomputation."""
    before = module.config._attn_implementation
    module.config._attn_implementation = NAME
    token = _SEAT.set(seat)
    try:
        yield
    finally:
        _SEAT.reset(token)
        module.config._attn_implementation = before


def tree_attention(
    module: torch.nn.Module,
    query: Tensor,
    key: Tensor,
    value: Tensor,
    attention_mask: Tensor | None,
    scaling: float | None = None,
    dropout: float = 0.0,
    sliding_window: int | None = None,
    softcap: float | None = None,
    **others: Any,
) -> tuple[Tensor, None]:
    """[1, H, N, D] queries over [1, Hkv, N, D] keys and values: [1, N, H, D]. Raises Unfit."""
    seat = _SEAT.get()
    if seat is None:
        raise Unfit("the tree attention was called outside its context")
    odd = sorted(name for name, v in others.items() if name not in HARMLESS and v is not None and v is not False)
    if others.get("is_causal", True) is True and "is_causal" in odd:
        odd.remove("is_causal")
    if odd:
        raise Unfit(f"its attention takes {', '.join(odd)}")
    if attention_mask is not None:
        raise Unfit("it hands a mask to its attention")
    if dropout:
        raise Unfit("its attention drops out")
    if not getattr(module, "is_causal", True):
        raise Unfit("its attention is not causal")
    if query.shape[0] != 1 or query.shape[2] != len(seat.layout.token_N) or key.shape[2] != query.shape[2]:
        raise Unfit("its attention is not over the sequence it was given")
    seat.windows.append(sliding_window)
    scale = query.shape[-1] ** -0.5 if scaling is None else scaling
    q_NHD, k_NMD, v_NMD = (x[0].transpose(0, 1) for x in (query, key, value))
    out_NHD = _Tree.apply(q_NHD, k_NMD, v_NMD, seat.layout, scale, sliding_window, softcap)  # type: ignore[no-untyped-call]
    return cast(Tensor, out_NHD)[None], None


class _Tree(torch.autograd.Function):
    """softmax(cap(scale q k^T) + mask) v, block by block; see the file's head."""

    @staticmethod
    def forward(
        ctx: Any,
        query_NHD: Tensor,
        key_NMD: Tensor,
        value_NMD: Tensor,
        layout: Layout,
        scale: float,
        window: int | None,
        cap: float | None,
    ) -> Tensor:
        count, heads, _ = query_NHD.shape
        groups, width = key_NMD.shape[1], value_NMD.shape[2]
        blocks, inverse_N = layout.blocks(heads, window)
        q, k, v = _rows(query_NHD, groups), _rows(key_NMD, groups), _rows(value_NMD, groups)
        parts = []
        for block in blocks:
            qb, kb, vb = _take(block, q, k, v, groups, heads // groups)
            p, _ = _probabilities(block, qb, kb, scale, cap, groups)
            parts.append(torch.bmm(p, vb).view(-1, heads // groups * width))
        out = _put(parts, blocks, inverse_N, groups)
        ctx.save_for_backward(query_NHD, key_NMD, value_NMD)
        ctx.arguments = layout, scale, window, cap
        return out.view(count, heads, width)

    @staticmethod
    def backward(ctx: Any, *grads: Tensor) -> tuple[Tensor | None, ...]:
        query_NHD, key_NMD, value_NMD = ctx.saved_tensors
        layout, scale, window, cap = ctx.arguments
        heads, groups = query_NHD.shape[1], key_NMD.shape[1]
        blocks, inverse_N = layout.blocks(heads, window)
        q, k, v = _rows(query_NHD, groups), _rows(key_NMD, groups), _rows(value_NMD, groups)
        d = _rows(grads[0], groups)
        parts: list[Tensor] = []
        dk, dv = _Sum(k), _Sum(v)
        for block in blocks:
            qb, kb, vb = _take(block, q, k, v, groups, heads // groups)
            p, capped = _probabilities(block, qb, kb, scale, cap, groups)
            index, padding = _query_rows(block, groups)
            out = d.index_select(0, index)
            if padding is not None:
                out.index_fill_(0, padding, 0.0)
            ob = out.view(len(p), p.shape[1], -1)
            dv.add(block, torch.bmm(p.mT, ob), groups)
            ds = torch.bmm(ob, vb.mT)
            ds = torch.ops.aten._softmax_backward_data(ds, p, -1, p.dtype)
            if capped is not None and cap is not None:
                ds.mul_(1 - (capped / cap) ** 2)
            parts.append(_scaled(ds, kb, scale).view(-1, q.shape[1]))
            dk.add(block, _scaled(ds.mT, qb, scale), groups)
        dq = _put(parts, blocks, inverse_N, groups)
        return dq.view_as(query_NHD), dk.value.view_as(key_NMD), dv.value.view_as(value_NMD), None, None, None, None


def _rows(x_NHD: Tensor, groups: int) -> Tensor:
    """[N * Hkv, rep * D]: what one key head serves of one token is one contiguous row, so that gathers copy rows."""
    return x_NHD.reshape(x_NHD.shape[0] * groups, -1)


def _head_rows(index: Tensor, groups: int) -> Tensor:
    """Token indices [A, X] as rows of `_rows`, in order [A, Hkv, X], flat."""
    return (index[:, None] * groups + torch.arange(groups, device=index.device)[None, :, None]).reshape(-1)


def _query_rows(block: Block, groups: int) -> tuple[Tensor, Tensor | None]:
    """Rows of `_rows` that a block's queries are, and which of its rows are padding."""
    if block.padding is None:
        return _head_rows(block.query_AQ, groups), None
    rows = block.query_AQ.shape[1]
    a, i = block.padding // rows, block.padding % rows
    head = torch.arange(groups, device=a.device)
    return _head_rows(block.query_AQ, groups), ((a[:, None] * groups + head) * rows + i[:, None]).reshape(-1)


def _take(block: Block, q: Tensor, k: Tensor, v: Tensor, groups: int, repeat: int) -> tuple[Tensor, Tensor, Tensor]:
    """[A * Hkv, Q * rep, D] queries and [A * Hkv, K, D] keys and values of a block."""
    A, Q = block.query_AQ.shape
    keys = _head_rows(block.key_AK, groups)
    return (
        q.index_select(0, _head_rows(block.query_AQ, groups)).view(A * groups, Q * repeat, -1),
        k.index_select(0, keys).view(A * groups, block.key_AK.shape[1], -1),
        v.index_select(0, keys).view(A * groups, block.key_AK.shape[1], -1),
    )


def _scaled(a: Tensor, b: Tensor, scale: float) -> Tensor:
    """A product of batches, scaled within it."""
    return torch.baddbmm(a.new_empty(()), a, b, beta=0, alpha=scale)


def _probabilities(
    block: Block, q: Tensor, k: Tensor, scale: float, cap: float | None, groups: int
) -> tuple[Tensor, Tensor | None]:
    """[A * Hkv, Q * rep, K]; and the capped scores before the mask, where there is a cap."""
    A, Q = block.query_AQ.shape
    scores = _scaled(q, k.mT, scale)
    capped = None
    if cap is not None:
        scores.div_(cap).tanh_().mul_(cap)
        capped = scores.clone()
    masked = scores.view(A, groups, Q, -1, k.shape[1])[..., block.shown :]
    masked.masked_fill_(block.hidden_AQK[:, None, :, None], -torch.inf)
    return torch.softmax(scores, -1), capped


def _put(parts: list[Tensor], blocks: tuple[Block, ...], inverse_N: Tensor, groups: int) -> Tensor:
    """Rows [A, Hkv, Q] of all blocks back to [N * Hkv]."""
    shapes = [tuple(block.query_AQ.shape) for block in blocks]
    ordered = [
        part.view(A, groups, Q, -1).transpose(1, 2).reshape(A * Q, -1)
        for part, (A, Q) in zip(parts, shapes, strict=True)
    ]
    return torch.cat(ordered).index_select(0, inverse_N)


class _Sum:
    """Gradients of keys or values, added up token by token in float32 over a block and over blocks."""

    def __init__(self, like: Tensor) -> None:
        self.like = like
        self.total: Tensor | None = None

    def add(self, block: Block, grad: Tensor, groups: int) -> None:
        A, K = block.key_AK.shape
        rows = grad.view(A, groups, K, -1).transpose(1, 2).reshape(A * K, -1)
        part = torch.nn.functional.embedding_bag(block.bag_J, rows, block.offset_U, mode="sum")
        if block.everything and self.total is None:
            self.total = part
            return
        if self.total is None:
            self.total = torch.zeros(len(self.like) // groups, part.shape[1], device=part.device)
        self.total = self.total.float()
        self.total.index_copy_(0, block.keys_U, self.total.index_select(0, block.keys_U).add_(part))

    @property
    def value(self) -> Tensor:
        assert self.total is not None, "a layout without a block"
        return self.total.to(self.like.dtype)


AttentionInterface.register(NAME, tree_attention)
