r"""`number`: one number, compared exactly.

Right, for gold 80: "8 * 10 = 80", "#### 80", "So \boxed{80.0}".
Refused, for gold 80: "8 * 10", "90 or 80", "80%", "8000%", "What is 80", "half of 80", "80 million", "80 is wrong",
"anything but 80", "maybe 80", "80?".

Policies, each the default and fixed: an equation whose last right side is one literal commits that literal; units and
currency signs are dressing and not compared; a percent is read only where the gold is a percent or lies strictly
between 0 and 1; a fraction that is a whole number (8/2) is an unevaluated division; a sentence of the question, or a
spelling that stands in the question and is not the gold's (1/2 for gold 0.5), earns nothing. Left out: units, degrees,
surds, sets, intervals (the kind `math`).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from fractions import Fraction
from math import gcd
from typing import Any

from verigrad.records import BROKE_CHECK, Task, Verdict, right, ungraded, unreadable, wrong
from verigrad.rewards import extract
from verigrad.rewards.gold_text import gold_text
from verigrad.rewards.literals import Number, TooBig, Unread, commit, parse
from verigrad.rewards.options import Option
from verigrad.rewards.spelling import normalise

RULE = "number"
OPTIONS: Mapping[str, Option] = {
    "round_to_gold": Option(
        default=False,
        type=bool,
        meaning="a decimal gold of at least 3 significant digits accepts what rounds to it",
    ),
    "reduced": Option(default=False, type=bool, meaning="a fraction must be in lowest terms"),
}


def verify(answer: str, task: Task, *, round_to_gold: bool = False, reduced: bool = False) -> Verdict:
    """The verdict on the one number the answer commits itself to (see `extract` for what committed means)."""
    try:
        gold = read_gold(task.gold)
    except (Unread, TooBig) as error:
        return ungraded(f"gold {str(task.gold)[:60]!r} is no number: {error}", rule=RULE)
    try:
        number = read(answer, task)
    except Unread as error:
        return unreadable(str(error), rule=RULE)
    except TooBig as error:
        return wrong(rule=RULE, reason=f"{BROKE_CHECK}: {error}")
    if number.percent and not (gold.percent or 0 < gold.value < 1):
        return wrong(number.text, rule=RULE, reason="a percent where the gold is none")
    if reduced and number.pair and gcd(*number.pair) != 1:
        return wrong(number.text, rule=RULE, reason="not in lowest terms")
    if number.value == gold.value or (round_to_gold and _rounds_to(number, gold)):
        if _copied(number, gold, task):
            return unreadable("a spelling copied from the question", rule=RULE)
        return right(number.text, rule=RULE)
    return wrong(number.text, rule=RULE)


def read(answer: str, task: Task) -> Number:
    """The number the answer commits itself to. Raises Unread or TooBig."""
    text = extract.visible(answer)
    number = extract.committed(
        text,
        lambda span, boxed: commit(span, boxed=boxed),
        lambda line: parse(line, boxed=False),
        lambda a, b: a.value == b.value,
    )
    if not extract.marks(text) and _restates(extract.last_sentence(text), task):
        raise Unread("restates the question")
    return number


def read_gold(gold: Any) -> Number:
    r"""The gold as a number: an int, a float (by its shortest decimal), or a text that is one literal, bare or as
    GSM8K ("... #### 37") and MATH ("... \boxed{37}") give it. Raises Unread or TooBig.
    """
    return parse(gold_text(gold))


def check_gold(task: Task, **_: Any) -> str | None:
    """Why this task's gold cannot be read; None where it can."""
    try:
        read_gold(task.gold)
    except (Unread, TooBig) as error:
        return str(error)
    return None


def gold_answer(task: Task, **_: Any) -> str:
    """The answer that must be right for this task: what the gold check puts through the verifier. Raises Unread."""
    return read_gold(task.gold).text


def _restates(sentence: str, task: Task) -> bool:
    """A sentence with more than a number in it that stands word for word in the question."""
    compact = _compact(sentence)
    return bool(re.search(r"[a-z*+^=?]", compact)) and compact in _question(task)


def _copied(number: Number, gold: Number, task: Task) -> bool:
    same_spelling = number.form == gold.form and number.percent == gold.percent and number.pair == gold.pair
    if same_spelling:
        return False
    return bool(re.search(rf"(?<![0-9.,/]){re.escape(_compact(number.text))}(?![0-9/]|[.,][0-9])", _question(task)))


def _question(task: Task) -> str:
    asked = [m["content"] for m in task.prompt if m["role"] == "user"]
    return _compact(asked[-1][-20_000:]) if asked else ""


def _compact(text: str) -> str:
    return normalise(text).replace(" ", "").rstrip(".").casefold()


def _rounds_to(number: Number, gold: Number) -> bool:
    """The number rounds to the gold at the gold's precision, and is exact or longer than the gold."""
    if (
        gold.places is None
        or number.value.denominator == 1
        or (number.places is not None and number.places <= gold.places)
    ):
        return False
    significant = len(gold.text.strip("-+").replace(".", "").replace(",", "").lstrip("0"))
    unit = Fraction(1, 10**gold.places)
    return significant >= 3 and abs(number.value - gold.value) * 2 <= unit
