"""The update as one would write it first: padded rows, full logits, log-softmax; what the packed one is held against.

    python -m benchmarks.padded_side '{"folder": ..., "dtype": "bfloat16", "prompts": [...], "answers": 8}'

float32, or bfloat16 by autocast over float32 weights; 8 rows a micro-batch; the answers that verigrad's side gets.
"""

from __future__ import annotations

import json
import sys
import time
from typing import Any

import numpy as np
import torch

from benchmarks.ours_side import made_up
from benchmarks.worker import Line, forget_peak, status_gb
from verigrad import models

ROWS = 8


def main() -> None:
    """Load, say so, serve."""
    line = Line()
    given = json.loads(sys.argv[1])
    lm = models.load(given["folder"], dtype="float32", device="cpu")
    module, bfloat16 = lm.module.requires_grad_(True), given["dtype"] == "bfloat16"
    ids = [models.encode(lm, tuple(p)) for p in given["prompts"] for _ in range(given["answers"])]
    longest = max(len(i) for i in ids)

    def answer(question: dict[str, Any]) -> dict[str, Any]:
        tokens = question["loss"]
        answers = made_up(len(ids), tokens, lm.vocabulary)
        padded = np.zeros((len(ids), longest + tokens), dtype=np.int64)
        mask = np.zeros_like(padded)
        for row, (prompt, own) in enumerate(zip(ids, answers, strict=True)):
            padded[row, longest - len(prompt) :] = np.concatenate([prompt, own])
            mask[row, longest - len(prompt) :] = 1
        weight_B = torch.linspace(-1, 1, len(ids))
        module.zero_grad(set_to_none=False)
        begun = time.perf_counter()
        for start in range(0, len(ids), ROWS):
            rows = torch.from_numpy(padded[start : start + ROWS])
            with torch.autocast("cpu", dtype=torch.bfloat16, enabled=bfloat16):
                out = module(input_ids=rows, attention_mask=torch.from_numpy(mask[start : start + ROWS]))
            logp = torch.log_softmax(out.logits[:, longest - 1 : -1].float(), dim=-1)
            logp_BT = logp.gather(-1, rows[:, longest:, None])[..., 0]
            (-(logp_BT * weight_B[start : start + ROWS, None]).sum() / (len(ids) * tokens)).backward()
        return {"seconds": time.perf_counter() - begun, "peak_gb": status_gb("VmHWM")}

    forget_peak()
    arguments = {"layout": "padded", "rows_of_a_micro_batch": ROWS, "logits": "full", "dtype": given["dtype"]}
    line.answer({"arguments": arguments, "loaded_gb": status_gb("VmRSS")})
    line.serve(answer)


if __name__ == "__main__":
    main()
