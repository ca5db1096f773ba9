"""`make bench-update`: forward and backward of an update, packed, beside a padded loop and TRL's loss.

    python -m benchmarks.bench_update [--rounds 2] [--smoke] [--peers trl]

SmolLM2-135M, 8 prompts x 8 answers of 32 and of 256 made-up tokens, no step of the optimizer. At equal precision:
float32; and bfloat16 products over float32 weights, which TRL and the padded loop do by autocast and verigrad by a twin
whose gradients reach the float32 master. TRL's loss is chunked too (no full logits) and its checkpointing is off; its
other settings are its defaults. It also returns entropies, which it always computes. Share of the GEMM peak: 6 x
parameters x tokens / seconds, where tokens counts a prompt once per group on every side, since more is not needed.
The padded loop is left out at 256 tokens, and float32 too: minutes a round.
"""

from __future__ import annotations

import json
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import torch

from benchmarks import roofline
from benchmarks.bench_step import refuse, sizes, trl
from benchmarks.common import arguments, each, facts, heading, multiplied, prompts, rows, store, weights
from benchmarks.worker import Side, interleaved, median, sides
from verigrad import models

TRL = {
    "bfloat16": {"gradient_checkpointing": False},
    "float32": {"gradient_checkpointing": False, "bf16": False},
}


def own(folder: Path, module: str, dtype: str, count: int, answers: int) -> Side:
    """A side of this environment."""
    given = {"folder": str(folder), "dtype": dtype, "prompts": prompts(count), "answers": answers}
    return Side(f"{module} {dtype}", [sys.executable, "-m", f"benchmarks.{module}", json.dumps(given)])


def measured(given: Any) -> dict[str, Any]:
    """The whole benchmark."""
    lengths, count, answers = sizes(given.smoke)
    result, cases = facts(), {}
    with tempfile.TemporaryDirectory() as name:
        folder = weights(Path(name, "model"), given)
        module = models.load(str(folder), dtype="float32", device="cpu").module

        def look(tokens: int) -> dict[str, Any]:
            found = roofline.measured(module, torch.bfloat16, [count * answers], count * (54 + answers * tokens))
            shapes = roofline.model_shapes(module, count * (54 + answers * tokens))
            return found | {"gemm float32": roofline.gemm_peak(torch.float32, shapes)}

        looks = [look(lengths[0])]
        refuse(looks, given.smoke)
        for tokens in lengths:
            started: dict[str, Callable[[], Side]] = {}
            for dtype in ("bfloat16", "float32") if tokens == 32 else ("bfloat16",):
                started[f"packed {dtype}"] = lambda d=dtype: own(folder, "ours_side", d, count, answers)
                if tokens <= 32:
                    started[f"padded {dtype}"] = lambda d=dtype: own(folder, "padded_side", d, count, answers)
                if given.peers:
                    started[f"TRL {dtype}"] = lambda d=dtype: trl(folder, count, answers, TRL[d], f"TRL {d}")
            with sides(started) as running:
                for side in running.values():
                    side.ask(loss=4)
                answered = interleaved(running, given.rounds if tokens <= 32 else 1, loss=tokens)
                cases[str(tokens)] = {n: running[n].ready | {"rounds": answered[n]} for n in running}
            looks.append(look(lengths[0]))
    refuse(looks, given.smoke)
    return result | {"rounds": given.rounds} | summary(cases, looks, multiplied(module), 54 * count, count * answers)


def summary(
    cases: dict[str, Any], looks: Sequence[dict[str, Any]], parameters: int, asked: int, answers: int
) -> dict[str, Any]:
    """Medians, memory above what was loaded, shares of the peak, and ratios at equal precision."""
    peak = {"bfloat16": roofline.best(looks)["gemm"], "float32": max(x["gemm float32"]["gflops"] for x in looks)}
    against: dict[str, dict[str, float]] = {}
    for tokens, told in cases.items():
        work = 6 * parameters * (asked + answers * int(tokens)) / 1e9
        for name, side in told.items():
            side["median_seconds"] = median(side["rounds"])
            side["peak_gb"] = max(a["peak_gb"] for a in side["rounds"])
            side["share_of_gemm_peak"] = round(work / side["median_seconds"] / peak[name.split()[1]], 3)
        for name, side in told.items():
            who, dtype = name.split()
            if who != "packed":
                ratio = side["median_seconds"] / told[f"packed {dtype}"]["median_seconds"]
                against.setdefault(f"update_ratio_vs_{who.lower()}", {})[f"{dtype}, {tokens}"] = round(ratio, 2)
                ratio = told[f"packed {dtype}"]["peak_gb"] / side["peak_gb"]
                against.setdefault(f"update_memory_ratio_vs_{who.lower()}", {})[f"{dtype}, {tokens}"] = round(ratio, 3)
    shares = {f"{n}, {t}": s["share_of_gemm_peak"] for t, told in cases.items() for n, s in told.items()}
    return {
        **against,
        "update_share_of_gemm_peak": shares,
        "gemm_peak_gflops": peak,
        "denominators_every_look": list(looks),
        "parameters_multiplied": parameters,
        "cases": cases,
    }


def table(result: dict[str, Any]) -> str:
    """The block of docs/performance.md."""
    body = []
    for tokens, told in result["cases"].items():
        for name, side in told.items():
            seconds, share = side["median_seconds"], side["share_of_gemm_peak"]
            above = side["peak_gb"] - side["loaded_gb"]
            body.append(
                [
                    tokens,
                    name,
                    f"{seconds:.1f}",
                    each(side["rounds"]),
                    f"{share:.0%}",
                    f"{side['peak_gb']:.2f}",
                    f"{above:.2f}",
                ]
            )
    keys = [k for k in result if "_ratio_vs_" in k]
    peak = ", ".join(f"{k} {v:.0f}" for k, v in result["gemm_peak_gflops"].items())
    head = ["answer tokens", "side", "seconds", "every round", "of the GEMM peak", "peak, GB", "above loaded, GB"]
    return "\n".join(
        [
            heading(result),
            f"GEMM peak, GFLOP/s: {peak}.",
            "",
            rows(head, body),
            "",
            rows(["figure", "case", "value"], [[f"`{k}`", c, v] for k in keys for c, v in result[k].items()]),
        ]
    )


def main(given: Sequence[str] | None = None) -> None:
    """Measure, store, say."""
    asked = arguments(__doc__, given, rounds=2, peers=("trl",))
    begun = time.monotonic()
    store("update", measured(asked), asked, table, begun)


if __name__ == "__main__":
    main()
