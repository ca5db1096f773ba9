"""The one word and no other.

Right, for {"answer": "green"}: "green", "Green.", "<answer>green</answer>", "The answer is green.", "It is green."
Refused: "red, green, blue", "green or blue", "not green", "greenish", "I think of green fields".

The gold holds `answer` and optionally `choices` (then they are named in the reason, nothing else changes).
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from typing import Any

from verigrad.records import Task
from verigrad.rewards import extract
from verigrad.rewards.logic import Judged
from verigrad.rewards.spans import inner
from verigrad.rewards.tokens import Unread

MAX_WORD = 200


def check(truth: Mapping[str, Any]) -> str:
    """Why this gold cannot be read."""
    answer = truth.get("answer")
    return "" if isinstance(answer, str) and fold(answer) and len(answer) <= MAX_WORD else "answer wants a word"


def judge(answer: str, truth: Mapping[str, Any], *, task: Task, seconds: float) -> Judged:
    """Whether the one word the answer commits itself to is the gold's."""
    text = extract.visible(answer)
    words = len(truth["answer"].split())

    def bare(line: str) -> str:
        if len(line.split()) > words:
            raise Unread("a sentence")
        return _word(line)

    said = extract.committed(text, lambda span, boxed: _word(span), bare, lambda a, b: a == b, whole_line=True)
    return Judged(ok=said == fold(truth["answer"]), read=said, reason="another word")


def example(truth: Mapping[str, Any]) -> str | None:
    """The word."""
    return str(truth["answer"])


def fold(text: str) -> str:
    """One spelling: NFKC, case, single spaces, wrappers and a full stop aside."""
    text = " ".join(unicodedata.normalize("NFKC", text).split()).casefold()
    return inner(text.rstrip(".!。").strip("\"'*_`“”")).strip("\"'*_`“” ")


def _word(span: str) -> str:
    if len(span) > MAX_WORD:
        raise Unread("more than a word")
    word = re.sub(r"^(?:it|this|that|the(?: \w+){1,3}) (?:is|was) ", "", fold(span))
    if not word or word.endswith("?"):
        raise Unread("no word")
    return word
