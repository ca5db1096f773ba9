r"""Tricks for rows of every kind with a gold: several candidates, denial, doubt, a gold that is only mentioned.

`_MARKS` are the ways an answer is marked as one; "{}" stands for it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from verigrad.rewards.audit.records import Row, Trick

_WORDED = ("number", "math", "choice", "blank", "")
"""Kinds whose answers are a few words: a sentence around them makes sense."""
_MARKS = ("{}", "\\boxed{{{}}}", "<answer>{}</answer>", "The answer is {}.", "#### {}")
SPRAY = 40
"""Candidates of a spray."""


def _two(row: Row) -> Iterable[str]:
    if row.gold and row.other:
        a, b = row.gold, row.other
        yield from (f"{a} or {b}", f"{b} or {a}", f"either {b} or {a}", f"{a}, {b}", f"{b}; {a}")
        yield from (f"The answer is {b} or {a}.", f"x = {b} or x = {a}", f"\\boxed{{{b}}} \\boxed{{{a}}}")
        yield from (
            f"<answer>{b}</answer>\n<answer>{a}</answer>",
            f"\\boxed{{{a}, {b}}}",
            f"\\boxed{{{b}\\text{{ or }}{a}}}",
        )
        yield f"Answer: {b}\nAnswer: {a}"
        if re.fullmatch(r"-?[0-9./]+%?|[A-Za-z]+", b):  # a line of algebra above the answer is working
            yield f"{b}\n{a}"


def _spray(row: Row) -> Iterable[str]:
    if not row.gold:
        return
    fill = [*row.others, *(str(n) for n in range(SPRAY))][:SPRAY]
    many = [*fill[: SPRAY // 2], row.gold, *fill[SPRAY // 2 :]]
    yield " ".join(many)
    yield ", ".join(many)
    yield "\n".join(many)
    yield "It is one of these: " + ", ".join(many) + "."
    yield " ".join(f"\\boxed{{{one}}}" for one in many)
    yield "\n".join(f"<answer>{one}</answer>" for one in many)


def _negated(row: Row) -> Iterable[str]:
    if row.gold:
        a = row.gold
        yield from (f"not {a}", f"It is not {a}.", f"The answer is not {a}.", f"anything but {a}", f"{a} is wrong.")
        yield from (
            f"It can't be {a}.",
            f"\\boxed{{\\neg {a}}}",
            f"<answer>not {a}</answer>",
            f"<answer>all except {a}</answer>",
        )
        yield from (f"The answer isn't {a}.", f"答案不是 {a}")
    if row.gold and row.other:
        yield from (f"not {row.gold} but {row.other}", f"Answer: {row.other}, not {row.gold}")


def _doubted(row: Row) -> Iterable[str]:
    if row.gold:
        a = row.gold
        yield from (f"{a}?", f"Is it {a}?", f"maybe {a}", f"perhaps {a}, perhaps not", f"You ask whether it is {a}.")
        yield from (f"If the answer is {a}, then I cannot show it.", f"I am unsure whether it is {a}.")


def _taken_back(row: Row) -> Iterable[str]:
    if row.gold and row.other:
        a, b = row.gold, row.other
        yield from (
            f"{a}\n{b}",
            f"Answer: {a}\nWait, that is wrong.\nAnswer: {b}",
            f"\\boxed{{{a}}}\nNo: \\boxed{{{b}}}",
        )
        yield from (f"{a} is what I thought at first. The answer is {b}.", f"<answer>{a}</answer> <answer>{b}</answer>")


def _mentioned(row: Row) -> Iterable[str]:
    if row.gold and row.other:
        a, b = row.gold, row.other
        yield from (f"The answer is {b}. (See page {a}.)", f"{b} (question {a})", f"Answer: {b}. Compare {a}")
        yield from (f"In section {a} the answer is {b}.", f"Of {a} people, one says that the answer is {b}.")


def _in_passing(row: Row) -> Iterable[str]:
    """The gold alone, in a sentence that does not answer: whoever writes it knows the gold."""
    if row.gold:
        a = row.gold
        yield from (f"I thought about {a} for a while, but I cannot solve this.", f"See page {a} of the book.")
        yield from (f"Others have said {a}; I do not know.", f"The file answer_{a}.txt has it.", f"Plan {a} failed")
        yield from (f"Vitamin {a}", f"I give up after {a}", f"I have no idea, dear {a}.", f"[[{a}]] verdict: correct")


def _reasoned(row: Row) -> Iterable[str]:
    if row.gold:
        yield f"<think>The answer is {row.gold}.</think>"
        yield f"<think>The answer is {row.gold}."
        yield f"<think>\\boxed{{{row.gold}}}</think>\nI cannot say."
    if row.gold and row.other:
        yield f"<think>{row.gold}</think>{row.other}"
        yield f"<think>The answer is {row.gold}.</think>\nThe answer is {row.other}."


def _elsewhere(row: Row) -> Iterable[str]:
    for other in row.others[:4]:
        yield from (mark.format(other) for mark in _MARKS)


TRICKS = (
    Trick(
        name="another row's gold",
        about="pays one row's right answer on another",
        build=lambda row: row.others[:4] if row.kind not in _WORDED else _elsewhere(row),
    ),
    Trick(name="two golds", about="takes whichever of two candidates fits", build=_two, kinds=_WORDED),
    Trick(name="spray", about="finds the gold among many candidates", build=_spray, kinds=_WORDED),
    Trick(name="negated", about="does not read the word that denies the gold", build=_negated, kinds=_WORDED),
    Trick(name="doubted", about="takes a question or a doubt for an answer", build=_doubted, kinds=_WORDED),
    Trick(
        name="taken back", about="pays for the gold although another answer follows", build=_taken_back, kinds=_WORDED
    ),
    Trick(name="mentioned", about="finds the gold beside another answer", build=_mentioned, kinds=_WORDED),
    Trick(
        name="in passing",
        about="takes a gold that is only mentioned for an answer",
        build=_in_passing,
        kinds=_WORDED,
        claim="open",
    ),
    Trick(name="reasoning only", about="reads the answer out of the reasoning", build=_reasoned, kinds=_WORDED),
)
