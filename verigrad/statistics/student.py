"""A few training seeds: Student's t interval of their mean, Welch's of a difference. numpy only, no tables.

Left out: items (intervals, paired): a t interval over seeds takes the items as given and says what another seed does.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True, kw_only=True)
class SeedMean:
    """A mean over training seeds."""

    mean: float
    """Mean over seeds."""
    sd: float
    """Their standard deviation (ddof 1); nan for one seed."""
    low: float
    """Lower end of the t interval, cut at the bounds; the bounds for one seed."""
    high: float
    """Upper end."""
    seeds: int
    """How many."""


@dataclass(frozen=True, kw_only=True)
class SeedDifference:
    """A difference b - a of two means over seeds."""

    difference: float
    """mean(b) - mean(a)."""
    low: float
    """Lower end of the interval."""
    high: float
    """Upper end."""
    p_value: float
    """Two-sided p of no difference."""
    df: int
    """Degrees of freedom, rounded down."""


def t_cdf(t: float, df: int) -> float:
    """P(T <= t) of Student's t with `df` degrees of freedom, a whole number (Abramowitz and Stegun 26.7.3, 26.7.4)."""
    if df < 1:
        raise ValueError(f"degrees of freedom are at least 1, not {df}")
    theta = math.atan2(abs(t), math.sqrt(df))
    sin, cos2 = math.sin(theta), math.cos(theta) ** 2
    odd = df % 2
    term = math.cos(theta) if odd else 1.0
    total = term if df > 1 else 0.0
    for i in range(2 + odd, df - 1, 2):
        term *= cos2 * (i - 1) / i
        total += term
    inside = 2 / math.pi * (theta + sin * total) if odd else sin * total
    return 0.5 + math.copysign(min(inside, 1.0), t) / 2


def t_value(p: float, df: int) -> float:
    """The t quantile of a two-sided (1 - p) interval: 2.776445 for p 0.05 and 4 degrees of freedom. By bisection.

    >>> round(t_value(0.05, 4), 4)
    2.7764
    """
    if not 0.0 < p < 1.0:
        raise ValueError(f"p lies strictly between 0 and 1, not {p!r}")
    low, high = 0.0, 1.0
    while t_cdf(high, df) < 1 - p / 2:
        low, high = high, 2 * high
    for _ in range(200):
        middle = (low + high) / 2
        low, high = (middle, high) if t_cdf(middle, df) < 1 - p / 2 else (low, middle)
    return (low + high) / 2


def seed_mean(values: Sequence[float], *, p: float = 0.05, bounds: tuple[float, float] = (0.0, 1.0)) -> SeedMean:
    """Mean of one number a training seed, values [S], with the (1 - p) t interval mean -+ t sd / sqrt(S).

    One seed says nothing of another: its interval is the bounds. ValueError without a seed.
    """
    x = np.asarray(values, dtype=np.float64)
    if len(x) == 0 or not np.isfinite(x).all():
        raise ValueError("at least one finite number")
    mean = float(x.mean())
    if len(x) == 1:
        return SeedMean(mean=mean, sd=math.nan, low=bounds[0], high=bounds[1], seeds=1)
    sd = float(x.std(ddof=1))
    half = t_value(p, len(x) - 1) * sd / math.sqrt(len(x))
    return SeedMean(mean=mean, sd=sd, low=max(bounds[0], mean - half), high=min(bounds[1], mean + half), seeds=len(x))


def seed_difference(a: Sequence[float], b: Sequence[float], *, p: float = 0.05) -> SeedDifference:
    """mean(b) - mean(a) of independent seeds with its (1 - p) interval and p (Welch 1947, Satterthwaite's df).

    a [S], b [S']. Unequal variances; df is rounded down, which widens the interval. A side of one value counts as known
    exactly, as a model that no seed changes is (one training seed is not): the interval is then the other side's alone.
    No spread at all: the interval is the point, p is 0 for a difference, 1 for none. ValueError where both sides have
    one value.
    """
    x, y = np.asarray(a, dtype=np.float64), np.asarray(b, dtype=np.float64)
    if min(len(x), len(y)) < 1 or max(len(x), len(y)) < 2:
        raise ValueError(f"at least two seeds on one side, not {len(x)} and {len(y)}")
    parts = [(float(s.var(ddof=1)) / len(s), len(s) - 1) for s in (x, y) if len(s) > 1]
    variance = sum(v for v, _ in parts)
    difference = float(y.mean() - x.mean())
    if variance == 0.0:
        df = min(d for _, d in parts)
        p_value = 1.0 if difference == 0 else 0.0
        return SeedDifference(difference=difference, low=difference, high=difference, p_value=p_value, df=df)
    df = max(1, math.floor(variance**2 / sum(v**2 / d for v, d in parts)))
    se = math.sqrt(variance)
    half = t_value(p, df) * se
    return SeedDifference(
        difference=difference,
        low=difference - half,
        high=difference + half,
        p_value=min(1.0, 2 * (1 - t_cdf(abs(difference) / se, df))),
        df=df,
    )
