"""Numbers to places on a chart: round ticks, smoothing, thinning, short labels. Pure functions.

Left out: SVG (charts).
"""

from __future__ import annotations

import math
from collections.abc import Sequence

Point = tuple[float, float]


def ticks(low: float, high: float, *, most: int = 5) -> list[float]:
    """Round numbers (1, 2, 2.5 or 5 times a power of ten) that cover [low, high], at most `most` + 1 of them.

    >>> ticks(0.0, 1.0)
    [0.0, 0.2, 0.4, 0.6, 0.8, 1.0]
    """
    if not (math.isfinite(low) and math.isfinite(high)):
        return [0.0, 1.0]
    if high - low <= max(1e-12 * max(abs(low), abs(high)), 1e-300):
        pad = 0.5 * abs(low) if abs(low) > 1e-290 else 0.5
        low, high = low - pad, high + pad
    raw = (high - low) / most
    size = 10.0 ** math.floor(math.log10(raw))
    step = next(m * size for m in (1, 2, 2.5, 5, 10) if m * size >= raw * (1 - 1e-9))
    first, last = math.floor(low / step + 1e-9), math.ceil(high / step - 1e-9)
    return [float(f"{i * step:.12g}") for i in range(first, last + 1)]


def label(value: float, *, percent: bool = False) -> str:
    """A number as a tick says it: 40%, 1,200, 0.25, 2.5e-6."""
    if percent:
        return f"{value * 100:g}%"
    if value == 0:
        return "0"
    if 1e-3 <= abs(value) < 1e7:
        return f"{value:,.7g}" if abs(value) >= 1000 else f"{value:.4g}"
    mantissa, exponent = f"{value:.2e}".split("e")
    return f"{float(mantissa):g}e{int(exponent)}"


def smooth(points: Sequence[Point], *, share: float = 0.1) -> list[Point]:
    """Centred moving mean over `share` of the points (at least 3), one-sided at the ends: the shape behind noise."""
    half = max(1, int(len(points) * share / 2))
    out = []
    for i, (x, _) in enumerate(points):
        window = points[max(0, i - half) : i + half + 1]
        out.append((x, sum(y for _, y in window) / len(window)))
    return out


def thin(points: Sequence[Point], *, most: int = 300) -> list[Point]:
    """At most about `most` points: of each stretch the lowest and the highest, so that no peak is lost."""
    if len(points) <= most:
        return list(points)
    size = math.ceil(2 * len(points) / most)
    out: list[Point] = []
    for i in range(0, len(points), size):
        stretch = points[i : i + size]
        ends = {min(stretch, key=lambda p: p[1]), max(stretch, key=lambda p: p[1])}
        out.extend(sorted(ends))
    return out
