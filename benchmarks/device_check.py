"""`make device-check`: the same promises on one GPU, in under 6 minutes. Without a GPU: one line, exit status 2.

    python -m benchmarks.device_check [--smoke]        --smoke runs it on the CPU with a tiny model, to test this file

Exactness of packed against padded log-probs and gradients and of the engine against the padded forward (float32 and
bfloat16); 20 GRPO steps with bfloat16 arithmetic over float32 masters, where the ratio of every first update must be 1;
seconds and peak memory of a step beside TRL's, where TRL is installed. SmolLM2-135M from its package: no network.
Prints one JSON object and writes it to --out FOLDER/device.json. Exit status 1 where a bound is missed.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import torch

from benchmarks.bench_exact import apart, drawn, gradients, logps, questions
from benchmarks.bench_step import VARIANTS
from benchmarks.common import endless, facts, prompts, weights
from benchmarks.ours_side import Ours
from benchmarks.worker import Side, interleaved, median, say, sides
from verigrad import models

NOT_YET = "not yet run on a GPU: this machine has none that torch can use"
BOUNDS = {"float32 max": 1e-3, "float32 mean": 1e-4, "gradient": 1e-3, "gradient bfloat16": 0.1, "ratio": 1e-6}
"""Nats, relative norms, distance from 1. Wider than on a CPU: a GPU's products add in another order at every shape."""


def exactness(folder: Path, device: str, count: int) -> dict[str, Any]:
    """Log-probs of drawn answers and gradients of an update, each against the padded forward in float32."""
    torch.backends.cuda.matmul.allow_tf32 = False
    lm = endless(models.load(str(folder), dtype="float32", device=device))
    bf16 = replace(lm, dtype=torch.bfloat16)
    asked = questions(count)
    found, quick = drawn(lm, asked, 32, 1.0), drawn(bf16, asked, 32, 1.0)
    rows = [c.prompt_ids for c in found], np.stack([c.token_ids for c in found]), np.full(len(found), 32)
    with torch.no_grad():
        packed_BT = models.packed_logps(lm, *rows).logp_BT.float().cpu().numpy()
    padded_BT = logps(lm, found)
    difference = np.abs(packed_BT - padded_BT)
    return {
        "engine float32": apart(found, padded_BT),
        "engine bfloat16": apart(quick, logps(lm, quick)),
        "packed float32": {"max": float(difference.max()), "mean": float(difference.mean())},
        "gradients": gradients(lm, bf16, asked),
    }


def twenty(folder: Path, device: str, steps: int, tokens: int) -> dict[str, Any]:
    """GRPO steps in bfloat16: metrics of each, seconds, and how far any first update's ratio was from 1."""
    given = {"folder": str(folder), "dtype": "bfloat16", "prompts": prompts(8), "answers": 8, "device": device}
    ours, told, seconds = Ours(given), [], []
    for _ in range(steps):
        begun = time.perf_counter()
        answered = ours.answer({"tokens": tokens})
        seconds.append(round(time.perf_counter() - begun, 3))
        told.append(answered["metrics"])
    ratio = max(abs(m["ratio/max"] - 1.0) for m in told)
    return {
        "steps": steps,
        "tokens": tokens,
        "seconds": seconds,
        "ratio_off": ratio,
        "clipped": max(m["clip/low"] + m["clip/high"] for m in told),
        "mismatch_mean": [round(m["mismatch/mean"], 5) for m in told],
        "grad_norm": [round(m["grad/norm"], 4) for m in told],
        "memory": {k: v for k, v in answered.items() if k.endswith("peak_gb")},
    }


def beside_trl(folder: Path, device: str, tokens: int, rounds: int) -> dict[str, Any] | str:
    """A step of each side in turns; TRL with its defaults and with bfloat16 weights."""
    if importlib.util.find_spec("trl") is None:
        return "TRL is not installed in this environment: not compared"
    given = {"folder": str(folder), "prompts": prompts(8), "answers": 8, "device": device}

    def side(name: str, module: str, more: dict[str, Any]) -> Side:
        return Side(name, [sys.executable, "-m", f"benchmarks.{module}", json.dumps(given | more)])

    started = {
        "verigrad": lambda: side("verigrad", "ours_side", {"dtype": "bfloat16"}),
        "trl default": lambda: side("trl default", "trl_side", {"config": {}}),
        "trl bfloat16": lambda: side("trl bfloat16", "trl_side", {"config": VARIANTS["bf16 weights, no autocast"]}),
    }
    with sides(started) as running:
        for one in running.values():
            one.ask(tokens=4)
        answered = interleaved(running, rounds, tokens=tokens)
    peak = {n: max(a.get("gpu_peak_gb", a["peak_gb"]) for a in answers) for n, answers in answered.items()}
    seconds = {n: median(answers) for n, answers in answered.items()}
    return {"tokens": tokens, "seconds": seconds, "peak_gb": peak, "rounds": answered}


def missed(told: dict[str, Any]) -> list[str]:
    """Every bound that does not hold."""
    exact, steps = told["exactness"], told["steps"]
    found = []
    for name in ("engine float32", "packed float32"):
        found += [f"{name} {k}" for k in ("max", "mean") if exact[name][k] > BOUNDS[f"float32 {k}"]]
    for name, bound in (("float32", "gradient"), ("bfloat16", "gradient bfloat16")):
        found += [f"gradients {name}"] if exact["gradients"][name]["relative"] > BOUNDS[bound] else []
    found += ["ratio of a first update"] if steps["ratio_off"] > BOUNDS["ratio"] or steps["clipped"] else []
    return found


def main(given: Sequence[str] | None = None) -> int:
    """Run it where there is a GPU; say where there is none."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--smoke", action="store_true", help="a tiny model on the CPU")
    parser.add_argument("--model", type=Path, help="a folder to use instead")
    parser.add_argument("--out", type=Path, help="folder for device.json")
    asked = parser.parse_args(given)
    if not (asked.smoke or torch.cuda.is_available()):
        print(NOT_YET)
        return 2
    begun = time.monotonic()
    device, count, steps, tokens = ("cpu", 4, 2, 4) if asked.smoke else ("cuda", 64, 20, 64)
    result: dict[str, Any] = facts() | {"device": "cpu" if asked.smoke else torch.cuda.get_device_name()}
    with tempfile.TemporaryDirectory() as name:
        folder = weights(Path(name, "model"), asked)
        result["exactness"] = exactness(folder, device, count)
        say("exactness done")
        result["steps"] = twenty(folder, device, steps, tokens)
        say(f"{steps} steps done")
        result["beside"] = "smoke: not compared" if asked.smoke else beside_trl(folder, device, 256, 3)
    result |= {"bounds": BOUNDS, "missed": missed(result), "minutes": round((time.monotonic() - begun) / 60, 1)}
    print(json.dumps(result, indent=1))
    if asked.out is not None:
        (asked.out / "device.json").write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")
    return 1 if result["missed"] else 0


if __name__ == "__main__":
    sys.exit(main())
