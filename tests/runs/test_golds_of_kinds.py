"""Golds of the kinds through their own verifiers and graders, as a run does it before anything is trained."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from verigrad.errors import Refused
from verigrad.recipe import parse
from verigrad.runs.golds import check_golds
from verigrad.runs.prepare import prepared

RECIPE = """
[model]
path = "someone/model"
[data]
source = "tasks.jsonl"
held_out = 0.3
[reward]
verifier = "{kind}"
[train]
steps = 1
[acceptance]
grader = "{kind}"
[run]
name = "golds"
"""


def mbpp(n: int, **more: object) -> dict[str, object]:
    return {
        "task_id": n,
        "text": f"Write a function that adds {n}.",
        "code": f"def plus(x):\n    return x + {n}",
        "test_list": [f"assert plus(1) == {n + 1}", f"assert plus(5) == {n + 5}"],
        "test_setup_code": "",
        "challenge_test_list": [],
        **more,
    }


CODE = [
    *(mbpp(n) for n in range(2, 10)),
    mbpp(20, code="def plus(x):\n    return x + 21"),
    mbpp(30, test_list=["assert open(plus(1)).read() == 'x'"]),
    mbpp(40, code="def plus(x:"),
]
CHOICE = [
    *({"question": f"Which is {n}?", "choices": [str(n), "none"], "answer": 0} for n in range(8)),
    {"question": "Which is 9?", "choices": ["8", "none"], "answer": 5},
]
FORMAT = [
    *({"prompt": f"q{n}", "gold": {"rule": "think_block", "min_reasoning_chars": n}} for n in range(8)),
    {"prompt": "other", "gold": {"rule": "think_twice"}},
]


def recipe(folder: Path, kind: str, rows: list[dict[str, object]]) -> object:
    (folder / "tasks.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    return parse(RECIPE.format(kind=kind), file="r.toml", folder=folder)


@pytest.mark.parametrize(
    ("kind", "rows", "reasons"),
    [
        ("code", CODE, ["", "", "code is not Python"]),
        ("choice", CHOICE, ["no choice has the index 5"]),
        ("format", FORMAT, ["'think_twice'"]),
    ],
)
def test_golds_that_fail_or_cannot_be_read_are_listed_before_training(
    tmp_path: Path, kind: str, rows: list[dict[str, object]], reasons: list[str]
) -> None:
    whole = recipe(tmp_path, kind, rows)
    folder = tmp_path / "runs/golds"
    with prepared(whole) as ready:
        with pytest.raises(Refused) as refused:
            check_golds(ready, folder, anyway=False)
        assert str(refused.value).startswith(f"{len(reasons)} of {len(rows)} golds are wrong by their own verifier")
        listed = [json.loads(line) for line in (folder / "golds.jsonl").read_text().splitlines()]
        assert len(listed) == len(reasons)
        for reason in reasons:
            assert any(reason in row["reason"] for row in listed)
        kept, left_out = check_golds(ready, folder, anyway=True)
        assert len(left_out) == len(reasons)
        sides = (kept.split.train, kept.split.validation, kept.split.held_out)
        assert sum(len(tasks) for side in sides for tasks in side.values()) == len(rows) - len(reasons)


def test_golds_that_pass_go_on(tmp_path: Path) -> None:
    with prepared(recipe(tmp_path, "code", CODE[:8])) as ready:
        kept, left_out = check_golds(ready, tmp_path / "runs/golds", anyway=False)
        assert left_out == []
        assert any("read as MBPP" in note for note in kept.notes)


@pytest.mark.parametrize(
    ("kind", "options", "gold"),
    [
        ("schema", 'gold_is = "value"', {"name": "Ann", "age": 30}),
        ("schema", 'format = "yaml", gold_is = "value"', {"age": 30}),
        ("choice", 'choices = "animal|food"', "food"),
        ("pattern", 'ignore_case = true, mode = "search"', {"pattern": "[a-c]+ok", "example": "so: BOK!"}),
        ("logic", 'type = "one_of"', "knave"),
    ],
)
def test_what_a_recipe_says_of_its_golds_reaches_the_grader_too(
    tmp_path: Path, kind: str, options: str, gold: object
) -> None:
    recipe(tmp_path, kind, [{"prompt": f"q{n}", "gold": gold} for n in range(8)])
    text = RECIPE.format(kind=kind).replace("[train]", f"options = {{ {options} }}\n[train]")
    with prepared(parse(text, file="r.toml", folder=tmp_path)) as ready:
        left, rows = check_golds(ready, tmp_path / "runs/golds", anyway=False)
    assert rows == []
    assert len(left.suites) == 1


@pytest.mark.parametrize(
    ("kind", "gold"),
    [
        ("schema", {"schema": {"type": "object", "required": ["age"], "properties": {"age": {"type": "integer"}}}}),
        ("pattern", "[a-c]+ok"),
        ("pattern", r"(?=a)(?!b)\w+"),
        ("logic", {"type": "countdown", "numbers": [2, 3, 5], "target": 10}),
        ("code", {"type": "checker", "entry": "f", "check": "out > args[0]", "tests": [{"args": [3]}]}),
        ("formal", {"type": "coq", "statement": "Theorem t : 1 = 1."}),
    ],
)
def test_a_gold_that_says_how_to_check_needs_no_answer_beside_it(tmp_path: Path, kind: str, gold: object) -> None:
    whole = recipe(tmp_path, kind, [{"prompt": f"q{n}", "gold": gold} for n in range(8)])
    with prepared(whole) as ready:
        left, rows = check_golds(ready, tmp_path / "runs/golds", anyway=False)
    assert rows == []
    assert len(left.suites) == 1


def test_a_refusal_says_the_whole_reason_and_what_would_allow_it(tmp_path: Path) -> None:
    files, tests = {"a.py": "def f():\n    return 0\n"}, {"test_a.py": "def test_f():\n    assert True\n"}
    rows = [{"prompt": f"q{n}", "gold": {"type": "repo", "files": files, "hidden_tests": tests}} for n in range(12)]
    says = r"forge the outcome; options\.shared = true allows that; list: "
    with prepared(recipe(tmp_path, "code", rows)) as ready, pytest.raises(Refused, match=says):
        check_golds(ready, tmp_path / "runs/golds", anyway=False)
