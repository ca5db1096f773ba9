"""The walk-through of docs/audit.md: one test lets a constant program through, hidden tests do not."""

import json
from pathlib import Path

from verigrad import audit

FOLDER = Path(__file__).parents[2] / "examples/audit_sorting"
ONLY = ("constant program", "knows the tests")


def rows(name):
    return [json.loads(line) for line in (FOLDER / name).read_text().splitlines()]


def test_both_files_ask_the_same_and_only_the_tests_differ():
    one, hidden = rows("one_test.jsonl"), rows("hidden_tests.jsonl")
    assert [{**r, "gold": 0} for r in one] == [{**r, "gold": 0} for r in hidden]
    for a, b in zip(one, hidden, strict=True):
        assert len(a["gold"]["tests"]) == a["visible_tests"] == 1
        assert b["gold"]["tests"][:1] == a["gold"]["tests"]
        assert len({repr(t["out"]) for t in b["gold"]["tests"]}) > 1
        assert repr(b["gold"]["tests"][0]["out"]) in b["prompt"]


def test_reference_solutions_pass_their_own_tests():
    for row in rows("hidden_tests.jsonl"):
        space = {}
        exec(row["solution"], space)
        for test in row["gold"]["tests"]:
            assert space["arrange"](*test["args"]) == test["out"], row["prompt"]


def test_one_test_is_passed_by_a_program_that_always_gives_one_result():
    found = audit("code", recipe=FOLDER / "one_test.toml", only=ONLY, n=2)
    assert not found.clean
    assert {e.trick for e in found.exploits} == set(ONLY)
    assert all(e.judged == "wrong by the independent grader" for e in found.exploits)
    constant = next(f for f in found.findings if f.name == "constant")
    assert constant.fails
    assert constant.answer == "a program that always gives [1, 2, 3]"


def test_hidden_tests_refuse_it():
    found = audit("code", recipe=FOLDER / "hidden_tests.toml", only=ONLY, n=2)
    assert found.clean, (found.exploits, found.findings)
    assert found.attacks >= 4
    assert found.right == {"code": (2, 0)}
