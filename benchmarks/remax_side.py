"""One step of ReMax or GRPO through the sampler and the trainer, one question at a time: a side of bench_remax.

    python -m benchmarks.remax_side '{"folder": ..., "dtype": "bfloat16", "prompts": [...], "answers": 1, ...}'

{"tokens": n}: one step of n tokens an answer. ReMax draws a greedy answer to each prompt besides and does not train
on it; its reward is made up like the others'.
"""

from __future__ import annotations

import json
import sys
import time
from dataclasses import replace
from typing import Any

import numpy as np

from benchmarks.ours_side import Ours, batch_of, peaks
from benchmarks.worker import Line, forget_peak, status_gb
from verigrad import losses
from verigrad.records import Batch, Completion, Request, seed


class Side(Ours):
    """The step of one method."""

    def __init__(self, given: dict[str, Any]) -> None:
        super().__init__({**given, "rows": len(given["prompts"]) * (given["answers"] + (given["method"] == "remax"))})
        self.method = losses.build(given["method"], {"kl": "none"})
        self.greedy = losses.needs(self.method).greedy

    def _step(self, tokens: int) -> tuple[list[Completion], dict[str, float], dict[str, float]]:
        self.steps += 1
        clock = [time.perf_counter()]
        requests = []
        for i, prompt in enumerate(self.prompts):
            for j in range(self.answers + self.greedy):
                greedy = j == self.answers
                value = seed("draw", self.steps, i, j)
                temperature = 0.0 if greedy else 1.0
                requests.append(Request(prompt=prompt, seed=value, max_tokens=tokens, temperature=temperature))
        found = self.sampler.sample(requests)
        clock.append(time.perf_counter())
        width = self.answers + self.greedy
        drawn = [c for n, c in enumerate(found) if n % width < self.answers]
        metrics = self.trainer.step(self._batch(drawn, tokens), step=self.steps)
        self.sampler.version += 1
        clock.append(time.perf_counter())
        return found, dict(zip(("sample", "update"), np.diff(clock).tolist(), strict=True)), metrics

    def _batch(self, drawn: list[Completion], tokens: int) -> Batch:
        """Rewards of 0 and 1 in turns; beside a greedy answer that earned half, so that no answer is idle."""
        batch = batch_of(drawn, self.answers, tokens, pay=[float(i % 2) for i in range(len(drawn))])
        return replace(batch, greedy_reward_B=np.full(len(drawn), 0.5)) if self.greedy else batch


def main() -> None:
    """Load, say so, serve."""
    line = Line()
    side = Side(json.loads(sys.argv[1]))
    forget_peak()
    line.answer({"loaded_gb": status_gb("VmRSS"), **peaks()})
    line.serve(side.answer)


if __name__ == "__main__":
    main()
