"""The logic verifier: the shipped cases, siblings of every trap, golds, limits, hostile texts, the gym's table."""

import importlib
import importlib.util
import json
import time
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from verigrad.records import Task
from verigrad.rewards import logic as puzzles
from verigrad.rewards.solving import arithmetic, gym_names, infix, script, solver, terms
from verigrad.rewards.tokens import TooBig, Unread
from verigrad.rewards.verifiers import logic

_spec = importlib.util.spec_from_file_location("structured_answers", Path(__file__).with_name("structured_answers.py"))
table = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(table)
CASES = [
    case
    for line in (Path(__file__).parents[1] / "cases/verifier_cases.jsonl").read_text().splitlines()
    if (case := json.loads(line))["kind"] == "logic"
]
FITS = {"R": ("right",), "N": ("wrong", "unreadable"), "B": ("wrong",)}


def verify(answer, gold, **options):
    return logic.verify(answer, Task.make(prompt="q", gold=gold), **{"seconds": 30.0, **options})


@pytest.mark.parametrize("case", CASES, ids=[c["id"] for c in CASES])
def test_shipped_cases(case):
    got = verify(case["completion"], case["truth"])
    assert got.status in (("right",) if case["expected"] else ("wrong", "unreadable")), (case["why"], got)


@pytest.mark.parametrize("i", range(len(table.LOGIC)))
def test_siblings(i):
    gold, answer, wanted = table.LOGIC[i]
    got = verify(answer, gold)
    assert got.status in FITS[wanted], (gold, answer[:80], got)
    assert got.reason.startswith("broke_check") == (wanted == "B"), got
    assert len(got.read or "") <= 200


@pytest.mark.parametrize("i", range(len(table.UNGRADED_LOGIC)))
def test_a_gold_that_cannot_be_judged_is_nobodys_fault(i):
    gold, answer = table.UNGRADED_LOGIC[i]
    assert verify(answer, gold).status == "ungraded"
    assert verify("", gold).status in ("ungraded", "unreadable")


def test_every_gold_of_the_table_passes_its_own_check():
    seen = set()
    for gold, _, _ in table.LOGIC:
        task = Task.make(prompt="q", gold=gold)
        if task.key in seen:
            continue
        seen.add(task.key)
        assert logic.check_gold(task) is None, gold
        answer = logic.gold_answer(task)
        if answer is not None:
            assert logic.verify(answer, task, seconds=30.0).correct, (gold, answer)
        else:
            assert gold in (table.SEND,) or gold["type"] in ("countdown", "cryptarithm"), gold
    assert len(seen) > 30


def test_every_puzzle_has_a_row_in_the_table():
    assert {gold["type"] for gold, _, _ in table.LOGIC} == set(puzzles.names())


def test_the_type_may_be_an_option():
    assert verify("green", "green", type="one_of").correct
    assert verify("green", "green").status == "ungraded"


HARD = {
    "type": "smt_equivalent",
    "declarations": "(declare-const x Int)(declare-const y Int)(declare-const z Int)",
    "formula": "(> x 3)",
}
NEVER = "(and (> x 3) (or (> x 4) (distinct (+ (* x x x) (* y y y) (* z z z)) 114)))"


def test_a_solver_that_gives_up_on_the_answers_own_formula_is_the_answers_doing():
    got = verify(NEVER, HARD, seconds=0.5)
    assert got.status == "wrong"
    assert got.reason.startswith("broke_check")


def test_constraints_nobody_can_solve_are_nobodys_fault(monkeypatch):
    monkeypatch.setattr(solver, "GOLD_SECONDS", 0.5)
    gold = {"type": "smt", "constraints": ["x**3 + y**3 + z**3 == 114", "x > 1000000"], "ask": "x"}
    assert verify("7", gold, seconds=0.5).status == "ungraded"


@pytest.mark.parametrize(
    ("text", "term"),
    [
        ("x + y == 10", "(= (+ x y) 10)"),
        ("1 < x <= 3", "(and (< 1 x) (<= x 3))"),
        ("And(x > 0, Or(y != 1, Not(z)))", "(and (> x 0) (or (distinct y 1) (not z)))"),
        ("x -> y -> z", "(=> x (=> y z))"),
        ("-x * 2 + y ** 2", "(+ (* (- x) 2) (* y y))"),
        ("not x and y or z", "(or (and (not x) y) z)"),
        ("x // 2 % 3", "(mod (div x 2) 3)"),
        ("x / 2", "(/ x 2)"),
        ("p xor q", "(xor p q)"),
        ("If(p, 1, 2) == x", "(= (ite p 1 2) x)"),
    ],
)
def test_infix_is_read_as_mathematics(text, term):
    assert terms.write(infix.read(text)) == term


@pytest.mark.parametrize(
    "text", ["x +", "f(x)", "x ** 99", "x ** y", "x; y", "'x'", "x[0]", "lambda x: x", "", "x y", "(x"]
)
def test_infix_refuses_the_rest(text):
    with pytest.raises(Unread):
        infix.read(text)


@pytest.mark.parametrize(
    "text",
    [
        "(exit)",
        "(assert x) (assert y)",
        "(forall ((y Int)) (> y x))",
        "(get-model)",
        "(> x q)",
        "x",
        "(let ((x 1)) (> x 0))",
    ],
)
def test_an_answers_formula_is_no_command(text):
    gold = script.read("(declare-const x Int)")
    if text == "x":
        assert script.formula(text, gold) == "x"
        return
    with pytest.raises(Unread):
        script.formula(text, gold)


def test_powers_of_powers_are_bounded():
    gold = script.read("(declare-const x Int)")
    with pytest.raises((TooBig, Unread)):
        script.formula("((((x ** 8) ** 8) ** 8) ** 8) ** 8 > 1", gold)


def test_hostile_shapes_are_bounded():
    begun = time.perf_counter()
    golds = [gold for gold, _, _ in table.LOGIC if gold["type"] != "gym"]
    golds = list({g["type"]: g for g in golds}.values())
    shapes = ["(" * 50_000, "9" * 100_000, "1 " * 50_000 + "x", "x = 1, " * 20_000, "A->B " * 20_000, "~" * 90_000]
    for text in shapes:
        for gold in golds:
            assert verify(text, gold, seconds=10.0).status != "ungraded", (text[:20], gold["type"])
    assert time.perf_counter() - begun < 90


ALPHABET = st.text(alphabet=st.sampled_from("0123456789+-*/()=<>x y,.\n[]{}\"':ABCSMdisk->fromto\\"), max_size=40)


@settings(max_examples=60, deadline=None)
@given(ALPHABET)
def test_no_answer_raises(text):
    for gold in (
        table.COUNT,
        table.SEND,
        table.TOWER,
        table.TWELVE,
        table.UNSAT,
        table.CLAUSES,
        table.GREEN,
        table.SMALL,
    ):
        assert verify(text, gold).status != "ungraded"


@settings(max_examples=200, deadline=None)
@given(ALPHABET)
def test_readers_refuse_in_their_own_words(text):
    for read in (terms.read, infix.read, arithmetic.evaluate):
        try:
            read(text)
        except (Unread, TooBig):
            continue


def test_the_gyms_table_names_each_task_once():
    own, exact, refused = set(gym_names.OWN), set(gym_names.EXACT), set(gym_names.REFUSED)
    assert not own & exact
    assert not own & refused
    assert not exact & refused
    assert (len(own), len(exact), len(refused)) == (7, 68, 31)


def test_the_gyms_table_knows_the_installed_tasks():
    known = set(importlib.import_module("reasoning_gym.factory").DATASETS)
    # tasks that other packages add are refused by name; those of the gym have all been read
    assert {n for n in known if n not in gym_names.OWN and n not in gym_names.EXACT} <= set(gym_names.REFUSED)
    assert set(gym_names.OWN) | set(gym_names.EXACT) <= known


@pytest.mark.parametrize(
    "name", ["countdown", "cryptarithm", "mini_sudoku", "tower_of_hanoi", "puzzle24", "gcd", "maze"]
)
def test_the_gyms_own_oracles_are_right(name):
    gym = importlib.import_module("reasoning_gym")
    item = gym.create_dataset(name, seed=4711, size=1)[0]
    gold = {
        "type": "gym",
        "task": name,
        "answer": item["answer"],
        "metadata": json.loads(json.dumps(item["metadata"], default=str)),
    }
    task = Task.make(prompt=item["question"], gold=gold)
    assert logic.check_gold(task) is None
    assert logic.verify(logic.gold_answer(task), task).correct
    assert not logic.verify("I do not know.", task).correct
