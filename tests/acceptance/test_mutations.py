"""Faults planted in a training verifier: the grader must catch every one of them on a table of answers.

The verifier here is the test's own, sound until a fault is planted; it shares nothing with the graders.
"""

import re
from fractions import Fraction

import pytest

from verigrad.acceptance.graders import choice, number
from verigrad.records import Task, right, unreadable, wrong

NUMBERS = [
    ("80", "80"), ("80", "The answer is 80."), ("80", "81"), ("80", "80%"), ("80", "8000%"), ("80", "90 or 80"),
    ("80", "90, 80"), ("80", "8 * 10"), ("80", "The answer is 8 * 10"), ("80", "80.004"), ("20000", "20001"),
    ("80", "-80"), ("-3", "3"), ("-3", "-3"), ("0.5", "50%"), ("0.5", "0.5"), ("80", "I am not sure"), ("80", "60\n80"),
]  # fmt: skip

CHOICES = [
    ("B", "B"), ("B", "The answer is B"), ("B", "A"), ("B", "Bananas"), ("B", "The best is hard to tell"),
    ("B", "not B"), ("B", "The answer is not B"), ("B", "A or B"), ("B", "A\nB"), ("B", "B or A"), ("B", "BD"),
    ("B", "C, not B"),
    ("B", "It depends"), ("B", "b"), ("C", "c"),
]  # fmt: skip

_NUMBER = re.compile(r"[+-]?[0-9]+(?:\.[0-9]+)?%?")


def _value(text):
    return Fraction(text.rstrip("%")) / (100 if text.endswith("%") else 1)


def verify_number(answer, task, *, pick=lambda found: found if len(found) == 1 else [], value=_value,
                  same=lambda a, b: a == b, clean=lambda text: text, percents=False):  # fmt: skip
    """Right iff the one number of the text is the gold; expressions, several numbers and stray percents are unread."""
    text, gold = clean(answer), Fraction(task.gold)
    found = pick(_NUMBER.findall(text))
    if not found or re.search(r"[*/]", text) or (found[0].endswith("%") and not (percents or 0 < gold < 1)):
        return unreadable("no single number")
    return right() if same(value(found[0]), gold) else wrong()


def _evaluated(text):
    product = re.search(r"([0-9]+) \* ([0-9]+)", text)
    return text if product is None else str(int(product[1]) * int(product[2]))


NUMBER_FAULTS = {
    "percent dropped": {"value": lambda text: Fraction(text.rstrip("%")), "percents": True},
    "last of many accepted": {"pick": lambda found: found[-1:]},
    "expression evaluated": {"clean": _evaluated},
    "relative tolerance 1e-4": {"same": lambda a, b: abs(a - b) <= abs(b) / 10_000},
    "sign lost": {"same": lambda a, b: abs(a) == abs(b)},
    "percent read anywhere": {"percents": True},
}


def verify_choice(answer, task, fault=""):
    """Right iff the text is the label, alone or after "the answer is"; any other mention is unread."""
    gold, text = task.gold["answer"], answer.strip()
    if fault == "substring match":
        return right() if gold in text else wrong()
    if fault == "first letter":
        return right() if text[:1].upper() == gold else wrong()
    if fault == "negation ignored":
        text = text.replace("not ", "")
    if fault == "two labels accepted":
        return right() if gold in re.findall(r"\b[A-D]\b", text) and "not" not in text else wrong()
    said = re.fullmatch(r"(?:the answer is )?([a-d])\.?", text, flags=re.IGNORECASE)
    if fault == "case matters":
        said = re.fullmatch(r"(?:The answer is )?([A-D])\.?", text)
    if said is None:
        return unreadable("no single label")
    return right() if said[1].upper() == gold else wrong()


CHOICE_FAULTS = ["substring match", "first letter", "negation ignored", "two labels accepted", "case matters"]


def caught(verify, grade, table):
    """The answers on which grader and verifier differ on right / not right."""
    return [
        (gold, answer)
        for gold, answer, task in table
        if (verify(answer, task).status == "right") != (grade(answer, task).strict == "right")
    ]


def _table(pairs, make):
    return [(gold, answer, Task.make(prompt="q", gold=make(gold))) for gold, answer in pairs]


def test_a_sound_number_verifier_is_not_contradicted():
    assert caught(verify_number, number.grade, _table(NUMBERS, str)) == []


@pytest.mark.parametrize("fault", NUMBER_FAULTS)
def test_a_fault_in_the_number_verifier_is_caught(fault):
    def verify(answer, task):
        return verify_number(answer, task, **NUMBER_FAULTS[fault])

    assert caught(verify, number.grade, _table(NUMBERS, str))


def test_a_sound_choice_verifier_is_not_contradicted():
    assert caught(verify_choice, choice.grade, _table(CHOICES, lambda g: {"answer": g, "choices": "ABCD"})) == []


@pytest.mark.parametrize("fault", CHOICE_FAULTS)
def test_a_fault_in_the_choice_verifier_is_caught(fault):
    table = _table(CHOICES, lambda g: {"answer": g, "choices": "ABCD"})
    assert caught(lambda answer, task: verify_choice(answer, task, fault), choice.grade, table)
