r"""`blank`: a gap filled in, word for word, with one of the given alternatives.

Right, for gold silver: "silver", "Silver.", "<answer>silver</answer>", "The missing word is **silver**.".
Refused, for gold silver: "silver silver", "silver or gold", "quicksilver", "not silver", "silver?", "silver is wrong".

The gold is a text or a list of texts, any of which is right. Compared after trimming, NFKC and case-folding (option
`case` keeps the case); white space counts as one space, and marks around the whole (quotes, bold, a full stop) do not
count unless the gold has them. Never a substring, never a text that is only near. Left out: synonyms, spelling.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from typing import Any

from verigrad.records import BROKE_CHECK, Task, Verdict, right, ungraded, unreadable, wrong
from verigrad.rewards import context, extract
from verigrad.rewards.options import Option
from verigrad.rewards.tokens import MAX_SPAN, TooBig, Unread

RULE = "blank"
OPTIONS: Mapping[str, Option] = {
    "case": Option(default=False, type=bool, meaning="upper and lower case are different letters"),
}
_MAX_ALTERNATIVES = 1_000
_READ = 200
_PAIRS = (("**", "**"), ("*", "*"), ("__", "__"), ("_", "_"), ("`", "`"), ('"', '"'), ("'", "'"), ("“", "”"),
          ("「", "」"), ("$", "$"), ("\\text{", "}"), ("\\textbf{", "}"), ("\\mathrm{", "}"), ("(", ")"))  # fmt: skip
_LINK = re.compile(
    r"\b(?:is|are|was|were|should be|must be|goes to|go with|opt for|vote for|choose|pick)\b[:：]?\s"
    r"|[:：]\s?|[是为填]\s?[:：]?",
    re.IGNORECASE,
)


def verify(answer: str, task: Task, *, case: bool = False) -> Verdict:
    """The verdict on the one text the answer commits itself to (see `extract` for what committed means)."""
    try:
        alternatives = _alternatives(task.gold, case)
    except Unread as error:
        return ungraded(f"gold {str(task.gold)[:60]!r}: {error}", rule=RULE)
    try:
        text = extract.visible(answer)
        found = _folded(text, case) if len(text) <= MAX_SPAN else ""
        if found not in alternatives:
            found = extract.committed(
                text,
                lambda span, boxed: _read(span, alternatives, case, boxed=boxed),
                lambda line: _bare(line, alternatives, case),
                lambda a, b: a == b,
            )
    except Unread as error:
        return unreadable(str(error), rule=RULE)
    except TooBig as error:
        return wrong(rule=RULE, reason=f"{BROKE_CHECK}: {error}")
    verdict = right if found in alternatives else wrong
    return verdict(found[:_READ], rule=RULE)


def check_gold(task: Task, *, case: bool = False) -> str | None:
    """Why this task's gold cannot be read; None where it can."""
    try:
        _alternatives(task.gold, case)
    except Unread as error:
        return str(error)
    return None


def gold_answer(task: Task, *, case: bool = False) -> str:
    """The answer that must be right for this task: the first alternative in answer tags. Raises Unread."""
    _alternatives(task.gold, case)
    first = task.gold[0] if isinstance(task.gold, (list, tuple)) else task.gold
    return f"<answer>{first}</answer>"


def _alternatives(gold: Any, case: bool) -> frozenset[str]:
    values = list(gold) if isinstance(gold, (list, tuple)) else [gold]
    if not 0 < len(values) <= _MAX_ALTERNATIVES:
        raise Unread(f"{len(values)} alternatives: want 1 to {_MAX_ALTERNATIVES}")
    if any(isinstance(v, bool) or not isinstance(v, (str, int)) for v in values):
        raise Unread("want a text or a list of texts")
    texts = [str(v) if isinstance(v, int) and v.bit_length() < 1400 else v for v in values]
    if any(not isinstance(t, str) or not t.strip() or len(t) > MAX_SPAN for t in texts):
        raise Unread("an alternative that is empty or too long")
    out = frozenset(f for t in texts if isinstance(t, str) for f in (_plain(t, case), _folded(t, case)) if f)
    if not out:
        raise Unread("an alternative without a letter or a digit")
    return out


def _plain(text: str, case: bool) -> str:
    text = unicodedata.normalize("NFKC", text)
    text = " ".join("".join(c for c in text if unicodedata.category(c) != "Cf").split())
    return text if case else unicodedata.normalize("NFKC", text.casefold())


def _folded(text: str, case: bool) -> str:
    """Without what surrounds the whole."""
    text = _plain(text, case)
    for _ in range(6):
        before = text
        text = text.strip().rstrip(".,;!。").strip() if not text.endswith("...") else text.strip()
        for left, right_ in _PAIRS:
            inner = text[len(left) : len(text) - len(right_)]
            if len(text) > len(left) + len(right_) and text.startswith(left) and text.endswith(right_):
                if left not in inner and right_ not in inner:
                    text = inner
                break
        if text == before:
            break
    return text


def _read(span: str, alternatives: frozenset[str], case: bool, *, boxed: bool) -> str:
    if len(span) > MAX_SPAN:
        raise TooBig(f"a span of more than {MAX_SPAN} characters")
    for spelled in (_plain(span, case), _folded(span, case)):
        if spelled in alternatives:
            return spelled
    whole = _folded(span, case)
    if not whole:
        raise Unread("empty")
    if boxed:
        return whole
    if span.rstrip(" *_\"'`)").endswith(("?", "？")):
        raise Unread("a question, not an answer")
    links = list(_LINK.finditer(span))
    if not links:
        return whole
    before, tail = span[: links[-1].start()], _folded(span[links[-1].end() :], case)
    if before.rstrip().endswith(("不", "非")) or context.denied(before + " is ") or context.denied(before + " "):
        raise Unread("denied or left open")
    return tail or whole


def _bare(line: str, alternatives: frozenset[str], case: bool) -> str:
    spelled = _folded(line, case)
    if spelled not in alternatives:
        raise Unread("not an alternative alone")
    return spelled
