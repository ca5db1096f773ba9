r"""`math`: a mathematical answer in LaTeX or plain text, compared exactly and typed by the gold.

Right, for gold \frac{3}{4}: "\boxed{0.75}", "So x = 3/4.", "75%", "$\dfrac{6}{8}$"; for gold \{2, 5\}: "\{5, 2\}".
Refused, for gold \frac{3}{4}: "3/4 or 4/3", "x = 1, x = 3/4", "1/2 + 1/4", "75", "\boxed{1}\boxed{3/4}"; for gold
\{2, 5\}: "(2, 5)", "[2, 5]", "\{2, 5, 9\}", "2".

The gold's type is what is asked: a set is no tuple, a tuple no interval (but (1, 4) may be either, as in the gold), a
condition no value. What the algebra cannot prove (rewards.mathematics) sympy is asked in a killable process; agreement
at points proves nothing. Policies are options; docs/math.md lists what is read. Left out: geometry by coordinates,
sums and integrals still to be worked out, equality of programs.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from verigrad.records import BROKE_CHECK, Task, Verdict, right, ungraded, unreadable, wrong
from verigrad.rewards import extract
from verigrad.rewards.gold_text import gold_text
from verigrad.rewards.mathematics import asking, comparing, golds, quantities, questions, sentences, shapes
from verigrad.rewards.mathematics.scalars import Policy
from verigrad.rewards.mathematics.trees import Collection, Named, Relation, Scalar, TooBig, Unread, Value
from verigrad.rewards.options import Option

RULE = "math"
OPTIONS: Mapping[str, Option] = {
    "round_to_gold": Option(
        default=True,
        type=bool,
        meaning="a decimal gold of at least 3 significant digits accepts what rounds to it, exact or longer",
    ),
    "reduced": Option(default=False, type=bool, meaning="a fraction must be in lowest terms"),
    "evaluated": Option(
        default=True, type=bool, meaning="a gold that is a number refuses what is still to be worked out (8 * 10)"
    ),
    "tolerance": Option(default=0.0, type=float, meaning="relative difference that counts as equal; 0: none"),
}
_READ = 200
_AND = r"\\text\s?\{[\s,]*(?:and|or)\s*\}|\band\b|\bor\b"
_JOINED = re.compile(
    rf"(?:\\\)|\$)?(?:[ \t]|\\,){{0,4}}(?:\\q?quad|,|;|{_AND})(?:[ \t]|\\q?quad|\\,|{_AND}){{0,6}}(?:\\\(|\$)?\\boxed"
)
_PERCENT_BEHIND = re.compile(
    r"(\\boxed\{[^{}%]{1,60})\}((?:\$|\\\))?) ?(?:\\?%|per ?cent(?:age)?\b|pct\b)(?! ?points?)"
)
"""A boxed number with its percent sign behind the box: for a gold that is a percent they belong together."""
_DISPLAY = re.compile(r"\\\[(.{0,2000}?)\\\]|\$\$(.{0,2000}?)\$\$|\\begin\{(\w+\*?)\}.{0,2000}?\\end\{\3\}", re.DOTALL)


def verify(
    answer: str,
    task: Task,
    *,
    round_to_gold: bool = True,
    reduced: bool = False,
    evaluated: bool = True,
    tolerance: float = 0.0,
) -> Verdict:
    """The verdict on the one value the answer commits itself to (see `extract` for what committed means)."""
    try:
        gold = golds.read(task.gold)
    except (Unread, TooBig) as error:
        return ungraded(f"gold {str(task.gold)[:60]!r}: {error}", rule=RULE)
    read = None
    try:
        said = _committed(answer, gold)
        read = said.text[:_READ]
        policy = Policy(
            round_to_gold=round_to_gold,
            reduced=reduced,
            evaluated=evaluated,
            tolerance=tolerance,
            question=_question(task),
            prove=asking.prove,
        )
        if not comparing.right(gold, said.value, policy):
            return wrong(read, rule=RULE)
        if _restates(said, gold, task, policy):
            return unreadable("restates the question", rule=RULE)
    except Unread as error:
        return unreadable(str(error)[:200], rule=RULE)
    except (TooBig, asking.Broke) as error:
        return wrong(read, rule=RULE, reason=f"{BROKE_CHECK}: {error}"[:200])
    except asking.Fault as error:
        return ungraded(str(error)[:200], rule=RULE)
    return right(read, rule=RULE)


def check_gold(task: Task, **_: Any) -> str | None:
    """Why this task's gold cannot be read; None where it can."""
    try:
        golds.read(task.gold)
    except (Unread, TooBig) as error:
        return str(error)
    return None


def gold_answer(task: Task, **_: Any) -> str:
    """The answer that must be right for this task: the gold in a box. Raises Unread."""
    golds.read(task.gold)
    return f"\\boxed{{{gold_text(task.gold)}}}"


def _committed(answer: str, gold: Value) -> sentences.Said:
    text = extract.visible(answer)
    if "\n" in text and ("\\[" in text or "$$" in text or "\\begin" in text):
        text = _DISPLAY.sub(lambda m: m[0].replace("\n", " "), text)
    if isinstance(gold, (Collection, Named)):
        text = _one_box(text)
    if isinstance(gold, Scalar) and gold.unit == quantities.PERCENT:
        text = _PERCENT_BEHIND.sub(r"\1\%}\2", text)
    return extract.committed(
        text,
        lambda span, boxed: sentences.read(span, gold, boxed=boxed),
        lambda line: sentences.bare(line, gold),
        _agree,
    )


def _one_box(text: str) -> str:
    r"""Boxes side by side as one list: \boxed{4} and \boxed{-7} is \boxed{4, -7}."""
    for _ in range(20):
        start = text.find("\\boxed{")
        while start >= 0:
            end = _closing(text, start + 7)
            if end is None:
                return text
            joint = _JOINED.match(text, end + 1)
            if joint is not None and text.startswith("{", joint.end()):
                text = text[:end] + ", " + text[joint.end() + 1 :]
                break
            start = text.find("\\boxed{", end)
        else:
            return text
    return text


def _closing(text: str, at: int) -> int | None:
    depth = 1
    for i in range(at, min(len(text), at + 4_000)):
        if text[i - 1] != "\\":
            depth += (text[i] == "{") - (text[i] == "}")
        if not depth:
            return i
    return None


def _agree(a: sentences.Said, b: sentences.Said) -> bool:
    one, two = a.value, b.value
    if isinstance(one, Relation) and isinstance(two, Relation) and one.label and two.label and one.label != two.label:
        return True
    return comparing.agree(one, two)


def _question(task: Task) -> str:
    asked = [m["content"] for m in task.prompt if m["role"] == "user"]
    return asked[-1][-questions.MAX_QUESTION :].lower() if asked else ""


def _restates(said: sentences.Said, gold: Value, task: Task, policy: Policy) -> bool:
    """What is answered stands in the question in the same form, and the gold is written in another."""
    if not policy.question:
        return False
    mine, theirs = {shapes.shape(gold)}, shapes.shape(said.value)
    if isinstance(gold, Relation) and gold.label:
        mine.add(shapes.shape(gold.sides[-1]))
    return theirs not in mine and (theirs in questions.said(policy.question) or _copied(said.text, policy.question))


def _copied(text: str, question: str) -> bool:
    """A fraction or a decimal that stands in the question as it is."""
    if not re.fullmatch(r"-?[0-9]+/[0-9]+|-?[0-9]*\.[0-9]+", text):
        return False
    return bool(re.search(rf"(?<![0-9.,/]){re.escape(text)}(?![0-9/]|[.,][0-9])", question))
