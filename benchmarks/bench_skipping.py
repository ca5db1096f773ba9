"""`make bench-skipping`: what leaving out answers without an advantage saves in a real run of 40 steps.

    python -m benchmarks.bench_skipping [--smoke]

Trains the quickstart's recipe for 40 steps (no validation looks) and reads its metrics: of all tokens drawn, how many
went through the update; the rest belong to groups whose answers all earned the same. The saving is what the update
would have taken at the same seconds a token. Nothing is estimated beside that product.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from benchmarks.common import ROOT, arguments, facts, heading, rows, store
from benchmarks.worker import say

JUDGED = (
    '[[acceptance]]\nsource = "word_kinds"\ngrader = "choice"\nrule = { test = "greedy", answers = 1, p = 0.01 }\n\n'
)
"""A run needs someone who accepts; here as little of it as there can be, and no looks during training."""
RECIPE = ROOT / "recipes/quickstart.toml"


def measured(given: Any) -> dict[str, Any]:
    """Train, then read what the run wrote."""
    steps, result = 2 if given.smoke else 40, facts()
    with tempfile.TemporaryDirectory() as name:
        recipe = Path(name, "skipping.toml")
        before, _, rest = RECIPE.read_text(encoding="utf-8").partition("[[acceptance]]")
        recipe.write_text(f"{before}{JUDGED}[run]{rest.partition('[run]')[2]}", encoding="utf-8")
        command = [sys.executable, "-m", "verigrad.cli.main", "train", str(recipe)]
        command += ["--set", f"train.steps={steps}", "--set", "run.name=skipping"]
        done = subprocess.run(command, cwd=name, capture_output=True, text=True, check=False)
        folder = Path(name, "runs/skipping")
        if done.returncode not in (0, 1) or not (folder / "metrics.jsonl").exists():
            raise SystemExit(f"the run ended with {done.returncode}:\n{done.stdout[-500:]}{done.stderr[-2000:]}")
        metrics, timings = (
            [json.loads(line) for line in (folder / f"{n}.jsonl").read_text().splitlines()]
            for n in ("metrics", "timings")
        )
    steps_ = [t for t in timings if t.get("step") in {m["step"] for m in metrics}]
    return result | {"steps": steps} | summary(metrics, steps_)


def summary(metrics: Sequence[dict[str, Any]], timings: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Totals of the run, and the saving."""
    drawn, trained = (sum(m[f"tokens/{n}"] for m in metrics) for n in ("sampled", "trained"))
    seconds = {n: round(sum(t.get(n, 0.0) for t in timings), 2) for n in ("sample", "verify", "update", "sync")}
    whole = seconds["update"] * drawn / max(trained, 1.0)
    return {
        "tokens_drawn": drawn,
        "tokens_trained": trained,
        "skipping_share": round(1 - trained / max(drawn, 1.0), 3),
        "seconds": seconds,
        "update_seconds_without_skipping": round(whole, 2),
        "step_ratio_without_skipping": round(
            (sum(seconds.values()) - seconds["update"] + whole) / sum(seconds.values()), 2
        ),
        "every_step": [{k: m[k] for k in ("step", "tokens/sampled", "tokens/trained")} for m in metrics],
    }


def table(result: dict[str, Any]) -> str:
    """The block of docs/performance.md."""
    seconds = result["seconds"]
    body = [
        ["steps", result["steps"]],
        ["tokens drawn, tokens in the update", f"{result['tokens_drawn']:.0f}, {result['tokens_trained']:.0f}"],
        ["skipped", f"{result['skipping_share']:.0%}"],
        ["seconds: sample, update", f"{seconds['sample']:.1f}, {seconds['update']:.1f}"],
        ["update without skipping, at the same seconds a token", f"{result['update_seconds_without_skipping']:.1f}"],
        ["whole steps without skipping / with it", f"{result['step_ratio_without_skipping']:.2f}"],
    ]
    return heading(result) + "\n" + rows(["what", "found"], body)


def main(given: Sequence[str] | None = None) -> None:
    """Train, store, say."""
    asked = arguments(__doc__, given, rounds=1)
    begun = time.monotonic()
    say("training 40 steps of the quickstart")
    store("skipping", measured(asked), asked, table, begun)


if __name__ == "__main__":
    main()
