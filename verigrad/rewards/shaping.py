"""Shaping: what an answer is paid for besides being right. Pure arithmetic and small reading; one function a kind.

`format` pays for the asked form, `overlong` punishes length, a function of the user's gives a number in its range.
Left out: cosine, repetition, language (a later version); judging (verifiers).
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from verigrad.errors import NotYet, RecipeError, nearest
from verigrad.records import Verdict
from verigrad.rewards.options import Option

KINDS = ("format", "overlong")
LATER = ("cosine", "repetition", "language")
OPTIONS: Mapping[str, Mapping[str, Option]] = {
    "format": {
        "kind": Option(
            default="", type=str, meaning="the verifier whose one committed answer is asked for; the row's own"
        ),
        "pattern": Option(default="", type=str, meaning="a regular expression the whole answer must have the form of"),
        "pays": Option(default=(0.0, 1.0), type=(list, tuple), meaning="what a wrong and a right form are paid"),
        "seconds": Option(default=1.0, type=float, meaning="a pattern not decided by then counts as the wrong form"),
    },
    "overlong": {
        "cache": Option(
            default=0, type=int, meaning="tokens before max_tokens over which the punishment grows; 0: a fifth"
        ),
    },
}
OWN_OPTIONS: Mapping[str, Option] = {
    "seconds": Option(default=10.0, type=float, meaning="an answer not shaped by then is paid the low end"),
    "range": Option(
        default=(0.0, 1.0), type=(list, tuple), meaning="lowest and highest number the function may return"
    ),
    "gold_as": Option(
        default="{gold}", type=str, meaning="the gold as an answer, to tell a broken function from an answer"
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


def overlong_cache(cache: int, *, max_tokens: int, key: str) -> int:
    """The cache in tokens; 0 is a fifth of max_tokens, the paper's share. Raises RecipeError."""
    if not 0 <= cache <= max_tokens:
        raise RecipeError(f"{key} = {cache}: want 1 to sampling.max_tokens ({max_tokens})", key=key)
    return cache or max(1, max_tokens // 5)


def has_form(verdict: Verdict) -> bool:
    """Exactly one committed answer was read, right or wrong."""
    return verdict.read is not None and verdict.status in ("right", "wrong")


def known(name: str, *, key: str) -> str:
    """The kind itself. Raises NotYet for one of a later version, RecipeError for an unknown one."""
    if name in LATER:
        raise NotYet(f'{key} = "{name}": not built in this version', key=key)
    if name not in KINDS:
        raise RecipeError(f'{key} = "{name}" is unknown{nearest(name, KINDS)}', key=key)
    return name


def compiled(pattern: str, *, key: str) -> str:
    """The pattern itself, seen to be one. Raises RecipeError."""
    try:
        re.compile(pattern)
    except re.error as error:
        raise RecipeError(f"{key} is no regular expression: {error}", key=key) from None
    return pattern
