r"""The gold as a value: a number, or a text in LaTeX or plain, bare, as in GSM8K (#### 37) or MATH (\boxed{37}).

Words are a gold where they are one word, a name or a set phrase; a sentence about the answer ("see the figure above")
is none. Left out: everything about answers.
"""

from __future__ import annotations

import functools
import re
from typing import Any

from verigrad.rewards.gold_text import gold_text
from verigrad.rewards.mathematics import canonical, comparing, scalars, statements
from verigrad.rewards.mathematics.algebra import Work
from verigrad.rewards.mathematics.regions import infinite
from verigrad.rewards.mathematics.scalars import Policy
from verigrad.rewards.mathematics.trees import (
    Bracketed,
    Collection,
    Relation,
    Scalar,
    Text,
    Unread,
    Value,
)
from verigrad.rewards.spelling import words

_PHRASES = frozenset(
    ("does not exist", "not enough information", "cannot be determined", "doesn't exist", "not a function")
)
_NO_GOLD = words(
    "see figure above below proof omitted varies vary answer answers diagram image picture graph table text solution"
    " given"
    " unknown null nan none error todo tbd na n/a missing undefined? unanswered refer shown proved prove open-ended"
)


def read(gold: Any) -> Value:
    """The value. Raises Unread or TooBig for what cannot be graded against."""
    if isinstance(gold, float) and gold != gold:
        raise Unread("not a number")
    return _read(gold_text(gold))


@functools.lru_cache(maxsize=8192)
def _read(text: str) -> Value:
    if not text:
        raise Unread("empty")
    if text.casefold() in _NO_GOLD:
        raise Unread("words that are no answer")
    value = statements.read(text)
    if isinstance(value, Scalar) and scalars.exact(value.node) is not None:
        return value
    _readable(value, text)
    if not comparing.agree(value, value) or not _itself(value):
        raise Unread("not equal to itself")
    return value


def _itself(value: Value) -> bool:
    return comparing.right(value, value, Policy(evaluated=False))


def _readable(value: Value, text: str) -> None:
    """Raises Unread for words that are no answer, TooBig for what cannot be worked out."""
    if isinstance(value, Text):
        words = value.words.split()
        marked = "\\text" in text or "\\mathrm" in text or "\\mbox" in text
        named = len(words) <= 3 and all(w[:1].isupper() for w in re.findall(r"[A-Za-z]+", text))
        if set(words) & _NO_GOLD or (
            len(words) > 1 and not marked and not named and value.words not in _PHRASES and not _cjk(text)
        ):
            raise Unread("words that are no answer")
        if len(words) > 8:
            raise Unread("a sentence")
        return
    if isinstance(value, Scalar):
        if not infinite(value):
            canonical.quotient(value.node, Work())
        return
    if isinstance(value, Bracketed) and len(value.items) == 1 and isinstance(value.items[0], Text):
        raise Unread("words in brackets")
    if isinstance(value, (Collection, Bracketed)):
        for item in value.items:
            _readable(item, text)
    elif isinstance(value, Relation):
        for side in value.sides:
            if isinstance(side, Scalar):
                _readable(side, text)


def _cjk(text: str) -> bool:
    return len(text) <= 8 and any("\u4e00" <= c <= "\u9fff" for c in text)
