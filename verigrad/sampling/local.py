"""Sampling in this process: an own decode loop over the Hugging Face module.

Requests with the same prompt are answered together: the prompt is computed once, and so are its keys and values. Up to
`rows` answers share a forward; a finished one leaves it, and the next prompt's answers take the free rows. Left out:
top-p and top-k, speculation.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import torch
from torch import Tensor

from verigrad import models
from verigrad.errors import Refused
from verigrad.records import Completion, Finish, Request, uniforms
from verigrad.sampling.draw import draw
from verigrad.sampling.engine import COLUMNS, MULTIPLE, Engine, GroupEngine, PlainEngine, Size, Unit, round_up
from verigrad.sampling.options import CACHE_GB, ROWS, read_options
from verigrad.sampling.probe import LANES, Fit, probe
from verigrad.sampling.sampler import check_request, cut_at_stop, stop_found
from verigrad.sampling.weights import Weights

SHARED = 16
"""Most answers of a prompt in one block."""
FEW = 16
"""Own columns attention goes on by, where a row's rounding is not promised."""
WAIT = 8
"""New prompts begin when a part of the rows in this many is free."""


@dataclass(kw_only=True)
class _Answer:
    """One answer being written."""

    request: Request
    prompt_ids: np.ndarray
    token_ids: list[int] = field(default_factory=list)
    logp: list[float] = field(default_factory=list)
    text: str = ""
    finish: Finish | None = None


class LocalSampler:
    """Draws from a language model in this process.

    `rows`: most answers in one forward. `cache_gb`: most memory for keys and values; fewer rows are taken where they
    would need more. `dtype`: arithmetic, the model's own by default. `version`: number of the weights, written into
    completions; set it when they change (that they changed is seen by itself). `between`: called before every forward,
    may raise to interrupt. Memory beside the cache: in bfloat16, and packed for the CPU, a copy of the weights.
    """

    def __init__(
        self,
        lm: models.LanguageModel,
        *,
        rows: int = ROWS,
        cache_gb: float = CACHE_GB,
        dtype: torch.dtype | None = None,
        version: int = 0,
        between: Callable[[], None] | None = None,
    ) -> None:
        if rows < 1:
            raise Refused(f"sampling.options.rows is {rows}; it is at least 1", key="sampling.options.rows")
        self.lm = lm
        self.rows = rows
        self.cache_gb = cache_gb
        self.dtype = lm.dtype if dtype is None else dtype
        self.version = version
        self.between = between
        self._fit: Fit | None = None
        self._weights: Weights | None = None

    @classmethod
    def from_options(cls, lm: models.LanguageModel, options: Mapping[str, Any]) -> LocalSampler:
        """The engine `sampling.options` asks for. Raises Refused."""
        return cls(lm, **read_options(options))

    @property
    def fit(self) -> Fit:
        """What the probe found of this model; tried at the first use."""
        if self._fit is None:
            self._fit = probe(self.lm, self.dtype, self.rows)
        return self._fit

    @property
    def exact(self) -> bool:
        """Whether equal requests give equal answers whatever the batch (docs/design.md 6); else see why_not_exact."""
        return not self.why_not_exact

    @property
    def why_not_exact(self) -> str:
        """What withdraws the promise; empty where it holds."""
        return self.fit.why_not_exact

    def changed(self) -> None:
        """Say that the weights changed. Needed only after writes torch does not count and that miss the numbers looked
        at (`.data` of a few rows): optimizers, loads and in-place writes are seen without it.
        """
        if self._weights is not None:
            self._weights.forget()

    def sample(self, requests: Sequence[Request]) -> list[Completion]:
        """One completion a request, in order. Raises Refused for one that cannot be served, Stopped for NaN logits."""
        for request in requests:
            check_request(request)
        if not requests:
            return []
        answers = [_Answer(request=r, prompt_ids=models.encode(self.lm, r.prompt)) for r in requests]
        together: dict[bytes, list[_Answer]] = {}
        for answer in answers:
            self._check_length(len(answer.prompt_ids), answer.request)
            together.setdefault(answer.prompt_ids.tobytes(), []).append(answer)
        size = self._size(list(together.values()))
        limit = min(size.rows, self.rows)
        units = [group[i : i + limit] for group in together.values() for i in range(0, len(group), limit)]
        with torch.inference_mode():
            self._run(self._engine(size), units, limit, size)
        return [self._complete(answer) for answer in answers]

    def _size(self, groups: Sequence[Sequence[_Answer]]) -> Size:
        """Room for as many rows as are asked for, of use, round alike and fit into memory. Raises Refused."""
        everyone = [a for group in groups for a in group]
        largest = max(len(group) for group in groups)
        exact = self.dtype is torch.float32
        lanes = LANES if exact else -(-largest // -(-largest // SHARED))
        own = round_up(max(a.request.max_tokens for a in everyone), COLUMNS)
        prompt = round_up(max(len(a.prompt_ids) for a in everyone), COLUMNS)
        need_G = [-(-len(group) // lanes) for group in groups]
        token_gb = self.fit.numbers * (4 if exact else 2) / 1e9
        most = min(round_up(min(self.rows, len(everyone))), max(self.fit.rows, MULTIPLE))
        for rows in range(most, 0, -MULTIPLE):
            # Twice what full groups hold: stragglers keep a block each. No group needs more than its rows.
            blocks = min(rows, sum(need_G), max(max(need_G), -(-2 * rows * len(groups) // len(everyone))) + 1)
            size = Size(
                rows=rows, own=own, blocks=blocks, prompt=prompt, lanes=lanes, columns=COLUMNS if exact else FEW
            )
            if size.tokens * token_gb <= self.cache_gb:
                return size
        raise Refused(
            f"keys and values of {MULTIPLE} answers of {own} tokens to prompts of {prompt} need "
            f"{size.tokens * token_gb:.2g} GB; sampling.options.cache_gb is {self.cache_gb:g}",
            key="sampling.options.cache_gb",
        )

    def _engine(self, size: Size) -> Engine:
        fit = self.fit
        if self._weights is None or not self._weights.of(self.lm.module):
            own = {"attention": None} if fit.why_plain else {}
            self._weights = Weights(self.lm, self.dtype, pack=fit.packs, **own)
        self._weights.sync()
        module = self._weights.module
        if fit.why_plain:
            return PlainEngine(module, self.lm.device)
        return GroupEngine(module, self.lm.device, size, together=fit.together)

    def _run(self, engine: Engine, queue: list[list[_Answer]], limit: int, size: Size) -> None:
        """Write every answer to its end; `queue` holds what begins together."""
        active: list[_Answer] = []
        while queue or active:
            if new := _next(queue, len(active), engine.used, limit, size):
                self._interrupt()
                del queue[: len(new)]
                units = [Unit(prompt_ids=group[0].prompt_ids, answers=len(group)) for group in new]
                logits_UV = engine.admit(units)
                unit_N = torch.tensor([u for u, group in enumerate(new) for _ in group], device=logits_UV.device)
                begun = [answer for group in new for answer in group]
                self._draw(logits_UV[unit_N], begun)
                active = _close_gaps(engine, active + begun)
            if active:
                self._interrupt()
                token_N = np.array([answer.token_ids[-1] for answer in active])
                self._draw(engine.step(token_N), active)
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
        if answer.finish is None and not stop_found(self.lm, answer.token_ids, request.stop):
            return
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


def _next(queue: list[list[_Answer]], live: int, used: int, limit: int, size: Size) -> list[list[_Answer]]:
    """What begins now: as many of the next groups as have room. A few free rows wait for more, so that one forward
    computes several prompts. `live`: answers being written; `used`: blocks they hold.
    """
    free, blocks = limit - live, size.blocks - used
    if live and free < min(limit // WAIT, sum(map(len, queue))):
        return []
    taken: list[list[_Answer]] = []
    for group in queue:
        need = -(-len(group) // size.lanes)
        if len(group) > free or need > blocks:
            break
        taken.append(group)
        free, blocks = free - len(group), blocks - need
    return taken


def _close_gaps(engine: Engine, active: list[_Answer]) -> list[_Answer]:
    """The unfinished answers in rows 0 to N - 1: those at the end move into the gaps that finished ones left."""
    n = sum(answer.finish is None for answer in active)
    if n == len(active):
        return active
    gaps = [i for i in range(n) if active[i].finish is not None]
    late = [i for i in range(n, len(active)) if active[i].finish is None]
    engine.move(gaps, late, n)
    kept = list(active)
    for to, source in zip(gaps, late, strict=True):
        kept[to] = active[source]
    return kept[:n]
