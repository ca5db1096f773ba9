"""`make bench-step`: one GRPO step of SmolLM2-135M beside TRL 1.16 and beside the machine's own bound.

    python -m benchmarks.bench_step [--rounds 2] [--smoke] [--peers trl]
    python -m benchmarks.bench_step --explore        which of TRL's settings is its best on this machine

8 prompts x 8 answers of 32 and of 256 tokens, the same prompts on both sides, ends of text disabled, rewards that vary
within every group, kl none and beta 0. A step is sample, verify (trivial), update, and new weights in the sampler.
Every side is a process of its own at every length, so that its peak memory is its own; a first short step is not
counted. TRL runs with untouched defaults (bfloat16 autocast, gradient checkpointing) and at its best setting here:
the fastest of VARIANTS at that length, by the numbers that --explore left in results/step_explore.json.
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
from benchmarks.common import (
    ENVIRONMENTS,
    RESULTS,
    arguments,
    each,
    facts,
    heading,
    multiplied,
    prompts,
    rows,
    store,
    weights,
)
from benchmarks.worker import Side, interleaved, median, say, sides
from verigrad import models

LENGTHS = (32, 256)
EXPLORED = RESULTS / "step_explore.json"
_BF16 = {"model_init_kwargs": {"dtype": "bfloat16"}}
_PLAIN = {"gradient_checkpointing": False}
VARIANTS: dict[str, dict[str, Any]] = {
    "default": {},
    "default, 64 rows a micro-batch": {"per_device_train_batch_size": 64, "gradient_accumulation_steps": 1},
    "no checkpointing": _PLAIN,
    "bf16 weights": {**_PLAIN, **_BF16},
    "bf16 weights, no autocast": {**_PLAIN, **_BF16, "bf16": False},
    "bf16 weights, no autocast, static cache": {**_PLAIN, **_BF16, "bf16": False, "cache_implementation": "static"},
    "bf16 weights, no autocast, continuous batching": {
        **_PLAIN,
        **_BF16,
        "bf16": False,
        "use_transformers_continuous_batching": True,
        # Its default is half of the machine's memory, allocated at every step; this is what 64 answers of 310 need.
        "transformers_continuous_batching_config": {"num_blocks": 192, "max_batch_tokens": 512},
    },
    "bf16 weights, no autocast, 32 rows a micro-batch": {
        **_PLAIN,
        **_BF16,
        "bf16": False,
        "per_device_train_batch_size": 32,
        "gradient_accumulation_steps": 2,
    },
}
"""What TRL is tried with. bfloat16 weights train with bfloat16 AdamW moments: faster than a master, and less exact."""
PROFILED = 64
"""Tokens of an answer, at most, in the step whose operators are counted."""
LONG = 3
"""How many of them are tried at the long length too."""
UNTRIED = {
    "torch_compile": "TRL's generation sets disable_compile; compiling the update for CPU takes minutes a shape",
    "use_vllm": "TRL's colocated vLLM needs a GPU; vLLM alone is in bench-sampling",
}


def ours(folder: Path, count: int, answers: int) -> Side:
    """verigrad in bfloat16 with a float32 master."""
    given = {"folder": str(folder), "dtype": "bfloat16", "prompts": prompts(count), "answers": answers}
    return Side("verigrad", [sys.executable, "-m", "benchmarks.ours_side", json.dumps(given)])


def trl(folder: Path, count: int, answers: int, config: dict[str, Any], name: str) -> Side:
    """TRL with this configuration."""
    if not ENVIRONMENTS["trl"].exists():
        raise SystemExit("TRL's environment is missing: make .envs/trl/.ready")
    given = {"folder": str(folder), "prompts": prompts(count), "answers": answers, "config": config}
    return Side(name, [str(ENVIRONMENTS["trl"]), "-m", "benchmarks.trl_side", json.dumps(given)])


def explore(given: Any) -> dict[str, Any]:
    """Seconds of a step of every variant at the short length, after a first small one; then of the fastest `LONG` at
    the long one, which takes minutes each.
    """
    lengths, count, answers = sizes(given.smoke)
    found: dict[str, Any] = {}
    with tempfile.TemporaryDirectory() as name:
        folder = weights(Path(name, "model"), given)

        def step(variant: str, tokens: int) -> None:
            told = found.setdefault(variant, {"config": VARIANTS[variant], "seconds": {}, "peak_gb": {}})
            try:
                with sides({variant: lambda: trl(folder, count, answers, VARIANTS[variant], variant)}) as running:
                    told["as_resolved"] = running[variant].ready["as_resolved"]
                    running[variant].ask(tokens=4)
                    answered = interleaved(running, 1, tokens=tokens)[variant][0]
                for key in ("seconds", "peak_gb"):
                    told[key][str(tokens)] = answered[key]
            except SystemExit as error:
                say(f"{variant}: {str(error)[-300:]}")
                told["failed"] = str(error)[-600:]

        for variant in VARIANTS:
            step(variant, lengths[0])
        tried = {v: told["seconds"][str(lengths[0])] for v, told in found.items() if told["seconds"]}
        for tokens in lengths[1:]:
            for variant in sorted(tried, key=lambda v: tried[v])[:LONG]:
                step(variant, tokens)
    return facts() | {"variants": found, "untried": UNTRIED}


def best_variant(tokens: int) -> tuple[str, dict[str, Any]]:
    """The fastest of what --explore measured at this length; where it did not, bfloat16 weights and no autocast."""
    tried = json.loads(EXPLORED.read_text(encoding="utf-8"))["variants"] if EXPLORED.exists() else {}
    timed = {n: v["seconds"][str(tokens)] for n, v in tried.items() if str(tokens) in v.get("seconds", {})}
    timed.pop("default", None)
    name = min(timed, key=lambda n: timed[n]) if timed else "bf16 weights, no autocast"
    return name, VARIANTS[name]


def sizes(smoke: bool) -> tuple[tuple[int, ...], int, int]:
    """Lengths, prompts, answers."""
    return ((4,), 2, 4) if smoke else (LENGTHS, 8, 8)


def measured(given: Any, keep: Callable[[dict[str, Any]], None]) -> None:
    """The whole benchmark; what is known is kept after every length, so that a long one that fails loses no short one.

    Raises SystemExit where the machine is too busy for its denominators to hold.
    """
    lengths, count, answers = sizes(given.smoke)
    result = facts()
    with tempfile.TemporaryDirectory() as name:
        folder = weights(Path(name, "model"), given)
        module = models.load(str(folder), dtype="float32", device="cpu").module

        def look(tokens: int) -> dict[str, Any]:
            return roofline.measured(module, torch.bfloat16, [count * answers], count * (54 + answers * tokens))

        looks = [look(lengths[0])]
        refuse(looks, given.smoke)
        cases = {}
        for tokens in lengths:
            started: dict[str, Callable[[], Side]] = {"verigrad": lambda: ours(folder, count, answers)}
            variant, config = best_variant(tokens)
            if given.peers:
                started["trl best"] = lambda c=config: trl(folder, count, answers, c, "trl best")
                if tokens == lengths[0]:  # a long step of the default is minutes
                    started["trl default"] = lambda: trl(folder, count, answers, {}, "trl default")
            with sides(started) as running:
                for side in running.values():
                    side.ask(tokens=4)
                # A long step takes a peer minutes: it is timed once less there.
                rounds = given.rounds if tokens <= 32 else max(1, given.rounds - 1)
                answered = interleaved(running, rounds, tokens=tokens)
                looks.append(look(tokens))
                # The profiler keeps every operator's every call: 256 tokens of them do not fit into memory.
                profile = running["verigrad"].ask(tokens=min(tokens, PROFILED), profile=True)["profile"]
                cases[str(tokens)] = {
                    "sides": {n: running[n].ready | {"rounds": answered[n]} for n in running},
                    "trl_best_is": variant,
                    "profile": profile,
                }
            refuse(looks, given.smoke)
            told = {"rounds": given.rounds, "smoke": given.smoke}
            keep(result | told | summary(cases, looks, multiplied(module)))


def refuse(looks: Sequence[dict[str, Any]], smoke: bool) -> None:
    """A denominator measured on a busy machine flatters nobody: no result is written."""
    short = [] if smoke else roofline.held(roofline.best(looks), "bfloat16")
    if short:
        raise SystemExit("the machine is too busy for this benchmark: " + "; ".join(short))


def summary(cases: dict[str, Any], looks: Sequence[dict[str, Any]], parameters: int) -> dict[str, Any]:
    """The figures: medians, the bound they stand against, and the ratios."""
    found = roofline.best(looks)
    over: dict[str, float] = {}
    ratios: dict[str, dict[str, float]] = {"best": {}, "default": {}, "memory best": {}, "memory default": {}}
    for tokens, case in cases.items():
        told = case["sides"]
        seconds = {n: median(side["rounds"]) for n, side in told.items()}
        peak = {n: max(a["peak_gb"] for a in side["rounds"]) for n, side in told.items()}
        (count,) = found["decode"]
        asked = sum(told["verigrad"]["prompt_tokens"])
        case["bound_seconds"] = round(roofline.bound(parameters, asked, int(count) * int(tokens), found, int(count)), 3)
        case["median_seconds"], case["peak_gb"] = seconds, peak
        over[tokens] = round(seconds["verigrad"] / case["bound_seconds"], 3)
        for which in ("best", "default"):
            if f"trl {which}" in seconds:
                ratios[which][tokens] = round(seconds[f"trl {which}"] / seconds["verigrad"], 2)
                ratios[f"memory {which}"][tokens] = round(peak["verigrad"] / peak[f"trl {which}"], 3)
    return {
        "step_over_bound": over,
        "step_ratio_vs_trl_best": ratios["best"],
        "step_ratio_vs_trl_default": ratios["default"],
        "memory_ratio_vs_trl": ratios["memory default"],
        "memory_ratio_vs_trl_best": ratios["memory best"],
        "parameters_multiplied": parameters,
        "denominators": found,
        "denominators_every_look": list(looks),
        "floors": {"short_of": roofline.SHORT, **{k: v for k, v in roofline.FLOORS.items() if "bfloat16" in k}},
        "cases": cases,
        "explored": json.loads(EXPLORED.read_text(encoding="utf-8")) if EXPLORED.exists() else None,
    }


def table(result: dict[str, Any]) -> str:
    """The block of docs/performance.md."""
    body = []
    for tokens, case in result["cases"].items():
        told = case["sides"]["verigrad"]["prompt_tokens"]
        body.append([tokens, "the bound", f"{case['bound_seconds']:.1f}", "", "", ""])
        for name, side in case["sides"].items():
            peak = case["peak_gb"][name]
            shown = f"{name} ({case['trl_best_is']})" if name == "trl best" else name
            factor = case["median_seconds"][name] / case["median_seconds"]["verigrad"]
            seconds = case["median_seconds"][name]
            body.append([tokens, shown, f"{seconds:.1f}", each(side["rounds"]), f"{factor:.2f}", f"{peak:.2f}"])
    found = result["denominators"]
    (decode,) = found["decode"].values()
    keys = ("step_over_bound", "step_ratio_vs_trl_best", "step_ratio_vs_trl_default", "memory_ratio_vs_trl")
    figures = [[f"`{k}`", *(result[k].get(n, "") for n in result["cases"])] for k in keys if result[k]]
    shares = [
        [tokens, part, f"{told['seconds']:.1f}", ", ".join(f"{k} {v:.0%}" for k, v in told["shares"].items())]
        for tokens, case in result["cases"].items()
        for part, told in case["profile"].items()
    ]
    return "\n".join(
        [
            heading(result),
            f"{len(told)} prompts of {min(told)} to {max(told)} tokens. GEMM peak {found['gemm']:.0f} GFLOP/s, decode "
            f"rate {decode:.0f} tokens/s (bfloat16, both the best seen in this run).",
            "",
            rows(["answer tokens", "side", "seconds", "every round", "times verigrad", "peak, GB"], body),
            "",
            rows(["figure", *result["cases"]], figures),
            "",
            rows(["answer tokens", "part", "seconds (profiled)", "where verigrad's time goes"], shares),
        ]
    )


def explored_table(result: dict[str, Any]) -> str:
    """The block of docs/performance.md about TRL's settings."""
    lengths = list(dict.fromkeys(n for v in result["variants"].values() for n in v["seconds"]))
    body = [[name, *(_tried(v, n) for n in lengths)] for name, v in result["variants"].items()]
    return heading(result) + "\n" + rows(["TRL 1.16 with", *(f"{n} tokens, s (peak so far)" for n in lengths)], body)


def _tried(variant: dict[str, Any], tokens: str) -> str:
    if tokens in variant["seconds"]:
        return f"{variant['seconds'][tokens]:.1f} ({variant['peak_gb'][tokens]:.1f} GB)"
    return "failed" if "failed" in variant else "not tried"


def main(given: Sequence[str] | None = None) -> None:
    """Measure, store, say."""
    asked = arguments(__doc__, given, rounds=2, peers=("trl",), explore=True)
    begun = time.monotonic()
    if asked.explore:
        store("step_explore", explore(asked), asked, explored_table, begun)
    else:
        measured(asked, lambda result: store("step", result, asked, table, begun))


if __name__ == "__main__":
    main()
