"""The math grader: nothing wrong is right, most of what is right is read, a gold without a type is ungraded."""

import importlib.util
from pathlib import Path

import pytest

from verigrad.acceptance import comparing
from verigrad.acceptance.graders import math
from verigrad.acceptance.typed import split, typed
from verigrad.records import Task

_spec = importlib.util.spec_from_file_location(
    "math_cases", Path(__file__).parents[1].joinpath("rewards/math_cases.py")
)
cases = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(cases)
ROWS = cases.rows()


def grade(answer, gold, question=""):
    return math.grade(answer, Task.make(prompt=question, gold=gold))


@pytest.mark.parametrize(("status", "gold", "answer", "question"), [row for row in ROWS if row[0] != "R"])
def test_what_is_not_right_is_not_graded_right(status, gold, answer, question):
    assert grade(answer, gold, question).strict != "right"


def test_most_of_what_is_right_is_read():
    right = [row for row in ROWS if row[0] == "R"][::4]
    read = [row for row in right if grade(row[2], row[1], row[3]).strict == "right"]
    assert len(read) >= 0.7 * len(right)


@pytest.mark.parametrize(
    ("gold", "answer"),
    [
        ("\\frac{43}{8}", "\\boxed{5\\frac{3}{8}}"),
        ("-11/4", "\\boxed{-2 3/4}"),
        ("\\dfrac{\\pi}{2}", "pi/2"),
        ("\\sqrt{23}", "$4.795831523312719$"),
        ("2x+3y-5=0", "So the line is $y = -\\frac{2}{3}x + \\frac{5}{3}$."),
        ("n = 11, m = 3", "$\\boxed{m = 3} \\quad \\text{and} \\quad \\boxed{n = 11}$"),
        ("x \\equiv 3 \\pmod 5", "x \\equiv 8 \\pmod{5}"),
        ("38^\\circ", "\\boxed{\\angle BCA = 38^\\circ}"),
        ("\\text{Thursday}", "thursday"),
        ("0.08 \\text{ yuan}", "0.08 yuan"),
        ("(1, 4)", "(1,4)"),
        ("(1, +\\infty)", "$(1, \\infty)$"),
        ("1 - \\frac{1}{\\mathrm{e}}", "1 - \\frac{1}{e}"),
        ("15000", "\\boxed{\\$15,\\!000}"),
        ("12345678", "12\\,345\\,678"),
        ("1000", "1 000"),
        ("28\\%", "\\boxed{28\\text{ percent}}"),
        ("28\\%", "28 pct"),
    ],
)
def test_right_answers_of_every_type(gold, answer):
    assert grade(answer, gold).strict == "right"


@pytest.mark.parametrize("gold", [None, True, "", "see the figure above", "9^{9^{9}}", "1, 2, \\ldots, n", ["a"]])
def test_a_gold_without_a_type_is_ungraded(gold):
    assert grade("5", gold).strict == "ungraded"


def test_types_and_members():
    assert typed("\\{2, 5\\}").type == "set"
    assert typed("(2, 5]").ends == "(]"
    assert typed("25_8").type == "base"
    assert typed("5 \\text{ cm}").unit == typed("5 centimeters").unit == "cm"
    assert typed("x = 3").name == "x"
    assert split("1,234, 5 and (6, 7)") == ["1,234", "5", "(6, 7)"]


@pytest.mark.parametrize(
    ("decimal", "status"),
    [
        ("1.414213562", "right"),
        ("1.4142135623", "right"),
        ("1.4142135624", "right"),
        ("1.4142135625", "wrong"),
        ("1.414", "wrong"),
        ("1.4142135620000", "wrong"),
    ],
)
def test_a_decimal_for_a_surd_needs_ten_right_digits(decimal, status):
    assert comparing.rounded("\\sqrt{2}", decimal)[0] == status
