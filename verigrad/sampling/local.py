"""Sampling in this process: an own decode loop over the Hugging Face module.

A prompt is computed once, alone, whatever asks for it; its answers then share batches of at most `rows`, where a
finished answer gives its place to the next. Left out: the faster engines, top-p and top-k.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import torch
from torch import Tensor

from verigrad import models
from verigrad.errors import Refused, nearest
from verigrad.records import Completion, Finish, Request, uniforms
from verigrad.sampling.draw import draw
from verigrad.sampling.engine import Engine, PlainEngine, SlotEngine, in_arithmetic
from verigrad.sampling.probe import Fit, probe
from verigrad.sampling.sampler import check_request, cut_at_stop


@dataclass(kw_only=True)
class _Answer:
    """One answer being written."""

    request: Request
    place: int
    """Index of the request in the call."""
    prompt_ids: np.ndarray
    first: int
    """Place of the first request with the same prompt."""
    token_ids: list[int] = field(default_factory=list)
    logp: list[float] = field(default_factory=list)
    text: str = ""
    finish: Finish | None = None

    @property
    def sequence(self) -> np.ndarray:
        return np.concatenate([self.prompt_ids, np.array(self.token_ids, dtype=np.int64)])


class LocalSampler:
    """Draws from a language model in this process.

    `rows`: most answers in one forward; fewer are taken where more would round differently (see `exact`). `version`:
    number of the weights, written into completions; set it when they change (the weights themselves are read at every
    call). `between`: called before every forward, may raise to interrupt. Memory beside the weights:
    2 * layers * key heads * head width * (prompt + answer tokens, rounded up to 64) * rows numbers of the arithmetic's
    size (SmolLM2-135M, 64 rows of 128 tokens, float32: 0.38 GB), and with bfloat16 a copy of the weights in it.
    """

    def __init__(
        self,
        lm: models.LanguageModel,
        *,
        rows: int = 64,
        version: int = 0,
        between: Callable[[], None] | None = None,
    ) -> None:
        if rows < 1:
            raise Refused(f"sampling.options.rows is {rows}; it is at least 1", key="sampling.options.rows")
        self.lm = lm
        self.rows = rows
        self.version = version
        self.between = between
        self._fit: Fit | None = None

    @classmethod
    def from_options(cls, lm: models.LanguageModel, options: Mapping[str, Any]) -> LocalSampler:
        """The engine `sampling.options` asks for: { rows }, and top_p, top_k where they are off. Raises Refused."""
        for name, off in (("top_p", (False, "off", 1)), ("top_k", (False, "off", 0, -1))):
            if options.get(name, False) not in off:
                raise Refused(
                    f"sampling.options.{name}: the local engine draws from the whole distribution; leave it out",
                    key=f"sampling.options.{name}",
                )
        for name in options:
            if name not in ("rows", "top_p", "top_k"):
                raise Refused(
                    f"unknown option sampling.options.{name} of the local engine" + nearest(name, ["rows"]),
                    key=f"sampling.options.{name}",
                )
        rows = options.get("rows", 64)
        if isinstance(rows, bool) or not isinstance(rows, int):
            raise Refused(f"sampling.options.rows wants a whole number, got {rows!r}", key="sampling.options.rows")
        return cls(lm, rows=rows)

    @property
    def fit(self) -> Fit:
        """What the probe found of this model; tried at the first use."""
        if self._fit is None:
            self._fit = probe(self.lm, self.rows)
        return self._fit

    @property
    def exact(self) -> bool:
        """Whether equal requests give equal answers whatever the batch (docs/design.md 6); else see why_not_exact."""
        return not self.why_not_exact

    @property
    def why_not_exact(self) -> str:
        """What withdraws the promise; empty where it holds. A sequence that outgrows a sliding window withdraws it."""
        if self.lm.dtype is not torch.float32:
            return "bfloat16 arithmetic: a row's rounding depends on its batch"
        if self.lm.device.type != "cpu":
            return f"not promised on {self.lm.device.type}"
        return self.fit.why_plain

    def sample(self, requests: Sequence[Request]) -> list[Completion]:
        """One completion a request, in order. Raises Refused for one that cannot be served, Stopped for NaN logits."""
        for request in requests:
            check_request(request)
        if not requests:
            return []
        answers: list[_Answer] = []
        first: dict[bytes, int] = {}
        for place, request in enumerate(requests):
            ids = models.encode(self.lm, request.prompt)
            self._check_length(len(ids), request)
            same = first.setdefault(ids.tobytes(), place)
            answers.append(_Answer(request=request, place=place, prompt_ids=ids, first=same))
        longest = max(len(a.prompt_ids) + a.request.max_tokens for a in answers)
        with torch.inference_mode():
            # Answers to one prompt stand together, so that each prompt is computed once and forgotten.
            self._run(self._engine(longest), sorted(answers, key=lambda a: (a.first, a.place)))
        return [self._complete(answer) for answer in answers]

    def _engine(self, longest: int) -> Engine:
        module, fit = in_arithmetic(self.lm), self.fit
        if fit.why_plain or (fit.window is not None and longest >= fit.window):
            return PlainEngine(module, self.lm.device)
        return SlotEngine(module, self.lm.device, fit.rows)

    def _run(self, engine: Engine, queue: list[_Answer]) -> None:
        """Write every answer to its end."""
        rows = min(self.rows, self.fit.rows)
        active: list[_Answer] = []
        started, logits_1V = -1, torch.empty(0)
        while queue or active:
            while queue and len(active) < rows:
                prompt = queue[0]
                if prompt.first != started:
                    self._interrupt()
                    started, logits_1V = prompt.first, engine.start(prompt.prompt_ids)
                new = [a for a in queue[: rows - len(active)] if a.first == started]
                del queue[: len(new)]
                self._draw(logits_1V.expand(len(new), -1), new)
                new = [answer for answer in new if answer.finish is None]
                if new:
                    engine.admit(list(range(len(active), len(active) + len(new))))
                    active += new
            if active:
                self._interrupt()
                self._draw(engine.step([answer.sequence for answer in active]), active)
                active = _close_gaps(engine, active)

    def _draw(self, logits_NV: Tensor, answers: list[_Answer]) -> None:
        """Give every answer its next token, and end those that end with it."""
        temperature_N = np.array([answer.request.temperature for answer in answers])
        seed_N = np.array([answer.request.seed for answer in answers], dtype=np.uint64)
        t_N = np.array([len(answer.token_ids) for answer in answers])
        token_N, logp_N = draw(logits_NV, temperature_N, uniforms(seed_N, t_N))
        for answer, token, logp in zip(answers, token_N, logp_N, strict=True):
            answer.token_ids.append(int(token))
            answer.logp.append(float(logp))
            self._end(answer)

    def _end(self, answer: _Answer) -> None:
        """Set finish and text if the newest token ends the answer."""
        request = answer.request
        if answer.token_ids[-1] in self.lm.eos_ids:
            answer.finish = "stop"
        elif len(answer.token_ids) >= request.max_tokens:
            answer.finish = "length"
        if request.stop or answer.finish is not None:
            answer.text = models.decode(self.lm, answer.token_ids)
            before = cut_at_stop(answer.text, request.stop)
            if before is not None:
                answer.finish, answer.text = "stop", before

    def _complete(self, answer: _Answer) -> Completion:
        assert answer.finish is not None
        return Completion(
            prompt_ids=answer.prompt_ids,
            token_ids=np.array(answer.token_ids, dtype=np.int64),
            logp=np.array(answer.logp, dtype=np.float32),
            text=answer.text,
            finish=answer.finish,
            version=(self.version, self.version),
        )

    def _check_length(self, prompt: int, request: Request) -> None:
        most = self.lm.context
        if most is not None and prompt + request.max_tokens > most:
            raise Refused(
                f"a prompt of {prompt} tokens and sampling.max_tokens = {request.max_tokens} "
                f"are {prompt + request.max_tokens}, but the model was made for {most}; lower max_tokens or shorten "
                "the prompt",
                key="sampling.max_tokens",
            )

    def _interrupt(self) -> None:
        if self.between is not None:
            self.between()


def _close_gaps(engine: Engine, active: list[_Answer]) -> list[_Answer]:
    """The unfinished answers in slots 0 to N - 1: those at the end move into the gaps that finished ones left."""
    n = sum(answer.finish is None for answer in active)
    gaps = [i for i in range(n) if active[i].finish is not None]
    late = [i for i in range(n, len(active)) if active[i].finish is None]
    if gaps:
        engine.move(gaps, late)
    kept = list(active)
    for to, source in zip(gaps, late, strict=True):
        kept[to] = active[source]
    return kept[:n]
