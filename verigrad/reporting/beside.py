"""What stands beside a suite's decision and decides nothing: the pass@k curve, Holm's p, the off-task probe.

Reads the numbers acceptance wrote and computes none of them again. Left out: the decision itself (verdicts).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from verigrad.reporting import charts
from verigrad.reporting.charts import Line
from verigrad.reporting.escape import text
from verigrad.reporting.markup import figure, number, percent, points, table

_SIDES = (("before", 0), ("after", 2))


def pass_curve(suite: Mapping[str, Any]) -> str:
    """pass@k over k before and after, with bands; "" with fewer than two k."""
    sampled = suite.get("sampled")
    if not isinstance(sampled, Mapping):
        return ""
    lines = [
        Line(name=side, points=curve, colour=colour, marks=True, band=_band(sampled[side]))
        for side, colour in _SIDES
        if isinstance(sampled.get(side), Mapping) and len(curve := _curve(sampled[side])) > 1
    ]
    if not lines:
        return ""
    gain = suite.get("pass_gain")
    note = ""
    if isinstance(gain, Mapping) and gain:
        k = max(gain, key=int)
        note = f"At k = {k}, after minus before: {_gain(gain[k])}. A gain at k = 1 that is none at the largest k says "
        note += "that the model finds the same answers sooner, and no new ones."
    caption = "pass@k: at least one of k draws is right"
    chart = charts.lines(caption, lines, percent=True, floor=0.0, ceiling=1.0, over="k =")
    return figure(chart, caption, [(colour, side) for side, colour in _SIDES], note=note)


def holm_words(suite: Mapping[str, Any]) -> str:
    """The decision's p adjusted for the suites of the run, where there were several; ""."""
    adjusted, decision = suite.get("holm"), suite.get("decision")
    if not isinstance(adjusted, float | int) or not isinstance(decision, Mapping):
        return ""
    if adjusted == decision.get("p_value"):
        return ""
    return f", {number(float(adjusted))} adjusted for the suites of this run (Holm)"


def off_task_block(acceptance: Any) -> str:
    """The off-task probe as a table, before and after; "" where acceptance.json has none."""
    found = acceptance.get("off_task") if isinstance(acceptance, Mapping) else None
    if not isinstance(found, Mapping) or not all(isinstance(found.get(side), Mapping) for side, _ in _SIDES):
        return ""
    before, after = found["before"], found["after"]
    change = found["change"] if isinstance(found.get("change"), Mapping) else {}
    rows = [
        (words, _share(before, word), _share(after, word), _change(change.get(word), share=True))
        for word, words in (
            ("format", "carry the task's format"),
            ("refusing", "give no reason"),
            ("truncated", "cut at the token limit"),
        )
    ]
    rows.append(("mean tokens", _plain(before, "length"), _plain(after, "length"), _change(change.get("length"))))
    ratio = change.get("perplexity", {}).get("ratio") if isinstance(change.get("perplexity"), Mapping) else None
    times = f"× {number(float(ratio))}" if isinstance(ratio, float | int) else "–"
    rows.append(
        ("perplexity of a plain text", _plain(before, "perplexity"), _plain(after, "perplexity"), times),
    )
    asked = after.get("questions")
    words = f"{asked} built-in questions that want no number and no format" if asked else "built-in questions"
    head = f'<h3>Off the task</h3><p class="small">{text(words)}, one answer each. It decides nothing.</p>'
    return f'<section class="suite">{head}{table(("", "before", "after", "change"), rows)}</section>'


def _curve(side: Mapping[str, Any]) -> list[tuple[float, float]]:
    found = side.get("pass_at_k")
    if not isinstance(found, Mapping):
        return []
    return sorted((float(k), float(v)) for k, v in found.items() if isinstance(v, float | int))


def _band(side: Mapping[str, Any]) -> list[tuple[float, float, float]]:
    found = side.get("pass_at_k_interval")
    if not isinstance(found, Mapping):
        return []
    return sorted((float(k), *ends) for k, v in found.items() if (ends := _ends(v)) is not None)


def _gain(value: Any) -> str:
    if not isinstance(value, Mapping) or not isinstance(value.get("gain"), float | int):
        return "–"
    ends = _ends(value.get("interval"))
    return f"{points(value['gain'])} points" + (f" [{points(ends[0])}, {points(ends[1])}]" if ends else "")


def _share(side: Mapping[str, Any], word: str) -> str:
    value, ends = side.get(word), _ends(side.get(f"{word}_interval"))
    if not isinstance(value, float | int):
        return "–"
    tail = f' <span class="small">[{percent(ends[0])}, {percent(ends[1])}]</span>' if ends else ""
    return percent(float(value)) + tail


def _plain(side: Mapping[str, Any], word: str) -> str:
    value, ends = side.get(word), _ends(side.get(f"{word}_interval"))
    if not isinstance(value, float | int):
        return "–"
    tail = f' <span class="small">[{number(ends[0])}, {number(ends[1])}]</span>' if ends else ""
    return number(float(value)) + tail


def _change(value: Any, *, share: bool = False) -> str:
    if not isinstance(value, Mapping) or not isinstance(value.get("change"), float | int):
        return "–"
    said = points if share else _signed
    ends = _ends(value.get("interval"))
    out = said(float(value["change"])) + (f" [{said(ends[0])}, {said(ends[1])}]" if ends else "")
    p = value.get("p_value")
    return out + (f", p {number(float(p))}" if isinstance(p, float | int) else "")


def _signed(value: float) -> str:
    return ("+" if value > 0 else "") + number(value).replace("-", "−")


def _ends(value: Any) -> tuple[float, float] | None:
    if isinstance(value, list | tuple) and len(value) == 2 and all(isinstance(x, float | int) for x in value):
        return float(value[0]), float(value[1])
    return None
