"""The grader `choice` on cases."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from verigrad.acceptance.graders import choice
from verigrad.records import Task


def letters(answer, choices="ABCD"):
    return Task.make(prompt="q", gold={"answer": answer, "choices": choices})


def words(gold, choices=("positive", "negative", "neutral")):
    return Task.make(prompt="q", gold=gold, columns={"choices": list(choices)})


@pytest.mark.parametrize(
    ("task", "answer", "strict"),
    [
        *((letters("B"), a, "right") for a in (
            "B", "b", "(B)", "B.", "B)", "Answer: B", "ANSWER: b", r"\boxed{B}", r"\boxed{\text{B}}",
            "The answer is B.", "<answer>B</answer>", "**B**", "Option B is the answer, I checked it twice.",
            "It is B.", "Ｂ", "Option B is the answer.",
            "So the answer is B. People often fall for A, by the way.", "Answer: B, since a lever needs a pivot.",
            "Answer: not C but B", "<think>A? C?</think>B", "B is correct.", "The correct answer is option B.",
            "#### B",
        )),
        *((letters("B"), a, "wrong") for a in ("A", "Answer: C", r"\boxed{D}", "The answer is A, not B."[:16])),
        *((letters("B"), a, "unreadable") for a in (
            "B or C", "not B", "The answer is not B", "Bananas", "A B", "Answer: A\nAnswer: B", r"\boxed{B, C}", "",
            "<answer>A or B or C</answer>", "A\nB", "<think>B", "E", "Maybe B?", "The answer is B. No, C.", "BB",
            r"\boxed{B", "A, B, C, D", "It could be B", "ANSWER: ",
        )),
        (letters("B, D"), "ANSWER: B, D", "right"),
        (letters("B, D"), "ANSWER: D and B", "right"),
        (letters("ACD"), "ACD", "right"),
        (letters("ACD"), "AC", "wrong"),
        (letters("ACD"), "ABCD", "wrong"),
        (letters("E", "ABCDEFGHIJ"), "Option E is the answer, I checked it twice.", "right"),
        (words("negative"), "negative", "right"),
        (words("negative"), "Negative.", "right"),
        (words("negative"), "The sentiment is negative.", "unreadable"),
        (words("negative"), "The label is negative.", "right"),
        (words("negative"), "The answer is: negative", "right"),
        (words("negative"), "positive", "wrong"),
        (words("negative"), "not negative", "unreadable"),
        (words("negative"), "negative or positive", "unreadable"),
        (words("negative"), "negatively", "unreadable"),
        (words("negative"), "positive\nnegative", "unreadable"),
        (words("very good", ("good", "very good")), "very good", "right"),
        (words("good", ("good", "very good")), "very good", "wrong"),
    ],
)  # fmt: skip
def test_cases(task, answer, strict):
    grade = choice.grade(answer, task)
    assert grade.strict == strict, grade
    assert (grade.read is None) == (strict == "unreadable")


def test_lenient_is_the_last_label_anywhere():
    assert choice.grade("Perhaps A, perhaps B", letters("B")).lenient == "right"
    assert choice.grade("Perhaps B, perhaps A", letters("B")).lenient == "wrong"
    assert choice.grade("Bananas", letters("B")).lenient == "unreadable"
    assert choice.grade("I like both B and D here", letters("B, D")).lenient == "right"


def test_an_option_gives_the_choices():
    task = Task.make(prompt="q", gold="yes")
    assert choice.grade("Yes.", task, choices=["yes", "no"]).strict == "right"
    assert choice.grade("No.", task, choices=["yes", "no"]).strict == "wrong"


@pytest.mark.parametrize(
    "gold", [None, "yes", {"answer": "E", "choices": "ABCD"}, {"answer": "A"}, {"answer": "", "choices": "AB"}, 3]
)
def test_unreadable_golds(gold):
    assert choice.grade("A", Task.make(prompt="q", gold=gold)).strict == "ungraded"


@given(st.text(max_size=150) | st.text(alphabet="ABCD answer:is\n.,()not or\\boxed{}", max_size=80))
def test_any_text_is_judged(answer):
    for task in (letters("B"), words("negative")):
        assert choice.grade(answer, task).strict in ("right", "wrong", "unreadable")


@pytest.mark.parametrize(
    "answer", ["A is the answer " * 60_000, "B\n" * 500_000, "not B, but " * 90_000, "it is " * 16_000]
)
def test_hostile_text_is_bounded(answer):
    assert choice.grade(answer, letters("B")).strict == "unreadable"
