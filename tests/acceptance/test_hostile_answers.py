"""Graders and hostile text: no answer makes its own grading fail, and a gold nobody can read is ungraded for all."""

import time

import pytest

from verigrad.acceptance.graders import blank, choice, logic, math, number, pattern, schema
from verigrad.records import Task

GOLDS = [
    (blank, "silver"),
    (choice, {"answer": "B", "choices": "ABCD"}),
    (pattern, "[0-9]{4}"),
    (schema, {"schema": {"type": "object"}}),
    (schema, {"schema": {"type": "object"}, "format": "yaml"}),
    (logic, {"type": "countdown", "numbers": [2, 3], "target": 6}),
    (logic, {"type": "sat_assignment", "clauses": [[1, -2], [2, 3]]}),
    (logic, {"type": "prime_factorization", "n": 12}),
    (logic, {"type": "hanoi", "disks": 2, "start": "A", "goal": "C"}),
]
HOSTILE = ["9" * 100_000, '{"a":' * 20_000, "`" * 60_000, "(" * 100_000, "5\ud800", "\0", "1/0", "<answer>" * 5_000]
UNREADABLE = [
    (choice, {"answer": "E", "choices": "ABCD"}),
    (blank, [""]),
    (schema, {"schema": {"type": "strnig"}}),
    (schema, {"schema": {"$ref": "#/nowhere"}}),
    (logic, {"type": "countdown", "numbers": [], "target": 6}),
    (logic, {"type": "prime_factorization"}),
    (logic, {"type": "one_of", "answer": ""}),
    (logic, {"type": "sat", "status": "maybe"}),
]


@pytest.mark.parametrize("i", range(len(GOLDS)))
@pytest.mark.parametrize("j", range(len(HOSTILE)))
def test_no_answer_makes_its_own_grading_fail(i, j):
    grader, gold = GOLDS[i]
    task = Task.make(prompt="q", gold=gold)
    start = time.monotonic()
    assert grader.grade(HOSTILE[j], task).strict in ("wrong", "unreadable")
    assert time.monotonic() - start < 5.0


@pytest.mark.parametrize("i", range(len(UNREADABLE)))
@pytest.mark.parametrize("answer", ["", "B", "[" * 500, "6"])
def test_a_gold_nobody_can_read_is_ungraded_for_every_answer(i, answer):
    grader, gold = UNREADABLE[i]
    assert grader.grade(answer, Task.make(prompt="q", gold=gold)).strict == "ungraded"


@pytest.mark.parametrize("grader", [math, number, blank])
@pytest.mark.parametrize(
    "answer", ["not \\boxed{5}", "It isn't $\\boxed{5}$.", "I doubt \\boxed{5}", "not <answer>5</answer>"]
)
def test_a_denied_box_is_no_answer(grader, answer):
    assert grader.grade(answer, Task.make(prompt="q", gold="5")).strict != "right"


@pytest.mark.parametrize("gold", ["x^2+y^2=4", "x^{2}+y^{2}", "x^2 - y^2"])
def test_two_powers_beside_each_other_are_no_tower(gold):
    assert math.grade(f"\\boxed{{{gold}}}", Task.make(prompt="q", gold=gold)).strict == "right"


@pytest.mark.parametrize("gold", ["9^{9^{9}}", "9^9^9", "2**3**4", "x^{2^{9}}"])
def test_a_tower_is_ungraded(gold):
    assert math.grade("5", Task.make(prompt="q", gold=gold)).strict == "ungraded"
