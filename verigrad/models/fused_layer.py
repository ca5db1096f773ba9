"""A decoder layer of the Llama kind with its gradient written out, for the bfloat16 twin.

    x2 = x + Wo attention(rope(Wqkv norm1(x)));  y = x2 + Wd (silu(g) * u), (g, u) = Wgu norm2(x2)

What is gained on a CPU, where a layer is bound by memory as much as by products: queries, keys and values are one
product, gate and up another; residuals are added by the product that ends a branch; everything elementwise is done on
a few rows at a time that stay in the cache, in float32; six tensors a token are kept for the gradient, not twenty.
A layer is replaced only where structure (`layer_of`) and numbers (twin) say that it is this one; others stay as they
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
class Layer:
    """One layer's weights and how its attention looks. Its weights' gradients go to `sinks`, in the order of fields."""

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
    sinks: tuple[Sink, ...]
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
        r1, r2 = x.new_empty(len(x), 1, dtype=torch.float32), x.new_empty(len(x), 1, dtype=torch.float32)
        y = buffer("y", x.shape, dtype)
        _norm(x, layer.norm1_H, layer.eps, y, r1)
        qkv = y @ layer.qkv.t() if layer.bias is None else torch.addmm(layer.bias, y, layer.qkv.t())
        _rotate(qkv, layer, cos, sin, qkv)
        o = attend(*_split(qkv, layer), kind).view(len(x), -1)
        x2 = _plus_product(x, o, layer.out, y)
        _norm(x2, layer.norm2_H, layer.eps, y, r2)
        gu = y @ layer.gate_up.t()
        h = buffer("h", (len(x), gu.shape[1] // 2), dtype)
        _swiglu(gu, h)
        ctx.save_for_backward(x, qkv, o, x2, gu, r1, r2, cos, sin)
        ctx.layer, ctx.kind = layer, kind
        return _plus_product(x2, h, layer.down, y)

    @staticmethod
    def backward(ctx: Any, *grads: Tensor) -> tuple[Tensor | None, ...]:
        x, qkv, o, x2, gu, r1, r2, cos, sin = ctx.saved_tensors
        layer, kind = ctx.layer, ctx.kind
        buffer, dtype = kind.layout.buffer, layer.down.dtype
        to_norm1, to_qkv, to_bias, to_out, to_norm2, to_gate_up, to_down = layer.sinks
        d = grads[0] if x.dtype is dtype else buffer("d", x.shape, dtype).copy_(grads[0])
        h = buffer("h", (len(x), gu.shape[1] // 2), dtype)
        dh = torch.mm(d, layer.down, out=buffer("dh", h.shape, dtype))
        dgu = buffer("dgu", gu.shape, dtype)
        _swiglu_backward(dh, gu, h, dgu)
        _weight(d, h, to_down)
        y = buffer("y", x.shape, dtype)
        dy = torch.mm(dgu, layer.gate_up, out=buffer("dy", x.shape, dtype))
        wide2 = torch.empty_like(x)
        to_norm2(_norm_backward(dy, x2, r2, layer.norm2_H, grads[0], wide2, y))
        _weight(dgu, y, to_gate_up)
        d2 = wide2 if x.dtype is dtype else buffer("d", x.shape, dtype).copy_(wide2)
        do = torch.mm(d2, layer.out, out=buffer("do", o.shape, dtype))
        _weight(d2, o, to_out)
        q, k, v = _split(qkv, layer)
        dq, dk, dv = attend_backward(do.view(len(q), -1), q, k, v, kind)
        dqkv = buffer("dqkv", qkv.shape, dtype)
        for into, part in zip(_split(dqkv, layer), (dq, dk, dv), strict=True):
            into.copy_(part)
        _rotate(dqkv, layer, cos, -sin, dqkv)
        torch.mm(dqkv, layer.qkv, out=dy)
        dx = torch.empty_like(x)
        to_norm1(_norm_backward(dy, x, r1, layer.norm1_H, wide2, dx, y))
        _weight(dqkv, y, to_qkv)
        if layer.bias is not None:
            to_bias(dqkv.sum(0, dtype=torch.float32))
        return dx, None, None, None, None, None


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


def _weight(d: Tensor, x: Tensor, sink: Sink) -> None:
    """d^T x, in the way a CPU is fastest at."""
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
    q, k, v, o = attention.q_proj, attention.k_proj, attention.v_proj, attention.o_proj
    gate, up, down = mlp.gate_proj, mlp.up_proj, mlp.down_proj
    groups, repeat = like.groups, like.repeat
    width = k.weight.shape[0] // groups
    pairs: list[tuple[Tensor, Tensor]] = []
    sinks: list[Sink] = []

    def heads(whole: Tensor) -> list[Tensor]:
        split = whole.view(groups, repeat + 2, width, *whole.shape[1:])
        return [split[:, :repeat], split[:, repeat], split[:, repeat + 1]]

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

        sinks.append(sink)
        return whole

    def alone(member: Tensor) -> Tensor:
        return merged([member], lambda whole: [whole])

    norm1_H, qkv = alone(norm1.weight), merged([q.weight, k.weight, v.weight], heads)
    bias = None
    if q.bias is None:
        sinks.append(lambda gradient: None)
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
        eps=float(norm1.variance_epsilon if hasattr(norm1, "variance_epsilon") else norm1.eps),
        groups=groups,
        repeat=repeat,
        width=width,
        scale=like.scale,
        window=like.window,
    )
    return layer, pairs


def _parts(module: nn.Module) -> tuple[Any, Any, Any, Any] | None:
    """Attention, MLP and the two norms of a layer that has exactly the parameters of this file's head."""
    names = {name for name, _ in module.named_parameters()}
    linear = [f"self_attn.{x}_proj.weight" for x in "qkvo"] + [f"mlp.{x}_proj.weight" for x in ("gate", "up", "down")]
    plain = {*linear, "input_layernorm.weight", "post_attention_layernorm.weight"}
    biased = plain | {f"self_attn.{x}_proj.bias" for x in "qkv"}
    if names not in (plain, biased):
        return None
    if not all(type(module.get_submodule(name.removesuffix(".weight"))) is nn.Linear for name in linear):
        return None
    return (
        module.get_submodule("self_attn"),
        module.get_submodule("mlp"),
        module.get_submodule("input_layernorm"),
        module.get_submodule("post_attention_layernorm"),
    )
