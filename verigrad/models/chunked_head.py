"""Log-probs and entropies straight from hidden states, a few rows of logits at a time, forward and backward.

The [tokens, V] logits never exist: a chunk is made, read and dropped, and made again for the gradient (cf. Hsu et al.
2024, Liger Kernel; here the loss is not known yet, so the gradient waits for backward). The last chunk's logits are
kept, which spares a small micro-batch the second product. What a module does to its logits beyond the product is Head:
a scale, then a soft cap. Left out: finding out whether that is all (the probe).

With s = alpha h W^T and p = softmax(s), d logp_t / d s = onehot_t - p, so a row's gradient g enters by scaling its
hidden state: dW = sum_r (onehot - p)_r x (alpha g_r h_r) and dh_r = alpha g_r (onehot - p)_r W. Buffers are made once
and written in place: fresh memory of this size costs a CPU more than the arithmetic on it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, cast

import torch
from torch import Tensor
from transformers import PreTrainedModel

CHUNK = 25_165_824
"""Logits of a chunk: 512 rows of 49,152. Fewer rows make slower products."""
SLICE = 3_145_728
"""Logits in float32 at once on a CPU: the softmax of a chunk is done in slices that stay in its cache."""
FLUSH = 8
"""Chunks whose weight gradients are added up in the arithmetic's type before they go to float32."""


@dataclass(frozen=True, kw_only=True)
class Head:
    """What turns hidden states into logits: cap * tanh(scale * (h W^T + b) / cap)."""

    weight_VH: Tensor
    bias_V: Tensor | None = None
    scale: float = 1.0
    cap: float | None = None


def head_of(module: PreTrainedModel) -> Head:
    """The module's head as its config and attributes tell it. Raises ValueError where it has no plain linear one."""
    linear = module.get_output_embeddings()
    if not isinstance(linear, torch.nn.Linear):
        raise ValueError("its head is not one linear layer")
    config = module.config.get_text_config()
    # Cohere multiplies by logit_scale, Granite divides by logits_scaling; Gemma caps.
    scale = getattr(module, "logit_scale", None) or getattr(config, "logit_scale", None) or 1.0
    scale = float(scale) / float(getattr(config, "logits_scaling", None) or 1.0)
    cap = getattr(config, "final_logit_softcapping", None)
    return Head(weight_VH=linear.weight, bias_V=linear.bias, scale=scale, cap=None if cap is None else float(cap))


def head_logps(
    head: Head,
    hidden_RH: Tensor,
    target_R: Tensor,
    *,
    temperature: float,
    entropy: bool,
) -> tuple[Tensor, Tensor]:
    """Log-prob of each row's target [R] and the entropy of its distribution [R] (zeros unless asked for), float32.

    In nats; distribution: softmax(logits / temperature), computed in float32; at most CHUNK logits exist at once.
    """
    kind, weight_VH, bias_V = hidden_RH.device.type, head.weight_VH, head.bias_V
    # What runs through the layers may be of a wider type than the products.
    dtype = torch.get_autocast_dtype(kind) if torch.is_autocast_enabled(kind) else weight_VH.dtype
    hidden_RH, weight_VH = hidden_RH.to(dtype), weight_VH.to(dtype)
    bias_V = None if bias_V is None else bias_V.to(dtype)
    rows = max(1, min(len(hidden_RH), CHUNK // len(weight_VH)))
    with torch.autocast(kind, enabled=False):
        found = _Chunked.apply(  # type: ignore[no-untyped-call]
            hidden_RH, weight_VH, bias_V, target_R, head.scale, head.cap, temperature, entropy, rows
        )
    return cast(tuple[Tensor, Tensor], found)


class _Chunked(torch.autograd.Function):
    @staticmethod
    def forward(
        ctx: Any,
        hidden_RH: Tensor,
        weight_VH: Tensor,
        bias_V: Tensor | None,
        target_R: Tensor,
        scale: float,
        cap: float | None,
        temperature: float,
        entropy: bool,
        rows: int,
    ) -> tuple[Tensor, Tensor]:
        # Without a cap the temperature is part of the product's scale.
        ctx.alpha, ctx.cap, ctx.after = (
            (scale, cap, temperature) if cap is not None else (scale / temperature, None, 1.0)
        )
        ctx.entropy, ctx.rows, ctx.kept = entropy, rows, None
        logp_R = hidden_RH.new_empty(len(hidden_RH), dtype=torch.float32)
        entropy_R = torch.zeros_like(logp_R)
        logits = hidden_RH.new_empty(rows, len(weight_VH))
        small = hidden_RH.new_empty(_slice(logits), len(weight_VH), dtype=torch.float32)
        also = torch.empty_like(small) if entropy else None
        for start in range(0, len(hidden_RH), rows):
            z_RV = _product(ctx, hidden_RH[start : start + rows], weight_VH, bias_V, logits)
            for at in range(0, len(z_RV), len(small)):
                here = slice(start + at, start + min(at + len(small), len(z_RV)))
                s_RV = _capped(ctx, z_RV[at : at + len(small)], small)
                logp_R[here] = s_RV.gather(1, target_R[here, None])[:, 0]
                most_R = s_RV.amax(1)
                s_RV.sub_(most_R[:, None])
                if also is None:
                    total_R = s_RV.exp_().sum(1)
                else:
                    e_RV = torch.exp(s_RV, out=also[: len(s_RV)])
                    total_R = e_RV.sum(1)
                    # A token of probability 0 adds 0: clamped, it is never 0 * inf.
                    entropy_R[here] = total_R.log() - e_RV.mul_(s_RV.clamp_(min=-1e4)).sum(1) / total_R
                logp_R[here] -= most_R + total_R.log()
        if any(ctx.needs_input_grad[:3]):
            ctx.kept = logits
        ctx.save_for_backward(hidden_RH, weight_VH, bias_V, target_R, logp_R, entropy_R)
        if not entropy:
            ctx.mark_non_differentiable(entropy_R)
        return logp_R, entropy_R

    @staticmethod
    def backward(ctx: Any, *grads: Tensor) -> tuple[Tensor | None, ...]:
        hidden_RH, weight_VH, bias_V, target_R, logp_R, entropy_R = ctx.saved_tensors
        grad_R, spread = grads[0], ctx.entropy and bool(grads[1].any())
        rows, starts = ctx.rows, range(0, len(hidden_RH), ctx.rows)
        dhidden_RH = torch.empty_like(hidden_RH)
        dweight = _Sum(weight_VH) if ctx.needs_input_grad[1] else None
        dbias_V = (
            None if bias_V is None or not ctx.needs_input_grad[2] else torch.zeros(len(bias_V), device=bias_V.device)
        )
        logits, ctx.kept = ctx.kept, None
        if logits is None:
            logits = hidden_RH.new_empty(rows, len(weight_VH))
            fresh = False
        else:
            fresh = True
        d = torch.empty_like(logits)
        small = hidden_RH.new_empty(_slice(logits), len(weight_VH), dtype=torch.float32)
        for start in reversed(starts):
            whole = slice(start, min(start + rows, len(hidden_RH)))
            z_RV = logits[: whole.stop - start] if fresh else _product(ctx, hidden_RH[whole], weight_VH, bias_V, logits)
            fresh = False
            d_RV = d[: len(z_RV)]
            factor_R = grad_R[whole] if not spread else torch.ones_like(grad_R[whole])
            for at in range(0, len(z_RV), len(small)):
                here = slice(start + at, start + min(at + len(small), len(z_RV)))
                part = slice(at, at + len(small))
                _fill(ctx, z_RV[part], small, d_RV[part], target_R[here], logp_R[here],
                      (grad_R[here], grads[1][here], entropy_R[here]) if spread else None)  # fmt: skip
            if dbias_V is not None:
                dbias_V.addmv_(d_RV.t().float(), factor_R, alpha=ctx.alpha)
            factor = (factor_R * ctx.alpha)[:, None]
            torch.mm(d_RV, weight_VH, out=dhidden_RH[whole])
            dhidden_RH[whole] = (dhidden_RH[whole] * factor).to(hidden_RH.dtype)
            if dweight is not None:
                dweight.add(d_RV, (hidden_RH[whole] * factor).to(hidden_RH.dtype))
        dbias = None if dbias_V is None or bias_V is None else dbias_V.to(bias_V.dtype)
        dweight_VH = None if dweight is None else dweight.value
        return dhidden_RH, dweight_VH, dbias, None, None, None, None, None, None


class _Sum:
    """The weight gradient over chunks: by the product itself, and every FLUSH chunks on to float32."""

    def __init__(self, weight_VH: Tensor) -> None:
        self.part = torch.empty_like(weight_VH)
        self.total: Tensor | None = None
        self.count = 0

    def add(self, d_RV: Tensor, hidden_RH: Tensor) -> None:
        if self.count == FLUSH and self.part.dtype is not torch.float32:
            self.total = self.part.float() if self.total is None else self.total.add_(self.part.float())
            self.count = 0
        torch.addmm(self.part, d_RV.t(), hidden_RH, beta=1 if self.count else 0, out=self.part)
        self.count += 1

    @property
    def value(self) -> Tensor:
        if self.total is None:
            return self.part
        return self.part.copy_(self.total.add_(self.part.float()))


def _slice(logits_RV: Tensor) -> int:
    """Rows that are looked at in float32 at once."""
    rows, columns = logits_RV.shape
    return rows if logits_RV.is_cuda else max(1, min(rows, SLICE // columns))


def _product(ctx: Any, hidden_RH: Tensor, weight_VH: Tensor, bias_V: Tensor | None, out: Tensor) -> Tensor:
    """Write alpha (h W^T + b) into the buffer."""
    out = out[: len(hidden_RH)]
    bias = hidden_RH.new_empty(()) if bias_V is None else bias_V
    beta = 0 if bias_V is None else ctx.alpha
    return torch.addmm(bias, hidden_RH, weight_VH.t(), beta=beta, alpha=ctx.alpha, out=out)


def _capped(ctx: Any, z_RV: Tensor, buffer: Tensor) -> Tensor:
    """The logits of softmax in float32, in the buffer."""
    s_RV = buffer[: len(z_RV)].copy_(z_RV)
    if ctx.cap is not None:
        s_RV.div_(ctx.cap).tanh_().mul_(ctx.cap / ctx.after)
    return s_RV


def _fill(
    ctx: Any,
    z_RV: Tensor,
    buffer: Tensor,
    d_RV: Tensor,
    target_R: Tensor,
    logp_R: Tensor,
    spread: tuple[Tensor, Tensor, Tensor] | None,
) -> None:
    """Write into d_RV what a row's logits get, but for its factor alpha, and but for g unless entropies `spread` it.

    d entropy / d s_v = -p_v (log p_v + H), so with both the row's gradient is g (onehot - p) - e p (log p + H).
    """
    place = torch.arange(len(z_RV), device=z_RV.device)
    if ctx.cap is None and spread is None:
        torch.softmax(z_RV, -1, out=d_RV).neg_()
        d_RV[place, target_R] = (-torch.expm1(logp_R)).to(d_RV.dtype)
        return
    s_RV = _capped(ctx, z_RV, buffer)
    slope_RV = None if ctx.cap is None else 1 - (s_RV * (ctx.after / ctx.cap)) ** 2
    logp_RV = torch.log_softmax(s_RV, -1, out=buffer[: len(z_RV)])
    p_RV = logp_RV.exp()
    own_R = -torch.expm1(logp_R)
    if spread is None:
        d = p_RV.neg_()
        d[place, target_R] = own_R
    else:
        g_R, e_R, h_R = spread
        towards_RV = logp_RV.clamp_(min=-1e4).add_(h_R[:, None]).mul_(e_R[:, None])
        entropy_R = p_RV[place, target_R] * towards_RV[place, target_R]
        d = p_RV.mul_(towards_RV.add_(g_R[:, None])).neg_()
        d[place, target_R] = g_R * own_R - entropy_R
    if slope_RV is not None:
        d.mul_(slope_RV).div_(ctx.after)
    d_RV.copy_(d)
