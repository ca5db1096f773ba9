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
    logits_BV = logits_BV.float() / divide_B[:, None]
    top_B, first_B = logits_BV.max(dim=-1)
    weight_BV = (logits_BV - top_B[:, None]).exp()
    weight_BKV = torch.nn.functional.pad(weight_BV, (0, -weight_BV.shape[1] % BLOCK)).view(len(weight_BV), -1, BLOCK)

    block_BK = weight_BKV.sum(dim=-1, dtype=torch.float64).cumsum(dim=-1)
    total_B = block_BK[:, -1]
    if not bool(torch.isfinite(total_B).all()):
        raise Stopped("the model's logits are not finite: the weights are broken; go back to an earlier checkpoint")
    point_B = torch.from_numpy(uniform_B).to(device) * total_B
    k_B = _first_above(block_BK, point_B)
    before_B = torch.where(k_B > 0, block_BK.gather(1, (k_B - 1).clamp(min=0)[:, None])[:, 0], 0.0)
    inside_BV = weight_BKV[torch.arange(len(k_B), device=device), k_B].double().cumsum(dim=-1)
    drawn_B = k_B * BLOCK + _first_above(inside_BV, point_B - before_B)

    token_B = torch.where(greedy_B, first_B, drawn_B)
    logp_B = (logits_BV.gather(1, token_B[:, None])[:, 0] - top_B).double() - total_B.log()
    return token_B.cpu().numpy(), logp_B.float().cpu().numpy()


def _first_above(cumulated_BN: Tensor, point_B: Tensor) -> Tensor:
    """Per row the first index whose cumulated weight is above the point; rounding never carries it past the last
    index with weight of its own.
    """
    last_B = torch.nextafter(cumulated_BN[:, -1], torch.zeros_like(point_B))
    return torch.searchsorted(cumulated_BN, torch.minimum(point_B, last_B)[:, None], right=True)[:, 0]
