"""Defaults, origins, what a method fills, recipes written in Python."""

from __future__ import annotations

import copy
import json
import pickle
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from verigrad.errors import Refused
from verigrad.recipe import Data, Recipe, load, parse, source_name
from verigrad.recipe.grammar import KEYS

FIXTURES = Path(__file__).parent / "fixtures"
SQL = FIXTURES / "sql.toml"
THREE = FIXTURES / "three_stages.toml"


def dapo_like(name: str) -> Mapping[str, Any]:
    """All three forms of what a method sets elsewhere."""
    known = {
        "grpo": {},
        "dr_grpo": {},
        "ppo": {"train.passes": 4},
        "dapo": {
            "reward.*.options.pays": [-1, 1],
            "reward.+": {"shaping": "overlong", "options": {"cache": 64}},
            "sampling.options.greedy": True,
        },
    }
    if name not in known:
        raise Refused(f"unknown method {name}", key="loss.method")
    return known[name]


def text_of(method: str, more: str = "") -> str:
    return f"""[model]
path = "m"
[data]
source = "times_table"
[[reward]]
verifier = "number"
{more}
[loss]
method = "{method}"
[train]
steps = 3
[acceptance]
grader = "number"
"""


def read(text: str, *sets: str) -> Recipe:
    return parse(text, file="r.toml", folder=FIXTURES, sets=sets, method_sets=dapo_like)


def test_the_users_own_task_of_the_grammar_page() -> None:
    recipe = load(SQL)
    assert recipe.data[0].columns == {"gold": "gold_sql"}
    assert recipe.data[0].prompt == "Schema:\n{schema}\n\nQuestion: {question}"
    assert [part.verifier or part.shaping for part in recipe.reward] == ["checks.py:rows_match", "overlong"]
    assert recipe.loss.axes == {"clip": {"low": 0.2, "high": 0.28}}
    assert (recipe.train.steps, recipe.train.prompts, recipe.train.lr) == (300, 16, 2e-6)
    rule = recipe.acceptance[0].rule
    assert (rule.test, rule.answers, rule.gain, rule.p, rule.margin) == ("sampled", 4, 0.03, 0.05, None)
    assert recipe.stage(1) is recipe
    assert [s.name for s in recipe.stages] == ["01_rl"]
    assert recipe.folder == FIXTURES
    assert recipe.text == SQL.read_text()


def test_the_fixtures_are_the_grammar_pages_own() -> None:
    page = (FIXTURES.parents[2] / "docs" / "recipe.md").read_text()
    assert SQL.read_text() in page
    assert THREE.read_text().split('0.5B-Instruct"\n', 1)[1] in page


def test_defaults_are_those_of_the_grammar_page() -> None:
    recipe = read(text_of("grpo"))
    assert recipe.model.model_dump() == {
        "path": "m", "dtype": "auto", "device": "auto", "lora": None, "template": "auto"
    }  # fmt: skip
    data = recipe.data[0]
    assert (data.held_out, data.weight, data.split_by, data.system, data.prompt) == (0.1, None, None, None, None)
    part = recipe.reward[0]
    assert (part.weight, part.gated, part.on, part.options) == (1.0, False, None, {})
    sampling = recipe.sampling
    assert (sampling.engine, sampling.max_tokens, sampling.temperature, sampling.stop) == ("local", 256, 1.0, ())
    train = recipe.train
    assert (train.prompts, train.group, train.passes, train.minibatches, train.lr) == (8, 8, 1, 1, 1e-6)
    assert (train.save_every, train.keep_last, train.optimizer.max_norm) == (50, 2, 1.0)
    assert (train.schedule.name, train.schedule.warmup, train.schedule.floor) == ("constant", 0, 0)
    suite = recipe.acceptance[0]
    assert (suite.source, suite.every, suite.spot_check) == (None, 0, 0)
    assert (suite.rule.test, suite.rule.answers, suite.rule.p, suite.rule.gain) == ("sampled", 4, 0.05, 0)
    run = recipe.run
    assert (run.name, run.seed, run.sandbox, run.log) == ("r", 0, 2, ("tensorboard",))
    assert (run.workers.kind, run.workers.staleness, run.workers.late) == ("inline", 0, "wait")
    assert (run.limits.ungraded, run.limits.dead, run.limits.hours) == (0.05, 0.95, None)


def test_words_and_numbers_stand_for_tables() -> None:
    recipe = read(
        text_of("grpo")
        .replace('path = "m"', 'path = "m"\nlora = 8')
        .replace("steps = 3", 'steps = 3\nschedule = "cosine"\noptimizer = "adamw"')
        + '[run]\nworkers = "processes"\nlog = "wandb"\n'
    )
    assert recipe.model.lora is not None
    assert (recipe.model.lora.rank, recipe.model.lora.alpha, recipe.model.lora.layers) == (8, 16, "all-linear")
    assert (recipe.train.schedule.name, recipe.run.workers.kind, recipe.run.log) == ("cosine", "processes", ("wandb",))
    assert recipe.origin("train.schedule.name") == recipe.origin("train.schedule") == "r.toml:13"
    assert recipe.origin("train.schedule.warmup") == "default"


def test_origins_and_places() -> None:
    recipe = load(SQL, sets=["train.lr=1e-5"], method_sets=dapo_like)
    assert recipe.train.lr == 1e-5
    assert {
        key: recipe.origin(key)
        for key in ("train.lr", "train.group", "train.passes", "data.columns.gold", "reward.1.weight", "loss.clip.high")
    } == {
        "train.lr": "--set",
        "train.group": "sql.toml:29",
        "train.passes": "default",
        "data.columns.gold": "sql.toml:9",
        "reward.1.weight": "sql.toml:17",
        "loss.clip.high": "sql.toml:21",
    }
    assert recipe.where("train.lr") == "--set"
    assert recipe.where("train.passes") == "sql.toml:26"  # its table
    assert recipe.where("run.limits.hours") == "sql.toml:37"
    assert recipe.where("reward.1.options.cache") == "sql.toml:15"
    assert recipe.where("nothing.at.all") == "sql.toml"
    assert recipe.where("stage.7.train.lr") == "sql.toml"


def test_refusal_puts_the_place_before_an_error_that_carries_a_key() -> None:
    recipe = load(SQL)
    assert recipe.refusal(Refused("a group of 1 has no baseline", key="train.group")) == (
        "sql.toml:29: a group of 1 has no baseline"
    )
    assert recipe.refusal(Refused("no key\nat all")) == "no key at all"
    with pytest.raises(Refused) as caught:
        load(SQL, sets=["train.group=x"])
    assert recipe.refusal(caught.value) == '--set: train.group wants a whole number, got the text "x"'


def test_a_method_fills_what_the_recipe_does_not_say() -> None:
    assert read(text_of("ppo")).train.passes == 4
    assert read(text_of("ppo")).origin("train.passes") == "method ppo"
    assert read(text_of("ppo").replace("steps = 3", "steps = 3\npasses = 2")).train.passes == 2
    assert read(text_of("ppo"), "train.passes=3").train.passes == 3
    assert read(text_of("grpo"), "loss.method=ppo").train.passes == 4


def test_a_method_pays_and_appends_a_part() -> None:
    recipe = read(text_of("dapo", "[[reward]]\nverifier = 'choice'\noptions = { pays = [0, 2], partial = true }"))
    assert [part.options for part in recipe.reward] == [
        {"pays": [-1, 1]},
        {"pays": [0, 2], "partial": True},
        {"cache": 64},
    ]
    assert recipe.reward[2].shaping == "overlong"
    assert recipe.sampling.options == {"greedy": True}
    assert recipe.origin("reward.0.options.pays") == "method dapo"
    assert recipe.origin("reward.0.verifier") == "r.toml:6"
    assert recipe.origin("reward.1.options.pays") == "r.toml:9"
    assert recipe.origin("reward.2.shaping") == "method dapo"
    assert recipe.origin("reward.2.weight") == "default"
    assert recipe.where("reward.2.options.cache") == "r.toml:11"  # the line that names the method
    resolved = recipe.resolved()["reward"]
    assert resolved[0]["options"] == {"pays": {"value": [-1, 1], "origin": "method dapo"}}


def test_a_part_that_is_there_is_not_appended_again() -> None:
    recipe = read(text_of("dapo", "[[reward]]\nshaping = 'overlong'\nweight = 0.5"))
    assert [(part.shaping, part.weight, part.options) for part in recipe.reward] == [
        (None, 1.0, {"pays": [-1, 1]}),
        ("overlong", 0.5, {}),
    ]


def test_set_reaches_the_part_a_method_appended() -> None:
    recipe = read(text_of("dapo"), "reward.1.weight=0.25", "reward.1.options.cache=32")
    assert (recipe.reward[1].weight, recipe.reward[1].options) == (0.25, {"cache": 32})
    assert recipe.origin("reward.1.options.cache") == "--set"


def test_an_unknown_method_is_refused_in_its_line() -> None:
    with pytest.raises(Refused) as caught:
        read(text_of("gpro"))
    assert str(caught.value) == "r.toml:9: unknown method gpro"


def check(answer: str, task: Any) -> bool:
    return answer == task.gold


def tables() -> dict[str, Any]:
    return tomllib.loads(text_of("grpo"))


def test_a_recipe_in_python_may_hold_functions() -> None:
    written = tables()
    written["reward"] = {"verifier": check, "options": {"seconds": 1}}
    written["acceptance"]["grader"] = check
    written["data"]["source"] = check
    written["sampling"] = {"stop": ("a",)}
    before = copy.deepcopy(written)
    recipe = Recipe.of(written, folder=FIXTURES, sets=["train.group=4"], method_sets=dapo_like)
    assert written == before
    assert recipe.reward[0].verifier is check
    assert recipe.acceptance[0].grader is check
    assert recipe.data[0].name == "check"
    assert (recipe.origin("train.steps"), recipe.origin("train.lr")) == ("python", "default")
    assert (recipe.origin("reward.0.options.seconds"), recipe.origin("train.group")) == ("python", "--set")
    name = f"{check.__module__}:check"
    assert recipe.resolved()["reward"][0]["verifier"] == {"value": name, "origin": "python"}
    assert tomllib.loads(recipe.text)["reward"]["verifier"] == name
    assert pickle.loads(pickle.dumps(recipe)) == recipe


@pytest.mark.parametrize(
    ("change", "line"),
    [
        ({"train": {"steps": 1, "grup": 3}}, "unknown key train.grup; did you mean train.group?"),
        ({"train": {"steps": "1"}}, 'train.steps wants a whole number, got the text "1"'),
        ({"reward": [{"verifier": "a"}, {"weight": 1}]}, "reward.1 gives no reward: say verifier, shaping or model"),
        ({"reward": [{"verifier": 3}]}, "reward.0.verifier wants a text, got 3"),
        ({"reward": "number"}, "reward is a table: write [reward] or [[reward]] and its keys"),
        ({3: 4}, "a recipe's tables have texts as names, not 3"),
        ({"run": {"seed": float}}, "run.seed wants a whole number, got a function"),
    ],
)
def test_a_bad_recipe_in_python_is_named_by_its_key(change: dict[str, Any], line: str) -> None:
    with pytest.raises(Refused) as caught:
        Recipe.of({**tables(), **change})
    assert str(caught.value) == line


def test_text_and_tables_give_the_same_recipe() -> None:
    for file in (SQL, THREE):
        read_ = load(file)
        made = Recipe.of(tomllib.loads(file.read_text()), folder=FIXTURES, sets=[f"run.name={file.stem}"])
        again = parse(made.text, file=file.name, folder=FIXTURES)
        for recipe in (made, again):
            assert (recipe.model, recipe.data, recipe.reward, recipe.loss) == (
                read_.model, read_.data, read_.reward, read_.loss
            )  # fmt: skip
            assert (recipe.sampling, recipe.train, recipe.acceptance, recipe.stages) == (
                read_.sampling, read_.train, read_.acceptance, read_.stages
            )  # fmt: skip
        assert [f.train for f in made.flat] == [f.train for f in again.flat] == [f.train for f in read_.flat]


def test_a_recipe_is_frozen() -> None:
    recipe = load(SQL)
    with pytest.raises(Exception, match="frozen"):
        recipe.train.lr = 1.0  # type: ignore[misc]
    with pytest.raises(AttributeError):
        recipe.train = None  # type: ignore[misc,assignment]
    assert pickle.loads(pickle.dumps(recipe)) == recipe


def test_resolved_has_every_key_with_its_origin_and_is_json() -> None:
    for recipe in (load(SQL), load(THREE)):
        resolved = json.loads(json.dumps(recipe.resolved(), allow_nan=False))
        for key in KEYS:
            table, name = key.split(".")
            if table in ("loss", "stage") and name != "method":
                continue  # axes stand there only where the recipe or its user wrote them
            rows = resolved[table] if isinstance(resolved[table], list) else [resolved[table]]
            assert all(name in row for row in rows), key
    assert resolved["stage"][1]["kind"] == {"value": "rl", "origin": "three_stages.toml:37"}
    assert resolved["stage"][0]["train"]["lr"] == {"value": 1e-5, "origin": "three_stages.toml:35"}
    assert resolved["stage"][2]["loss"]["link"]["beta"] == {"value": 0.2, "origin": "three_stages.toml:48"}
    assert resolved["train"]["optimizer"]["betas"] == {"value": [0.9, 0.999], "origin": "default"}
    assert resolved["loss"] == {"method": {"value": "grpo", "origin": "default"}}


@pytest.mark.parametrize(
    ("source", "name"),
    [
        ("sql.jsonl", "sql"),
        ("a/b.c/sql.v2.jsonl", "sql.v2"),
        ("gym:chain_sum", "chain_sum"),
        ("hub:openai/gsm8k", "openai/gsm8k"),
        ("run:.", "."),
        ("times_table", "times_table"),
        ("tasks.py:hard", "hard"),
        (".hidden", ".hidden"),
        (check, "check"),
    ],
)
def test_source_names(source: Any, name: str) -> None:
    assert source_name(source) == Data(source=source).name == name
