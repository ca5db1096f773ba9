"""`make bench-sampling`: LocalSampler beside transformers' generate, its continuous batching, and vLLM on a CPU.

    python -m benchmarks.bench_sampling [--rounds 2] [--smoke] [--peers generate,continuous,vllm]
    python -m benchmarks.bench_sampling --explore       which of generate's settings is its best, what compiling costs

SmolLM2-135M, temperature 1, ends of text ignored: every side draws the same number of tokens from the same prompts,
8 answers a prompt. 64 and 256 tokens an answer at 64 and 128 rows; prompts of about 1,000 tokens apart. verigrad's
side always returns the exact log-probability of every token; vLLM is asked for it too, and once more without.
generate has what --explore found best (results/sampling_explore.json); its weights are converted beforehand. In the
long cells a side runs once, and where 128 rows of 256 tokens would take generate minutes it is left out: its ratio at
256 tokens is the one at 64 rows.
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
from benchmarks.common import ENVIRONMENTS, RESULTS, arguments, each, facts, heading, prompts, rows, store, weights
from benchmarks.worker import Side, say, sides
from verigrad import models

EXPLORED = RESULTS / "sampling_explore.json"
HOW = ("dynamic", "static", "compiled")
CELLS: dict[str, dict[str, Any]] = {
    "64 tokens, 64 rows": {"sample": 64, "rows": 64},
    "64 tokens, 128 rows": {"sample": 64, "rows": 128, "without": ("verigrad float32", "generate float32")},
    "256 tokens, 64 rows": {
        "sample": 256,
        "rows": 64,
        "once": True,
        "without": ("verigrad float32", "generate float32", "continuous", "vLLM, no log-probs"),
    },
    "256 tokens, 128 rows": {
        "sample": 256,
        "rows": 128,
        "once": True,
        "without": ("verigrad float32", "generate float32", "generate", "continuous", "vLLM, no log-probs"),
    },
    "64 tokens, 64 rows, 1,000-token prompts": {
        "sample": 64,
        "rows": 64,
        "prompt": 1000,
        "once": True,
        "without": ("verigrad float32", "generate float32", "continuous", "vLLM, no log-probs"),
    },
}
SMOKE = {"4 tokens, 8 rows": {"sample": 4, "rows": 8}}
FIRST = "64 tokens, 64 rows"


def ours(folder: Path, dtype: str) -> Side:
    """verigrad's sampler alone."""
    given = {"folder": str(folder), "dtype": dtype, "prompts": prompts(1), "answers": 8, "rows": 128}
    return Side(f"verigrad {dtype}", [sys.executable, "-m", "benchmarks.ours_side", json.dumps(given)])


def generate(folder: Path, dtype: str, how: str) -> Side:
    """transformers, one way or another."""
    given = {"folder": str(folder), "dtype": dtype, "how": how}
    return Side(f"generate {how}", [sys.executable, "-m", "benchmarks.generate_side", json.dumps(given)])


def vllm(folder: Path, *, eager: bool = False) -> Side:
    """vLLM's CPU build."""
    if not ENVIRONMENTS["vllm"].exists():
        raise SystemExit("vLLM's environment is missing: make .envs/vllm/.ready")
    given = {"folder": str(folder), "dtype": "bfloat16", "eager": eager}
    return Side("vLLM", [str(ENVIRONMENTS["vllm"]), "-m", "benchmarks.vllm_side", json.dumps(given)])


def best_how(tokens: int) -> str:
    """generate's fastest setting at this length by --explore; "dynamic", its default, where that did not try it."""
    if not EXPLORED.exists():
        return "dynamic"
    tried = json.loads(EXPLORED.read_text(encoding="utf-8"))["generate"]
    timed = {how: v["seconds"][str(tokens)] for how, v in tried.items() if str(tokens) in v.get("seconds", {})}
    return min(timed, key=lambda how: timed[how]) if timed else "dynamic"


def explore(given: Any) -> dict[str, Any]:
    """generate's settings at 64 and 256 tokens and 64 rows; compiling pays at every new shape, and is told apart."""
    lengths, count = ((4,), 1) if given.smoke else ((64, 256), 8)
    found: dict[str, Any] = {}
    with tempfile.TemporaryDirectory() as name:
        folder = weights(Path(name, "model"), given)
        for how in HOW:
            with sides({how: lambda h=how: generate(folder, "bfloat16", h)}) as running:
                first, seconds = {}, {}
                for tokens in lengths[:1] if how == "compiled" else lengths:
                    question = {"sample": tokens, "prompts": prompts(count), "answers": 8}
                    first[str(tokens)] = round(running[how].ask(**question)["seconds"], 2)
                    seconds[str(tokens)] = round(running[how].ask(**question)["seconds"], 2)
                    say(f"{how}, {tokens} tokens: first {first[str(tokens)]} s, then {seconds[str(tokens)]} s")
                found[how] = {"first_call_seconds": first, "seconds": seconds, "arguments": running[how].ready}
    return facts() | {"generate": found, "rows": 8 * count}


def asked_of(cell: dict[str, Any]) -> dict[str, Any]:
    """The question of a cell, the same for every side."""
    return {"sample": cell["sample"], "prompts": prompts(cell["rows"] // 8, tokens=cell.get("prompt", 0)), "answers": 8}


def measured(given: Any) -> dict[str, Any]:
    """The whole benchmark."""
    cells = SMOKE if given.smoke else CELLS
    peers = given.peers.split(",") if given.peers else []
    counts = sorted({cell["rows"] for cell in cells.values()})
    result, looks = facts(), []
    with tempfile.TemporaryDirectory() as name:
        folder = weights(Path(name, "model"), given)
        lm = models.load(str(folder), dtype="float32", device="cpu")
        looks.append(look(lm.module, counts))
        refuse(looks, given.smoke)
        lengths = {n: [len(models.encode(lm, p)) for p in asked_of(c)["prompts"]] for n, c in cells.items()}
        started: dict[str, Callable[[], Side]] = {
            "verigrad": lambda: ours(folder, "bfloat16"),
        }
        if not given.smoke:
            started["verigrad float32"] = lambda: ours(folder, "float32")
        if "generate" in peers:
            for how in sorted({best_how(c["sample"]) for c in cells.values()} | {best_how(64)}):
                started[f"generate {how}"] = lambda h=how: generate(folder, "bfloat16", h)
            if not given.smoke:
                started["generate float32"] = lambda: generate(folder, "float32", best_how(64))
        if "continuous" in peers:
            started["continuous"] = lambda: generate(folder, "bfloat16", "continuous")
        if "vllm" in peers:
            started["vLLM"] = lambda: vllm(folder)
        answers: dict[str, dict[str, list[dict[str, Any]]]] = {}
        with sides(started) as running:
            for side in running.values():
                side.ask(sample=4, prompts=prompts(1), answers=8)
            for cell_name, cell in cells.items():
                answers[cell_name] = in_turns(running, cell, given.rounds)
                looks.append(look(lm.module, counts))
            profile = running["verigrad"].ask(
                sample=cells[next(iter(cells))]["sample"], profile=True, prompts=prompts(8), answers=8
            )["profile"]
            ready = {n: side.ready for n, side in running.items()}
    refuse(looks, given.smoke)
    return result | {"rounds": given.rounds} | summary(answers, looks, lengths) | {"sides": ready, "profile": profile}


def in_turns(running: dict[str, Side], cell: dict[str, Any], rounds: int) -> dict[str, list[dict[str, Any]]]:
    """Everybody's answers to one cell, in turns whose order turns too."""
    without = cell.get("without", ())
    turns: list[tuple[str, Side, dict[str, Any]]] = []
    for name, side in running.items():
        if name == "generate float32" or not name.startswith("generate "):
            if name not in without:
                turns.append((name, side, {}))
        elif name == f"generate {best_how(cell['sample'])}" and "generate" not in without:
            turns.append(("generate", side, {}))
        if name == "vLLM" and "vLLM, no log-probs" not in without:
            turns.append(("vLLM, no log-probs", side, {"logprobs": False}))
    found: dict[str, list[dict[str, Any]]] = {name: [] for name, _, _ in turns}
    for number in range(1 if cell.get("once") else rounds):
        for name, side, more in turns if number % 2 == 0 else turns[::-1]:
            found[name].append(side.ask(**asked_of(cell), **more))
            say(f"{cell['sample']} tokens, {cell['rows']} rows, {name}: {found[name][-1]['seconds']:.1f} s")
    return found


def look(module: Any, counts: Sequence[int]) -> dict[str, Any]:
    """The decode rates now, in both arithmetics."""
    both = {
        dtype: {str(r): roofline.decode_rate(module, getattr(torch, dtype), r) for r in counts}
        for dtype in ("bfloat16", "float32")
    }
    return {f"decode {dtype}": rates for dtype, rates in both.items()}


def fastest(looks: Sequence[dict[str, Any]]) -> dict[str, dict[str, float]]:
    """The best of all looks: tokens/s by arithmetic and rows."""
    return {k: {r: max(one[k][r]["tokens_per_second"] for one in looks) for r in looks[0][k]} for k in looks[0]}


def refuse(looks: Sequence[dict[str, Any]], smoke: bool) -> None:
    """A roofline measured on a busy machine flatters nobody: no result is written."""
    found = fastest(looks)
    short = [
        line
        for dtype in ("bfloat16", "float32")
        for line in roofline.held({"gemm": float("inf"), "decode": found[f"decode {dtype}"]}, dtype)
    ]
    if short and not smoke:
        raise SystemExit("the machine is too busy for this benchmark: " + "; ".join(short))


def summary(answers: dict[str, Any], looks: Sequence[dict[str, Any]], lengths: dict[str, list[int]]) -> dict[str, Any]:
    """Tokens a second, ratios and shares of the roofline."""
    decode = fastest(looks)
    # Of every side its quickest round: generate's first at a new shape compiles, which no round of ours does.
    speed = {
        c: {n: round(a[0]["tokens"] / min(one["seconds"] for one in a), 1) for n, a in sides.items()}
        for c, sides in answers.items()
    }

    def ratio(us: str, them: str) -> dict[str, float]:
        return {c: round(s[us] / s[them], 2) for c, s in speed.items() if us in s and them in s}

    def share(us: str, dtype: str) -> dict[str, float]:
        of = {c: decode[f"decode {dtype}"][str(len(lengths[c]) * 8)] for c in speed}
        return {c: round(s[us] / of[c], 3) for c, s in speed.items() if us in s}

    return {
        "sampling_ratio_vs_generate": ratio("verigrad", "generate"),
        "sampling_ratio_vs_generate_float32": ratio("verigrad float32", "generate float32"),
        "sampling_ratio_vs_continuous_batching": ratio("verigrad", "continuous"),
        "sampling_ratio_vs_vllm": ratio("verigrad", "vLLM"),
        "sampling_ratio_vs_vllm_without_logprobs": ratio("verigrad", "vLLM, no log-probs"),
        "sampling_share_of_roofline": share("verigrad", "bfloat16"),
        "sampling_share_of_roofline_float32": share("verigrad float32", "float32"),
        "decode_rates": decode,
        "decode_rates_every_look": list(looks),
        "prompt_tokens": {c: [min(n), max(n)] for c, n in lengths.items()},
        "tokens_per_second": speed,
        "cells": answers,
        "generate_is": {c: best_how(answers[c]["verigrad"][0]["tokens"] // (len(lengths[c]) * 8)) for c in answers},
        "explored": json.loads(EXPLORED.read_text(encoding="utf-8")) if EXPLORED.exists() else None,
    }


def table(result: dict[str, Any]) -> str:
    """The block of docs/performance.md."""
    body = []
    for cell, found in result["cells"].items():
        for name, answered in found.items():
            speed = result["tokens_per_second"][cell]
            shown = f"generate ({result['generate_is'][cell]} cache)" if name == "generate" else name
            ours = "verigrad float32" if name.endswith("float32") else "verigrad"
            factor, peak = speed[ours] / speed[name], max(a["peak_gb"] for a in answered)
            body.append([cell, shown, f"{speed[name]:.0f}", each(answered), f"{factor:.2f}", f"{peak:.2f}"])
    keys = [k for k in result if k.startswith("sampling_") and result[k]]
    figures = [[f"`{k}`", c, v] for k in keys for c, v in result[k].items()]
    rates = "; ".join(
        f"{k}: {', '.join(f'{v:.0f} at {r} rows' for r, v in d.items())}" for k, d in result["decode_rates"].items()
    )
    shares = ", ".join(f"{k} {v:.0%}" for k, v in result["profile"]["sampling"]["shares"].items())
    return "\n".join(
        [
            heading(result),
            f"GEMM-only roofline, tokens/s: {rates}.",
            "",
            rows(["cell", "side", "tokens/s", "seconds, every round", "verigrad is faster by", "peak, GB"], body),
            "",
            "Tokens a second are of every side's quickest round. A compiled cache compiles in its first round at a new"
            " shape; where a cell has one round only, that is in it.",
            "",
            rows(["figure", "cell", "value"], figures),
            "",
            f"Where verigrad's time goes in the first cell (under the profiler): {shares}.",
        ]
    )


def explored_table(result: dict[str, Any]) -> str:
    """The block of docs/performance.md about generate's settings."""
    body = [
        [how, n, f"{v['first_call_seconds'][n]:.1f}", f"{s:.1f}"]
        for how, v in result["generate"].items()
        for n, s in v["seconds"].items()
    ]
    return heading(result) + "\n" + rows(["generate, bfloat16", "tokens", "first call, s", "second call, s"], body)


def main(given: Sequence[str] | None = None) -> None:
    """Measure, store, say."""
    asked = arguments(__doc__, given, rounds=2, peers=("generate", "continuous", "vllm"), explore=True)
    begun = time.monotonic()
    if asked.explore:
        store("sampling_explore", explore(asked), asked, explored_table, begun)
    else:
        store("sampling", measured(asked), asked, table, begun)


if __name__ == "__main__":
    main()
