r"""Grader `choice`: one committed label, exactly, against a gold label or a gold set of letters.

Gold: `{"answer": "B" or "B, D", "choices": "ABCD"}`, or a label out of `choices` (the task's column or the option):
`"negative"` of `["positive", "negative"]`. Accepted for B: `B`, `(b)`, `Answer: B.`, `\boxed{\text{B}}`. Not
accepted: `B or C`, `not B`, `Bananas`, two answers. Left out: the options' texts; who answers with one is unread.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from verigrad.acceptance.literals import fold, unwrap
from verigrad.acceptance.reading import MAX_ANSWER, committed
from verigrad.records import Grade, Status, Task

_REASON = re.compile(r"[,;:]?\s+(?:since|because|as|for)\b.*", re.IGNORECASE | re.DOTALL)
_LEAD = (
    r"(?:\b(?:it|this|that|he|she|i|we|the|so|therefore|thus|hence|choose|pick|correct|best|option|choice|label|answer|is)"
    r"\b|'s\b|,|:)"
)
_NAMED = re.compile(
    r"(.{1,60}?)\s+is\s+(?:the\s+)?(?:(?:correct|right|best)(?:\s+(?:answer|one|choice|option|label))?"
    r"|(?:answer|one|choice|option|label))\b(?!\s+(?:is|are)\b).*",
    re.IGNORECASE | re.DOTALL,
)
_SPLIT = re.compile(r"\s*(?:,|;|&|/|\band\b)\s*|\s+", re.IGNORECASE)


@dataclass(frozen=True, kw_only=True)
class Gold:
    """What is right and what could be said."""

    answer: frozenset[str]
    """The right labels, case-folded."""
    labels: tuple[str, ...]
    """Every label there is, case-folded."""
    letters: bool
    """Labels are single letters: matched as capitals inside prose."""


def grade(answer: str, task: Task, *, choices: Sequence[str] | str | None = None) -> Grade:
    """Strict by the one committed label (or set of letters), lenient by the last label anywhere.

    Ungraded where the gold is not among the choices, or there are none.
    """
    gold = read_gold(task, choices)
    if gold is None:
        return Grade(strict="ungraded", lenient="ungraded", reason="the gold is not one of the choices")
    mention = _mention(gold)
    reading = committed(
        answer,
        lambda segment: label_set(segment, gold),
        same=lambda labels: labels,
        in_sentence=lambda sentence: _sentence(sentence, gold),
        speaks=lambda sentence: mention.search(sentence) is not None or _sentence(sentence, gold) is not None,
    )
    found = [m.group().casefold() for m in mention.finditer(fold(answer[-MAX_ANSWER:]))]
    size = len(gold.answer)
    last = frozenset(found[-size:])
    lenient: Status = "unreadable" if len(found) < size else "right" if last == gold.answer else "wrong"
    if reading.value is None:
        return Grade(strict="unreadable", lenient=lenient, reason=reading.reason)
    said = ", ".join(sorted(reading.value))
    return Grade(strict="right" if reading.value == gold.answer else "wrong", lenient=lenient, read=said)


def read_gold(task: Task, choices: Sequence[str] | str | None = None) -> Gold | None:
    """The gold as labels; None where it cannot be read."""
    right = task.gold
    if isinstance(right, dict):
        choices, right = right.get("choices"), right.get("answer")
    else:
        choices = choices if choices is not None else task.columns.get("choices")
    if not isinstance(choices, (str, list, tuple)) or not isinstance(right, str) or not right.strip():
        return None
    labels = tuple(str(c).strip().casefold() for c in choices)
    letters = all(len(label) == 1 and label.isalpha() for label in labels)
    folded = right.strip().casefold()
    answer = {folded}
    if folded not in labels:
        parts = [p for p in _SPLIT.split(folded) if p]
        answer = set(parts[0]) if letters and len(parts) == 1 else set(parts)
    if len(set(labels)) < 2 or len(set(labels)) < len(labels) or not answer <= set(labels):
        return None
    return Gold(answer=frozenset(answer), labels=labels, letters=letters)


def label_set(segment: str, gold: Gold) -> frozenset[str] | None:
    """The labels that the whole segment is, wrappers and a reason after it aside; None for anything else."""
    if len(segment) > 1_000:
        return None
    text = unwrap(_REASON.sub("", fold(segment).strip()))
    text = unwrap(re.sub(r"^(?:option|choice|label)\s+", "", text, flags=re.IGNORECASE)).strip("()[]:").casefold()
    if text in gold.labels:
        return frozenset([text])
    if corrected := re.fullmatch(r"not\s+(\S+?),?\s+but\s+(\S+)", text):
        pair = (corrected[1], corrected[2])
        return frozenset([pair[1]]) if set(pair) <= set(gold.labels) and pair[0] != pair[1] else None
    if len(gold.answer) < 2:
        return None
    parts = [p for p in _SPLIT.split(text) if p]
    if gold.letters and len(parts) == 1:
        parts = list(parts[0])
    return frozenset(parts) if parts and set(parts) <= set(gold.labels) else None


def _sentence(sentence: str, gold: Gold) -> frozenset[str] | None:
    """A sentence that is a label, names one as the answer, or puts nothing but "it is" and the like before one."""
    whole = label_set(sentence, gold)
    if whole is not None:
        return whole
    text = unwrap(fold(sentence[:1_000]))
    if named := _NAMED.fullmatch(text):
        return label_set(named[1], gold)
    led = re.match(rf"(?:{_LEAD}\s*)+(.+)$", text, re.IGNORECASE | re.DOTALL)
    return label_set(led[1], gold) if led else None


def _mention(gold: Gold) -> re.Pattern[str]:
    if gold.letters:
        return re.compile(rf"(?<![A-Za-z0-9'])[{''.join(re.escape(x.upper()) for x in gold.labels)}](?![A-Za-z0-9'])")
    words = sorted(gold.labels, key=len, reverse=True)
    return re.compile(rf"(?<!\w)(?:{'|'.join(map(re.escape, words))})(?!\w)", re.IGNORECASE)
