"""Charts: numbers in, one SVG text out. Pure functions; colours are CSS classes, so that a page can be light or dark.

Kinds: `lines` (a metric over steps), `areas` (shares that add up to one), `intervals` (points with whiskers). Every
chart has a title and a description for a screen reader and needs no script. Left out: what is charted (sections).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from verigrad.reporting.escape import attribute
from verigrad.reporting.scales import Point, label, smooth, thin, ticks

WIDTH, HEIGHT = 480, 210
_LEFT, _RIGHT, _TOP, _BOTTOM = 52, 10, 10, 26


@dataclass(frozen=True, kw_only=True)
class Line:
    """One line of a chart."""

    name: str
    """For the legend."""
    points: Sequence[Point]
    """(step, value); values that are not finite are gaps and are left out."""
    colour: int = 0
    """Colour class c0 to c7."""
    marks: bool = False
    """Draw the points themselves and no smoothing: for few, exact values."""
    band: Sequence[tuple[float, float, float]] = ()
    """(step, low, high): an interval around the line, drawn behind it."""


@dataclass(frozen=True, kw_only=True)
class Whisker:
    """One row of an interval chart."""

    name: str
    """What it is."""
    value: float
    """The point."""
    low: float
    """Lower end."""
    high: float
    """Upper end."""
    colour: int = 0
    """Colour class."""


def lines(
    title: str,
    series: Sequence[Line],
    *,
    percent: bool = False,
    floor: float | None = None,
    ceiling: float | None = None,
    borders: Sequence[tuple[float, str]] = (),
    over: str = "step",
) -> str:
    """Lines over steps; "" when no line has a point.

    `floor`, `ceiling` are values the axis must show; `borders` are vertical marks (step, what begins there); `over` is
    what the axis counts.
    """
    kept = [(line, [p for p in line.points if math.isfinite(p[1])]) for line in series]
    kept = [(line, points) for line, points in kept if points]
    if not kept:
        return ""
    xs = [x for _, points in kept for x, _ in points]
    ys = [y for _, points in kept for _, y in points]
    ys += [y for line, _ in kept for _, *ends in line.band for y in ends]
    low = min([*ys, *([] if floor is None else [floor])])
    high = max([*ys, *([] if ceiling is None else [ceiling])])
    y_ticks = ticks(low, high, most=4)
    frame = _Frame(x=(min(xs), max(xs)), y=(y_ticks[0], y_ticks[-1]))
    body = [_grid(frame, y_ticks, percent=percent), _borders(frame, borders)]
    body += [_band(frame, line) for line, _ in kept if line.band]
    for line, points in kept:
        c = f"c{line.colour % 8}"
        if line.marks or len(points) < 8:
            body.append(f'<path class="line {c}" d="{_path(frame, points)}"/>')
            if len(points) <= 40:
                body.extend(_dot(frame, p, c) for p in points)
        else:
            body.append(f'<path class="line raw {c}" d="{_path(frame, thin(points))}"/>')
            body.append(f'<path class="line {c}" d="{_path(frame, thin(smooth(points)))}"/>')
    body.append(_hits(frame, kept, percent=percent, over=over))
    last = "; ".join(
        f"{line.name}: {_short(p[0][1], percent)} at first, {_short(p[-1][1], percent)} at last" for line, p in kept
    )
    return _svg(title, last, "".join(body))


def areas(title: str, series: Sequence[Line], *, borders: Sequence[tuple[float, str]] = ()) -> str:
    """Shares stacked to one over steps, lowest first; all lines must have the same steps. "" without a point."""
    if not series or not series[0].points:
        return ""
    xs = [x for x, _ in series[0].points]
    if any([x for x, _ in line.points] != xs for line in series):
        raise ValueError("stacked areas need the same steps in every line")
    frame = _Frame(x=(min(xs), max(xs)), y=(0.0, 1.0))
    below = [0.0] * len(xs)
    body = []
    for line in series:
        above = [b + (y if math.isfinite(y) else 0.0) for b, (_, y) in zip(below, line.points, strict=True)]
        there = _path(frame, list(zip(xs, above, strict=True)))
        back = _path(frame, list(zip(reversed(xs), reversed(below), strict=True))).replace("M", "L", 1)
        body.append(f'<path class="area c{line.colour % 8}" d="{there}{back}Z"/>')
        below = above
    body += [_grid(frame, [0, 0.25, 0.5, 0.75, 1.0], percent=True), _borders(frame, borders)]
    body.append(_hits(frame, [(line, list(line.points)) for line in series], percent=True))
    last = "; ".join(f"{line.name}: {_short(line.points[-1][1], True)} at last" for line in series)
    return _svg(title, last, "".join(body))


def intervals(
    title: str, rows: Sequence[Whisker], *, marks: Sequence[tuple[float, str]] = (), percent: bool = True
) -> str:
    """Points with whiskers, one a row, and vertical marks (value, name); "" without a row."""
    rows = [r for r in rows if all(map(math.isfinite, (r.value, r.low, r.high)))]
    if not rows:
        return ""
    ends = [*(r.low for r in rows), *(r.high for r in rows), *(m for m, _ in marks)]
    x_ticks = ticks(min(ends), max(ends), most=5)
    height, left = 30 * len(rows) + 40, 150
    frame = _Frame(x=(x_ticks[0], x_ticks[-1]), y=(0.0, 1.0), left=left, height=height, right=24)
    foot = height - _BOTTOM
    body = []
    for x in x_ticks:
        body.append(f'<line class="grid" x1="{frame.at(x):.1f}" x2="{frame.at(x):.1f}" y1="{_TOP}" y2="{foot}"/>')
        body.append(
            f'<text x="{frame.at(x):.1f}" y="{height - 9}" text-anchor="middle">{label(x, percent=percent)}</text>'
        )
    for x, name in marks:
        body.append(
            f'<line class="mark" x1="{frame.at(x):.1f}" x2="{frame.at(x):.1f}" y1="{_TOP}" y2="{foot}">'
            f"<title>{attribute(name)}</title></line>"
        )
    for i, r in enumerate(rows):
        y = _TOP + 15 + 30 * i
        says = f"{r.name}: {_short(r.value, percent)}, interval {_short(r.low, percent)} to {_short(r.high, percent)}"
        name = r.name if len(r.name) <= 24 else r.name[:23] + "…"
        body.append(
            f'<g class="c{r.colour % 8}"><title>{attribute(says)}</title>'
            f'<text class="name" x="{left - 10}" y="{y + 4}" text-anchor="end">{attribute(name)}</text>'
            f'<line class="whisker" x1="{frame.at(r.low):.1f}" x2="{frame.at(r.high):.1f}" y1="{y}" y2="{y}"/>'
            f'<line class="whisker" x1="{frame.at(r.low):.1f}" x2="{frame.at(r.low):.1f}" y1="{y - 5}" y2="{y + 5}"/>'
            f'<line class="whisker" x1="{frame.at(r.high):.1f}" x2="{frame.at(r.high):.1f}" y1="{y - 5}" y2="{y + 5}"/>'
            f'<circle cx="{frame.at(r.value):.1f}" cy="{y}" r="4.5"/></g>'
        )
    says = "; ".join(f"{r.name} {_short(r.value, percent)}" for r in rows)
    return _svg(title, says, "".join(body), height=height)


@dataclass(frozen=True, kw_only=True)
class _Frame:
    x: tuple[float, float]
    y: tuple[float, float]
    left: int = _LEFT
    right: int = _RIGHT
    height: int = HEIGHT

    def at(self, x: float) -> float:
        low, high = self.x
        share = 0.5 if high == low else (x - low) / (high - low)
        return self.left + share * (WIDTH - self.left - self.right)

    def up(self, y: float) -> float:
        low, high = self.y
        return self.height - _BOTTOM - (y - low) / (high - low) * (self.height - _TOP - _BOTTOM)


def _path(frame: _Frame, points: Sequence[Point]) -> str:
    return "".join(f"{'L' if i else 'M'}{frame.at(x):.1f} {frame.up(y):.1f}" for i, (x, y) in enumerate(points))


def _band(frame: _Frame, line: Line) -> str:
    above = _path(frame, [(x, high) for x, _, high in line.band])
    below = _path(frame, [(x, low) for x, low, _ in reversed(line.band)]).replace("M", "L", 1)
    return f'<path class="area band c{line.colour % 8}" d="{above}{below}Z"/>'


def _dot(frame: _Frame, point: Point, colour: str) -> str:
    return f'<circle class="{colour}" cx="{frame.at(point[0]):.1f}" cy="{frame.up(point[1]):.1f}" r="2.6"/>'


def _grid(frame: _Frame, y_ticks: Sequence[float], *, percent: bool) -> str:
    out = []
    for y in y_ticks:
        at = frame.up(y)
        out.append(f'<line class="grid" x1="{frame.left}" x2="{WIDTH - frame.right}" y1="{at:.1f}" y2="{at:.1f}"/>')
        out.append(
            f'<text x="{frame.left - 6}" y="{at + 3.5:.1f}" text-anchor="end">{label(y, percent=percent)}</text>'
        )
    low, high = frame.x
    for x in [t for t in ticks(low, high, most=6) if low <= t <= high and t == int(t)] or [low]:
        out.append(f'<text x="{frame.at(x):.1f}" y="{frame.height - 8}" text-anchor="middle">{label(x)}</text>')
    return "".join(out)


def _borders(frame: _Frame, borders: Sequence[tuple[float, str]]) -> str:
    return "".join(
        f'<line class="mark" x1="{frame.at(x):.1f}" x2="{frame.at(x):.1f}" y1="{_TOP}" y2="{frame.height - _BOTTOM}">'
        f"<title>{attribute(name)}</title></line>"
        for x, name in borders
        if frame.x[0] <= x <= frame.x[1]
    )


def _hits(
    frame: _Frame, kept: Sequence[tuple[Line, list[Point]]], *, percent: bool, most: int = 60, over: str = "step"
) -> str:
    """Unseen columns that say a step's values when the pointer rests on them."""
    xs = sorted({x for _, points in kept for x, _ in points})
    if len(xs) < 2:
        return ""
    xs = xs[:: math.ceil(len(xs) / most)]
    values = [(line.name, dict(points)) for line, points in kept]
    width = (WIDTH - frame.left - frame.right) / len(xs)
    out = []
    for x in xs:
        says = ", ".join(f"{name} {_short(by_step[x], percent)}" for name, by_step in values if x in by_step)
        out.append(
            f'<rect class="hit" x="{frame.at(x) - width / 2:.1f}" y="{_TOP}" width="{width:.1f}" '
            f'height="{frame.height - _TOP - _BOTTOM}"><title>{attribute(f"{over} {x:g}: {says}")}</title></rect>'
        )
    return "".join(out)


def _short(value: float, percent: bool) -> str:
    return f"{value * 100:.1f}%" if percent else f"{value:.4g}"


def _svg(title: str, description: str, body: str, *, height: int = HEIGHT) -> str:
    return (
        f'<svg class="chart" viewBox="0 0 {WIDTH} {height}" role="img" aria-label="{attribute(title)}">'
        f"<title>{attribute(title)}</title><desc>{attribute(description, limit=600)}</desc>{body}</svg>"
    )
