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


def of(gold, choices):
    return Task.make(prompt="q", gold=gold, columns={"choices": choices})


@pytest.mark.parametrize(
    ("task", "right", "wrong"),
    [
        (of("animal", "animal|food"), ["animal", "Animal."], ["food"]),
        (of(0, "animal|food"), ["animal", "A", "The answer is (A)."], ["food", "B"]),
        (of("A", {"A": "x", "B": "y"}), ["A", "x"], ["B", "y"]),
        (of("y", {"A": "x", "B": "y"}), ["B", "y"], ["A", "x"]),
        (of(1, {"A": "x", "B": "y"}), ["B", "y"], ["A"]),
        (of("B", ["Paris", "Rome"]), ["B", "Rome.", "The answer is Rome", r"\boxed{Rome!}", "B) Rome"], ["A", "Paris"]),
        (of(1, ["Paris", "Rome"]), ["Rome", "(b)"], ["Paris"]),
        (of("Rome", ["Paris", "Rome"]), ["Rome"], ["Paris"]),
        (of("B, D", ["p1", "q2", "r3", "s4"]), ["B, D", "q2 and s4"], ["B", "A, B"]),
        (of("A", ["B", "A"]), ["A"], ["B"]),
        (of(3, [3, 5]), ["3"], ["5"]),
        (of("B", ["Tea for two", "It sinks, as iron"]), ["It sinks, as iron", "B"], ["Tea for two"]),
        (Task.make(prompt="q", gold={"answer": "B", "choices": ["Paris", "Rome"]}), ["B", "rome"], ["A"]),
    ],
)
def test_every_form_of_gold_and_choices(task, right, wrong):
    assert [choice.grade(a, task).strict for a in right] == ["right"] * len(right)
    assert [choice.grade(a, task).strict for a in wrong] == ["wrong"] * len(wrong)
    for a in ("Paris or Rome, A or B", "zebra", "B) Paris, A) Rome"):
        assert choice.grade(a, task).strict == "unreadable"


@pytest.mark.parametrize(
    "task",
    [
        of(7, ["a1", "b2"]), of(True, ["a1", "b2"]), of("bad", ["good one", "x1", "y2", "z3"]),
        of("B", {"A": "B", "B": "A"}), of("a", "a"), of("x", {"A": "x", "B": "x"}), of("x", ["x", ""]), of(0, ["x"]),
    ],
)  # fmt: skip
def test_a_gold_that_means_two_things_or_none_is_ungraded(task):
    assert choice.grade("A", task).strict == "ungraded"
    assert choice.gold_as(task) == []


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


@pytest.mark.parametrize(
    ("answer", "strict"),
    [
        ("It is an animal.", "right"),
        ("an animal", "right"),
        ("The answer is **animal**.", "right"),
        ("It is a food", "wrong"),
        ("It is not an animal", "unreadable"),
        ("It is an animal or a food", "unreadable"),
    ],
)
def test_an_article_goes_before_a_word(answer, strict):
    assert choice.grade(answer, of("animal", ["animal", "food"])).strict == strict


def test_an_article_is_a_letter_where_letters_are_the_choices():
    task = Task.make(prompt="q", gold={"answer": "A", "choices": "ABCD"})
    assert choice.grade("It is a", task).strict == "right"
    assert choice.grade("It is a B", task).strict == "unreadable"
