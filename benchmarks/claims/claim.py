"""What claims have in common: arguments, seeds, intervals, the result's file, its picture and its table in the page.

A claim is a module with NAME, `one(seed, smoke)` (everything measured with that seed), `table(result)` and
`draw(result)`; see docs/claims.md. A smoke run does one seed with a few steps of a smaller model and writes nothing.
"""

from __future__ import annotations

import argparse
import fcntl
import io
import json
import os
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch

from benchmarks.common import ROOT, facts, git, page, rows
from verigrad.statistics import t_value

RESULTS = ROOT / "benchmarks/results/claims"
PAGE = ROOT / "docs/claims.md"
PICTURES = ROOT / "docs/claims"
COLOURS = ("#1f5fa8", "#c2541b", "#3c8a3c", "#7a4fa3")


def run(
    name: str,
    doc: str | None,
    given: Sequence[str] | None,
    one: Callable[[int, bool], dict[str, Any]],
    table: Callable[[dict[str, Any]], str],
    draw: Callable[[dict[str, Any]], str],
) -> dict[str, Any]:
    """Measure seeds one after the other, then store, draw and say."""
    parser = argparse.ArgumentParser(description=(doc or "").splitlines()[0])
    parser.add_argument("--seeds", type=int, default=5, help="training seeds, from 0")
    parser.add_argument("--smoke", action="store_true", help="one seed, a few steps, a smaller model; writes nothing")
    parser.add_argument("--out", type=Path, help="write NAME.json and NAME.svg there and leave the page alone")
    asked = parser.parse_args(given)
    torch.set_num_threads(1)
    begun, result = (
        time.monotonic(),
        facts() | {"clean": not git("status", "--porcelain", "verigrad", "benchmarks/claims")},
    )
    result["seeds"] = []
    for seed in range(1 if asked.smoke else asked.seeds):
        since = time.monotonic()
        found = one(seed, asked.smoke)
        seconds = round(time.monotonic() - since, 1)
        result["seeds"].append({"seed": seed, "seconds": seconds} | rounded(found))
        print(f"{name}, seed {seed}: {seconds} s", flush=True)
    result |= {"load_after": round(os.getloadavg()[0], 2), "minutes": round((time.monotonic() - begun) / 60, 1)}
    folder = asked.out or (None if asked.smoke else RESULTS)
    block = table(result)
    if folder is not None:
        folder.mkdir(parents=True, exist_ok=True)
        (folder / f"{name}.json").write_text(json.dumps(result) + "\n", encoding="utf-8")
        pictures = PICTURES if folder == RESULTS else folder
        pictures.mkdir(parents=True, exist_ok=True)
        (pictures / f"{name}.svg").write_text(draw(result), encoding="utf-8")
    if folder == RESULTS:
        write(name, block)
    print(block)
    return result


def write(name: str, block: str) -> None:
    """Put the block into the page; another claim may be doing the same."""
    with PAGE.open("r+", encoding="utf-8") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        text = page(file.read(), name, block)
        file.seek(0)
        file.write(text)
        file.truncate()


def rounded(value: Any) -> Any:
    """Numbers to five significant digits: a result is read by people, too."""
    if isinstance(value, dict):
        return {k: rounded(v) for k, v in value.items()}
    if isinstance(value, list | tuple | np.ndarray):
        return [rounded(v) for v in value]
    return float(f"{value:.5g}") if isinstance(value, float | np.floating) else value


def heading(result: dict[str, Any]) -> str:
    """Where, with what, how long."""
    seconds = [s["seconds"] for s in result["seeds"]]
    return (
        f"{len(seconds)} seeds, {min(seconds):.0f} to {max(seconds):.0f} s each; {result['hardware']['cpu']}, one "
        f"thread, load {result['load_before']} before; commit `{result['commit'][:12]}`"
        f"{'' if result['clean'] else ' with changes'}, {result['date']}.\n\n"
    )


def interval(values: Sequence[float]) -> tuple[float, float, float]:
    """Mean over seeds and its 95% t interval; nan ends for one seed."""
    x = np.asarray(values, dtype=np.float64)
    mean = float(x.mean())
    if len(x) < 2:
        return mean, float("nan"), float("nan")
    half = t_value(0.05, len(x) - 1) * float(x.std(ddof=1)) / len(x) ** 0.5
    return mean, mean - half, mean + half


def told(values: Sequence[float], digits: int = 3, sign: bool = False) -> str:
    """0.412 [0.350, 0.474]; without an interval where there is one seed."""
    mean, low, high = interval(values)
    plus = "+" if sign else ""
    text = f"{mean:{plus}.{digits}f}"
    return text if np.isnan(low) else f"{text} [{low:{plus}.{digits}f}, {high:{plus}.{digits}f}]"


def difference(a: Sequence[float], b: Sequence[float], digits: int = 3) -> str:
    """b - a, paired by seed."""
    return told([y - x for x, y in zip(a, b, strict=True)], digits, sign=True)


def curves(result: dict[str, Any], condition: str, name: str) -> tuple[np.ndarray, np.ndarray]:
    """Steps [N] and values [seeds, N] of a metric that is there in every seed's lines."""
    lines = [
        {line["step"]: line[name] for line in s["curves"][condition] if line.get(name) is not None}
        for s in result["seeds"]
    ]
    steps = sorted(set.intersection(*(set(line) for line in lines)))
    return np.array(steps), np.array([[line[s] for s in steps] for line in lines], dtype=np.float64)


def ends(result: dict[str, Any], condition: str, name: str, *, first: bool = False, over: int = 5) -> list[float]:
    """Of each seed, the mean of the metric over its last (or first) `over` lines that have it; nan where none has."""
    out = []
    for s in result["seeds"]:
        values = [line[name] for line in s["curves"][condition] if line.get(name) is not None]
        out.append(float(np.mean(values[:over] if first else values[-over:])) if values else float("nan"))
    return out


def kept(curve: Sequence[dict[str, Any]], *names: str) -> list[dict[str, Any]]:
    """The lines with these metrics alone; lines that have none of them are left out."""
    return [{k: line[k] for k in ("step", *names) if k in line} for line in curve if set(names) & set(line)]


def band(
    axes: Any,
    result: dict[str, Any],
    condition: str,
    name: str,
    label: str,
    colour: str,
    smooth: int = 1,
    *,
    gained: bool = False,
) -> None:
    """The mean over seeds and the range of the seeds; `gained`: of what each seed has gained since its first look."""
    steps, values = curves(result, condition, name)
    if gained:
        values = values - values[:, :1]
    if smooth > 1 and len(steps) >= smooth:
        values = np.stack([np.convolve(v, np.ones(smooth) / smooth, mode="valid") for v in values])
        steps = steps[smooth - 1 :]
    axes.plot(steps, values.mean(axis=0), color=colour, label=label, linewidth=1.5)
    if len(values) > 1:
        axes.fill_between(steps, values.min(axis=0), values.max(axis=0), color=colour, alpha=0.15, linewidth=0)


def over_steps(
    result: dict[str, Any], conditions: Sequence[str], metric: str, *, label: str = "{}", smooth: int = 5
) -> Callable[[Any], None]:
    """A panel: the band of every condition's metric, each in its colour, named by `label`."""

    def into(ax: Any) -> None:
        for name, colour in zip(conditions, COLOURS, strict=False):
            band(ax, result, name, metric, label.format(name), colour, smooth)

    return into


def picture(panels: Sequence[tuple[str, str, Callable[[Any], None]]]) -> str:
    """An SVG of panels (x label, y label, what draws into the axes), the same text every time."""
    import matplotlib

    matplotlib.use("svg")
    from matplotlib import pyplot

    settings = {"svg.hashsalt": "verigrad", "svg.fonttype": "none", "font.size": 8, "axes.spines.top": False,
                "axes.spines.right": False, "legend.frameon": False, "path.simplify": True}  # fmt: skip
    with pyplot.rc_context(settings):
        figure, axes = pyplot.subplots(
            1, len(panels), figsize=(3.6 * len(panels), 2.6), layout="constrained", squeeze=False
        )
        for ax, (x, y, paint) in zip(axes[0], panels, strict=True):
            paint(ax)
            ax.set_xlabel(x)
            ax.set_ylabel(y)
            if ax.get_legend_handles_labels()[0]:
                ax.legend(fontsize=7)
        file = io.StringIO()
        figure.savefig(file, format="svg", metadata={"Date": None, "Creator": None})
        pyplot.close(figure)
    return "\n".join(line.rstrip() for line in file.getvalue().splitlines()) + "\n"


__all__ = [
    "COLOURS",
    "band",
    "curves",
    "difference",
    "ends",
    "heading",
    "interval",
    "kept",
    "picture",
    "rows",
    "run",
    "told",
]
