"""verigrad's side: LocalSampler and Trainer through their public faces, one question at a time.

    python -m benchmarks.ours_side '{"folder": ..., "dtype": "bfloat16", "prompts": [...], "answers": 8}'

{"tokens": n}: one GRPO step (kl none) of n tokens an answer: sample, verify, update; new weights reach the sampler at
its next call, within the step after. {"sample": n, "prompts": ..., "answers": ...}: drawing alone. {"loss": n}: forward
and backward alone, over the same made-up answers as the peers'. "profile": true adds where the time went.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Sequence
from typing import Any

import numpy as np
import torch

from benchmarks.common import endless
from benchmarks.profiled import shares
from benchmarks.worker import Line, forget_peak, status_gb
from verigrad import losses, models
from verigrad.recipe import Train
from verigrad.records import Batch, Completion, Request, seed, totals_of
from verigrad.sampling import LocalSampler
from verigrad.training import Trainer
from verigrad.training.micro_batches import micro_batches


class Ours:
    """A policy with its sampler and trainer, kept between questions."""

    def __init__(self, given: dict[str, Any]) -> None:
        self.prompts = [tuple(p) for p in given["prompts"]]
        self.answers = int(given["answers"])
        self.lm = endless(models.load(given["folder"], dtype=given["dtype"], device=given.get("device", "cpu")))
        self.sampler = LocalSampler(self.lm, rows=given.get("rows", len(self.prompts) * self.answers))
        self.train = Train(steps=1_000, prompts=len(self.prompts), group=self.answers)
        self.method = losses.build("grpo", {"kl": "none"})
        self._trainer: Trainer | None = None
        self.steps = 0

    @property
    def trainer(self) -> Trainer:
        """Made at the first update: a side that only samples holds no optimizer."""
        if self._trainer is None:
            self.lm.module.requires_grad_(True)
            self._trainer = Trainer(self.lm, self.method, self.train, steps=1_000, temperature=1.0)
        return self._trainer

    def answer(self, question: dict[str, Any]) -> dict[str, Any]:
        """One JSON answer to one question."""
        if "loss" in question:
            return self._loss(question["loss"])
        if question.get("profile"):
            return {"profile": self._profiled(question)}
        begun = time.perf_counter()
        if "sample" in question:
            found = self._sample(question["sample"], question.get("prompts"), question.get("answers"))
            parts, metrics = {"sample": time.perf_counter() - begun}, {}
        else:
            found, parts, metrics = self._step(question["tokens"])
        seconds = time.perf_counter() - begun
        tokens = sum(len(c.token_ids) for c in found)
        return {
            "seconds": seconds,
            "parts": parts,
            "tokens": tokens,
            "answer_tokens": tokens / len(found),
            "metrics": metrics,
            **peaks(),
        }

    def _sample(
        self, tokens: int, prompts: Sequence[Any] | None = None, answers: int | None = None
    ) -> list[Completion]:
        asked = self.prompts if prompts is None else [tuple(p) for p in prompts]
        self.steps += 1
        requests = [
            Request(prompt=p, seed=seed("draw", self.steps, i, j), max_tokens=tokens, temperature=1.0)
            for i, p in enumerate(asked)
            for j in range(answers or self.answers)
        ]
        return self.sampler.sample(requests)

    def _step(self, tokens: int) -> tuple[list[Completion], dict[str, float], dict[str, float]]:
        marks = [time.perf_counter()]
        found = self._sample(tokens)
        marks.append(time.perf_counter())
        batch = batch_of(found, self.answers, tokens, pay=[float(i % 2) for i in range(len(found))])
        marks.append(time.perf_counter())
        metrics = self.trainer.step(batch, step=self.steps)
        self.sampler.version += 1
        marks.append(time.perf_counter())
        return found, dict(zip(("sample", "verify", "update"), np.diff(marks).tolist(), strict=True)), metrics

    def _profiled(self, question: dict[str, Any]) -> dict[str, Any]:
        """Shares of processor time by kind of operator: of sampling, and of the update where one is asked for."""
        tokens = question.get("sample", question.get("tokens"))
        found: list[Completion] = []
        told = {"sampling": shares(lambda: found.extend(self._sample(tokens)))}
        if "tokens" in question:
            batch = batch_of(found, self.answers, tokens, pay=[float(i % 2) for i in range(len(found))])
            told["update"] = shares(lambda: self.trainer.step(batch, step=self.steps))
            self.sampler.version += 1
        return told

    def _loss(self, tokens: int) -> dict[str, Any]:
        """Forward and backward over made-up answers, in the trainer's own micro-batches; no step of the optimizer."""
        rows = len(self.prompts) * self.answers
        trainer = self.trainer
        batch = made_up_batch(self.lm, self.prompts, self.answers, tokens)
        weight_B = torch.linspace(-1, 1, rows).to(self.lm.device)
        self.lm.module.zero_grad(set_to_none=False)
        plan = micro_batches(batch, np.arange(rows), trainer.tokens, packed=not trainer.working.why_padded)
        begun = time.perf_counter()
        for micro in plan:
            logp_BT = trainer.working.logps(
                [batch.prompt_ids[i] for i in micro.rows],
                batch.token_ids_BT[micro.rows],
                batch.length_B[micro.rows],
                temperature=1.0,
                entropy=False,
            ).logp_BT
            index = torch.from_numpy(micro.rows).to(logp_BT.device)
            (-(logp_BT * weight_B[index, None]).sum() / (rows * tokens)).backward()  # type: ignore[no-untyped-call]
        return {
            "seconds": time.perf_counter() - begun,
            "micro_batches": len(plan),
            "why_padded": trainer.working.why_padded,
            **peaks(),
        }


def made_up_batch(lm: models.LanguageModel, prompts: Sequence[Any], answers: int, tokens: int) -> Batch:
    """A batch of answers nobody drew."""
    token_ids_BT = made_up(len(prompts) * answers, tokens, lm.vocabulary)
    nothing = np.zeros(tokens, dtype=np.float32)
    encoded = [models.encode(lm, p) for p in prompts]
    found = [
        Completion(prompt_ids=encoded[i // answers], token_ids=ids, logp=nothing, text="", finish="length")
        for i, ids in enumerate(token_ids_BT)
    ]
    return batch_of(found, answers, tokens, pay=[float(i % 2) for i in range(len(found))])


def made_up(rows: int, tokens: int, vocabulary: int) -> np.ndarray:
    """Answers nobody drew, [rows, tokens]: what the loss alone is timed on."""
    return np.random.default_rng(0).integers(100, vocabulary, (rows, tokens))


def batch_of(found: Sequence[Completion], answers: int, tokens: int, pay: Sequence[float]) -> Batch:
    """The step's batch: `answers` of every prompt are a group, and every answer runs to the limit."""
    rows = len(found)
    group_B = np.arange(rows) // answers
    chosen_BT = np.ones((rows, tokens), dtype=bool)
    return Batch(
        prompt_ids=tuple(c.prompt_ids for c in found),
        token_ids_BT=np.stack([c.token_ids for c in found]),
        chosen_BT=chosen_BT,
        length_B=np.full(rows, tokens),
        logp_sampler_BT=np.stack([c.logp for c in found]),
        reward_B=np.array(pay),
        parts_BK=np.zeros((rows, 0)),
        part_names=(),
        correct_B=np.array(pay) > 0,
        truncated_B=np.ones(rows, dtype=bool),
        group_B=group_B,
        totals=totals_of(chosen_BT, group_B, budget=tokens),
    )


def peaks() -> dict[str, float]:
    """Most resident memory since the weights were loaded; on a GPU its own peak too."""
    found = {"peak_gb": status_gb("VmHWM")}
    return found | ({"gpu_peak_gb": torch.cuda.max_memory_allocated() / 1e9} if torch.cuda.is_available() else {})


def main() -> None:
    """Load, say so, serve."""
    line = Line()
    given = json.loads(sys.argv[1])
    ours = Ours(given)
    forget_peak()
    line.answer(
        {
            "arguments": {
                "sampler": f"LocalSampler(rows={ours.sampler.rows})",
                "trainer": "Trainer(grpo, kl none), AdamW, its own micro-batches",
                "dtype": given["dtype"],
                "weights": "float32 master",
            },
            "prompt_tokens": [len(models.encode(ours.lm, p)) for p in ours.prompts],
            "loaded_gb": status_gb("VmRSS"),
            "exact": ours.sampler.why_not_exact or "yes",
        }
    )
    line.serve(ours.answer)


if __name__ == "__main__":
    main()
