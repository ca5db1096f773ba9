"""How sure a share or a mean is: Wilson, binomial and clustered standard errors, a mean with its interval.

Left out: differences between two models (paired.py); anything a decision rests on uses those, never two overlapping
intervals of this file.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np


@dataclass(frozen=True, kw_only=True)
class Mean:
    """A mean with its clustered uncertainty."""

    mean: float
    """Mean over all values."""
    se: float
    """Clustered standard error; nan with fewer than two clusters."""
    low: float
    """Lower end of the normal interval, cut at the bounds."""
    high: float
    """Upper end."""
    clusters: int
    """Number of clusters."""


def z_value(p: float) -> float:
    """The normal quantile of a two-sided (1 - p) interval: 1.959964 for p = 0.05. ValueError outside (0, 1)."""
    if not 0.0 < p < 1.0:
        raise ValueError(f"p lies strictly between 0 and 1, not {p!r}")
    return NormalDist().inv_cdf(1.0 - p / 2.0)


def wilson(successes: int, n: int, *, p: float = 0.05) -> tuple[float, float]:
    """The (1 - p) score interval of a share (Wilson 1927), which never leaves [0, 1] and is not empty at 0 or n.

    centre (p^ + z^2/2n) / (1 + z^2/n), half width z sqrt(p^(1-p^)/n + z^2/4n^2) / (1 + z^2/n). n = 0 gives (0, 1):
    nothing is known. ValueError if successes is not in 0..n.
    >>> tuple(round(x, 4) for x in wilson(45, 100))
    (0.3561, 0.5476)
    """
    if not 0 <= successes <= n:
        raise ValueError(f"successes is in 0..n, not {successes} of {n}")
    if n == 0:
        return 0.0, 1.0
    z, share = z_value(p), successes / n
    centre = share + z * z / (2 * n)
    half = z * math.sqrt(share * (1 - share) / n + z * z / (4 * n * n))
    scale = 1 + z * z / n
    low = 0.0 if successes == 0 else (centre - half) / scale
    high = 1.0 if successes == n else (centre + half) / scale
    return low, high


def binomial_se(share: float, n: int) -> float:
    """Standard error sqrt(p(1-p)/n) of a share of n independent items: 0.0913 for p 0.5, n 30."""
    if n < 1 or not 0.0 <= share <= 1.0:
        raise ValueError(f"a share in [0, 1] of at least one item, not {share!r} of {n}")
    return math.sqrt(share * (1 - share) / n)


def clustered_se(values: Sequence[float] | np.ndarray, clusters: Sequence[Hashable]) -> float:
    """Standard error of the mean when values of one cluster belong together (Miller, arXiv:2411.00640, eq. 4).

    values [N], clusters [N] labels. sqrt(C/(C-1) sum_c (sum_{i in c} (x_i - mean))^2) / N over C clusters, which for
    equal sizes is the ddof 1 standard error of the cluster means. nan with fewer than two clusters: one cluster says
    nothing about another. Independent-draw errors on k draws a question are too small (0.136 for 0.220 in the test).
    """
    x = np.asarray(values, dtype=np.float64)
    if len(x) != len(clusters) or len(x) == 0:
        raise ValueError(f"one cluster a value, at least one: got {len(x)} values, {len(clusters)} clusters")
    index: dict[Hashable, int] = {}
    which = [index.setdefault(c, len(index)) for c in clusters]
    num = len(index)
    if num < 2:
        return math.nan
    residual = np.bincount(which, weights=x - x.mean(), minlength=num)
    return math.sqrt(num / (num - 1) * float(residual @ residual)) / len(x)


def mean_interval(
    values: Sequence[float] | np.ndarray,
    clusters: Sequence[Hashable],
    *,
    p: float = 0.05,
    bounds: tuple[float, float] = (0.0, 1.0),
) -> Mean:
    """Mean of values [N] with the (1 - p) normal interval mean -+ z SE, SE clustered, cut at `bounds`.

    Normal theory wants some hundred clusters (Bowyer et al., arXiv:2503.01747); decisions use the paired bootstrap.
    With fewer than two clusters the interval is the bounds.
    """
    mean, se = float(np.mean(np.asarray(values, dtype=np.float64))), clustered_se(values, clusters)
    num = len(set(clusters))
    if math.isnan(se):
        return Mean(mean=mean, se=se, low=bounds[0], high=bounds[1], clusters=num)
    z = z_value(p)
    return Mean(mean=mean, se=se, low=max(bounds[0], mean - z * se), high=min(bounds[1], mean + z * se), clusters=num)
