"""Share of the engine's weights that a step changed: a small update can round away in the engine's precision.

In bfloat16 two neighbouring numbers differ by 2^-8 of their size at most: a weight of 0.02 needs a step of about 6e-5
to become another one, AdamW's steps are about the learning rate, and what the master keeps the engine may not see for
many steps. Left out: taking weights over (sampling.weights).
"""

from __future__ import annotations

import torch
from torch import Tensor

SAMPLED = 251
"""One weight in so many is looked at, counted in each tensor from its first, as in sampling.weights."""


@torch.no_grad()
def looked_at(module: torch.nn.Module, dtype: torch.dtype) -> Tensor:
    """Every `SAMPLED`-th trained weight as the engine has it, [N] of this dtype."""
    pieces = [p.detach().reshape(-1)[::SAMPLED].to(dtype) for p in module.parameters() if p.requires_grad]
    return torch.cat(pieces) if pieces else torch.empty(0, dtype=dtype)


def share_changed(before_N: Tensor, after_N: Tensor) -> float:
    """Share of these weights that are another number now; 0 where none is looked at."""
    return float((before_N != after_N).double().mean()) if len(before_N) else 0.0
