"""A decoder layer of the Llama kind with its gradient written out, for the bfloat16 twin.

    x2 = x + Wo attention(rope(Wqkv norm1(x)));  y = x2 + Wd (silu(g) * u), (g, u) = Wgu norm2(x2)

What is gained on a CPU, where a layer is bound by memory as much as by products: queries, keys and values are one
product, gate and up another; residuals are added by the product that ends a branch; everything elementwise is done on
a few rows at a time that stay in the cache, in float32; six tensors a token are kept for the gradient, not twenty.
Adapters (LoRA) are added to their product's result, so that fresh ones change no bit of it; no gradient is computed of
weights that want none.
A layer is replaced only where structure (fused_weights) and numbers (twin) say that it is this one; others stay as they
are. Left out: layers with norms after their branches, biases in the MLP, or norms of queries and keys.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, cast

import torch
from torch import Tensor, nn

from verigrad.models.tree_attention import Kind, attend, attend_backward, seat_now

CACHE = 131_072
"""Elements of a slice in float32 on a CPU."""
PART = 512
"""Rows whose weight gradient is one product: on a CPU a transposed factor of more rows is slower."""
Sink = Callable[[Tensor], None]


@dataclass(frozen=True, kw_only=True)
class Beside:
    """An adapter on some columns of a product: scale * B (A x) is added to them."""

    down_RI: Tensor
    up_OR: Tensor
    scale: float
    columns: Callable[[Tensor], Tensor]
    """Its columns of the product's result [N, ...], a view."""
    to_down: Sink | None
    to_up: Sink | None

    def of(self, y: Tensor) -> Tensor:
        """Its columns [N, O]; a copy where they lie apart."""
        return self.columns(y).reshape(len(y), -1)


Besides = tuple[Beside, ...]


@dataclass(frozen=True, kw_only=True)
class Layer:
    """One layer's weights and how its attention looks. Its weights' gradients go to `sinks`, in the order of fields;
    None where no gradient is wanted. `beside`: the adapters of the four products.
    """

    norm1_H: Tensor
    qkv: Tensor
    """[M * (R + 2) * D, H]: for each key head its R query heads, its key, its value."""
    bias: Tensor | None
    out: Tensor
    """[H, M * R * D]."""
    norm2_H: Tensor
    gate_up: Tensor
    """[2 I, H]."""
    down: Tensor
    """[H, I]."""
    sinks: tuple[Sink | None, ...]
    beside: tuple[Besides, Besides, Besides, Besides]
    eps: float
    groups: int
    repeat: int
    width: int
    scale: float
    window: int | None

    def forward(self, x_1NH: Tensor, position_embeddings: tuple[Tensor, Tensor], **_: Any) -> Tensor:
        """What the module's layer computes, given the same; the layout is the seat's."""
        cos, sin = (part[0].float() for part in position_embeddings)
        seat = seat_now()
        kind = Kind(layout=seat.layout, repeat=self.repeat, groups=self.groups, scale=self.scale, window=self.window,
                    cap=None)  # fmt: skip
        seat.kinds.append(kind)
        out = _Fused.apply(x_1NH[0], self.down, cos, sin, self, kind)  # type: ignore[no-untyped-call]
        return cast(Tensor, out)[None]


class _Fused(torch.autograd.Function):
    """x may be of a wider type than the weights: what runs through the layers keeps it, products have the weights'."""

    @staticmethod
    def forward(ctx: Any, x: Tensor, _: Tensor, cos: Tensor, sin: Tensor, layer: Layer, kind: Kind) -> Tensor:
        buffer, dtype = kind.layout.buffer, layer.down.dtype
        on_qkv, on_out, on_gate_up, on_down = layer.beside
        r1, r2 = x.new_empty(len(x), 1, dtype=torch.float32), x.new_empty(len(x), 1, dtype=torch.float32)
        y = buffer("y", x.shape, dtype)
        _norm(x, layer.norm1_H, layer.eps, y, r1)
        qkv = y @ layer.qkv.t() if layer.bias is None else torch.addmm(layer.bias, y, layer.qkv.t())
        _adapt(on_qkv, y, qkv)
        _rotate(qkv, layer, cos, sin, qkv)
        o = attend(*_split(qkv, layer), kind).view(len(x), -1)
        x2 = _adapt(on_out, o, _plus_product(x, o, layer.out, y))
        _norm(x2, layer.norm2_H, layer.eps, y, r2)
        gu = _adapt(on_gate_up, y, y @ layer.gate_up.t())
        h = buffer("h", (len(x), gu.shape[1] // 2), dtype)
        _swiglu(gu, h)
        ctx.save_for_backward(x, qkv, o, x2, gu, r1, r2, cos, sin)
        ctx.layer, ctx.kind = layer, kind
        return _adapt(on_down, h, _plus_product(x2, h, layer.down, y))

    @staticmethod
    def backward(ctx: Any, *grads: Tensor) -> tuple[Tensor | None, ...]:
        x, qkv, o, x2, gu, r1, r2, cos, sin = ctx.saved_tensors
        layer, kind = ctx.layer, ctx.kind
        buffer, dtype = kind.layout.buffer, layer.down.dtype
        on_qkv, on_out, on_gate_up, on_down = layer.beside
        to_norm1, to_qkv, to_bias, to_out, to_norm2, to_gate_up, to_down = layer.sinks
        d = grads[0] if x.dtype is dtype else buffer("d", x.shape, dtype).copy_(grads[0])
        h = buffer("h", (len(x), gu.shape[1] // 2), dtype)
        dh = torch.mm(d, layer.down, out=buffer("dh", h.shape, dtype))
        narrow = _through(on_down, d, dh)
        dgu = buffer("dgu", gu.shape, dtype)
        _swiglu_backward(dh, gu, h, dgu)
        _weight(d, h, to_down)
        _weights(on_down, d, narrow, h)
        y = buffer("y", x.shape, dtype)
        dy = torch.mm(dgu, layer.gate_up, out=buffer("dy", x.shape, dtype))
        narrow = _through(on_gate_up, dgu, dy)
        wide2 = torch.empty_like(x)
        dnorm_H = _norm_backward(dy, x2, r2, layer.norm2_H, grads[0], wide2, y)
        if to_norm2 is not None:
            to_norm2(dnorm_H)
        _weight(dgu, y, to_gate_up)
        _weights(on_gate_up, dgu, narrow, y)
        d2 = wide2 if x.dtype is dtype else buffer("d", x.shape, dtype).copy_(wide2)
        do = torch.mm(d2, layer.out, out=buffer("do", o.shape, dtype))
        narrow = _through(on_out, d2, do)
        _weight(d2, o, to_out)
        _weights(on_out, d2, narrow, o)
        q, k, v = _split(qkv, layer)
        dq, dk, dv = attend_backward(do.view(len(q), -1), q, k, v, kind)
        dqkv = buffer("dqkv", qkv.shape, dtype)
        for into, part in zip(_split(dqkv, layer), (dq, dk, dv), strict=True):
            into.copy_(part)
        _rotate(dqkv, layer, cos, -sin, dqkv)
        torch.mm(dqkv, layer.qkv, out=dy)
        narrow = _through(on_qkv, dqkv, dy)
        dx = torch.empty_like(x)
        dnorm_H = _norm_backward(dy, x, r1, layer.norm1_H, wide2, dx, y)
        if to_norm1 is not None:
            to_norm1(dnorm_H)
        _weight(dqkv, y, to_qkv)
        _weights(on_qkv, dqkv, narrow, y)
        if to_bias is not None:
            to_bias(dqkv.sum(0, dtype=torch.float32))
        return dx, None, None, None, None, None


def _adapt(besides: Besides, x: Tensor, y: Tensor) -> Tensor:
    """Add what adapters make of x to their columns of y, in place."""
    for b in besides:
        delta = (x @ b.down_RI.t()) @ b.up_OR.t()
        columns = b.columns(y)
        columns.add_(delta.view(columns.shape), alpha=b.scale)
    return y


def _through(besides: Besides, dy: Tensor, dx: Tensor) -> list[Tensor]:
    """Add to dx what comes through adapters; returns the gradients [N, R] of their narrow sides."""
    narrow = []
    for b in besides:
        narrow.append(torch.mm(b.of(dy), b.up_OR).mul_(b.scale))
        dx.addmm_(narrow[-1], b.down_RI)
    return narrow


def _weights(besides: Besides, dy: Tensor, narrow: list[Tensor], x: Tensor) -> None:
    """The gradients of adapters, given their inputs."""
    for b, dz in zip(besides, narrow, strict=True):
        if b.to_up is not None:
            _weight(b.of(dy), torch.mm(x, b.down_RI.t()).mul_(b.scale), b.to_up)
        if b.to_down is not None:
            _weight(dz, x, b.to_down)


def _plus_product(x: Tensor, h: Tensor, weight: Tensor, buffer: Tensor) -> Tensor:
    """Add h W^T to x, in x's type."""
    if x.dtype is weight.dtype:
        return torch.addmm(x, h, weight.t())
    t = torch.mm(h, weight.t(), out=buffer)
    out = torch.empty_like(x)
    for s in _slices(x, x.shape[1]):
        out[s].copy_(t[s]).add_(x[s])
    return out


def _slices(x: Tensor, width: int) -> Iterator[slice]:
    """Rows of x that stay in the cache as float32 of this width; on a GPU all of them."""
    rows = len(x) if x.is_cuda else max(16, CACHE // width)
    return (slice(i, i + rows) for i in range(0, len(x), rows))


def _copy(x: Tensor) -> Tensor:
    """In float32, to write on."""
    return x.to(torch.float32, copy=True)


def _weight(d: Tensor, x: Tensor, sink: Sink | None) -> None:
    """d^T x, in the way a CPU is fastest at."""
    if sink is None:
        return
    if d.is_cuda or len(d) <= PART:
        sink(torch.mm(d.t(), x))
    elif d.shape[1] < x.shape[1]:
        sink(torch.mm(d.t().contiguous(), x))
    else:
        total = torch.mm(d[:PART].t(), x[:PART])
        for i in range(PART, len(d), PART):
            total.addmm_(d[i : i + PART].t(), x[i : i + PART])
        sink(total)


def _norm(x: Tensor, weight_H: Tensor, eps: float, y: Tensor, r: Tensor) -> None:
    """Write x / rms(x) * weight into y and 1 / rms into r (Zhang & Sennrich 2019)."""
    weight_H = weight_H.float()
    for s in _slices(x, x.shape[1]):
        f = _copy(x[s])
        torch.linalg.vector_norm(f, dim=1, keepdim=True, out=r[s]).square_().div_(x.shape[1]).add_(eps).rsqrt_()
        y[s] = f.mul_(r[s]).mul_(weight_H)


def _norm_backward(
    dy: Tensor, x: Tensor, r: Tensor, weight_H: Tensor, through: Tensor, dx: Tensor, y: Tensor
) -> Tensor:
    """Write the gradient of x, plus `through`, into dx and the norm's output into y; returns the weight's gradient."""
    weight_H = weight_H.float()
    dweight_H = torch.zeros_like(weight_H)
    for s in _slices(x, x.shape[1]):
        n = _copy(x[s]).mul_(r[s])
        g = _copy(dy[s])
        t = g * n
        dweight_H += t.sum(0)
        inner = torch.mv(t, weight_H).div_(x.shape[1])[:, None]
        g.mul_(weight_H).addcmul_(n, inner, value=-1).mul_(r[s])
        dx[s] = g.add_(through[s])
        y[s] = n.mul_(weight_H)
    return dweight_H


def _swiglu(gu: Tensor, h: Tensor) -> None:
    """Write silu(g) * u into h (Shazeer 2020)."""
    half = h.shape[1]
    for s in _slices(gu, half):
        silu = nn.functional.silu(gu[s, :half])
        torch.mul(silu, gu[s, half:], out=h[s])


def _swiglu_backward(dh: Tensor, gu: Tensor, h: Tensor, dgu: Tensor) -> None:
    """Write silu(g) * u into h and the gradients of g and u into dgu."""
    half = h.shape[1]
    for s in _slices(gu, half):
        g, u = gu[s, :half], gu[s, half:]
        silu = nn.functional.silu(g)
        torch.mul(silu, u, out=h[s])
        torch.mul(dh[s], silu, out=dgu[s, half:])
        torch.ops.aten.silu_backward.grad_input(silu.copy_(dh[s]).mul_(u), g, grad_input=dgu[s, :half])


def _split(qkv: Tensor, layer: Layer) -> tuple[Tensor, Tensor, Tensor]:
    """Views of queries [N * M, R * D], keys and values [N * M, D]."""
    rows = qkv.view(len(qkv) * layer.groups, -1)
    wide = layer.repeat * layer.width
    return rows[:, :wide], rows[:, wide : wide + layer.width], rows[:, wide + layer.width :]


def _rotate(qkv: Tensor, layer: Layer, cos: Tensor, sin: Tensor, out: Tensor) -> None:
    """Turn queries and keys by their positions (Su et al. 2021); with -sin, turn back."""
    heads, half = layer.repeat + 1, layer.width // 2
    x, y = (t.view(len(t), layer.groups, layer.repeat + 2, layer.width)[:, :, :heads] for t in (qkv, out))
    for s in _slices(qkv, layer.groups * heads * layer.width):
        c, i = cos[s, None, None], sin[s, None, None]
        f = _copy(x[s])
        t = f * c
        t[..., :half].addcmul_(f[..., half:], i[..., :half], value=-1)
        t[..., half:].addcmul_(f[..., :half], i[..., half:])
        y[s] = t
