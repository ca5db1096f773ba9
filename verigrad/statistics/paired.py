"""Two models on the same items: exact McNemar, sign flips over families, the paired bootstrap over families.

Everything here is deterministic: exact where that is feasible, else seeded, and the result says which. Left out: the
rule that turns p and interval into a decision (acceptance).
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from dataclasses import dataclass

import numpy as np

DRAWS = 10_000
_FLIPS = 100_000
_ENUMERATE = 16
_GRID = 1_000_000


@dataclass(frozen=True, kw_only=True)
class McNemar:
    """McNemar's test of b gains against c losses."""

    exact: float
    """Two-sided exact binomial p."""
    mid_p: float
    """Mid-p variant: less conservative, not exact."""
    chi2: float
    """(b - c)^2 / (b + c); 0 without a discordant pair."""
    chi2_p: float
    """Its p by chi-squared with one degree of freedom."""
    chi2_corrected: float
    """(|b - c| - 1)^2 / (b + c), continuity corrected."""
    chi2_corrected_p: float
    """Its p."""


@dataclass(frozen=True, kw_only=True)
class SignFlip:
    """A sign-flip test over family sums."""

    total: float
    """Sum of the family sums."""
    p_value: float
    """Two-sided p; never 0."""
    how: str
    """"exact", or "100,000 seeded flips"."""


@dataclass(frozen=True, kw_only=True)
class Bootstrap:
    """A paired bootstrap over families."""

    mean: float
    """Mean paired difference over all items."""
    low: float
    """p/2 percentile of the draws."""
    high: float
    """1 - p/2 percentile."""
    p_value: float
    """Two-sided, against `null`: min(1, 2 (1 + min(#<=, #>=)) / (1 + draws)); never 0."""
    share_at_or_below: float
    """Plain share of draws at or below `null`: the one-sided p without the added draw."""
    families: int
    """Number of families resampled."""
    draws: int
    """Number of bootstrap draws."""


@dataclass(frozen=True, kw_only=True)
class PairedDifference:
    """A mean paired difference by normal theory, for reading; decisions use the tests."""

    mean: float
    """Mean of after - before."""
    se: float
    """Its standard error, sample variance (ddof 1); nan for one item."""
    z: float
    """mean / se; nan when se is 0."""


def mcnemar(gains: int, losses: int) -> McNemar:
    """McNemar's test (1947) on the items whose outcome changed: `gains` b wrong -> right, `losses` c right -> wrong.

    exact p = min(1, 2 sum_{i <= min(b,c)} C(b+c, i) 2^-(b+c)); mid-p subtracts C(b+c, min) 2^-(b+c) (Fagerland et al.
    2013). Integers throughout, so no size overflows. No changed item: every p is 1. ValueError on negative counts.
    >>> mcnemar(8, 2).exact
    0.109375
    """
    if gains < 0 or losses < 0:
        raise ValueError(f"counts are not negative: {gains}, {losses}")
    n, k = gains + losses, min(gains, losses)
    if n == 0:
        return McNemar(exact=1.0, mid_p=1.0, chi2=0.0, chi2_p=1.0, chi2_corrected=0.0, chi2_corrected_p=1.0)
    tail, point = 2 * sum(math.comb(n, i) for i in range(k + 1)), math.comb(n, k)
    chi2 = (gains - losses) ** 2 / n
    corrected = max(0, abs(gains - losses) - 1) ** 2 / n
    return McNemar(
        exact=min(tail, 2**n) / 2**n,
        mid_p=min(tail - point, 2**n) / 2**n,
        chi2=chi2,
        chi2_p=math.erfc(math.sqrt(chi2 / 2)),
        chi2_corrected=corrected,
        chi2_corrected_p=math.erfc(math.sqrt(corrected / 2)),
    )


def sign_flip(family_sums: Sequence[float] | np.ndarray) -> SignFlip:
    """Sign-flip test of "no change" over family sums s_f [F] (Fisher 1935): p = P(|sum e_f s_f| >= |sum s_f|).

    e_f are independent fair signs: under no change a family's sum is as likely as its negative, whatever ties its
    items together. Whole numbers: exact, by convolving the distribution of the sum (with families of one item this is
    exact McNemar). At most 16 other nonzero sums: exact, by enumeration. Else 100,000 flips from default_rng(0) and
    p = (1 + #) / (1 + flips). Sums that differ by less than 1e-9 of the largest count as equal.
    """
    s = np.abs(np.asarray(family_sums, dtype=np.float64))
    total = float(np.asarray(family_sums, dtype=np.float64).sum())
    if not np.isfinite(s).all():
        raise ValueError("family sums are finite numbers")
    s = s[s > 0]
    if len(s) == 0:
        return SignFlip(total=total, p_value=1.0, how="exact")
    reach = float(s.sum())
    if np.array_equal(s, np.round(s)) and reach <= _GRID:
        distribution = np.ones(1)  # distribution[i] = P(sum = 2 i - reach so far): every flip moves the sum by 2 s
        for size in s.astype(int):
            wider = np.zeros(len(distribution) + size)
            wider[: len(distribution)] += 0.5 * distribution
            wider[size:] += 0.5 * distribution
            distribution = wider
        sums = 2 * np.arange(len(distribution)) - reach
        p = float(distribution[np.abs(sums) >= abs(total)].sum())
        return SignFlip(total=total, p_value=min(1.0, p), how="exact")
    slack = abs(total) - 1e-9 * reach
    if len(s) <= _ENUMERATE:
        signs = 1.0 - 2.0 * ((np.arange(2 ** len(s))[:, None] >> np.arange(len(s))) & 1)
        return SignFlip(total=total, p_value=float(np.mean(np.abs(signs @ s) >= slack)), how="exact")
    rng, hits = np.random.default_rng(0), 0
    for start in range(0, _FLIPS, 1000):
        signs = 1.0 - 2.0 * rng.integers(0, 2, size=(min(1000, _FLIPS - start), len(s)))
        hits += int(np.sum(np.abs(signs @ s) >= slack))
    return SignFlip(total=total, p_value=(1 + hits) / (1 + _FLIPS), how=f"{_FLIPS:,} seeded flips")


def paired_bootstrap(
    differences: Sequence[float] | np.ndarray,
    families: Sequence[Hashable] | None = None,
    *,
    p: float = 0.05,
    null: float = 0.0,
    draws: int = DRAWS,
) -> Bootstrap:
    """Percentile bootstrap of a mean paired difference, resampling families (Efron and Tibshirani 1993, ch. 13, 16).

    differences [N] of after - before an item; families [N] labels, or None where every item is its own. One draw takes
    F of the F families with replacement, in order of first appearance, from default_rng(0), and divides the sum of
    their items' differences by the number of their items. Interval: the p/2 and 1 - p/2 percentiles (linear). p-value
    against `null`: two-sided, twice the smaller tail, ties in both tails, one draw added to count and total so that it
    is never 0 (Davison and Hinkley 1997, eq. 4.11), at most 1. ValueError without items.
    """
    d = np.asarray(differences, dtype=np.float64)
    if len(d) == 0 or (families is not None and len(families) != len(d)) or not np.isfinite(d).all():
        raise ValueError("at least one finite difference, and one family an item")
    index: dict[Hashable, int] = {}
    which = np.arange(len(d)) if families is None else np.array([index.setdefault(f, len(index)) for f in families])
    num = int(which.max()) + 1
    sums, sizes = np.bincount(which, weights=d, minlength=num), np.bincount(which, minlength=num).astype(np.float64)
    rng, block = np.random.default_rng(0), max(1, 2_000_000 // num)
    means = np.empty(draws)
    for start in range(0, draws, block):
        rows = rng.integers(0, num, size=(min(block, draws - start), num))
        means[start : start + len(rows)] = sums[rows].sum(axis=1) / sizes[rows].sum(axis=1)
    low, high = np.percentile(means, [100 * p / 2, 100 * (1 - p / 2)])
    at_most, at_least = int(np.sum(means <= null + 1e-12)), int(np.sum(means >= null - 1e-12))
    return Bootstrap(
        mean=float(d.mean()),
        low=float(low),
        high=float(high),
        p_value=min(1.0, 2 * (1 + min(at_most, at_least)) / (1 + draws)),
        share_at_or_below=at_most / draws,
        families=num,
        draws=draws,
    )


def paired_difference(differences: Sequence[float] | np.ndarray) -> PairedDifference:
    """Mean, standard error sqrt(var/N) (ddof 1) and z of differences [N]: 0.06, 0.0312, 1.92 for 8 gains, 2 losses."""
    d = np.asarray(differences, dtype=np.float64)
    if len(d) == 0:
        raise ValueError("at least one difference")
    mean, se = float(d.mean()), float(d.std(ddof=1) / math.sqrt(len(d))) if len(d) > 1 else math.nan
    return PairedDifference(mean=mean, se=se, z=mean / se if se > 0 else math.nan)


def unpaired_se(share_a: float, share_b: float, n: int) -> float:
    """Standard error of a difference of two independent shares of n items: what pairing saves (0.0705 for 0.0312)."""
    return math.sqrt((share_a * (1 - share_a) + share_b * (1 - share_b)) / n)
