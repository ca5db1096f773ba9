"""One case of bench_growth in a process of its own: an update and a round of drawing on a random model.

    python -m benchmarks.growth_case '{"vocabulary": 49152, "width": 576, ..., "tokens": 64, "answers": 8}'

Memory is what the work takes on top: most resident while it runs, less what is resident once parameters, gradients and
the optimizer's state are there. One group is one micro-batch here, whatever its size: the trainer would cut it.
"""

from __future__ import annotations

import ctypes
import gc
import json
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import torch

from benchmarks.common import multiplied, random_module
from benchmarks.worker import Line, forget_peak, status_gb
from verigrad.models import LanguageModel, Working
from verigrad.records import Request
from verigrad.sampling import LocalSampler


def main() -> None:
    """Build, update twice (the first is not counted), draw, say."""
    line = Line()
    given = json.loads(sys.argv[1])
    torch.manual_seed(0)
    module = random_module(
        given["vocabulary"],
        width=given["width"],
        layers=given["layers"],
        heads=given["heads"],
        key_heads=given["key_heads"],
        inner=given["inner"],
    )
    lm = LanguageModel(
        module=module,
        tokenizer=Numbers(given["prompt"]),  # type: ignore[arg-type]
        name="random",
        template=None,
        eos_ids=(),
        dtype=torch.bfloat16,
        why_dtype="as asked",
        device=torch.device("cpu"),
        licence=None,
    )
    line.answer({"parameters": multiplied(module)} | update(lm, given) | drawing(lm, given))


class Numbers:
    """A tokenizer whose every text is the same made-up prompt: what is measured does not read."""

    def __init__(self, length: int) -> None:
        self.length = length

    def __call__(self, *_: Any, **__: Any) -> dict[str, list[int]]:
        return {"input_ids": list(range(100, 100 + self.length))}

    def encode(self, *_: Any, **__: Any) -> list[int]:
        return self()["input_ids"]

    def decode(self, *_: Any, **__: Any) -> str:
        return ""


def update(lm: LanguageModel, given: dict[str, Any]) -> dict[str, Any]:
    """Forward, backward and the optimizer's step of one group."""
    optimizer = torch.optim.AdamW(lm.module.parameters(), lr=1e-6, fused=True)
    for p in lm.module.parameters():
        p.grad = torch.zeros_like(p)
    optimizer.step()
    working = Working(lm)
    prompt = np.arange(100, 100 + given["prompt"])
    answers = given["answers"]
    token_ids_BT = np.random.default_rng(0).integers(100, given["vocabulary"], (answers, given["tokens"]))

    def once(part: np.ndarray) -> float:
        begun = time.perf_counter()
        lengths = np.full(len(part), part.shape[1])
        logp_BT = working.logps([prompt] * len(part), part, lengths, temperature=1.0, entropy=False).logp_BT
        (-logp_BT.mean()).backward()  # type: ignore[no-untyped-call]
        optimizer.step()
        working.sync()
        return time.perf_counter() - begun

    once(token_ids_BT[:2, :8])
    gc.collect()
    ctypes.CDLL("libc.so.6").malloc_trim(0)
    forget_peak()
    before = status_gb("VmRSS")
    seconds = once(token_ids_BT)
    return {
        "update_seconds": round(seconds, 3),
        "update_gb": round(status_gb("VmHWM") - before, 3),
        "held_gb": before,
        "tokens": given["prompt"] + answers * given["tokens"],
        "why_padded": working.why_padded,
    }


def drawing(lm: LanguageModel, given: dict[str, Any]) -> dict[str, Any]:
    """Drawing the group's answers."""
    sampler = LocalSampler(lm, rows=given["answers"])
    message = ({"role": "user", "content": "x"},)

    def once(tokens: int) -> float:
        requests = [
            Request(prompt=message, seed=i, max_tokens=tokens, temperature=1.0)  # type: ignore[arg-type]
            for i in range(given["answers"])
        ]
        begun = time.perf_counter()
        sampler.sample(requests)
        return time.perf_counter() - begun

    once(2)
    gc.collect()
    ctypes.CDLL("libc.so.6").malloc_trim(0)
    forget_peak()
    before = status_gb("VmRSS")
    seconds = once(given["tokens"])
    return {
        "sample_seconds": round(seconds, 3),
        "sample_gb": round(status_gb("VmHWM") - before, 3),
        "answer_tokens": given["answers"] * given["tokens"],
    }


if __name__ == "__main__":
    assert Path("/proc/self/status").exists(), "memory is read from /proc: Linux only"
    main()
