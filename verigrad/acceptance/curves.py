"""pass@k and pass^k over k with intervals, before, after, and the paired gain at each k.

Left out: one draw's accuracy (headline), any decision (decide).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from verigrad.records import Item, Reply
from verigrad.statistics import mean_interval, paired_bootstrap, pass_at_k, pass_hat_k, wilson


def passes(draws: Sequence[Sequence[Reply]], families: Sequence[str], *, p: float) -> dict[str, dict[str, Any]]:
    """pass_at_k, pass_hat_k by k of the items whose draws were all graded, each with its (1 - p) _interval.

    draws [N] lists of draws, families [N], by which intervals are clustered. k is 1, 2, 4, ... up to the fewest draws
    an item has, and that number.
    """
    counts = [(c, f) for item, f in zip(draws, families, strict=True) if (c := _count(item)) is not None]
    out: dict[str, dict[str, Any]] = {}
    for word, estimate in (("pass_at_k", pass_at_k), ("pass_hat_k", pass_hat_k)):
        curve = {k: [estimate(n, c, k) for (n, c), _ in counts] for k in _ks(n for (n, _), _ in counts)}
        out[word] = {str(k): sum(values) / len(values) for k, values in curve.items()}
        out[f"{word}_interval"] = {
            str(k): interval_of(values, [f for _, f in counts], p=p) for k, values in curve.items()
        }
    return out


def pass_gains(items: Sequence[Item], *, p: float) -> dict[str, dict[str, Any]]:
    """By k: gain of pass@k, after - before, with its bootstrap interval over families, paired by item.

    Of items whose draws were all graded on both sides. A gain at k = 1 that is none at the largest k says that the
    model finds the same answers sooner and no new ones (Yue et al., arXiv:2504.13837).
    """
    pairs = [(_count(i.sampled_before), _count(i.sampled_after), i.task.family) for i in items]
    both = [(b, a, f) for b, a, f in pairs if b is not None and a is not None]
    out = {}
    for k in _ks(min(b[0], a[0]) for b, a, _ in both):
        d = [pass_at_k(*a, k) - pass_at_k(*b, k) for b, a, _ in both]
        boot = paired_bootstrap(d, [f for *_, f in both], p=p)
        out[str(k)] = {"gain": boot.mean, "interval": [boot.low, boot.high]}
    return out


def _count(draws: Sequence[Reply]) -> tuple[int, int] | None:
    """Draws and right ones; None where one was not graded or there is none."""
    if not draws or any(r.grade.strict == "ungraded" for r in draws):
        return None
    return len(draws), sum(r.grade.strict == "right" for r in draws)


def _ks(counts: Iterable[int]) -> list[int]:
    """1, 2, 4, ... up to the fewest draws an item has, and those."""
    most = min(counts, default=0)
    return sorted({2**i for i in range(20) if 2**i <= most} | ({most} if most else set()))


def interval_of(values: Sequence[float], families: Sequence[str], *, p: float) -> list[float] | None:
    """The (1 - p) interval of a mean of shares [N], families [N]; None without one.

    Wilson's where every family has one 0 or 1, or all values are 0 or all are 1 (no spread to cluster: as many
    independent answers as families, no more); else clustered by family.
    """
    if not values:
        return None
    num, ones = len(set(families)), sum(v == 1.0 for v in values)
    if ones in (0, len(values)) and all(v in (0.0, 1.0) for v in values):
        return list(wilson(num if ones else 0, num, p=p))
    if num == len(families) and all(v in (0.0, 1.0) for v in values):
        return list(wilson(ones, num, p=p))
    mean = mean_interval(values, families, p=p)
    return [mean.low, mean.high]
