"""Means and standard deviations of rewards within groups, exact where they must be exact.

float64 throughout. Groups whose rewards are equal (up to rounding) give exactly 0, so that such rows need not be
computed. Left out: which statistic a method wants (baselines.py, scales.py).
"""

# ruff: noqa: F722
from __future__ import annotations

import torch
from jaxtyping import Float, Int
from torch import Tensor

from verigrad.errors import Refused

# Rewards are sums of parts such as 0.1 + 0.2; a spread below this share of the largest reward is rounding of such a
# sum, not a difference between answers, and a standard deviation of it would be blown up to advantages of size 1.
ROUNDING = 1e-12


def sizes(group_B: Int[Tensor, " B"]) -> Float[Tensor, " B"]:
    """Members of each row's group. `group_B` counts groups from 0 without gaps."""
    return torch.bincount(group_B)[group_B].to(torch.float64)


def centred(x_B: Float[Tensor, " B"], group_B: Int[Tensor, " B"]) -> Float[Tensor, " B"]:
    """Minus the mean of its group; exactly 0 where the group is constant."""
    low_B, constant_B = _lowest(x_B, group_B)
    rest_B = x_B - low_B
    mean_B = _sums(rest_B, group_B) / sizes(group_B)
    return torch.where(constant_B, torch.zeros_like(x_B), rest_B - mean_B)


def std(x_B: Float[Tensor, " B"], group_B: Int[Tensor, " B"], *, ddof: int) -> Float[Tensor, " B"]:
    """Standard deviation of each row's group with divisor n - ddof; exactly 0 where the group is constant.

    Raises:
        Refused: a group with no more than ddof members.
    """
    n_B = sizes(group_B)
    if bool((n_B <= ddof).any()):
        raise Refused(f"a standard deviation with ddof {ddof} needs at least {ddof + 1} rewards", key="train.group")
    return (_sums(centred(x_B, group_B) ** 2, group_B) / (n_B - ddof)).sqrt()


def divided(x: Float[Tensor, "*S"], std: Float[Tensor, "*S"], epsilon: float) -> Float[Tensor, "*S"]:
    """Divided by (std + epsilon), and exactly 0 where the standard deviation is 0, whatever epsilon is."""
    return torch.where(std == 0, torch.zeros_like(x), x / torch.where(std == 0, torch.ones_like(std), std + epsilon))


def _sums(x_B: Float[Tensor, " B"], group_B: Int[Tensor, " B"]) -> Float[Tensor, " B"]:
    return torch.zeros(int(group_B.max()) + 1, dtype=x_B.dtype).index_add_(0, group_B, x_B)[group_B]


def _lowest(x_B: Float[Tensor, " B"], group_B: Int[Tensor, " B"]) -> tuple[Tensor, Tensor]:
    groups = int(group_B.max()) + 1
    low = torch.full((groups,), torch.inf, dtype=x_B.dtype).scatter_reduce(0, group_B, x_B, "amin")
    high = torch.full((groups,), -torch.inf, dtype=x_B.dtype).scatter_reduce(0, group_B, x_B, "amax")
    constant = high - low <= ROUNDING * torch.maximum(high.abs(), low.abs())
    return low[group_B], constant[group_B]
