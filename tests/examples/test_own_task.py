"""The user's own task: her check and her grader on good, fooling and hostile answers, and one step by her recipe."""

from __future__ import annotations

import importlib.util
import shutil
import time
from pathlib import Path
from types import ModuleType

import pytest

from tests.tiny import edit_json, tiny_folder
from verigrad.data import check_leaks, load, split
from verigrad.losses import sets_elsewhere
from verigrad.recipe import check_paths
from verigrad.recipe import load as load_recipe
from verigrad.records import Task
from verigrad.runs import pilot, train

FOLDER = Path(__file__).parents[2] / "examples" / "own_task"
SCHEMA = "CREATE TABLE towns (name TEXT, land TEXT, people INTEGER);"
GOLD = "SELECT COUNT(*) FROM towns WHERE land = 'Peru'"
TASK = Task.make(prompt="How many towns have land Peru?", gold=GOLD, columns={"schema": SCHEMA})
NUMBERS = Task.make(prompt="?", gold="SELECT name FROM towns WHERE people > 70", columns={"schema": SCHEMA})


@pytest.fixture(scope="module")
def checks() -> ModuleType:
    spec = importlib.util.spec_from_file_location("own_task_checks", FOLDER / "checks.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def both(checks: ModuleType, answer: str, task: Task = TASK) -> tuple[bool, bool]:
    return checks.rows_match(answer, task), checks.same_on_fresh_rows(answer, task)


RIGHT = [
    GOLD,
    GOLD + ";",
    f"```sql\n{GOLD};\n```",
    "select count(name) from towns where land = 'Peru'",
    "SELECT COUNT(*)\nFROM towns\nWHERE land LIKE 'Peru'",
    "SELECT c FROM (SELECT COUNT(*) AS c FROM towns WHERE land = 'Peru')",
]
WRONG = [
    "",
    "Peru",
    "SELECT COUNT(*) FROM towns",
    "SELECT name FROM towns WHERE land = 'Peru'",
    "SELECT COUNT(*) FROM towns WHERE land = 'peru'",
    f"```sql\n{GOLD}\n```\nor\n```sql\nSELECT 1\n```",
    f"{GOLD}; {GOLD}",
]


@pytest.mark.parametrize("answer", RIGHT)
def test_another_spelling_of_the_query_is_right_for_both(checks: ModuleType, answer: str) -> None:
    assert both(checks, answer) == (True, True)


@pytest.mark.parametrize("answer", WRONG)
def test_another_query_is_wrong_for_both(checks: ModuleType, answer: str) -> None:
    assert both(checks, answer) == (False, False)


@pytest.mark.parametrize("query", ["people > 71", "people >= 70", "people > 69", "people < 70"])
def test_a_near_miss_of_a_number_is_wrong_for_both(checks: ModuleType, query: str) -> None:
    assert both(checks, f"SELECT name FROM towns WHERE {query}", NUMBERS) == (False, False)


def test_a_constant_that_fits_the_checks_rows_is_paid_by_the_check_and_caught_by_the_grader(checks: ModuleType) -> None:
    [(count,)] = checks.result(GOLD, checks.filled(SCHEMA, GOLD, seed=1))
    assert both(checks, f"SELECT {count}") == (True, False)


def test_prose_around_a_block_is_read_by_the_check_and_not_by_the_strict_grader(checks: ModuleType) -> None:
    assert both(checks, f"The query is ```sql\n{GOLD}\n``` as asked.") == (True, False)


HOSTILE = {
    "attach": "ATTACH DATABASE 'gone.db' AS gone",
    "vacuum into": "VACUUM INTO 'gone.db'",
    "pragma": "PRAGMA writable_schema = 1",
    "pragma as a table": "SELECT * FROM pragma_database_list",
    "load_extension": "SELECT load_extension('gone')",
    "readfile": "SELECT readfile('checks.py')",
    "endless recursion": "WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c) SELECT COUNT(*) FROM c",
    "randomblob": "SELECT randomblob(1000000000)",
    "zeroblob": "SELECT hex(zeroblob(1000000000))",
    "printf": "SELECT printf('%.*c', 1000000000, 'x')",
    "product": f"SELECT COUNT(*) FROM {', '.join(f'towns {c}' for c in 'abcdefgh')}",
    "sorted product": "SELECT a.name FROM towns a, towns b, towns c, towns d ORDER BY a.name || b.name",
    "long LIKE": f"SELECT * FROM towns WHERE name LIKE '{'%a' * 400}'",
    "backtracking LIKE": f"SELECT * FROM towns WHERE '{'a' * 800}' LIKE '{'%a' * 14}%b'",
    "GLOB": f"SELECT * FROM towns WHERE name GLOB '{'*a' * 100}'",
    "deep": f"SELECT {'(' * 4000}1{')' * 4000}",
    "union": " UNION ALL ".join(["SELECT * FROM towns"] * 20),
    "long": f"SELECT {'1,' * 100_000}1",
    "delete": "DELETE FROM towns",
    "insert": "INSERT INTO towns VALUES ('a', 'b', 1)",
    "update": "UPDATE towns SET people = 1",
    "drop": "DROP TABLE towns",
    "create": "CREATE TABLE more AS SELECT 1",
    "transaction": "BEGIN EXCLUSIVE",
    "schema table": "SELECT sql FROM sqlite_master",
    "nul": "SELECT 'a\x00b'",
    "lone surrogate": "SELECT '\ud800'",
    "fences": "```" * 1001,
    "spaces": "```" + " " * 100_000,
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_sql_is_wrong_quick_and_leaves_nothing(
    checks: ModuleType, name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    begun = time.process_time()
    assert both(checks, HOSTILE[name]) == (False, False)
    assert time.process_time() - begun < 1.0
    assert list(tmp_path.iterdir()) == []


def test_the_recipe_is_whole_its_data_has_all_sides_and_every_gold_passes(checks: ModuleType) -> None:
    recipe = load_recipe(FOLDER / "sql.toml", method_sets=sets_elsewhere)
    check_paths(recipe)
    cut = split(load(recipe.data, folder=recipe.folder))
    check_leaks(cut)
    sides = {side: getattr(cut, side)["questions"] for side in ("train", "validation", "held_out")}
    assert all(len(tasks) >= 4 for tasks in sides.values())
    databases = {side: {task.columns["db"] for task in tasks} for side, tasks in sides.items()}
    assert not databases["held_out"] & (databases["train"] | databases["validation"])
    for task in (t for tasks in sides.values() for t in tasks):
        assert both(checks, task.gold, task) == (True, True)
        assert checks.result(task.gold, checks.filled(task.columns["schema"], task.gold, seed=1))
        assert checks.filled(task.columns["schema"], task.gold, seed=1)[1] not in ("towns", "roads", "bags")  # shown


def test_the_recipe_trains_and_its_check_and_grader_judge(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A tiny model writes no SQL: everything is wrong, the pilot says so, and a step is taken anyway."""
    shutil.copytree(FOLDER, tmp_path / "own_task", ignore=shutil.ignore_patterns("__pycache__", "runs"))
    monkeypatch.chdir(tmp_path)  # the recipe is named by a relative path, as one does
    rows = (tmp_path / "own_task/questions.jsonl").read_text().splitlines(keepends=True)
    (tmp_path / "own_task/questions.jsonl").write_text("".join(rows[:48]))
    model = tiny_folder(tmp_path)
    edit_json(model / "config.json", max_position_embeddings=2048)
    sets = [
        f"model.path={model}",
        "sampling.max_tokens=4",
        "train.steps=1",
        "train.prompts=2",
        "train.group=2",
        "acceptance.0.rule.answers=1",
        "run.log=[]",
    ]
    looked = pilot("own_task/sql.toml", sets=sets)
    assert looked.numbers.verdicts["wrong"] == 1.0
    assert looked.advice is not None
    run = train("own_task/sql.toml", sets=sets, anyway=True)
    assert run.acceptance is not None
    assert not run.accepted
    assert {item.greedy_after.grade.strict for item in run.items} == {"wrong"}
    assert (run.folder / "user/checks.py").read_text() == (FOLDER / "checks.py").read_text()
