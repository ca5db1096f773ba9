"""What `init` writes: every kit is whole, splits, passes its own checks, and one is trained for a step."""

from __future__ import annotations

import runpy
import tomllib
from pathlib import Path

import pytest
from typer.testing import CliRunner

from tests.tiny import tiny_folder
from verigrad.cli.main import app
from verigrad.errors import Refused
from verigrad.losses import sets_elsewhere
from verigrad.recipe import check_built, check_paths
from verigrad.recipe import load as load_recipe
from verigrad.runs import KITS, init, train
from verigrad.runs.golds import check_golds
from verigrad.runs.prepare import prepared

HEADINGS = ("1. where the data comes from", "2. who gives the reward", "3. how the loss is computed", "4. who accepts")


@pytest.mark.parametrize("have", KITS)
def test_a_kit_is_whole_and_its_golds_pass(have: str, tmp_path: Path) -> None:
    paths = init(tmp_path / "mine", have)
    assert sorted(p.name for p in paths) == sorted(p.name for p in (tmp_path / "mine").iterdir())
    recipe = load_recipe(tmp_path / "mine/recipe.toml", method_sets=sets_elsewhere)
    check_built(recipe)
    check_paths(recipe)
    for stage in recipe.stages:
        with prepared(recipe, stage.number) as ready:
            sides = [
                t for side in (ready.split.train, ready.split.validation, ready.split.held_out) for t in side.values()
            ]
            assert all(sides)
            assert len(sides[0]) >= ready.recipe.train.prompts
            assert len(ready.examples) == (0 if stage.kind == "rl" else len(sides[0]))
            assert check_golds(ready, tmp_path, anyway=False)[1] == []


@pytest.mark.parametrize("have", KITS)
def test_a_kits_recipe_explains_every_line_under_the_four_headings(have: str, tmp_path: Path) -> None:
    init(tmp_path, have)
    text = (tmp_path / "recipe.toml").read_text()
    assert all(heading in text for heading in HEADINGS)
    keys = [line for line in text.splitlines() if " = " in line and not line.startswith((" ", "#"))]
    assert keys
    assert [line for line in keys if "# " not in line] == []
    assert tomllib.loads(text)["model"]["path"].startswith("package:")


def test_the_checkers_grader_refuses_what_its_check_pays(tmp_path: Path) -> None:
    """Run as the user would read it: the file alone, without the package."""
    init(tmp_path, "checker")
    names = runpy.run_path(str(tmp_path / "checks.py"))
    task = type("Task", (), {"columns": {"sum": 12}})
    for answer, paid, accepted in (
        ("5 + 7", True, True),
        ("5 and 7.", True, True),
        ("0 + 12", True, False),
        ("The numbers are 5 and 7", True, False),
        ("5 + 8", False, False),
        ("5 + 7 = 12", False, False),
        ("", False, False),
        ("9" * 4000, False, False),
    ):
        assert (names["adds_up"](answer, task), names["adds_up_strictly"](answer, task)) == (paid, accepted), answer


TINY = ["sampling.max_tokens=4", "acceptance.0.rule.answers=1", "run.log=[]"]
TRAINS = {
    "checker": ["train.steps=1", "train.prompts=2", "train.group=2"],
    "pairs": ["train.epochs=1", "train.prompts=12"],
    "judge": ["stage.1.train.epochs=1", "stage.1.train.prompts=12", "stage.2.train.steps=1", "train.group=2"],
}


@pytest.mark.parametrize("have", TRAINS)
def test_a_kit_trains(have: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    init(tmp_path / "mine", have)
    monkeypatch.chdir(tmp_path)
    sets = [f"model.path={tiny_folder(tmp_path)}", *TINY, *TRAINS[have]]
    run = train("mine/recipe.toml", sets=sets, anyway=True)  # a tiny model adds nothing up
    assert run.folder == Path("runs") / have
    assert run.acceptance is not None
    assert not run.accepted


def test_the_pairs_grader_wants_the_number_and_the_way(tmp_path: Path) -> None:
    """Run as the user would read it: the file alone, without the package."""
    init(tmp_path, "pairs")
    names = runpy.run_path(str(tmp_path / "checks.py"))
    task = type("Task", (), {"gold": "Anna starts with 7 and gets 9 more, so the answer is 16."})
    for answer, accepted in (
        (task.gold, True),
        ("She has 7, gets 9 and so has 16.", True),
        ("16", False),
        ("She has 7, gets 9 and so has 17.", False),
        ("I do not know how many there are.", False),
        ("", False),
    ):
        assert names["explains"](answer, task) is accepted, answer


def test_init_asks_and_says_what_is_next(tmp_path: Path) -> None:
    done = CliRunner().invoke(app, ["init", str(tmp_path / "mine")], input="answers\n")
    assert done.exit_code == 0
    told = [str(tmp_path / "mine" / name) for name in KITS["answers"].files]
    assert done.stdout.splitlines()[-len(told) :] == told
    assert "What do you have?" in done.stderr
    assert all(f"\n  {name} " in done.stderr for name in KITS)
    assert f"next: verigrad train {tmp_path / 'mine' / 'recipe.toml'}" in done.stderr


def test_a_folder_with_something_in_it_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "recipe.toml").write_text("hers")
    with pytest.raises(Refused, match="not empty"):
        init(tmp_path, "nothing")
    assert (tmp_path / "recipe.toml").read_text() == "hers"


def test_an_unknown_word_names_what_there_is(tmp_path: Path) -> None:
    with pytest.raises(Refused, match="init offers checker, answers, pairs, judge, nothing, not 'money'"):
        init(tmp_path, "money")
