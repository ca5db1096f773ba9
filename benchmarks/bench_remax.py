"""`make bench-remax`: ReMax beside GRPO at equal prompts, in memory and in time.

    python -m benchmarks.bench_remax [--rounds 3] [--smoke]

Eight prompts a step, 64 tokens an answer, no end of text, no KL, verdicts made up, bfloat16 over a float32 master.
ReMax trains on one answer a prompt and draws a greedy one beside it; GRPO on eight, and on two, which is as many as
ReMax draws. Each side is a process of its own, with its own peak of memory; they take turns. What is compared is one
step, not what it teaches: a step of eight answers carries more.
"""

from __future__ import annotations

import json
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from benchmarks.common import arguments, each, facts, heading, prompts, rows, store, weights
from benchmarks.worker import Side, interleaved, median, say, sides

SIDES = {"remax, 1 + greedy": ("remax", 1), "grpo, 2": ("grpo", 2), "grpo, 8": ("grpo", 8)}
"""Method, answers trained on a prompt."""


def measured(given: Any) -> dict[str, Any]:
    """Every side, in turns."""
    result = facts()
    tokens, asked = (8, prompts(2)) if given.smoke else (64, prompts(8))
    with tempfile.TemporaryDirectory() as name:
        folder = str(weights(Path(name), given))
        started = {}
        for side, (method, answers) in SIDES.items():
            said = {"folder": folder, "dtype": "bfloat16", "prompts": asked, "answers": answers, "method": method}
            command = [sys.executable, "-m", "benchmarks.remax_side", json.dumps(said)]
            started[side] = lambda side=side, command=command: Side(side, command)
        with sides(started) as running:
            loaded = {side: one.ready["loaded_gb"] for side, one in running.items()}
            say("warming up")
            for one in running.values():
                one.ask(tokens=tokens)
            answers_ = interleaved(running, given.rounds, tokens=tokens)
    told = {
        side: {
            "rounds": found,
            "median_seconds": median(found),
            "sample_seconds": median([{"seconds": a["parts"]["sample"]} for a in found]),
            "peak_gb": max(a["peak_gb"] for a in found),
            "loaded_gb": loaded[side],
        }
        for side, found in answers_.items()
    }
    ours = told["remax, 1 + greedy"]
    ratios = {
        side: {
            "seconds": round(one["median_seconds"] / ours["median_seconds"], 2),
            "peak": round(one["peak_gb"] / ours["peak_gb"], 2),
        }
        for side, one in told.items()
    }
    return result | {"prompts": len(asked), "tokens": tokens, "sides": told, "times_remax": ratios}


def table(result: dict[str, Any]) -> str:
    """The block of docs/performance.md."""
    body = []
    for side, one in result["sides"].items():
        times = result["times_remax"][side]
        body.append(
            [
                side,
                f"{one['median_seconds']:.2f}",
                each(one["rounds"], 2),
                f"{one['sample_seconds']:.2f}",
                f"{times['seconds']:.2f}",
                f"{one['peak_gb']:.2f}",
                f"{times['peak']:.2f}",
            ]
        )
    head = ["side, answers a prompt", "seconds a step", "every round", "of it drawing", "times ReMax", "peak, GB",
            "times ReMax"]  # fmt: skip
    return f"{heading(result)}\n{result['prompts']} prompts, {result['tokens']} tokens an answer.\n\n{rows(head, body)}"


def main(given: Sequence[str] | None = None) -> None:
    """Measure, store, say."""
    asked = arguments(__doc__, given, rounds=3)
    begun = time.monotonic()
    store("remax", measured(asked), asked, table, begun)


if __name__ == "__main__":
    main()
