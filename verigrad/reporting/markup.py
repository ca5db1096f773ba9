"""Small pieces of HTML: tables, figures, folds, labels. Arguments named `html` are markup already; all else is escaped.

Left out: what stands on the page (sections) and how it looks (style.css).
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from verigrad.reporting.escape import attribute, text

DECISIONS = {"accepted": "accepted", "not_accepted": "not accepted", "undecided": "undecided"}


def table(head: Sequence[str], rows: Sequence[Sequence[str]], *, caption: str = "") -> str:
    """A table; the cells are markup, head and caption are not. "" without rows. Wide tables scroll by themselves."""
    if not rows:
        return ""
    top = f"<caption>{text(caption)}</caption>" if caption else ""
    top += (
        "<thead><tr>" + "".join(f'<th scope="col">{text(h)}</th>' for h in head) + "</tr></thead>" if any(head) else ""
    )
    body = "".join(
        "<tr>" + f'<th scope="row">{row[0]}</th>' + "".join(f"<td>{cell}</td>" for cell in row[1:]) + "</tr>"
        for row in rows
    )
    return f'<div class="wide"><table>{top}<tbody>{body}</tbody></table></div>'


def pairs(values: Mapping[str, Any]) -> str:
    """Name and value in two columns; nested values are folded into dotted names. "" when empty."""
    return table(("", ""), [(text(k), scalar(v)) for k, v in flat(values)])


def flat(value: Any, path: str = "") -> list[tuple[str, Any]]:
    """Leaves of nested mappings and lists of mappings as (dotted name, value); a list of plain values is a leaf."""
    if isinstance(value, Mapping):
        return [leaf for k, v in value.items() for leaf in flat(v, f"{path}.{k}" if path else str(k))]
    if isinstance(value, list) and any(isinstance(v, Mapping) for v in value):
        return [leaf for n, v in enumerate(value) for leaf in flat(v, f"{path}.{n}" if path else str(n))]
    return [(path, value)]


def scalar(value: Any) -> str:
    """A leaf for a table cell: yes and no, short numbers, lists with commas, text escaped and cut."""
    if value is None:
        return '<span class="none">none</span>'
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return number(value)
    if isinstance(value, int):
        return f"{value:,}" if abs(value) < 10**15 else str(value)
    if isinstance(value, list | tuple):
        return ", ".join(scalar(v) for v in value[:50]) or '<span class="none">none</span>'
    return text(value, limit=600)


def number(value: float) -> str:
    """Four significant digits, no exponent where none is needed."""
    if not math.isfinite(value):
        return str(value)
    return f"{value:.4g}" if abs(value) < 1e6 else f"{value:.3e}"


def percent(value: float) -> str:
    """A share as 43.2%."""
    return f"{value * 100:.1f}%"


def points(value: float) -> str:
    """A difference of shares in percentage points, with its sign: +4.1, −0.3."""
    return f"{value * 100:+.1f}".replace("-", "−")


def duration(seconds: float) -> str:
    """A time in minutes, under a minute in seconds: 2.4 min, 12.3 s."""
    return f"{seconds:.1f} s" if seconds < 60 else f"{seconds / 60:.1f} min"


def figure(chart: str, caption: str, legend: Sequence[tuple[int, str]] = (), *, note: str = "") -> str:
    """A chart with its caption above, legend and note below. "" where the chart is."""
    if not chart:
        return ""
    keys = "".join(f'<li class="c{colour % 8}">{text(name, limit=60)}</li>' for colour, name in legend)
    below = f'<ul class="legend">{keys}</ul>' if keys else ""
    below += f"<p>{text(note)}</p>" if note else ""
    return f"<figure><figcaption>{text(caption)}</figcaption>{chart}{below}</figure>"


def figures(*charts: str) -> str:
    """Figures side by side where there is room."""
    there = "".join(charts)
    return f'<div class="figures">{there}</div>' if there else ""


def fold(summary: str, html: str, *, open_: bool = False) -> str:
    """A part that opens on a click; printed open. "" where its content is."""
    return f"<details{' open' if open_ else ''}><summary>{text(summary)}</summary>{html}</details>" if html else ""


def pill(word: str, kind: str) -> str:
    """A small label: kind is good, bad, warn or plain."""
    return f'<span class="pill {attribute(kind)}">{text(word)}</span>'


def decision_pill(verdict: Any) -> str:
    """accepted, not accepted, undecided as a label."""
    kind = {"accepted": "good", "not_accepted": "bad", "undecided": "warn"}.get(str(verdict), "plain")
    return pill(DECISIONS.get(str(verdict), str(verdict)), kind)
