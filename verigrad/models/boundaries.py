"""Which token a place in an answer's text belongs to. Left out: who names the places (rewards)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from verigrad.models.template import Reader, decode


def tokens_at(lm: Reader, token_ids: np.ndarray, text: str, ends: Sequence[int]) -> tuple[int, ...]:
    """For each of `ends`, characters of `text` from its beginning, the first token with which they are all written.

    `text` is what `token_ids` [T] decode to, or its beginning (up to a stop text); `ends` rise. Found by decoding
    prefixes, so exact for any tokenizer, characters of several tokens included; log2(T) decodes a place.
    Raises ValueError for a place outside the text.
    """
    at: list[int] = []
    for end in ends:
        wanted = text[:end]
        if not 0 < end <= len(text) or not decode(lm, token_ids).startswith(wanted):
            raise ValueError(f"character {end} is not in an answer of {len(text)}")
        low, high = (at[-1] if at else 0), len(token_ids) - 1
        while low < high:
            middle = (low + high) // 2
            if decode(lm, token_ids[: middle + 1]).startswith(wanted):
                high = middle
            else:
                low = middle + 1
        at.append(low)
    return tuple(at)
