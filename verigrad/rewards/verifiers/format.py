r"""`format`: the form of an answer that reasons before it answers, whatever the answer says.

Right, for {"rule": "think_block", "min_reasoning_chars": 5}: "<think>7 * 8 = 56</think> 56".
Refused, for the same: "<think> </think> 56", "56", "<think>7 * 8 = 56", "<think>a</think><think>7 * 8</think> 56",
"Sure! <think>7 * 8 = 56</think> 56".

The gold names the rule: `think_block` (one block of reasoning, then an answer), `think_answer_once` (one block, then
one <answer> block, nothing beside them), `think_language` (one block in the language `lang`, then an answer). With
each: `min_reasoning_chars`, characters that print something, 1 where it is not said; `prefilled_open_tag`, the chat
template wrote <think> and the answer begins inside the block. Any other rule or key is ungraded. A verifier of form
alone teaches form alone: beside one that judges the answer, use it as shaping. Left out: whether the reasoning is any
good.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from verigrad.records import BROKE_CHECK, Task, Verdict, right, ungraded, wrong
from verigrad.rewards import language
from verigrad.rewards.extract import MAX_TEXT
from verigrad.rewards.options import Option
from verigrad.rewards.reasoning import Block, block, visible_chars
from verigrad.rewards.tokens import Unread

RULE = "format"
OPTIONS: Mapping[str, Option] = {
    "tag": Option(default="think", type=str, meaning="name of the reasoning's tag"),
    "share": Option(default=0.9, type=float, meaning="share of the reasoning's words that must be in the language"),
}
_RULES = ("think_block", "think_answer_once", "think_language")
_KEYS = frozenset(("rule", "min_reasoning_chars", "prefilled_open_tag"))
_MOST = 100_000
"""Characters of reasoning that may be asked for."""


@dataclass(frozen=True, kw_only=True)
class _Form:
    rule: str
    least: int
    opened: bool
    lang: str


def verify(answer: str, task: Task, *, tag: str = "think", share: float = 0.9) -> Verdict:
    """Whether the answer has the form the gold asks for."""
    try:
        form = _read_gold(task.gold)
    except Unread as error:
        return ungraded(f"gold {str(task.gold)[:60]!r}: {error}", rule=RULE)
    if len(answer) > MAX_TEXT:
        return wrong(rule=RULE, reason=f"{BROKE_CHECK}: an answer of more than {MAX_TEXT} characters")
    found = block(answer, tag=tag, opened=form.opened)
    if isinstance(found, str):
        return wrong(rule=RULE, reason=found)
    read = " ".join(found.rest.split())[:200] or None
    fault = _fault(found, form, share)
    return wrong(read, rule=RULE, reason=fault) if fault else right(read, rule=RULE)


def check_gold(task: Task, **_: Any) -> str | None:
    """Why this task's gold cannot be read; None where it can."""
    try:
        _read_gold(task.gold)
    except Unread as error:
        return str(error)
    return None


def gold_answer(task: Task, *, tag: str = "think", **_: Any) -> str:
    """An answer of the form the gold asks for. Raises Unread."""
    form = _read_gold(task.gold)
    sample = language.LANGUAGES[form.lang or "en"].sample
    reasoning = " ".join([sample] * (1 + form.least // visible_chars(sample)))
    answer = "<answer>42</answer>" if form.rule == "think_answer_once" else "42"
    return f"{'' if form.opened else f'<{tag}>'}{reasoning}</{tag}>\n{answer}"


def _fault(found: Block, form: _Form, share: float) -> str:
    """What the block and what follows it lack; empty where nothing."""
    chars = visible_chars(found.reasoning)
    if chars < form.least:
        return f"{chars} characters of reasoning, {form.least} are asked for"
    if form.rule == "think_answer_once":
        inner = block(found.rest, tag="answer")
        if isinstance(inner, str) or "<answer>" in found.reasoning or "</answer>" in found.reasoning:
            return inner if isinstance(inner, str) else "an answer tag inside the reasoning"
        if inner.rest.strip():
            return "text after </answer>"
        return "" if visible_chars(inner.reasoning) else "an empty answer"
    if not visible_chars(found.rest.replace("<answer>", "").replace("</answer>", "")):
        return "no answer after the reasoning"
    if form.rule == "think_language":
        part = language.share(found.reasoning, form.lang)
        if part is None:
            return "no word of any language in the reasoning"
        if part < share:
            return f"{part:.0%} of the reasoning is in {form.lang}"
    return ""


def _read_gold(gold: Any) -> _Form:
    if not isinstance(gold, Mapping) or gold.get("rule") not in _RULES:
        rule = gold.get("rule") if isinstance(gold, Mapping) else None
        raise Unread(f"want a rule: {', '.join(_RULES)}" + (f", not {str(rule)[:40]!r}" if rule is not None else ""))
    rule = gold["rule"]
    keys = _KEYS | ({"lang"} if rule == "think_language" else set())
    if more := sorted(str(k) for k in set(gold) - keys):
        raise Unread(f"{rule} has no {more[0][:40]}")
    least, opened = gold.get("min_reasoning_chars", 1), gold.get("prefilled_open_tag", False)
    if not isinstance(least, int) or isinstance(least, bool) or not 0 <= least <= _MOST:
        raise Unread(f"min_reasoning_chars: want a whole number from 0 to {_MOST}")
    if not isinstance(opened, bool):
        raise Unread("prefilled_open_tag: want true or false")
    lang = ""
    if rule == "think_language":
        lang = language.code_of(gold["lang"]) or "" if isinstance(gold.get("lang"), str) else ""
        if not lang:
            raise Unread(f"lang: want one of {', '.join(language.LANGUAGES)}")
    return _Form(rule=rule, least=least, opened=opened, lang=lang)
