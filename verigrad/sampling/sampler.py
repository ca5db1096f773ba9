"""What every sampler is: requests in, completions out, in the same order."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Protocol, runtime_checkable

from verigrad import models
from verigrad.errors import Refused
from verigrad.records import Completion, Request


@runtime_checkable
class Sampler(Protocol):
    """Draws answers. Equal requests under equal weights give equal answers, whatever else is in the call."""

    def sample(self, requests: Sequence[Request]) -> list[Completion]:
        """One completion a request, in the requests' order."""
        ...


def check_request(request: Request) -> None:
    """Raises Refused, with the recipe's key, for a request no sampler can serve."""
    if request.max_tokens < 1:
        raise Refused(
            f"sampling.max_tokens is {request.max_tokens}; an answer needs at least 1", key="sampling.max_tokens"
        )
    if not (math.isfinite(request.temperature) and request.temperature >= 0):
        raise Refused(
            f"sampling.temperature is {request.temperature}; it is 0 (greedy) or more", key="sampling.temperature"
        )
    if "" in request.stop:
        raise Refused("sampling.stop holds an empty text, which every answer contains", key="sampling.stop")


def cut_at_stop(text: str, stop: Sequence[str]) -> str | None:
    """The text before the first of the stop texts; None where none of them occurs."""
    places = [place for place in (text.find(word) for word in stop) if place >= 0]
    return text[: min(places)] if places else None


def stop_found(lm: models.LanguageModel, token_ids: Sequence[int], stop: Sequence[str]) -> bool:
    """Whether a stop text may end with the newest token: looked for in the text of the last tokens only, as many as
    any stop text can take, so that a long answer is not decoded again at every token.
    """
    if not stop:
        return False
    characters = max(map(len, stop))
    # A character takes up to four tokens of a byte each, and the tail's first ones may be the end of another.
    count = 4 * characters + 4
    while True:
        text = models.decode(lm, token_ids[-count:])
        if any(word in text for word in stop):
            return True
        if len(text) >= characters + 4 or count >= len(token_ids):
            return False
        count *= 2
