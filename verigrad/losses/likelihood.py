"""The loss of supervised fine-tuning: negative log-likelihood of the answers' tokens, mean over the whole update.

Shapes: B answers, T tokens. The prompt, padding and packing never count: only chosen tokens do. Left out: running the
model (training.sft), the likelihood part of a preference loss (preference_axes).
"""

# ruff: noqa: F722
from __future__ import annotations

import torch
from jaxtyping import Bool, Float
from torch import Tensor


def nll(
    logp_BT: Float[Tensor, "B T"], chosen_BT: Bool[Tensor, "B T"], *, tokens: int
) -> tuple[Float[Tensor, ""], dict[str, float]]:
    """These rows' share of the mean over an update of `tokens` chosen tokens (nats, with gradient), and loss/policy.

    In float64 where logp is, else in float32. What is not chosen adds exactly 0 to value and gradient, whatever (even
    nan) stands there. Add up micro-batches.
    """
    dtype = torch.float64 if logp_BT.dtype == torch.float64 else torch.float32
    learns_BT = chosen_BT.to(logp_BT.device)
    value = -torch.where(learns_BT, logp_BT, torch.zeros_like(logp_BT)).to(dtype).sum() / tokens
    return value, {"loss/policy": value.item()}
