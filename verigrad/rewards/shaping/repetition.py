"""`repetition`: the share of an answer's n-grams of tokens that stood in it before, as a punishment in [-1, 0].

The n-gram penalty of arXiv:2502.03373 (appendix) punishes the tokens of repeated n-grams one by one, with n = 40 and
-0.05 a token. A verdict's part is one number an answer, so this is the form its authors' code has for a whole answer:
distinct n-grams over all n-grams, minus one; but of the model's tokens, as in the paper, and not of words between
spaces, so that Chinese counts like English. n = 20 is this project's number. An answer of fewer than n tokens is not
punished.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from verigrad.errors import RecipeError
from verigrad.rewards.options import Option
from verigrad.rewards.shaping.setting import Pay, Setting

OPTIONS: Mapping[str, Option] = {
    "ngram": Option(default=20, type=int, meaning="tokens of an n-gram"),
}


def repetition(tokens: Sequence[int], *, ngram: int) -> float:
    """Minus the share of the answer's n-grams that are not its first of their kind.

    >>> repetition([1, 2, 1, 2, 1], ngram=2)
    -0.5
    """
    total = len(tokens) - ngram + 1
    if total < 1:
        return 0.0
    return len({tuple(tokens[i : i + ngram]) for i in range(total)}) / total - 1.0


def payer(values: Mapping[str, Any], setting: Setting) -> Pay:
    """By the answer's tokens. Raises RecipeError."""
    ngram = values["ngram"]
    if not 1 <= ngram <= setting.max_tokens:
        key = f"{setting.key}.ngram"
        raise RecipeError(f"{key} = {ngram}: want 1 to sampling.max_tokens ({setting.max_tokens})", key=key)
    return lambda rollouts, _: [repetition(r.token_ids.tolist(), ngram=ngram) for r in rollouts]
