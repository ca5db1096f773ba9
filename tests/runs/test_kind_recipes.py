"""The recipes of the verifier kinds: each reads, and its golds are right by its verifier and by its grader."""

from __future__ import annotations

from pathlib import Path

import pytest

from verigrad.acceptance import open_grader
from verigrad.data import check_leaks, load, load_suite, split
from verigrad.recipe import load as load_recipe
from verigrad.rewards import kind

ROOT = Path(__file__).parent.parent.parent
STEP = {"json_extraction": 17, "multiple_choice": 7, "code_tests": 23, "smt": 17}
"""Every which gold is looked at; training looks at all of them."""


@pytest.mark.parametrize("name", sorted(STEP))
def test_golds_are_right_by_the_verifier_and_by_the_grader_and_a_neighbours_gold_is_not(name: str) -> None:
    recipe = load_recipe(ROOT / f"recipes/{name}.toml").stage(1)
    verifier = kind(str(recipe.reward[0].verifier))
    suites = [load_suite(str(suite.source)) for suite in recipe.acceptance[1:]]
    cut = split(load(recipe.data, folder=recipe.folder), suites=suites)
    check_leaks(cut)
    tasks = [t for side in (cut.train, cut.validation, cut.held_out, cut.suites) for ts in side.values() for t in ts]
    tasks = tasks[:: STEP[name]]
    with open_grader(recipe.acceptance[0].grader) as grader:
        for task, other in zip(tasks, [*tasks[1:], tasks[0]], strict=True):
            gold, wrong = (verifier.gold_answer(t, **recipe.reward[0].options) for t in (task, other))
            assert gold is not None
            assert verifier.verify(gold, task, **recipe.reward[0].options).status == "right", task.gold
            assert grader.grade(gold, task).strict == "right", task.gold
            assert grader.unaccepted(task) == "", task.gold
            same = verifier.verify(str(wrong), task, **recipe.reward[0].options).status
            assert (same == "right") == (grader.grade(str(wrong), task).strict == "right"), (task.gold, wrong)


@pytest.mark.parametrize("name", sorted(STEP))
def test_a_recipe_is_accepted_by_another_implementation_and_guarded(name: str) -> None:
    recipe = load_recipe(ROOT / f"recipes/{name}.toml").stage(1)
    first, guard = recipe.acceptance
    assert first.grader == recipe.reward[0].verifier != "same"
    assert first.source == recipe.data[0].source
    assert guard.source == f"{first.source}_new"
    assert first.rule.margin is None
    assert guard.rule.margin is not None
