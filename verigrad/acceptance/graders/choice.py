r"""Grader `choice`: one committed label, exactly, against a gold label or a gold set of letters.

Gold: `{"answer": "B" or "B, D", "choices": "ABCD"}`, or beside `choices` (the task's column or the option) a label:
`"negative"` of `["positive", "negative"]` or of `"positive|negative"`; the letter or the text of `{"A": "Paris"}`; a
letter or an index (from 0) into a list of texts. Where letters stand for texts either is an answer. Accepted for B:
`B`, `(b)`, `Answer: B.`, `\boxed{\text{B}}`. Not accepted: `B or C`, `not B`, `Bananas`, two answers. Left out: texts
of several sentences, which only their letter answers; texts that are nearly a choice.
"""

from __future__ import annotations

import re
import string
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from verigrad.acceptance.literals import fold, unwrap
from verigrad.acceptance.reading import MAX_ANSWER, committed
from verigrad.records import Grade, Status, Task

_REASON = re.compile(r"[,;:]?\s+(?:since|because|as|for)\b.*", re.IGNORECASE | re.DOTALL)
_LEAD = (
    r"(?:\b(?:it|this|that|he|she|i|we|the|so|therefore|thus|hence|choose|pick|correct|best|options?|choices?|labels?"
    r"|answers?|is|are)\b|'s\b|,|:|所以|因此|我|应该?|选择?|选项|项|是|为)"
)
_NAMED = re.compile(
    r"(?:both\s+)?(.{1,60}?)\s+(?:is|are)\s+(?:the\s+)?(?:(?:correct|right|best)(?:\s+(?:answer|one|choice|option|label))?"
    r"|(?:answer|one|choice|option|label))\b(?!\s+(?:is|are)\b).*",
    re.IGNORECASE | re.DOTALL,
)
MAX_CHOICES = 100
_SPLIT = re.compile(r"\s*(?:,|;|&|/|\band\b|和|与|及)\s*|\s+", re.IGNORECASE)


Choices = Sequence[Any] | Mapping[str, Any] | str | None


@dataclass(frozen=True, kw_only=True)
class Gold:
    """What is right and what could be said."""

    answer: frozenset[str]
    """The right labels, case-folded."""
    labels: Mapping[str, str]
    """Every spelling there is, case-folded, and its label: a label is its own, a letter's text is another."""
    letters: bool
    """Labels are single letters: matched as capitals inside prose."""


GOLD_OPTIONS = ("choices",)
"""Options of the verifier of this name that say how golds are written; a recipe's reach this grader too."""


def grade(answer: str, task: Task, *, choices: Choices = None) -> Grade:
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
    found = [gold.labels[_plain(m.group())] for m in mention.finditer(fold(answer[-MAX_ANSWER:]))]
    size = len(gold.answer)
    last = frozenset(found[-size:])
    lenient: Status = "unreadable" if len(found) < size else "right" if last == gold.answer else "wrong"
    if reading.value is None:
        return Grade(strict="unreadable", lenient=lenient, reason=reading.reason)
    said = ", ".join(sorted(reading.value))
    return Grade(strict="right" if reading.value == gold.answer else "wrong", lenient=lenient, read=said)


def read_gold(task: Task, choices: Choices = None) -> Gold | None:
    """The gold as labels; None where it cannot be read."""
    right = task.gold
    if isinstance(right, Mapping):
        choices, right = right.get("choices"), right.get("answer")
    elif choices is None:
        choices = task.columns.get("choices")
    if isinstance(right, int) and isinstance(choices, (list, tuple)) and right in choices:
        right = str(right)  # a number among numbers is a label; among texts it is an index
    read = _choices(choices)
    if read is None or isinstance(right, bool) or not isinstance(right, (str, int)):
        return None
    keys, words = read
    said = _plain(str(right))
    if keys is None and (isinstance(right, int) or _lettered(said, words)):
        keys = tuple(string.ascii_lowercase[: len(words)])
    order = words if keys is None else keys
    labels = dict(zip(words, order, strict=True)) if len(words) == len(order) else {}
    if len(words) < 2 or not len(labels) == len(set(order)) == len(words) or any(labels.get(o, o) != o for o in order):
        return None
    labels |= {o: o for o in order}
    letters = all(len(o) == 1 and o.isalpha() for o in order)
    if isinstance(right, int) and said not in order:
        said = order[right] if 0 <= right < len(order) else ""
    parts = [p for p in _SPLIT.split(said) if p]
    parts = list(said) if letters and len(parts) == 1 else parts
    answer = {labels[said]} if said in labels else set(parts)
    return Gold(answer=frozenset(answer), labels=labels, letters=letters) if answer and answer <= set(order) else None


def gold_as(task: Task, choices: Choices = None) -> list[str]:
    """The gold as a model would say it, where it is read: letters as capitals."""
    gold = read_gold(task, choices)
    if gold is None:
        return []
    return [", ".join(label.upper() if gold.letters else label for label in sorted(gold.answer))]


def label_set(segment: str, gold: Gold) -> frozenset[str] | None:
    """The labels that the whole segment is, wrappers and a reason after it aside; None for anything else."""
    if len(segment) > 1_000:
        return None
    if (whole := _plain(segment)) in gold.labels:
        return frozenset([gold.labels[whole]])
    if (both := re.fullmatch(r"\(?([a-z])(?:\)|[.:])+ ?(.+)", whole)) and both[1] in gold.labels:
        label = gold.labels[both[1]]  # "B) Rome"
        return frozenset([label]) if gold.labels.get(_plain(both[2])) == label else None
    text = unwrap(_REASON.sub("", fold(segment).strip()))
    text = _plain(re.sub(r"^(?:(?:option|choice|label)s?\s+|选?项\s*)", "", text, flags=re.IGNORECASE))
    if text in gold.labels:
        return frozenset([gold.labels[text]])
    if corrected := re.fullmatch(r"not\s+(\S+?),?\s+but\s+(\S+)", text):
        pair = (gold.labels.get(corrected[1]), gold.labels.get(corrected[2]))
        return frozenset([pair[1]]) if pair[0] is not None and pair[1] is not None and pair[0] != pair[1] else None
    if len(gold.answer) < 2:
        return None
    parts = [p.strip("()") for p in _SPLIT.split(text) if p]
    if gold.letters and len(parts) == 1:
        parts = list(parts[0])
    return frozenset(gold.labels[p] for p in parts) if parts and set(parts) <= set(gold.labels) else None


def _sentence(sentence: str, gold: Gold) -> frozenset[str] | None:
    """A sentence that is a label, names one as the answer, or puts nothing but "it is" and the like before one."""
    whole = label_set(sentence, gold)
    if whole is not None:
        return whole
    text = unwrap(fold(sentence[:1_000]))
    if named := _NAMED.fullmatch(text):
        return label_set(named[1], gold)
    # An article goes before a word ("it is an animal"), never before a letter: "a" is one.
    lead = rf"(?:{_LEAD}\s*)+" if gold.letters else rf"(?:(?:{_LEAD}\s*)+(?:an?\s+)?|an?\s+)"
    led = re.match(rf"{lead}(.+)$", text, re.IGNORECASE | re.DOTALL)
    return label_set(led[1], gold) if led else None


def _mention(gold: Gold) -> re.Pattern[str]:
    letters = {s.upper() for s in gold.labels if gold.letters and len(s) == 1}
    words = sorted((s for s in gold.labels if s.upper() not in letters), key=len, reverse=True)
    forms = []
    if letters:
        forms.append(rf"(?<![A-Za-z0-9'])[{''.join(map(re.escape, sorted(letters)))}](?![A-Za-z0-9'])")
    if words:
        spaced = "|".join(re.escape(w).replace(r"\ ", r"\s+") for w in words)
        forms.append(rf"(?i:(?<!\w)(?:{spaced})(?!\w))")
    return re.compile("|".join(forms))


def _choices(choices: Any) -> tuple[tuple[str, ...] | None, tuple[str, ...]] | None:
    """The keys of a mapping (else None), and the labels or texts; None where these are no choices."""
    keys = tuple(_plain(str(k)) for k in choices) if isinstance(choices, Mapping) else None
    if isinstance(choices, Mapping):
        choices = list(choices.values())
    elif isinstance(choices, str):
        choices = choices.split("|") if "|" in choices else choices.strip()
    elif not isinstance(choices, (list, tuple)):
        return None
    words = tuple(_plain(str(c)) for c in choices)
    return (keys, words) if len(words) <= MAX_CHOICES and all((*words, *(keys or ()))) else None


def _lettered(said: str, words: tuple[str, ...]) -> bool:
    """The gold names texts by their letters: "b" or "b, d", where the texts are more than letters themselves."""
    parts = [p for p in _SPLIT.split(said) if p]
    known = string.ascii_lowercase[: len(words)]
    return said not in words and any(len(w) > 1 for w in words) and all(len(p) == 1 and p in known for p in parts)


def _plain(text: str) -> str:
    """Case-folded, wrappers and closing signs aside, with single spaces."""
    return " ".join(unwrap(fold(text)).strip("()[]:! ").casefold().split())
