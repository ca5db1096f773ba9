"""One token a row from logits and one uniform number a row, with the exact log-probability of what was drawn.

Shapes: B rows, V vocabulary, K blocks of the vocabulary. Left out: where logits and uniform numbers come from.
"""

from __future__ import annotations

import numpy as np
import torch
from torch import Tensor

from verigrad.errors import Stopped

BLOCK = 128
"""Width of a block of the two-level distribution function."""
IN_CACHE = 1 << 19
"""Logits gone through at once on a CPU: 2 MB of float32."""


def draw(logits_BV: Tensor, temperature_B: np.ndarray, uniform_B: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Token [B] int64 and its log-probability [B] float32 in nats, each row at its own temperature.

    Inverse distribution function: the first token whose cumulated probability exceeds the uniform number in [0, 1),
    so a token of probability 0 is never drawn, and nothing but the row and its number decides. Cumulated in float64
    and in two levels (block sums, then inside one block) because one pass over V costs as much as the model's head.
    Temperature 0: the first of the largest logits, log-probability at temperature 1. Raises Stopped for logits that
    are not numbers.
    """
    if logits_BV.device.type == "mps":  # has no float64
        logits_BV = logits_BV.cpu()
    device = logits_BV.device
    greedy_B = torch.from_numpy(temperature_B == 0).to(device)
    divide_B = torch.from_numpy(np.where(temperature_B == 0, 1.0, temperature_B).astype(np.float32)).to(device)
    divides = bool((divide_B != 1).any())
    uniform_of = torch.from_numpy(uniform_B).to(device)
    # A few rows at a time, in place: what fits into the processor's cache is gone through several times for the price
    # of once. A graphics card takes them all.
    rows = max(1, IN_CACHE // logits_BV.shape[1]) if device.type == "cpu" else len(logits_BV)
    parts = [
        _draw(
            logits_BV[i : i + rows],
            divide_B[i : i + rows] if divides else None,
            uniform_of[i : i + rows],
            greedy_B[i : i + rows],
        )
        for i in range(0, len(logits_BV), rows)
    ]
    token_B, logp_B = (torch.cat(x) for x in zip(*parts, strict=True))
    if not bool(torch.isfinite(logp_B).all()):
        raise Stopped("the model's logits are not finite: the weights are broken; go back to an earlier checkpoint")
    return token_B.cpu().numpy(), logp_B.float().cpu().numpy()


def _draw(logits_BV: Tensor, divide_B: Tensor | None, uniform_B: Tensor, greedy_B: Tensor) -> tuple[Tensor, Tensor]:
    """Tokens and log-probabilities of some rows; a log-probability that is no number where a logit is none."""
    x_BV = logits_BV.float()
    if x_BV is logits_BV:
        x_BV = logits_BV.clone()
    if divide_B is not None:
        x_BV /= divide_B[:, None]
    top_B = x_BV.amax(dim=-1)
    x_BV -= top_B[:, None]
    # Nothing more is asked of a greedy row than its first 0.
    first_B = (x_BV == 0).int().argmax(dim=-1) if bool(greedy_B.any()) else None
    weight_BV, over = x_BV.exp_(), -x_BV.shape[1] % BLOCK
    if over:
        weight_BV = torch.nn.functional.pad(weight_BV, (0, over))
    weight_BKV = weight_BV.view(len(x_BV), -1, BLOCK)

    block_BK = weight_BKV.sum(dim=-1, dtype=torch.float64).cumsum(dim=-1)
    total_B = block_BK[:, -1]
    point_B = uniform_B * total_B
    k_B = _first_above(block_BK, point_B).clamp(max=block_BK.shape[1] - 1)
    before_B = torch.where(k_B > 0, block_BK.gather(1, (k_B - 1).clamp(min=0)[:, None])[:, 0], 0.0)
    inside_BV = weight_BKV[torch.arange(len(k_B), device=k_B.device), k_B].double().cumsum(dim=-1)
    token_B = (k_B * BLOCK + _first_above(inside_BV, point_B - before_B)).clamp(max=logits_BV.shape[1] - 1)
    if first_B is not None:
        token_B = torch.where(greedy_B, first_B, token_B)
    logit_B = logits_BV.gather(1, token_B[:, None])[:, 0].float()
    if divide_B is not None:
        logit_B = logit_B / divide_B
    return token_B, (logit_B - top_B).double() - total_B.log()


def _first_above(cumulated_BN: Tensor, point_B: Tensor) -> Tensor:
    """Per row the first index whose cumulated weight is above the point; rounding never carries it past the last
    index with weight of its own.
    """
    last_B = torch.nextafter(cumulated_BN[:, -1], torch.zeros_like(point_B))
    return torch.searchsorted(cumulated_BN, torch.minimum(point_B, last_B)[:, None], right=True)[:, 0]
