"""The grader `math_verify` on golds that are expressions; and what happens when the comparison itself breaks."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from verigrad.acceptance import comparing
from verigrad.acceptance.graders import math_verify
from verigrad.acceptance.workers import Broke, Calling
from verigrad.records import Task
from verigrad.sandbox import Worker

CASES = [
    (r"2\sqrt{3}", r"\boxed{\sqrt{12}}", "right"),
    (r"2\sqrt{3}", r"The answer is $2\sqrt{3}$.", "right"),
    (r"2\sqrt{3}", r"$x = 2\sqrt{3}$", "right"),
    (r"2\sqrt{3}", r"\boxed{2\sqrt{3}} or \boxed{4}", "unreadable"),
    (r"2\sqrt{3}", r"\boxed{2\sqrt{3} or 4}", "unreadable"),
    (r"2\sqrt{3}", r"\boxed{4, 2\sqrt{3}}", "unreadable"),
    (r"2\sqrt{3}", r"\boxed{2\sqrt{5}}", "wrong"),
    (r"\frac{\pi}{2}", r"\boxed{\frac{\pi}{2}}", "right"),
    (r"\{1,2\}", r"\boxed{\{2,1\}}", "right"),
    (r"\{1,2\}", r"\boxed{\{2,1,3\}}", "wrong"),
    (r"x^2+1", r"\boxed{1+x^2}", "right"),
    (r"x^2+1", r"I could not find it.", "unreadable"),
    (r"2\sqrt{3}", r"\boxed{9^{9^{9}}}", "unreadable"),
    (r"(1,4)", r"$1, 4$", "unreadable"),
    (r"(1,4)", r"$(1,4)$", "right"),
    (r"(0,6)", r"$[0,6)$", "unreadable"),
    (r"25_6", r"\boxed{25_8}", "unreadable"),
    (r"\frac{1}{3^{80}}", r"\frac{1}{3^{79}}", "wrong"),
    (r"\frac{1}{3^{80}}", r"\frac{1}{3^{80}}", "right"),
    (r"\sqrt{23}", r"4.795831523312719", "right"),
    (r"\sqrt{23}", r"4.795832", "wrong"),
    (r"\csc^2(t)", r"$\cot^2(t)+1$", "right"),
    (r"\text{Sun}", r"\boxed{\text{Sunday}}", "unreadable"),
]


@pytest.mark.parametrize(("gold", "answer", "strict"), CASES)
def test_expressions(gold, answer, strict):
    assert math_verify.grade(answer, Task.make(prompt="q", gold=gold)).strict == strict


@pytest.mark.parametrize("gold", [None, "", "9" * 600 + "x", 3.5j, ["x"], "see the figure above", r"1, 2, \ldots, n"])
def test_unreadable_golds(gold):
    assert math_verify.grade("x", Task.make(prompt="q", gold=gold)).strict == "ungraded"


@settings(max_examples=40, deadline=None)
@given(st.text(max_size=80) | st.text(alphabet=r"\sqrt{}frac0123456789+-*/^xy=,() $boxed", max_size=60))
def test_any_text_is_judged(answer):
    grade = math_verify.grade(answer, Task.make(prompt="q", gold=r"2\sqrt{3}"))
    assert grade.strict in ("right", "wrong", "unreadable")


BROKE = Broke("timed_out: no answer in 10 s")


def scripted(*said):
    """A call that says these in order; an exception is raised."""
    left = list(said)

    def call(gold, answer):
        value = left.pop(0)
        if isinstance(value, Exception):
            raise value
        return value

    return call


@pytest.mark.parametrize(
    ("said", "status"),
    [
        (["different"], "wrong"),
        (["equal"], "right"),
        (["gold"], "ungraded"),
        (["answer"], "wrong"),
        ([BROKE, "equal", "equal"], "right"),
        ([BROKE, "equal", BROKE], "wrong"),
        ([BROKE, BROKE, BROKE], "ungraded"),
        ([BROKE, "different", BROKE], "ungraded"),
        ([BROKE, BROKE, "different"], "wrong"),
    ],
)
def test_a_break_is_judged_beside_a_probe(said, status):
    renewed = []
    got, reason = comparing.equal("1", "2", call=scripted(*said), fresh=lambda: renewed.append(1))
    assert got == status
    assert len(renewed) == (len(said) > 1)
    assert reason.startswith("broke_check: timed_out") == (said[-1] is BROKE and status == "wrong")


def test_a_comparison_that_hangs_is_killed():
    worker = Worker()
    hang = Calling(worker, "time:sleep", seconds=0.2)
    quick = Calling(worker, "operator:eq", seconds=5)
    status, reason = comparing.equal(
        "1",
        "2",
        call=lambda gold, answer: "equal" if gold == answer and quick(gold, answer) else hang(30),
        fresh=hang.fresh,
    )
    worker.close()
    assert status == "wrong"
    assert reason.startswith("broke_check: timed_out")
