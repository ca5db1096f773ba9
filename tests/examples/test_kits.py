"""What `init` writes: every kit is whole, splits, passes its own checks, and one is trained for a step."""

from __future__ import annotations

import runpy
import tomllib
from pathlib import Path

import pytest
from typer.testing import CliRunner

from tests.tiny import tiny_folder
from verigrad.cli.main import app
from verigrad.data import check_leaks, load, split
from verigrad.errors import NotYet, Refused
from verigrad.losses import sets_elsewhere
from verigrad.recipe import check_built, check_paths
from verigrad.recipe import load as load_recipe
from verigrad.rewards import Rewards
from verigrad.runs import KITS, NOT_YET, init, train

HEADINGS = ("1. where the data comes from", "2. who gives the reward", "3. how the loss is computed", "4. who accepts")


@pytest.mark.parametrize("have", KITS)
def test_a_kit_is_whole_and_its_golds_pass(have: str, tmp_path: Path) -> None:
    paths = init(tmp_path / "mine", have)
    assert sorted(p.name for p in paths) == sorted(p.name for p in (tmp_path / "mine").iterdir())
    recipe = load_recipe(tmp_path / "mine/recipe.toml", method_sets=sets_elsewhere)
    check_built(recipe)
    check_paths(recipe)
    cut = split(load(recipe.data, folder=recipe.folder))
    check_leaks(cut)
    sides = [tasks for side in (cut.train, cut.validation, cut.held_out) for tasks in side.values()]
    assert all(sides)
    assert len(sides[0]) >= recipe.train.prompts
    rewards = Rewards(recipe.reward, folder=recipe.folder, max_tokens=recipe.sampling.max_tokens)
    try:
        assert rewards.check_golds([task for tasks in sides for task in tasks]) == []
    finally:
        rewards.close()


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


def test_a_kit_trains(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    init(tmp_path / "mine", "checker")
    monkeypatch.chdir(tmp_path)
    sets = [
        f"model.path={tiny_folder(tmp_path)}",
        "sampling.max_tokens=4",
        "train.steps=1",
        "train.prompts=2",
        "train.group=2",
        "acceptance.0.rule.answers=1",
        "run.log=[]",
    ]
    run = train("mine/recipe.toml", sets=sets, anyway=True)  # a tiny model adds nothing up
    assert run.folder == Path("runs/checker")
    assert run.acceptance is not None
    assert not run.accepted


def test_init_asks_and_says_what_is_next(tmp_path: Path) -> None:
    done = CliRunner().invoke(app, ["init", str(tmp_path / "mine")], input="answers\n")
    assert done.exit_code == 0
    told = [str(tmp_path / "mine" / name) for name in KITS["answers"].files]
    assert done.stdout.splitlines()[-len(told) :] == told
    assert "What do you have?" in done.stderr
    assert all(f"\n  {name} " in done.stderr for name in (*KITS, *NOT_YET))
    assert f"next: verigrad train {tmp_path / 'mine' / 'recipe.toml'}" in done.stderr


@pytest.mark.parametrize("have", NOT_YET)
def test_what_this_version_cannot_start_from_is_said_in_one_line(have: str, tmp_path: Path) -> None:
    with pytest.raises(NotYet, match="not in this version yet") as refused:
        init(tmp_path / "mine", have)
    assert "\n" not in str(refused.value)
    assert "start from checker" in str(refused.value)
    assert not (tmp_path / "mine").exists()


def test_a_folder_with_something_in_it_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "recipe.toml").write_text("hers")
    with pytest.raises(Refused, match="not empty"):
        init(tmp_path, "nothing")
    assert (tmp_path / "recipe.toml").read_text() == "hers"


def test_an_unknown_word_names_what_there_is(tmp_path: Path) -> None:
    with pytest.raises(Refused, match="init offers checker, answers, nothing, not 'money'"):
        init(tmp_path, "money")
