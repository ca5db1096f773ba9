"""`make quickstart-proof`: the quickstart on three seeds, its controls over the same steps, and the header's numbers.

    python benchmarks/quickstart_proof.py [--keep] [--only seed-0,control-format]

Runs one after the other, each a `verigrad train` in a process of its own (peak memory is its own, too), into
runs/proof-*. Writes benchmarks/results/quickstart_proof.json with the commit it measured, and the lines between the
marks in the header of recipes/quickstart.toml. Exit 0 only where every seed was accepted and no control was.
"""

from __future__ import annotations

import argparse
import json
import platform
import resource
import shutil
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent.parent
RESULT = ROOT / "benchmarks/results/quickstart_proof.json"
RECIPE = ROOT / "recipes/quickstart.toml"
OPEN, CLOSE = "# measured by `make quickstart-proof`", "# end of measured"
PLANNED = [
    *[(f"seed-{seed}", "recipes/quickstart.toml", seed) for seed in (0, 1, 2)],
    ("control-random", "recipes/quickstart_random.toml", 0),
    ("control-format", "recipes/quickstart_format.toml", 0),
]


def one(name: str, recipe: str, seed: int) -> dict[str, Any]:
    """Train, and return what acceptance said with minutes and peak memory."""
    folder = ROOT / "runs" / f"proof-{name}"
    shutil.rmtree(folder, ignore_errors=True)
    command = [sys.executable, "-m", "verigrad.cli.main", "train", recipe, "--json"]
    command += ["--set", f"run.name=proof-{name}", "--set", f"run.seed={seed}"]
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
    began = time.monotonic()
    done = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, text=True, check=False)
    minutes = (time.monotonic() - began) / 60
    if done.returncode not in (0, 1):
        raise SystemExit(f"{name}: exit {done.returncode}")
    peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
    timings = [json.loads(line) for line in (folder / "timings.jsonl").read_text().splitlines()]
    training = sum(v for row in timings for k, v in row.items() if k not in ("stage", "step")) / 60
    metrics = [json.loads(line) for line in (folder / "metrics.jsonl").read_text().splitlines()]
    return {
        "name": name,
        "recipe": recipe,
        "seed": seed,
        "minutes": round(minutes, 2),
        "minutes_training": round(training, 2),
        # Children's peak is the largest so far: equal to the one before means "no more than that".
        "peak_gb": round(peak * 1024 / 1e9, 2),
        "peak_gb_is_bound": peak == before,
        "steps": len(metrics),
        "reward_first_last": [round(metrics[0]["reward/mean"], 3), round(metrics[-1]["reward/mean"], 3)],
        "acceptance": json.loads((folder / "acceptance.json").read_text()),
    }


def told(run: dict[str, Any]) -> list[str]:
    """A run's lines for the header."""
    lines = []
    for suite in run["acceptance"]["suites"]:
        decision, greedy, sampled = suite["decision"], suite["greedy"], suite["sampled"]
        low, high = decision["interval"]
        lines.append(
            f"{run['name']:<15}{suite['suite']}: {decision['verdict'].replace('_', ' ')}, "
            f"gain {decision['gain']:+.3f} [{low:+.3f}, {high:+.3f}], "
            f"p {decision['p_value']:.2g} ({decision['test']}); "
            f"greedy {greedy['before']['strict']:.3f} -> {greedy['after']['strict']:.3f}, "
            f"sampled {sampled['before']['strict']:.3f} -> {sampled['after']['strict']:.3f}, {suite['items']} items"
        )
    return lines


def git(*words: str) -> str:
    """What git says."""
    return subprocess.run(["git", *words], cwd=ROOT, capture_output=True, text=True, check=True).stdout.strip()


def processor() -> str:
    """The processor's name, where Linux tells it."""
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return platform.processor()
    return next((line.partition(":")[2].strip() for line in lines if line.startswith("model name")), platform.machine())


def write_header(result: dict[str, Any]) -> None:
    """Replace the lines between the marks in the recipe's header."""
    lines = [
        OPEN + f" at commit {result['commit'][:12]}",
        f"# {result['processor']}, {result['cores']} cores; "
        + f"{max(r['minutes'] for r in result['runs']):.1f} minutes a run at most, "
        + f"peak {max(r['peak_gb'] for r in result['runs']):.1f} GB",
        *(f"# {line}" for run in result["runs"] for line in told(run)),
        CLOSE,
    ]
    text = RECIPE.read_text(encoding="utf-8")
    start, end = text.index(OPEN), text.index(CLOSE) + len(CLOSE)
    RECIPE.write_text(text[:start] + "\n".join(lines) + text[end:], encoding="utf-8")


def main() -> int:
    """Run what is planned, store, say."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--only", default="", help="names, comma-separated; the header is then left alone")
    parser.add_argument("--keep", action="store_true", help="keep runs/proof-*")
    arguments = parser.parse_args()
    only = [name for name in arguments.only.split(",") if name]
    result: dict[str, Any] = {
        "commit": git("rev-parse", "HEAD"),
        "clean": git("status", "--porcelain", "-uno") == "",
        "processor": processor(),
        "cores": len(__import__("os").sched_getaffinity(0)),
        "python": platform.python_version(),
        "runs": [],
    }
    for name, recipe, seed in PLANNED:
        if only and name not in only:
            continue
        run = one(name, recipe, seed)
        result["runs"].append(run)
        print("\n".join(told(run)), flush=True)
        if not arguments.keep:
            shutil.rmtree(ROOT / "runs" / f"proof-{name}")
    if not only:
        RESULT.parent.mkdir(parents=True, exist_ok=True)
        RESULT.write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")
        write_header(result)
    wrong = [
        run["name"]
        for run in result["runs"]
        if (run["acceptance"]["verdict"] == "accepted") != run["name"].startswith("seed")
    ]
    print("not as it should be: " + ", ".join(wrong) if wrong else "every seed accepted, no control accepted")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
