"""Sampling in this process: an own decode loop over the Hugging Face module with its key-value cache.

A prompt is computed once, alone, whatever asks for it; its answers then share batches of at most `rows`, where a
finished answer gives its place to the next. Left out: the faster engines, top-p and top-k.
"""

from __future__ import annotations

import copy
import inspect
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import torch
from torch import Tensor
from transformers.cache_utils import Cache, DynamicCache

from verigrad import models
from verigrad.errors import Refused
from verigrad.records import Completion, Finish, Request, uniforms
from verigrad.sampling.draw import draw
from verigrad.sampling.sampler import check_request, cut_at_stop
from verigrad.sampling.slots import Slots

MULTIPLE = 8
"""Rows of a forward are padded to a multiple of this: products of fewer than 8 rows round differently on a CPU."""


@dataclass(kw_only=True)
class _Answer:
    """One answer being written."""

    request: Request
    place: int
    """Index of the request in the call."""
    prompt_ids: np.ndarray
    token_ids: list[int] = field(default_factory=list)
    logp: list[float] = field(default_factory=list)
    text: str = ""
    finish: Finish | None = None


class LocalSampler:
    """Draws from a language model in this process.

    `rows`: most answers in one forward. `version`: number of the weights, written into completions; set it when they
    change (the weights themselves are read at every call). `between`: called before every token, may raise to
    interrupt. Memory beside the weights: 2 * layers * key heads * head width * (prompt + answer tokens) * rows numbers
    of the arithmetic's size (SmolLM2-135M, 64 rows of 128 tokens, float32: 0.38 GB), and with bfloat16 arithmetic a
    copy of the weights in it.
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
        takes = inspect.signature(lm.module.forward).parameters
        # transformers 5.24 renamed it; 5.0 to 5.23 know the old name only.
        self._cache_name = "cache" if "cache" in takes else "past_key_values"
        self._keep = {"logits_to_keep": 1} if "logits_to_keep" in takes else {}

    @property
    def exact(self) -> bool:
        """Whether equal requests give equal answers whatever the batch (docs/design.md 6); else see `why_not_exact`."""
        return not self.why_not_exact

    @property
    def why_not_exact(self) -> str:
        """What withdraws the promise; empty where it holds."""
        if self.lm.dtype is not torch.float32:
            return "bfloat16 arithmetic: a row's rounding depends on its batch"
        return "" if self.lm.device.type == "cpu" else f"not promised on {self.lm.device.type}"

    def sample(self, requests: Sequence[Request]) -> list[Completion]:
        """One completion a request, in order. Raises Refused for one that cannot be served, Stopped for NaN logits."""
        for request in requests:
            check_request(request)
        answers = [
            _Answer(request=request, place=i, prompt_ids=models.encode(self.lm, request.prompt))
            for i, request in enumerate(requests)
        ]
        for answer in answers:
            self._check_length(answer)
        # Answers to one prompt stand together, so that each prompt is computed once and forgotten.
        first: dict[bytes, int] = {}
        for answer in answers:
            first.setdefault(answer.prompt_ids.tobytes(), answer.place)
        queue = sorted(answers, key=lambda a: (first[a.prompt_ids.tobytes()], a.place))
        with torch.inference_mode():
            self._run(_engine(self.lm), queue)
        return [self._complete(answer) for answer in answers]

    def _run(self, engine: Any, queue: list[_Answer]) -> None:
        slots_: Slots | None = None
        active: list[_Answer] = []
        prompt_key, prompt_cache, prompt_logits = b"", None, None
        while queue or active:
            while queue and len(active) < self.rows:
                # All waiting answers to the next prompt that find a place.
                prompt_ids = queue[0].prompt_ids
                key = prompt_ids.tobytes()
                if key != prompt_key or prompt_cache is None:
                    prompt_key, (prompt_cache, prompt_logits) = key, self._prefill(engine, prompt_ids)
                if slots_ is None:
                    slots_ = Slots(len(prompt_cache.layers), -(-self.rows // MULTIPLE) * MULTIPLE)
                new: list[_Answer] = []
                while queue and len(active) + len(new) < self.rows and queue[0].prompt_ids.tobytes() == key:
                    new.append(queue.pop(0))
                assert prompt_logits is not None
                self._draw(prompt_logits.expand(len(new), -1), new)
                new = [answer for answer in new if answer.finish is None]
                if new:
                    slots_.put(list(range(len(active), len(active) + len(new))), prompt_cache)
                    active += new
            if not active:
                continue
            assert slots_ is not None
            self._draw(self._step(engine, slots_, active), active)
            active = _close_gaps(slots_, active)

    def _prefill(self, engine: Any, prompt_ids: np.ndarray) -> tuple[Cache, Tensor]:
        """The prompt's cache and the logits [1, V] of the first answer token: a function of the prompt alone."""
        cache = DynamicCache(config=engine.config.get_text_config(decoder=True))
        ids = torch.from_numpy(prompt_ids)[None].to(self.lm.device)
        self._interrupt()
        out = engine(input_ids=ids, use_cache=True, **{self._cache_name: cache}, **self._keep)
        return cache, out.logits[:, -1]

    def _step(self, engine: Any, slots_: Slots, active: list[_Answer]) -> Tensor:
        """Logits [N, V] of the next token of the active answers, whose slots are 0 to N - 1."""
        n = -(-len(active) // MULTIPLE) * MULTIPLE
        device = self.lm.device
        token_N, length_N = torch.zeros(n, dtype=torch.long), torch.zeros(n, dtype=torch.long)
        token_N[: len(active)] = torch.tensor([answer.token_ids[-1] for answer in active])
        length_N[: len(active)] = torch.tensor([len(a.prompt_ids) + len(a.token_ids) - 1 for a in active])
        token_N, length_N = token_N.to(device), length_N.to(device)
        mask = slots_.aim(length_N)
        self._interrupt()
        out = engine(
            input_ids=token_N[:, None],
            attention_mask=mask,
            position_ids=length_N[:, None],
            use_cache=True,
            **{self._cache_name: slots_},
        )
        logits: Tensor = out.logits[: len(active), -1]
        return logits

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
        if answer.token_ids[-1] in self.lm.eos_ids:
            answer.finish = "stop"
        if answer.request.stop:
            text = models.decode(self.lm, answer.token_ids)
            before = cut_at_stop(text, answer.request.stop)
            if before is not None:
                answer.finish, answer.text = "stop", before
                return
        if answer.finish is None and len(answer.token_ids) >= answer.request.max_tokens:
            answer.finish = "length"
        if answer.finish is not None:
            answer.text = models.decode(self.lm, answer.token_ids)

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

    def _check_length(self, answer: _Answer) -> None:
        most = self.lm.context
        want = len(answer.prompt_ids) + answer.request.max_tokens
        if most is not None and want > most:
            raise Refused(
                f"a prompt of {len(answer.prompt_ids)} tokens and sampling.max_tokens = {answer.request.max_tokens} "
                f"are {want}, but the model was made for {most}; lower max_tokens or shorten the prompt",
                key="sampling.max_tokens",
            )

    def _interrupt(self) -> None:
        if self.between is not None:
            self.between()


def _close_gaps(slots_: Slots, active: list[_Answer]) -> list[_Answer]:
    """The unfinished answers in slots 0 to N - 1: those at the end move into the gaps finished ones left."""
    n = sum(answer.finish is None for answer in active)
    gaps = [i for i in range(n) if active[i].finish is not None]
    late = [i for i in range(n, len(active)) if active[i].finish is None]
    if gaps:
        slots_.move(gaps, late)
    kept = list(active)
    for to, source in zip(gaps, late, strict=True):
        kept[to] = active[source]
    return kept[:n]


def _engine(lm: models.LanguageModel) -> Any:
    """The module that samples: the master itself, or a copy of its present weights in lm.dtype (buffers as they are:
    rotary frequencies in bfloat16 would be wrong positions).
    """
    if lm.dtype is torch.float32:
        return lm.module
    memo = {id(p): torch.nn.Parameter(p.detach().to(lm.dtype), requires_grad=False) for p in lm.module.parameters()}
    return copy.deepcopy(lm.module, memo)
