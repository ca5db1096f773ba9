"""Log-probs and entropies straight from hidden states, a few rows of logits at a time, forward and backward.

The [tokens, V] logits never exist: a chunk is made, read and dropped, and made again for the gradient (cf. Hsu et al.
2024, Liger Kernel; here the loss is not known yet, so the gradient waits for backward). What a module does to its
logits beyond the product is Head: a scale, then a soft cap. Left out: finding out whether that is all (the probe).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, cast

import torch
from torch import Tensor
from transformers import PreTrainedModel

CHUNK = 12_582_912
"""Logits of a chunk: 256 rows of 49,152."""


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
    head: Head, hidden_RH: Tensor, row_J: Tensor, target_J: Tensor, *, temperature: float, chunk: int = CHUNK
) -> tuple[Tensor, Tensor]:
    """Log-prob of target_J[j] at hidden row row_J[j] [J], and the entropy there [J], in nats, float32.

    Distribution: softmax(logits / temperature), computed in float32. Several targets may share a row. `chunk`: logits
    that exist at once.
    """
    rows = max(1, min(len(hidden_RH), chunk // len(head.weight_VH)))
    found = _Chunked.apply(  # type: ignore[no-untyped-call]
        hidden_RH, head.weight_VH, head.bias_V, row_J, target_J, head.scale, head.cap, temperature, rows
    )
    logp_J, entropy_R = cast(tuple[Tensor, Tensor], found)
    return logp_J, entropy_R[row_J]


class _Chunked(torch.autograd.Function):
    @staticmethod
    def forward(
        ctx: Any,
        hidden_RH: Tensor,
        weight_VH: Tensor,
        bias_V: Tensor | None,
        row_J: Tensor,
        target_J: Tensor,
        scale: float,
        cap: float | None,
        temperature: float,
        rows: int,
    ) -> tuple[Tensor, Tensor]:
        order_J = torch.argsort(row_J, stable=True)
        row_J, target_J = row_J[order_J], target_J[order_J]
        edges = torch.arange(0, len(hidden_RH) + rows, rows, device=row_J.device)
        cuts = torch.searchsorted(row_J, edges).tolist()
        logp_J = hidden_RH.new_empty(len(row_J), dtype=torch.float32)
        entropy_R = hidden_RH.new_empty(len(hidden_RH), dtype=torch.float32)
        ctx.arguments = scale, cap, temperature, rows, cuts
        for i, start in enumerate(range(0, len(hidden_RH), rows)):
            part = slice(cuts[i], cuts[i + 1])
            logp_RV = torch.log_softmax(_logits(ctx, hidden_RH[start : start + rows], weight_VH, bias_V)[0], -1)
            logp_J[part] = logp_RV[row_J[part] - start, target_J[part]]
            entropy_R[start : start + rows] = _entropy(logp_RV)
        ctx.save_for_backward(hidden_RH, weight_VH, bias_V, row_J, target_J, order_J, entropy_R)
        return torch.empty_like(logp_J).index_copy_(0, order_J, logp_J), entropy_R

    @staticmethod
    def backward(ctx: Any, *grads: Tensor) -> tuple[Tensor | None, ...]:
        hidden_RH, weight_VH, bias_V, row_J, target_J, order_J, entropy_R = ctx.saved_tensors
        scale, cap, temperature, rows, cuts = ctx.arguments
        grad_J, grad_R = grads[0][order_J], grads[1]
        sum_R = torch.zeros_like(entropy_R).index_add_(0, row_J, grad_J)
        spread = bool(grad_R.any())
        dhidden_RH = torch.empty_like(hidden_RH)
        dweight_VH = torch.zeros_like(weight_VH)
        dbias_V = None if bias_V is None else torch.zeros(len(bias_V), device=bias_V.device)
        for i, start in enumerate(range(0, len(hidden_RH), rows)):
            here, part = slice(start, start + rows), slice(cuts[i], cuts[i + 1])
            logits_RV, capped_RV = _logits(ctx, hidden_RH[here], weight_VH, bias_V)
            logp_RV = torch.log_softmax(logits_RV, -1)
            d_RV = logp_RV.exp()
            if spread:
                d_RV.mul_(-sum_R[here, None] - grad_R[here, None] * (logp_RV.clamp(min=-1e4) + entropy_R[here, None]))
            else:
                d_RV.mul_(-sum_R[here, None])
            d_RV.index_put_((row_J[part] - start, target_J[part]), grad_J[part], accumulate=True)
            if cap is not None:
                d_RV.mul_(1 - (capped_RV / cap) ** 2)
            d_RV.mul_(scale / temperature)
            if dbias_V is not None:
                dbias_V += d_RV.sum(0)
            d = d_RV.to(hidden_RH.dtype)
            torch.mm(d, weight_VH, out=dhidden_RH[here])
            dweight_VH.addmm_(d.t(), hidden_RH[here])
        dbias = None if dbias_V is None or bias_V is None else dbias_V.to(bias_V.dtype)
        return dhidden_RH, dweight_VH, dbias, None, None, None, None, None, None


def _logits(ctx: Any, hidden_RH: Tensor, weight_VH: Tensor, bias_V: Tensor | None) -> tuple[Tensor, Tensor]:
    """Logits over the temperature, float32; and before it, capped."""
    scale, cap, temperature, _, _ = ctx.arguments
    capped_RV = torch.nn.functional.linear(hidden_RH, weight_VH, bias_V).float()
    if scale != 1.0:
        capped_RV = capped_RV * scale
    if cap is not None:
        capped_RV = torch.tanh(capped_RV / cap) * cap
    return capped_RV / temperature, capped_RV


def _entropy(logp_RV: Tensor) -> Tensor:
    """-sum p log p; a token of probability 0 adds 0."""
    logp_RV = logp_RV.clamp(min=-1e4)
    return -(logp_RV.exp() * logp_RV).sum(-1)
