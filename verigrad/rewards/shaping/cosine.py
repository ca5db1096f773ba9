"""`cosine`: the length reward of "Demystifying Long Chain-of-Thought" (arXiv:2502.03373, section 4.2).

With C for right and L for the answer's tokens: r_L + (r_0 - r_L) (1 + cos(pi L / max_tokens)) / 2 with the pair
(r_0, r_L) of right or of wrong answers, and `exceeded` at L = max_tokens: short right answers earn more than long right
ones, short wrong answers less than long wrong ones. In the paper it stands in the place of the reward for being right,
with 2, 1, -10, 0 and -10; the defaults here are this project's, made to stand beside a verifier that pays 1. For the
paper's, give the verifier weight = 0 and these options its numbers.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from verigrad.errors import RecipeError
from verigrad.rewards.options import Option
from verigrad.rewards.shaping.setting import Pay, Setting

OPTIONS: Mapping[str, Option] = {
    "right": Option(
        default=(0.5, 0.0), type=(list, tuple), meaning="paid for a right answer of no length, and of max_tokens"
    ),
    "wrong": Option(
        default=(-0.5, 0.0), type=(list, tuple), meaning="paid for a wrong answer of no length, and of max_tokens"
    ),
    "exceeded": Option(default=-0.5, type=float, meaning="paid for an answer of max_tokens or more, right or wrong"),
}


def cosine(
    length: int,
    *,
    correct: bool,
    max_tokens: int,
    right: tuple[float, float],
    wrong: tuple[float, float],
    exceeded: float,
) -> float:
    """The paper's reward of one answer of `length` tokens.

    >>> cosine(50, correct=True, max_tokens=100, right=(2, 1), wrong=(-10, 0), exceeded=-10)
    1.5
    """
    if length >= max_tokens:
        return exceeded
    first, last = right if correct else wrong
    # written so that the middle of the way is exact: cos(pi / 2) is not 0 in floating point
    return last + (first - last) * math.cos(math.pi * length / (2 * max_tokens)) ** 2


def payer(values: Mapping[str, Any], setting: Setting) -> Pay:
    """By the answer's tokens and its verdict. Raises RecipeError."""
    right, wrong = (_pair(values[name], key=f"{setting.key}.{name}") for name in ("right", "wrong"))
    exceeded = values["exceeded"]
    if not math.isfinite(exceeded):
        raise RecipeError(f"{setting.key}.exceeded wants a number, got {exceeded!r}", key=f"{setting.key}.exceeded")
    return lambda rollouts, verdicts: [
        cosine(
            len(r.token_ids),
            correct=v.correct,
            max_tokens=setting.max_tokens,
            right=right,
            wrong=wrong,
            exceeded=exceeded,
        )
        for r, v in zip(rollouts, verdicts, strict=True)
    ]


def _pair(value: Any, *, key: str) -> tuple[float, float]:
    numbers = [v for v in value if isinstance(v, (int, float)) and not isinstance(v, bool) and math.isfinite(v)]
    if len(value) != 2 or len(numbers) != 2:
        raise RecipeError(f"{key} wants two numbers, at no length and at max_tokens, got {value!r}", key=key)
    return float(numbers[0]), float(numbers[1])
