r"""Grader `blank`: one committed text that is one of the alternatives, letter for letter.

Accepted for silver: `silver`, `Silver.`, `"silver"`, `<answer>silver</answer>`, `The answer is silver`. Not accepted:
`silver silver`, `silver or gold`, `not silver`, `silver?`, two answers. Case, Unicode width, spaces and wrappers do not
count. Left out: what is only near, and alternatives in prose that no "is", colon or word of choice introduces.
"""

from __future__ import annotations

import re
import unicodedata

from verigrad.acceptance.literals import unwrap
from verigrad.acceptance.reading import MAX_ANSWER, committed
from verigrad.records import Grade, Status, Task

_AFTER_IS = re.compile(
    r".*?\b(?:is|are|was|were|be|goes to|go with|opt for|vote for|choose|pick)\b:?\s+(\S.*)",
    re.IGNORECASE | re.DOTALL,
)
_BEFORE = re.compile(
    r"\b(?:not|never|isn't|or|maybe|perhaps|could|might|may|no|nobody|doubt)\b|n['’]t\b", re.IGNORECASE
)
GOLD_OPTIONS = ("case",)
"""Options of the verifier of this name that say how golds are written; a recipe's reach this grader too."""


def grade(answer: str, task: Task, *, case: bool = False) -> Grade:
    """Strict by the one committed text, lenient by the last line; ungraded where the gold is no text or texts."""
    texts = task.gold if isinstance(task.gold, (list, tuple)) else [task.gold]
    sound = all(isinstance(t, (str, int)) and not isinstance(t, bool) for t in texts) and len(texts) <= 1000
    right = {_key(str(t), case) for t in texts} if sound else set()
    if not right or "" in right:
        return Grade(strict="ungraded", lenient="ungraded", reason="the gold is no text or list of texts")
    lines = [line for line in answer[-MAX_ANSWER:].splitlines() if line.strip()]
    last = _key(lines[-1], case) if lines else ""
    lenient: Status = "unreadable" if not last else "right" if last in right else "wrong"
    if len(answer) < 2_000 and _key(answer, case) in right:
        return Grade(strict="right", lenient=lenient, read=_key(answer, case)[:200])
    reading = committed(
        answer,
        lambda segment: key if (key := _key(segment, case)) in right else None,
        same=lambda text: text,
        in_sentence=lambda sentence: _said(sentence, right, case),
        speaks=lambda sentence: True,
    )
    if reading.value is None:
        return Grade(strict="unreadable", lenient=lenient, reason=reading.reason)
    return Grade(strict="right" if reading.value in right else "wrong", lenient=lenient, read=reading.value[:200])


def gold_as(task: Task, *, case: bool = False) -> list[str]:
    """The first alternative in answer tags."""
    first = task.gold[0] if isinstance(task.gold, (list, tuple)) and task.gold else task.gold
    return [f"<answer>{first}</answer>"] if isinstance(first, (str, int)) else []


def _said(sentence: str, right: set[str], case: bool) -> str | None:
    whole = _key(sentence.replace("</answer>", ""), case)
    if whole in right or not whole:
        return whole or None
    if sentence.rstrip().endswith(("?", "？")):
        return None
    led = _AFTER_IS.fullmatch(sentence)
    if led is None:
        return whole
    tail = _key(led[1], case)
    return None if _BEFORE.search(sentence[: led.start(1)]) else tail


def _key(text: str, case: bool) -> str:
    plain = unicodedata.normalize("NFKC", text)
    plain = re.sub("[\u200b-\u200f\u2060\ufeff\u00ad]", "", plain)
    plain = re.sub(r"\s+", " ", plain).strip()
    bare = re.sub(r"\s+", " ", unwrap(plain)).strip("。！ ") or plain
    return bare if case else bare.casefold()
