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
from dataclasses import dataclass
from typing import Any, cast

import torch
from torch import Tensor
from transformers import AttentionInterface, PreTrainedModel

from verigrad.models.fitness import unfit
from verigrad.models.layout import Block, Layout, Plan

NAME = "verigrad_tree"


class Unfit(Exception):
    """The module asks its attention for something that is not implemented here. Caught by the probe."""


class Seat:
    """The layout of the forward under way, and what kind of attention its layers asked for."""

    def __init__(self, layout: Layout) -> None:
        self.layout = layout
        self.kinds: list[Kind] = []


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


def seat_now() -> Seat:
    """The seat of the forward under way. Raises Unfit."""
    seat = _SEAT.get()
    if seat is None:
        raise Unfit("the tree attention was called outside its context")
    return seat


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
    seat = seat_now()
    if why := unfit(module, attention_mask, dropout, others):
        raise Unfit(why)
    if query.shape[0] != 1 or query.shape[2] != len(seat.layout.token_N) or key.shape[2] != query.shape[2]:
        raise Unfit("its attention is not over the sequence it was given")
    scale = query.shape[-1] ** -0.5 if scaling is None else scaling
    kind = query.device.type
    dtype = torch.get_autocast_dtype(kind) if torch.is_autocast_enabled(kind) else value.dtype
    q_NHD, k_NMD, v_NMD = (x[0].transpose(0, 1).to(dtype) for x in (query, key, value))
    what = Kind(
        layout=seat.layout,
        repeat=query.shape[1] // key.shape[1],
        groups=key.shape[1],
        scale=scale,
        window=sliding_window,
        cap=softcap,
    )
    seat.kinds.append(what)
    with torch.autocast(kind, enabled=False):
        out_NHD = _Tree.apply(q_NHD, k_NMD, v_NMD, what)  # type: ignore[no-untyped-call]
    return cast(Tensor, out_NHD)[None], None


class _Tree(torch.autograd.Function):
    """`attend` for autograd."""

    @staticmethod
    def forward(ctx: Any, q_NHD: Tensor, k_NMD: Tensor, v_NMD: Tensor, kind: Kind) -> Tensor:
        groups = k_NMD.shape[1]
        ctx.save_for_backward(q_NHD, k_NMD, v_NMD)
        ctx.kind = kind
        out = attend(_rows(q_NHD, groups), _rows(k_NMD, groups), _rows(v_NMD, groups), kind)
        return out.view(*q_NHD.shape[:2], v_NMD.shape[2])

    @staticmethod
    def backward(ctx: Any, *grads: Tensor) -> tuple[Tensor | None, ...]:
        q_NHD, k_NMD, v_NMD = ctx.saved_tensors
        groups = k_NMD.shape[1]
        q, k, v, d = (_rows(x, groups) for x in (q_NHD, k_NMD, v_NMD, grads[0]))
        dq, dk, dv = attend_backward(d, q, k, v, ctx.kind)
        return dq.view(q_NHD.shape), dk.view(k_NMD.shape), dv.view(v_NMD.shape), None


def _rows(x_NHD: Tensor, groups: int) -> Tensor:
    return x_NHD.reshape(x_NHD.shape[0] * groups, -1)


@dataclass(frozen=True, kw_only=True)
class Kind:
    """All that attention needs to know beside its queries, keys and values."""

    layout: Layout
    repeat: int
    """Query heads of a key head."""
    groups: int
    """Key heads, M."""
    scale: float
    window: int | None
    cap: float | None

    @property
    def plan(self) -> Plan:
        """The layout's blocks for it."""
        return self.layout.plan(self.repeat * self.groups, self.groups, self.window)


def attend(q: Tensor, k: Tensor, v: Tensor, kind: Kind) -> Tensor:
    """softmax(cap(scale q k^T) + mask) v, block by block.

    `q` [N * M, repeat * D], `k`, `v` [N * M, D]: what a key head serves of one token is one row, contiguous in itself,
    so that gathers copy rows and grouped heads need no copies of keys. Returns [N * M, repeat * D].
    """
    plan, width = kind.plan, kind.repeat * v.shape[1]
    out = kind.layout.buffer("out", (plan.rows, width), q.dtype)
    first = 0
    for block in plan.blocks:
        A, Q, _ = block.shape
        qb, kb, vb = _gather(block, q, k, v, kind)
        p, _ = _probabilities(block, qb, kb, kind)
        last = first + A * kind.groups * Q
        torch.bmm(p, vb, out=out[first:last].view(A * kind.groups, Q * kind.repeat, -1))
        first = last
    return out.index_select(0, plan.back_rows)


def attend_backward(d: Tensor, q: Tensor, k: Tensor, v: Tensor, kind: Kind) -> tuple[Tensor, Tensor, Tensor]:
    """Gradients of q, k and v; probabilities are computed again. `d` is that of `attend`'s result."""
    plan, buffer = kind.plan, kind.layout.buffer
    dq = buffer("out", (plan.rows, q.shape[1]), q.dtype)
    dk, dv = _Sum(k), _Sum(v)
    first = 0
    for block in plan.blocks:
        A, Q, _ = block.shape
        qb, kb, vb = _gather(block, q, k, v, kind)
        p, capped = _probabilities(block, qb, kb, kind)
        ob = torch.index_select(
            d, 0, block.query_rows, out=buffer("dout", (len(block.query_rows), d.shape[1]), d.dtype)
        )
        if block.padding_rows is not None:
            ob.index_fill_(0, block.padding_rows, 0.0)
        ob = ob.view(A * kind.groups, Q * kind.repeat, -1)
        dv.add(block, torch.bmm(p.mT, ob, out=buffer("dk", vb.shape, v.dtype)))
        dp = torch.bmm(ob, vb.mT, out=buffer("scores", p.shape, p.dtype))
        ds = torch.ops.aten._softmax_backward_data.out(dp, p, -1, p.dtype, grad_input=buffer("ds", p.shape, p.dtype))
        if capped is not None and kind.cap is not None:
            ds.mul_(1 - (capped / kind.cap) ** 2)
        last = first + A * kind.groups * Q
        _scaled(ds, kb, kind.scale, dq[first:last].view(A * kind.groups, Q * kind.repeat, -1))
        first = last
        dk.add(block, _scaled(ds.mT, qb, kind.scale, buffer("dk", kb.shape, k.dtype)))
    return dq.index_select(0, plan.back_rows), dk.value, dv.value


def _gather(block: Block, q: Tensor, k: Tensor, v: Tensor, kind: Kind) -> tuple[Tensor, Tensor, Tensor]:
    """[A * M, Q * repeat, D] queries and [A * M, K, D] keys and values of a block."""
    A, Q, K = block.shape

    def take(name: str, x: Tensor, rows: Tensor, length: int) -> Tensor:
        out = kind.layout.buffer(name, (len(rows), x.shape[1]), x.dtype)
        return torch.index_select(x, 0, rows, out=out).view(A * kind.groups, length, -1)

    qb = take("q", q, block.query_rows, Q * kind.repeat)
    return qb, take("k", k, block.key_rows, K), take("v", v, block.key_rows, K)


def _scaled(a: Tensor, b: Tensor, scale: float, out: Tensor) -> Tensor:
    """A product of batches, scaled within it."""
    return torch.baddbmm(out, a, b, beta=0, alpha=scale, out=out)


def _probabilities(block: Block, q: Tensor, k: Tensor, kind: Kind) -> tuple[Tensor, Tensor | None]:
    """[A * M, Q * repeat, K]; and the capped scores before the mask, where there is a cap."""
    A, Q, K = block.shape
    shape = (A * kind.groups, Q * kind.repeat, K)
    scores = _scaled(q, k.mT, kind.scale, kind.layout.buffer("scores", shape, q.dtype))
    capped = None
    if kind.cap is not None:
        scores.div_(kind.cap).tanh_().mul_(kind.cap)
        capped = scores.clone()
    if block.shown < K:
        mask = block.mask_AQK.to(scores.dtype)[:, None, :, None]
        scores.view(A, kind.groups, Q, kind.repeat, K)[..., block.shown :].add_(mask)
    return torch.softmax(scores, -1, out=kind.layout.buffer("p", shape, q.dtype)), capped


class _Sum:
    """Gradients of keys or values, added up row by row in float32 over a block and over blocks."""

    def __init__(self, like: Tensor) -> None:
        self.like = like
        self.total: Tensor | None = None

    def add(self, block: Block, grad: Tensor) -> None:
        rows = grad.view(-1, grad.shape[-1])
        part = torch.nn.functional.embedding_bag(block.bag_rows, rows, block.offsets, mode="sum")
        if block.own_rows is None and self.total is None:
            self.total = part
            return
        own = slice(None) if block.own_rows is None else block.own_rows
        if self.total is None:
            self.total = torch.zeros(len(self.like), part.shape[1], device=part.device)
        self.total = self.total.float()
        self.total[own] = self.total[own].add_(part)

    @property
    def value(self) -> Tensor:
        assert self.total is not None, "a layout without a block"
        return self.total.to(self.like.dtype)


AttentionInterface.register(NAME, tree_attention)
