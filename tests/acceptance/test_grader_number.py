"""The grader `number` on cases: what it must accept and must not, and that hostile text neither raises nor hangs."""

import time
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from verigrad.acceptance.graders import math_verify, number
from verigrad.acceptance.literals import gold_number
from verigrad.acceptance.literals import number as literal
from verigrad.records import Task


def task(gold):
    return Task.make(prompt="q", gold=gold)


RIGHT_80 = [
    "80", "80.", "The answer is 80.", r"\boxed{80}", "$80$", "8 * 10 = 80", "**80**", "80!", "= 80", "$80.00$",
    "The product of 8 and 10 is 80.", r"$8 \times 10 = 80$", "The answer is **80.**", "Answer:\n\n80", "8e1",
    "80 is the answer.", "8 * 10 = 80. I hope this helps!", r"So the final answer is $\boxed{80}$.", "#### 80",
    "<think>90, no</think>80", r"\(80\)", "The answer to 8 * 10 is 80.", "８０", "The final answer is: 80",
    "It equals 80", "8*10=80\n", "10 * 8 = 80.0",
    "The solution is as follows:\n8 * 10 = 80", "<answer>80</answer>", "<answer>8 * 10 = 80</answer>",
    r"\boxed{\text{80}}", "The answer is **80**.", "The answer is *80*",
    "First 8 * 5 = 40. Then 40 + 40 = 80.", "8 * 10 = 80\n8 * 10 = 80", "+80", r"$$80$$", "x = 80",
    "8 * 10 = 80!", "**80!**", r"\boxed{80}!", "$8*10=80$!", "a = 8 and b = 10, so a * b = 80", "8 * 10 = 80; x = 80",
    "a = 8, b = 10, then a * b = 80.", "The product of 8 and 10 = 80", "x = 1,640 / 20.5 = 80",
    "First, 8 * 5 = 40, and 40 * 2 = 80.", r"8 \times 5 = 40, 40 \times 2 = 80", "Since 8 = 2 * 4, 8 * 10 = 80.",
    "If x is 8 and y is 10, the product is 80.", "x is 8 and y is 10, so x * y is 80.", "Answer: so, the answer is 80.",
    "The sum of 30, 40 and 10 is 80.",
]  # fmt: skip

NOT_80 = [
    "8 * 10", "90 or 80", "80%", "8000%", "8 * 10 =", "The answer is 8 * 1", "160/2", r"8 \times 10^1", "80?", "",
    "It is 90 or it is 80", "80\n90", "80, 90", "x = 9 or x = 80", "The answer is 80. The answer is 90.",
    "The answer is 80. No, it is 90.", r"\boxed{90} \boxed{80}", "<think>80", "8*10 = 90, 8*10 = 80", "80 = 8 * 10",
    "The answer is not 80", "80 apples", "8 * 10 = 80 or 90", "The answer is 80 or 90", r"\boxed{80} or 90", "eighty",
    "80²", "1½", "-80", "maybe 80", "It is about 80", "79.9999999", "80.0000001", "The answer is 80 squared", "8 0",
    "8_0", "0x50", r"\boxed{8 * 10}", r"\boxed{80", r"\sqrt{6400}", "40 + 40", "The answer is 80 + 0", "[80]",
    "The answer is 80. Or maybe not.", "<answer>80", "<answer>90</answer><answer>80</answer>", r"\boxed{}", "8 hundred",
    "The answer is 80?", "1. 80", "80 percent", r"80\%", "8**10", "8 * 10 = 80 = 81", "80e", "80e9999", "{80, 90}",
    "٨٠", r"\boxed{17}" + "\nFinal Answer: The final answer is $80$.", "<think>It is 80.</think>\nI am not sure.",
    "80 90", "The answer is 80 *", "The answer is 80 *.", "x != 80", "x >= 80", "x ≠ 80", "0,080",
    "x = 79; y = 80", "x = 79, y = 80", "x=79,y=80", "x = 79 and y = 80", "x = 79 y = 80", "x = 79: y = 80",
    "x = 79 but y = 80", r"x = 79 \\ y = 80", r"$x=79$; $y=80$", r"\boxed{x = 79; y = 80}", "x = 7 * 9; y = 80",
    "The answer is x = 79; y = 80.", "x = 79 | y = 80", "answer = 79; answer = 80", "The answer is 79; it is 80",
    "The answer is 79, the answer is 80", "x is 79; y is 80", "x is 79 and y is 80", "79, it is 80", "79 = 79; 80 = 80",
    "8 * 10 = 79, 8 * 10 = 80",
    r"\boxed{80!}", r"\boxed{80 !}", r"\boxed{\text{80!}}", "$80!$", r"\(80!\)", "$x = 80!$", r"\[x = 80!\]", "(80)!",
    "so it is $80!$.", "The answer is (80)!", "#### $80!$",
    "~~80~~", "The answer is ~~80~~", r"~~\boxed{80}~~", "<answer>~~80~~</answer>", "<s>80</s>", "<del>80</del>",
    r"\sout{80}", "~~79~~ 80", "~80",
]  # fmt: skip


@pytest.mark.parametrize("grader", [number, math_verify], ids=["number", "math_verify"])
def test_right_for_80(grader):
    for answer in RIGHT_80:
        grade = grader.grade(answer, task("80"))
        assert (grade.strict, grade.lenient) == ("right", "right"), (answer, grade)


@pytest.mark.parametrize("grader", [number, math_verify], ids=["number", "math_verify"])
def test_not_right_for_80(grader):
    for answer in NOT_80:
        grade = grader.grade(answer, task("80"))
        assert grade.strict in ("wrong", "unreadable"), (answer, grade)
        assert (grade.read is None) == (grade.strict == "unreadable"), (answer, grade)
        assert grade.read is not None or grade.reason, (answer, grade)


def test_a_truncated_answer_is_never_right_before_it_is_whole():
    whole = "Let us see. 8 * 10 is eight tens. The answer is 8 * 10 = 80"
    for end in range(len(whole)):
        assert number.grade(whole[:end], task("80")).strict != "right", whole[:end]
    assert number.grade(whole, task("80")).strict == "right"


@pytest.mark.parametrize(
    ("gold", "answer", "strict"),
    [
        ("0.5", "50%", "right"),
        ("0.5", "1/2", "right"),
        ("0.5", r"\frac{1}{2}", "right"),
        ("0.5", r"$\dfrac12$", "right"),
        ("0.5", "½", "right"),
        ("0.5", "50", "wrong"),
        ("50%", "50%", "right"),
        ("50%", "0.5", "right"),
        ("50%", "50", "wrong"),
        ("1.5", "150%", "unreadable"),
        ("1", "100%", "unreadable"),
        ("3/4", "6/8", "right"),
        ("3/4", "-3/4", "wrong"),
        ("-3", "-3", "right"),
        ("-3", "−3", "right"),
        ("-3", "3", "wrong"),
        ("-1/2", r"-\frac{1}{2}", "right"),
        ("-1/2", r"\frac{-1}{2}", "right"),
        (80, "80", "right"),
        (0.1, "0.1", "right"),
        (0.1, "1/10", "right"),
        ("0.333333", "1/3", "wrong"),
        ("20000", "20001", "wrong"),
        ("1e-9", "0", "wrong"),
        ("1640", "1,640", "right"),
        ("1640", r"1{,}640", "right"),
        ("1640", "16,40", "unreadable"),
        ("23456789", "$23,456,789$", "right"),
        ("37", "It costs $37.00.", "unreadable"),
        ("37", "It is $37.00.", "right"),
        ("3000000", r"3 \times 10^6", "right"),
        ("3000000", r"$3 \cdot 10^{6}$", "right"),
        ("300", "3 * 10^2", "unreadable"),
        ("0.0003", "3e-4", "right"),
        ("Natalia sold 48/2 = 24.\n#### 72", "72", "right"),
        ("80.0", "80", "right"),
        (str(10**60), str(10**60), "right"),
        (str(10**60), str(10**60 + 1), "wrong"),
    ],
)
def test_forms(gold, answer, strict):
    assert number.grade(answer, task(gold)).strict == strict


def test_lenient_is_the_last_number_anywhere():
    table = {
        "I think it could be 90 or 80": "right",
        "80 apples": "right",
        "80, then 90": "wrong",
        "80 %": "unreadable",
        "no number": "unreadable",
        "5 -80": "right",
        "it is -80": "wrong",
        "x80": "unreadable",
        "160/2": "wrong",
    }
    for answer, lenient in table.items():
        assert number.grade(answer, task("80")).lenient == lenient, answer


@pytest.mark.parametrize(
    "gold", [None, True, "see the figure", "", "8 * 10", "80 or 90", {"a": 1}, [80], float("nan"), "80!"]
)
def test_a_gold_that_cannot_be_read_is_ungraded(gold):
    grade = number.grade("80", task(gold))
    assert (grade.strict, grade.lenient) == ("ungraded", "ungraded")


@settings(max_examples=60, deadline=None)
@given(st.text(max_size=200) | st.text(alphabet="80.,+-*/=%$\\{}boxed answer is:\n#<>think", max_size=120))
def test_any_text_is_judged(answer):
    grade = number.grade(answer, task("80"))
    assert grade.strict in ("right", "wrong", "unreadable")
    assert grade.lenient in ("right", "wrong", "unreadable")


@given(st.integers(-(10**12), 10**12), st.integers(1, 10**6), st.booleans())
def test_an_exact_value_survives_its_writing(top, bottom, latex):
    text = f"{'-' * (top < 0)}\\frac{{{abs(top)}}}{{{bottom}}}" if latex else f"{top}/{bottom}"
    found = literal(text)
    assert found is not None
    assert found.value == Fraction(top, bottom)
    again = gold_number(found.exact)
    assert again is not None
    assert again.value == found.value


HOSTILE = {
    "boxes": r"\boxed{" * 150_000,
    "nested boxes": r"\boxed{" * 1_200 + "}" * 1_200 + " x" * 100_000,
    "digits": "9" * 1_000_000,
    "dots": "8." * 500_000,
    "lines": "80\n" * 333_000,
    "equals": "8=" * 500_000,
    "dollars": "$" * 1_000_000,
    "answers": "the answer is " * 70_000,
    "power": "9" * 200 + "e9999",
    "tower": "The answer is 9**9**9**9**9",
    "answer to": "answer to " * 100_000,
    "short lines": "8\n" * 49_000,
    "short boxes": r"\boxed{8}" * 11_000,
    "fractions": r"\frac{1}{2}" * 9_000,
    "spaces": " " * 1_000_000,
    "think": "<think>" * 140_000,
    "tags": "<answer>" * 12_000,
    "is": "is " * 30_000,
    "braces": "{" * 50_000 + "80" + "}" * 50_000,
}


@pytest.mark.parametrize("answer", HOSTILE.values(), ids=HOSTILE)
def test_hostile_text_is_bounded(answer):
    number.grade("1", task("80"))  # the process starts outside the clock
    start = time.perf_counter()
    grade = number.grade(answer, task("80"))
    math_verify.grade(answer, task(r"\sqrt{3}"))
    assert grade.strict != "right"
    assert time.perf_counter() - start < 3
