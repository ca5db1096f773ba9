"""What the machine can do at all: the denominators of `step_over_bound` and of the sampling roofline.

`gemm_peak`: GFLOP/s of products alone, square ones and those of the model's own layers. `decode_rate`: tokens a second
of nothing but a model's linear layers and its head, weights packed by oneDNN. Each the best of five. On a machine that
other work shares both swing by a factor: a value more than 15 % under what was once measured for the reference design
(FLOORS) means that the machine was busy, and `held` says so.
"""

from __future__ import annotations

import os
import statistics
import time
from collections.abc import Callable, Sequence
from typing import Any

import torch

TRIES = 5
SQUARE = (1024, 2048)
FLOORS = {
    "gemm bfloat16": 390.0,
    "decode bfloat16": {64: 1013.0, 128: 1270.0},
    "decode float32": {16: 236.0, 64: 387.0, 128: 452.0},
}
"""GFLOP/s; tokens/s by rows, of SmolLM2-135M on 2 cores (bfloat16 packed, float32 not)."""
SHORT = 0.85


def gemm_peak(dtype: torch.dtype, shapes: Sequence[tuple[int, int, int]]) -> dict[str, Any]:
    """The fastest product: {"gflops": the best, "median_gflops": its median of five, "products": each one's best}."""
    found = {}
    for m, k, n in [*((s, s, s) for s in SQUARE), *shapes]:
        a, b = torch.randn(m, k).to(dtype), torch.randn(n, k).to(dtype)
        with torch.inference_mode():
            torch.nn.functional.linear(a, b)
            repeats = min(50, max(1, int(5e9 / (2 * m * k * n))))
            seconds = [_timed(lambda: torch.nn.functional.linear(a, b), repeats) for _ in range(TRIES)]  # noqa: B023
        rates = [2 * m * k * n / s / 1e9 for s in seconds]
        found[f"{m}x{k}x{n}"] = (max(rates), statistics.median(rates))
    best = max(found.values())
    return {
        "gflops": round(best[0], 1),
        "median_gflops": round(best[1], 1),
        "products": {name: round(rate, 1) for name, (rate, _) in found.items()},
    }


def model_shapes(module: Any, tokens: int) -> list[tuple[int, int, int]]:
    """(tokens, in, out) of the module's distinct linear layers, the head among them."""
    linear = [m for m in module.modules() if isinstance(m, torch.nn.Linear)]
    return sorted({(tokens, m.in_features, m.out_features) for m in linear})


def decode_rate(module: Any, dtype: torch.dtype, rows: int) -> dict[str, Any]:
    """Tokens a second of all linear layers and the head for `rows` rows, every layer with its own packed weights."""
    calls = [_packed(m.weight.detach().to(dtype), rows) for m in module.modules() if isinstance(m, torch.nn.Linear)]

    def once() -> None:
        for call in calls:
            call()

    with torch.inference_mode():
        once()
        seconds = [_timed(once, 1) for _ in range(TRIES)]
    rates = [rows / s for s in seconds]
    return {"tokens_per_second": round(max(rates), 1), "median": round(statistics.median(rates), 1)}


def _packed(weight_OI: torch.Tensor, rows: int) -> Callable[[], torch.Tensor]:
    x = torch.randn(rows, weight_OI.shape[1]).to(weight_OI.dtype)
    try:
        reorder, linear = torch.ops.mkldnn._reorder_linear_weight, torch.ops.mkldnn._linear_pointwise
        packed = reorder(weight_OI.to_mkldnn(), rows)
        linear(x, packed, None, "none", [], "")
    except (AttributeError, RuntimeError):  # private operators: another torch may lack them
        return lambda: torch.nn.functional.linear(x, weight_OI)
    return lambda: linear(x, packed, None, "none", [], "")


def _timed(call: Callable[[], Any], repeats: int) -> float:
    begun = time.perf_counter()
    for _ in range(repeats):
        call()
    return (time.perf_counter() - begun) / repeats


def measured(module: Any, dtype: torch.dtype, rows: Sequence[int], tokens: int) -> dict[str, Any]:
    """Both denominators now."""
    return {
        "load": round(os.getloadavg()[0], 2),
        "gemm": gemm_peak(dtype, model_shapes(module, tokens)),
        "decode": {str(r): decode_rate(module, dtype, r) for r in rows},
    }


def best(looks: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """The largest of several looks, as numbers: {"gemm": GFLOP/s, "decode": {rows: tokens/s}}."""
    return {
        "gemm": max(look["gemm"]["gflops"] for look in looks),
        "decode": {r: max(look["decode"][r]["tokens_per_second"] for look in looks) for r in looks[0]["decode"]},
    }


def held(found: dict[str, Any], dtype: str) -> list[str]:
    """What lies more than 15 % under FLOORS, one line each; empty where nothing does."""
    short = []
    if dtype == "bfloat16" and found["gemm"] < SHORT * FLOORS["gemm bfloat16"]:
        short.append(f"GEMM peak {found['gemm']} GFLOP/s, under {SHORT} x {FLOORS['gemm bfloat16']}")
    for rows, floor in FLOORS[f"decode {dtype}"].items():
        value = found["decode"].get(str(rows))
        if value is not None and value < SHORT * floor:
            short.append(f"decode rate {value} tokens/s at {rows} rows in {dtype}, under {SHORT} x {floor}")
    return short


def bound(parameters: int, prompt_tokens: int, answer_tokens: int, found: dict[str, Any], rows: int) -> float:
    """Seconds of a step that did nothing else: 6 x parameters x tokens / peak + answer tokens / decode rate."""
    update = 6 * parameters * (prompt_tokens + answer_tokens) / (found["gemm"] * 1e9)
    return float(update + answer_tokens / found["decode"][str(rows)])
