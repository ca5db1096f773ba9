"""A sampler whose answers are a function's: for tests and for trying a reward without a model."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from verigrad.records import Completion, Request
from verigrad.sampling.sampler import check_request, cut_at_stop

END = 0
"""The token that ends a scripted answer; the others are the UTF-8 bytes plus one."""


class Scripted:
    """Answers with `answer(request)`, one token a UTF-8 byte and an end token, every log-probability the same.

    Cut at the request's max_tokens (finish "length") and at its stop texts like any sampler's. Keeps what it was asked.
    """

    def __init__(self, answer: Callable[[Request], str], *, logp: float = -0.5) -> None:
        self.answer = answer
        self.logp = logp
        self.requests: list[Request] = []

    def sample(self, requests: Sequence[Request]) -> list[Completion]:
        """One completion a request, in order. Raises Refused for a request no sampler can serve."""
        for request in requests:
            check_request(request)
        self.requests.extend(requests)
        return [self._complete(request) for request in requests]

    def _complete(self, request: Request) -> Completion:
        text = self.answer(request)
        before = cut_at_stop(text, request.stop)
        ids = [byte + 1 for byte in (text if before is None else before).encode()] + [END]
        ends = len(ids) <= request.max_tokens
        kept = ids[: request.max_tokens]
        prompt = "\n\n".join(message["content"] for message in request.prompt)
        return Completion(
            prompt_ids=np.array([byte + 1 for byte in prompt.encode()] or [END], dtype=np.int64),
            token_ids=np.array(kept, dtype=np.int64),
            logp=np.full(len(kept), self.logp, dtype=np.float32),
            text=bytes(i - 1 for i in kept if i != END).decode(errors="replace"),
            finish="stop" if ends else "length",
        )
