"""`make bench-growth`: how seconds and memory grow with answer length, group, vocabulary and parameters.

    python -m benchmarks.bench_growth [--rounds 1] [--smoke]

Random weights in the shape of SmolLM2-135M, one thing changed at a time; the largest model has the shape of
Qwen2.5-0.5B. Every case is a process of its own: one update of one group (forward, backward, optimizer) and the
drawing of its answers, in bfloat16 over a float32 master. Memory is what comes on top of parameters, gradients and the
optimizer's state. Writes results/growth.json, its tables, and docs/growth-*.svg.
"""

from __future__ import annotations

import json
import math
import statistics
import sys
import time
from collections.abc import Sequence
from typing import Any

from benchmarks.common import ROOT, arguments, facts, heading, rows, store
from benchmarks.worker import Side, say
from verigrad.reporting.charts import HEIGHT, WIDTH, Line, lines

DOCS = ROOT / "docs"
BASE = {
    "vocabulary": 49152,
    "width": 576,
    "layers": 30,
    "heads": 9,
    "key_heads": 3,
    "inner": 1536,
    "prompt": 64,
    "tokens": 64,
    "answers": 8,
}
MODELS = {
    "1M": {"vocabulary": 4096, "width": 128, "layers": 4, "heads": 2, "key_heads": 1, "inner": 320},
    "10M": {"vocabulary": 16384, "width": 256, "layers": 8, "heads": 4, "key_heads": 2, "inner": 640},
    "35M": {"vocabulary": 32768, "width": 384, "layers": 12, "heads": 6, "key_heads": 2, "inner": 1024},
    "135M": {},
    "500M": {"vocabulary": 151936, "width": 896, "layers": 24, "heads": 14, "key_heads": 2, "inner": 4864},
}
SERIES: dict[str, tuple[str, list[dict[str, Any]]]] = {
    "length": (
        "tokens an answer (group of 4)",
        [{"tokens": n, "answers": 4, "x": n} for n in (32, 64, 128, 256, 512, 1024, 2048)],
    ),
    "group": ("answers a group (64 tokens)", [{"answers": g, "x": g} for g in (4, 8, 16, 32, 64)]),
    "vocabulary": ("vocabulary", [{"vocabulary": v, "x": v} for v in (32_000, 64_000, 100_000, 152_000)]),
    "parameters": ("million parameters", [{**shape, "x": name} for name, shape in MODELS.items()]),
}
SMALL = {"vocabulary": 512, "width": 64, "layers": 2, "heads": 2, "key_heads": 1, "inner": 128, "prompt": 16}
SMOKE: dict[str, tuple[str, list[dict[str, Any]]]] = {
    "length": ("tokens an answer", [SMALL | {"tokens": n, "answers": 2, "x": n} for n in (16,)])
}
NAMES = ("update_seconds", "update_gb", "sample_seconds", "sample_gb")


def one(case: dict[str, Any]) -> dict[str, Any]:
    """What a case of its own process found."""
    side = Side(str(case["x"]), [sys.executable, "-m", "benchmarks.growth_case", json.dumps(BASE | case)])
    side.close()
    return side.ready


def measured(given: Any) -> dict[str, Any]:
    """Every case of every series."""
    result, found = facts(), {}
    for name, (axis, cases) in (SMOKE if given.smoke else SERIES).items():
        done = []
        for case in cases:
            rounds = [one(case) for _ in range(given.rounds)]
            middle = {n: round(statistics.median(r[n] for r in rounds), 3) for n in NAMES}
            x = case["x"] if isinstance(case["x"], int) else round(rounds[0]["parameters"] / 1e6, 1)
            done.append({"x": x, "case": BASE | case, **rounds[0], **middle, "rounds": rounds})
            say(f"{name} {case['x']}: {', '.join(f'{n} {middle[n]}' for n in NAMES)}")
        found[name] = {"axis": axis, "cases": done}
    return result | {"rounds": given.rounds} | summary(found)


def summary(found: dict[str, Any]) -> dict[str, Any]:
    """Exponents: 1 is linear, 0 is flat. Memory against vocabulary also as largest over smallest."""
    exponents = {}
    for name, told in found.items():
        for what in NAMES:
            points = [(c["x"], c[what]) for c in told["cases"] if c[what] > 0.01]
            if len(points) > 2:
                exponents[f"{what} over {name}"] = round(slope(points[-3:]), 2)
    flat: dict[str, float] = {}
    if "vocabulary" in found:
        used = [c["update_gb"] for c in found["vocabulary"]["cases"]]
        flat["update_gb, largest over smallest vocabulary"] = round(used[-1] / max(used[0], 1e-3), 2)
    return {"growth_exponents": exponents, "growth_memory_in_vocabulary": flat, "series": found}


def slope(points: Sequence[tuple[float, float]]) -> float:
    """Least-squares slope in log-log."""
    xs, ys = [math.log(x) for x, _ in points], [math.log(y) for _, y in points]
    mean_x, mean_y = statistics.mean(xs), statistics.mean(ys)
    over = sum((x - mean_x) ** 2 for x in xs)
    return sum((x - mean_x) * (y - mean_y) for x, y in zip(xs, ys, strict=True)) / over


STYLE = """<style>
text{font:11px sans-serif;fill:#555}.head{font-size:13px;fill:#111}.grid{stroke:#ddd}.line{fill:none;stroke-width:2}
.line.c0{stroke:#2a78d6}circle.c0{fill:#2a78d6}.key.c0{fill:#2a78d6}
.line.c1{stroke:#c2571a}circle.c1{fill:#c2571a}.key.c1{fill:#c2571a}.hit{fill:none}
</style>"""


def picture(title: str, axis: str, series: Sequence[Line]) -> str:
    """A chart that stands alone: white ground, its title, its axis and its legend in it."""
    chart = lines(title, series, floor=0.0).replace("<title>step ", f"<title>{axis} ")
    inner = chart.replace('<svg class="chart"', f'<svg y="40" width="{WIDTH}" height="{HEIGHT}"')
    keys = "".join(
        f'<text class="key c{line.colour}" x="{20 + 130 * i}" y="36">{line.name}</text>'
        for i, line in enumerate(series)
    )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{HEIGHT + 60}" '
        f'viewBox="0 0 {WIDTH} {HEIGHT + 60}" role="img">{STYLE}'
        f'<rect width="100%" height="100%" fill="white"/><text class="head" x="20" y="18">{title}</text>{keys}{inner}'
        f'<text x="{WIDTH / 2}" y="{HEIGHT + 54}" text-anchor="middle">{axis}</text></svg>\n'
    )


def pictures(result: dict[str, Any]) -> dict[str, str]:
    """File name -> SVG, two a series."""
    out = {}
    for name, told in result["series"].items():
        for unit, words in (("seconds", "Seconds"), ("gb", "Memory on top, GB")):
            series = [
                Line(name=who, points=[(c["x"], c[f"{key}_{unit}"]) for c in told["cases"]], colour=i, marks=True)
                for i, (who, key) in enumerate((("update", "update"), ("drawing", "sample")))
            ]
            out[f"growth-{name}-{unit}.svg"] = picture(f"{words} over {told['axis']}", told["axis"], series)
    return out


def table(result: dict[str, Any]) -> str:
    """The block of docs/performance.md."""
    parts = [heading(result)]
    for name, told in result["series"].items():
        body = [
            [
                c["x"],
                c["tokens"],
                f"{c['update_seconds']:.2f}",
                f"{c['update_gb']:.2f}",
                f"{c['sample_seconds']:.2f}",
                f"{c['sample_gb']:.2f}",
                f"{c['held_gb']:.2f}",
            ]
            for c in told["cases"]
        ]
        head = ["tokens of the update", "update, s", "on top, GB", "drawing, s", "on top, GB", "held before, GB"]
        parts += [rows([told["axis"], *head], body), ""]
        shown = (f"![{name}, {unit}](growth-{name}-{unit}.svg)" for unit in ("seconds", "gb"))
        parts += [" ".join(shown), ""]
    figures = [[k, v] for k, v in (result["growth_exponents"] | result["growth_memory_in_vocabulary"]).items()]
    return "\n".join([*parts, rows(["exponent of the last three points (1: linear, 0: flat)", "value"], figures)])


def main(given: Sequence[str] | None = None) -> None:
    """Measure, store, draw, say."""
    asked = arguments(__doc__, given, rounds=1)
    begun = time.monotonic()
    result = measured(asked)
    if not asked.smoke:
        for name, svg in pictures(result).items():
            ((asked.out or DOCS) / name).write_text(svg, encoding="utf-8")
    store("growth", result, asked, table, begun)


if __name__ == "__main__":
    main()
