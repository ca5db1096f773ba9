"""Where the time of a call goes, by kind of operator. Left out: which line of code called it."""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Callable
from typing import Any

from torch.profiler import ProfilerActivity, profile

KINDS = {
    "gemm": ("aten::mm", "aten::addmm", "aten::linear", "mkldnn::", "onednn", "aten::mkldnn"),
    "attention": ("scaled_dot_product", "aten::bmm", "aten::baddbmm", "aten::_softmax", "_flash_attention"),
    "log-softmax and drawing": (
        "aten::_log_softmax",
        "aten::logsumexp",
        "aten::exp",
        "aten::cumsum",
        "aten::searchsorted",
        "aten::max",
        "aten::amax",
        "aten::argmax",
        "aten::gather",
        "aten::sum",
        "aten::multinomial",
    ),
    "optimizer": ("fused_adam", "_foreach", "aten::linalg_vector_norm", "aten::_fused"),
    "copies": ("aten::copy_", "aten::cat", "aten::index", "aten::clone", "aten::zero_", "aten::fill_", "aten::stack"),
}
"""First match counts; the rest is elementwise (norm, rope, activation, residuals) or smaller."""


def shares(call: Callable[[], Any]) -> dict[str, Any]:
    """{"seconds": under the profiler, "shares": {kind: of all seconds}, "top": [[operator, share], ...]}."""
    begun = time.perf_counter()
    with profile(activities=[ProfilerActivity.CPU], acc_events=True) as found:
        call()
    seconds = time.perf_counter() - begun
    by_kind: dict[str, float] = defaultdict(float)
    events = found.key_averages()
    for event in events:
        own = event.self_cpu_time_total / 1e6
        kind = next((k for k, names in KINDS.items() if any(n in event.key for n in names)), "elementwise and the rest")
        by_kind[kind] += own
    by_kind["outside torch (Python)"] = max(0.0, seconds - sum(by_kind.values()))
    top = sorted(events, key=lambda e: -e.self_cpu_time_total)[:12]
    return {
        "seconds": round(seconds, 2),
        "shares": {k: round(v / seconds, 3) for k, v in sorted(by_kind.items(), key=lambda x: -x[1])},
        "top": [[e.key, round(e.self_cpu_time_total / 1e6 / seconds, 3)] for e in top],
    }
