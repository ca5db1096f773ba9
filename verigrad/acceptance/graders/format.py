"""Grader `format`: the order of an answer's tags, whatever it says between them.

Accepted for {"rule": "think_block"}: `<think>7 * 8</think> 56`. Not accepted: `<think> </think> 56`, `56`,
`<think>7 * 8`, two blocks, text before the block. It reads the sequence of all tags first and what lies between them
after; `think_answer_once` and `think_language` likewise. Lenient: the tags in their order, whatever lies between and
around them. Left out: whether the reasoning is any good.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from typing import Any

from verigrad.acceptance.languages import example, foreign_share, short_name
from verigrad.acceptance.reading import MAX_ANSWER
from verigrad.records import Grade, Task

_MOST_FOREIGN = 0.1
_UNSEEN = "\u115f\u1160\u3164\uffa0\u2800"
_TAG = re.compile(r"<(/?)(think|answer)>")
_ORDER: Mapping[str, tuple[str, ...]] = {
    "think_block": ("think", "/think"),
    "think_language": ("think", "/think"),
    "think_answer_once": ("think", "/think", "answer", "/answer"),
}


def grade(answer: str, task: Task) -> Grade:
    """Strict by the whole form, lenient by the order of the tags; ungraded where the gold is no rule."""
    gold = _gold(task.gold)
    if isinstance(gold, str):
        return Grade(strict="ungraded", lenient="ungraded", reason=gold)
    rule, least, opened, lang = gold
    if len(answer) > MAX_ANSWER:
        return Grade(strict="wrong", lenient="wrong", reason=f"longer than {MAX_ANSWER:,} characters")
    text = "<think>" + answer if opened else answer
    tags = list(_TAG.finditer(text))
    named = tuple(m[1] + m[2] for m in tags)
    free = rule != "think_answer_once"
    order = _ORDER[rule]
    if (tuple(n for n in named if "think" in n) if free else named) != order:
        shown = " ".join(f"<{n}>" for n in named[:6]) or "none"
        return Grade(strict="wrong", lenient="wrong", reason=f"tags: {shown}")
    if free:
        tags = [m for m in tags if m[2] == "think"]
    thought = text[tags[0].end() : tags[1].start()]
    said = text[tags[1].end() :] if free else text[tags[2].end() : tags[3].start()]
    outside = text[: tags[0].start()] + ("" if free else text[tags[1].end() : tags[2].start()] + text[tags[3].end() :])
    read = " ".join(said.split())[:200]
    why = _lacks(thought, said, outside, least=least, lang=lang)
    return Grade(strict="wrong" if why else "right", lenient="right", read=read or None, reason=why)


def gold_as(task: Task) -> list[str]:
    """An answer of the asked form; none where the gold is no rule."""
    gold = _gold(task.gold)
    if isinstance(gold, str):
        return []
    rule, least, opened, lang = gold
    sentence = example(lang or "en")
    thought = " ".join([sentence] * (least // 20 + 1))
    said = "<answer>1</answer>" if rule == "think_answer_once" else "1"
    return [("" if opened else "<think>") + thought + "</think>" + said]


def _lacks(thought: str, said: str, outside: str, *, least: int, lang: str) -> str:
    if outside.strip():
        return "text outside the blocks"
    if _length(thought) < least:
        return "too little reasoning"
    if not _length(_TAG.sub("", said)):
        return "no answer"
    if lang:
        foreign = foreign_share(thought, lang)
        if foreign is None or foreign > _MOST_FOREIGN + 1e-9:
            return f"reasoning not in {lang}"
    return ""


def _length(text: str) -> int:
    """Characters in print, white space folded; 0 without a letter or digit."""
    folded = re.sub(r"\s+", " ", text).strip()
    printed = [c for c in folded if unicodedata.category(c)[0] in "LNPS" and c not in _UNSEEN]
    return len(printed) + folded.count(" ") if any(unicodedata.category(c)[0] in "LN" for c in printed) else 0


def _gold(gold: Any) -> tuple[str, int, bool, str] | str:
    """Rule, least characters, whether the template opened the block, language; a text says why it is none."""
    if not isinstance(gold, Mapping) or gold.get("rule") not in tuple(_ORDER):
        return "the gold names no rule that is known"
    rule, least, opened = gold["rule"], gold.get("min_reasoning_chars", 1), gold.get("prefilled_open_tag", False)
    lang = gold.get("lang", "")
    if set(gold) - {"rule", "min_reasoning_chars", "prefilled_open_tag", *(["lang"] if "language" in rule else [])}:
        return "the gold has a key that is not known"
    if type(least) is not int or not 0 <= least <= 100_000 or type(opened) is not bool:
        return "min_reasoning_chars is a whole number, prefilled_open_tag true or false"
    if rule != "think_language":
        return rule, least, opened, ""
    code = short_name(lang) if isinstance(lang, str) else None
    return (rule, least, opened, code) if code else "the gold's language is not known"
