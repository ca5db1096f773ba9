"""`make runs-per-kind`: a short real run for each verifier kind: warmed where the model needs it, trained, accepted.

    python -m benchmarks.runs_per_kind [--only smt,json_extraction] [--smoke [--model FOLDER]] [--keep]

Each is `verigrad train` of a recipe in recipes/, in a process of its own, one after the other; the recipe's grader
shares no code with its verifier. Writes benchmarks/results/runs_per_kind.json with the commit, the lines between the
marks in each recipe's header and the table of docs/kinds_trained.md. Exit 0 only where every run was accepted. With
--smoke one step with a model that knows nothing: that everything runs, and nothing is written.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.common import RESULTS, ROOT, facts, git, rows, weights
from verigrad.recipe import load as load_recipe
from verigrad.store import RunDirectory

RESULT = RESULTS / "runs_per_kind.json"
PAGE = ROOT / "docs/kinds_trained.md"
OPEN, CLOSE = "# measured by `make runs-per-kind`", "# end of measured"
PAGE_OPEN, PAGE_CLOSE = "<!-- runs:begin -->", "<!-- runs:end -->"
SMOKE = ["train.steps=1", "train.prompts=2", "train.group=2", "sampling.max_tokens=4", "data.held_out=0.05"]


@dataclass(frozen=True, kw_only=True)
class Planned:
    """One run."""

    recipe: str
    """Stem of its file in recipes/, and its name."""
    warm: tuple[str, ...] = ()
    """Arguments of the warm-up; none: the recipe starts from the package's model as it is."""


PLANNED = (
    Planned(recipe="json_extraction", warm=("--steps", "2", "--examples", "16", "--lr", "2e-5", "--lead", " ")),
    Planned(recipe="multiple_choice"),
    Planned(recipe="code_tests"),
    Planned(recipe="smt"),
)


def one(planned: Planned, folder: Path, smoke: Path | None) -> dict[str, Any]:
    """Warm, train, and what acceptance said, with minutes and peak memory. `folder` holds runs/."""
    file = ROOT / f"recipes/{planned.recipe}.toml"
    run = folder / "runs" / planned.recipe
    shutil.rmtree(run, ignore_errors=True)
    at = {"commit": git("rev-parse", "HEAD"), "load_before": round(os.getloadavg()[0], 2)}
    begun = time.monotonic()
    if planned.warm and smoke is None:
        call(["-m", "benchmarks.warm.next_token", str(file), *planned.warm], ROOT)
    warmed = time.monotonic()
    command = ["-m", "verigrad.cli.main", "train", str(file), "--json"]
    if smoke is not None:
        command += ["--anyway", *(word for key in (*SMOKE, f"model.path={smoke}") for word in ("--set", key))]
    call(command, folder)
    return (
        read(planned, run)
        | at
        | {
            "minutes_warm": round((warmed - begun) / 60, 2),
            "minutes": round((time.monotonic() - warmed) / 60, 2),
            # Children's peak is the largest so far: of the first run its own, of later ones a bound.
            "peak_gb_at_most": round(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * 1024 / 1e9, 2),
        }
    )


def read(planned: Planned, run: Path) -> dict[str, Any]:
    """What a run's folder says of it."""
    metrics = lines(run / "metrics.jsonl")
    return {
        "recipe": f"recipes/{planned.recipe}.toml",
        "warm": list(planned.warm),
        "seconds": {
            key: round(sum(row.get(key, 0.0) for row in lines(run / "timings.jsonl")), 1)
            for key in ("sample", "verify", "update", "sync")
        },
        "steps": len(metrics),
        "reward_first_last": [round(metrics[0]["reward/mean"], 3), round(metrics[-1]["reward/mean"], 3)],
        "pilot_right": json.loads((run / "pilot.json").read_text())["numbers"]["right"],
        "isolation": isolation(run),
        "acceptance": json.loads((run / "acceptance.json").read_text()),
    }


def isolation(run: Path) -> list[int]:
    """Sandbox levels at which the first step's answers were judged."""
    groups = RunDirectory.read(run).read_step(1, 1)
    return sorted({scored.verdict.isolation for group in groups for scored in group.members})


def call(command: Sequence[str], folder: Path) -> None:
    """Python with these words, in that folder; not accepted (1) is an answer, anything above ends all."""
    # Beside other work a thread that spins while it waits takes the core its partner would need (docs/log.md).
    env = {"OMP_WAIT_POLICY": "PASSIVE", **os.environ}
    done = subprocess.run([sys.executable, *command], cwd=folder, env=env, stdout=subprocess.DEVNULL, check=False)
    if done.returncode not in (0, 1):
        raise SystemExit(f"{' '.join(command)}: exit {done.returncode}")


def told(run: dict[str, Any]) -> list[str]:
    """A run's suites, a line each, for the recipe's header."""
    return [
        f"{s['suite']}: {s['decision']['verdict'].replace('_', ' ')}, gain {s['decision']['gain']:+.3f} "
        f"[{s['decision']['interval'][0]:+.3f}, {s['decision']['interval'][1]:+.3f}], "
        f"p {s['decision']['p_value']:.2g} ({s['decision']['test']}); "
        f"greedy {s['greedy']['before']['strict']:.3f} -> {s['greedy']['after']['strict']:.3f}, "
        f"sampled {s['sampled']['before']['strict']:.3f} -> {s['sampled']['after']['strict']:.3f}, {s['items']} items"
        for s in run["acceptance"]["suites"]
    ]


def header(result: dict[str, Any], run: dict[str, Any]) -> str:
    """What stands between the marks of a recipe."""
    on = result["hardware"]
    warm = f"; warmed before in {run['minutes_warm']:.1f} minutes" if run["warm"] else ""
    first = f"# {on['cpu']}, {on['cores']} cores: {run['minutes']:.1f} minutes{warm}, at most "
    first += f"{run['peak_gb_at_most']:.1f} GB; load {run['load_before']} before"
    return "\n".join([f"{OPEN} at commit {run['commit'][:12]}", first, *(f"# {line}" for line in told(run)), CLOSE])


def table(result: dict[str, Any]) -> str:
    """The table of the page."""
    body = []
    for run in result["runs"]:
        recipe = load_recipe(ROOT / run["recipe"]).stage(1)
        for s in run["acceptance"]["suites"]:
            low, high = s["decision"]["interval"]
            before, after = s["greedy"]["before"]["strict"], s["greedy"]["after"]["strict"]
            body.append([
                f"[{Path(run['recipe']).stem}](../{run['recipe']})", f"`{recipe.reward[0].verifier}`", s["suite"],
                s["items"], f"{before:.3f} -> {after:.3f}",
                f"{s['decision']['gain']:+.3f} [{low:+.3f}, {high:+.3f}]", s["decision"]["verdict"].replace("_", " "),
                f"{run['minutes_warm'] + run['minutes']:.1f}", run["load_before"], f"`{run['commit'][:12]}`",
            ])  # fmt: skip
    on = result["hardware"]
    head = ["recipe", "verifier, grader", "suite", "items", "greedy, strict", "gain [interval]", "decision"]
    where = f"{on['cpu']}, {on['cores']} cores, {result['date']}; `load` is the machine's when the run began.\n\n"
    return where + rows([*head, "minutes", "load", "commit"], body)


def between(text: str, opening: str, closing: str, block: str) -> str:
    """The text with everything from the first mark to the second replaced."""
    start, end = text.index(opening), text.index(closing) + len(closing)
    return text[:start] + block + text[end:]


def write(result: dict[str, Any]) -> None:
    """Result, headers and page."""
    RESULT.parent.mkdir(parents=True, exist_ok=True)
    RESULT.write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")
    for run in result["runs"]:
        file = ROOT / run["recipe"]
        file.write_text(between(file.read_text("utf-8"), OPEN, CLOSE, header(result, run)), encoding="utf-8")
    block = f"{PAGE_OPEN}\n{table(result)}\n{PAGE_CLOSE}"
    PAGE.write_text(between(PAGE.read_text("utf-8"), PAGE_OPEN, PAGE_CLOSE, block), encoding="utf-8")


def with_others(result: dict[str, Any]) -> dict[str, Any]:
    """The result with what was measured before of recipes not run now; each run names its commit."""
    before = json.loads(RESULT.read_text(encoding="utf-8"))["runs"] if RESULT.exists() else []
    runs = {run["recipe"]: run for run in [*before, *result["runs"]]}
    order = [f"recipes/{p.recipe}.toml" for p in PLANNED]
    return result | {"runs": [runs[recipe] for recipe in order if recipe in runs]}


def lines(file: Path) -> list[dict[str, Any]]:
    """The rows of a JSON lines file."""
    return [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]


def main(given: Sequence[str] | None = None) -> int:
    """Run what is planned, store, say."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--only", default="", help="recipes, comma-separated; what was measured of others stays")
    parser.add_argument("--smoke", action="store_true", help="one step with a tiny model; writes nothing")
    parser.add_argument("--model", type=Path, help="a folder to use in the smoke instead: for tests")
    parser.add_argument("--keep", action="store_true", help="keep the runs")
    arguments = parser.parse_args(given)
    only = [name for name in arguments.only.split(",") if name]
    planned = [p for p in PLANNED if not only or p.recipe in only]
    if arguments.smoke:
        with tempfile.TemporaryDirectory() as name:
            model = weights(Path(name, "tiny"), arguments)
            for each in planned:
                run = one(each, Path(name), model)
                print(f"{each.recipe}: {run['acceptance']['verdict']}, {60 * run['minutes']:.0f} s", flush=True)
        return 0
    result = facts() | {"runs": []}
    for each in planned:
        run = one(each, ROOT, None)
        result["runs"].append(run)
        print("\n".join([each.recipe, *told(run)]), flush=True)
        if not arguments.keep:
            shutil.rmtree(ROOT / "runs" / each.recipe)
    write(with_others(result))
    failed = [run["recipe"] for run in result["runs"] if run["acceptance"]["verdict"] != "accepted"]
    print("not accepted: " + ", ".join(failed) if failed else "every run accepted")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
