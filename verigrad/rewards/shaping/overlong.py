"""`overlong`: DAPO's soft punishment of answers that near the token limit, in [-1, 0].

0 up to max_tokens - cache, then falling linearly to -1 at max_tokens.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from verigrad.errors import RecipeError
from verigrad.rewards.options import Option
from verigrad.rewards.shaping.setting import Pay, Setting

OPTIONS: Mapping[str, Option] = {
    "cache": Option(
        default=0, type=int, meaning="tokens before max_tokens over which the punishment grows; 0: a fifth"
    ),
}


def overlong(length: int, *, max_tokens: int, cache: int) -> float:
    """Soft overlong punishment, DAPO (arXiv:2503.14476, eq. 13), in [-1, 0].

    `length`, `max_tokens` and `cache` in tokens: 0 up to max_tokens - cache, then falling linearly to -1 at max_tokens,
    -1 beyond. The paper's sizes: max_tokens 20480, cache 4096.

    >>> overlong(18432, max_tokens=20480, cache=4096)
    -0.5
    """
    if length <= max_tokens - cache:
        return 0.0
    if length <= max_tokens:
        return (max_tokens - cache - length) / cache
    return -1.0


def payer(values: Mapping[str, Any], setting: Setting) -> Pay:
    """By the answer's tokens. Raises RecipeError."""
    given, most = values["cache"], setting.max_tokens
    if not 0 <= given <= most:
        key = f"{setting.key}.cache"
        raise RecipeError(f"{key} = {given}: want 1 to sampling.max_tokens ({most})", key=key)
    cache = given or max(1, most // 5)
    return lambda rollouts, _: [overlong(len(r.token_ids), max_tokens=most, cache=cache) for r in rollouts]
