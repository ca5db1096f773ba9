"""default < method < recipe < stage < --set, with every value's origin; stages; recipes written in Python."""

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
from verigrad.recipe import Data, Recipe, judged_sides, load, parse, source_name
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


SETS = [
    ("train.lr=1e-5", lambda r: r.train.lr, 1e-5),
    ("train.lr=1", lambda r: r.train.lr, 1.0),
    ("run.name=sql-2", lambda r: r.run.name, "sql-2"),
    ('run.name="sql-2"', lambda r: r.run.name, "sql-2"),
    ("run.name = 2024-run", lambda r: r.run.name, "2024-run"),
    ("model.path=org/Model-1.5B # x", lambda r: r.model.path, "org/Model-1.5B # x"),
    ("reward.0.weight=2", lambda r: r.reward[0].weight, 2.0),
    ("reward.0.gated=true", lambda r: r.reward[0].gated, True),
    ("reward.0.options.pays=[-1, 1]", lambda r: r.reward[0].options, {"pays": [-1, 1]}),
    ("reward.weight=3", lambda r: r.reward[0].weight, 3.0),
    ("data.held_out=0.5", lambda r: r.data[0].held_out, 0.5),
    ("acceptance.rule.answers=8", lambda r: r.acceptance[0].rule.answers, 8),
    ("acceptance.0.rule={ margin = -0.1 }", lambda r: r.acceptance[0].rule.margin, -0.1),
    ("loss.kl=none", lambda r: r.loss.axes, {"kl": "none"}),
    ("loss.clip.high=0.3", lambda r: r.loss.axes, {"clip": {"high": 0.3}}),
    ("train.schedule.warmup=10", lambda r: r.train.schedule.warmup, 10),
    ("train.schedule=linear", lambda r: r.train.schedule.name, "linear"),
    ("model.lora=4", lambda r: r.model.lora.rank, 4),
    ("train={ group = 4 }", lambda r: (r.train.group, r.train.steps), (4, 3)),
    ("run.limits.hours=2", lambda r: r.run.limits.hours, 2.0),
    ("run.log=[]", lambda r: r.run.log, ()),
    ("sampling.stop=['a', 'b']", lambda r: r.sampling.stop, ("a", "b")),
]


@pytest.mark.parametrize(("text", "value", "expected"), SETS)
def test_set(text: str, value: Any, expected: Any) -> None:
    recipe = read(text_of("grpo"), text)
    assert value(recipe) == expected
    key = text.partition("=")[0].strip()
    assert recipe.origin("train.group" if key == "train" else key) == "--set"


def test_a_word_becomes_a_table_when_a_parameter_is_set() -> None:
    text = (
        text_of("grpo")
        .replace("[train]", 'clip = "dual"\n[train]\nschedule = "cosine"')
        .replace('path = "m"', 'path = "m"\nlora = 0')
    )
    recipe = read(text, "loss.clip.high=0.3", "train.schedule.floor=0.1", "model.lora.rank=2")
    assert recipe.loss.axes == {"clip": {"name": "dual", "high": 0.3}}
    assert (recipe.train.schedule.name, recipe.train.schedule.floor) == ("cosine", 0.1)
    assert recipe.model.lora is not None
    assert recipe.origin("loss.clip.name") == "r.toml:11"
    assert recipe.origin("loss.clip.high") == "--set"


def test_the_last_of_two_settings_holds() -> None:
    assert read(text_of("grpo"), "train.group=4", "train.group=6").train.group == 6


BAD_SETS = [
    ("train.lr", "--set train.lr: write key=value, as in train.lr=1e-5 or reward.0.weight=2"),
    ("=3", "--set =3: write key=value, as in train.lr=1e-5 or reward.0.weight=2"),
    ("train lr=3", "--set train lr=3: write key=value, as in"),
    ("train.lr=x", '--set: train.lr wants a number, got the text "x"'),
    ("train.lr=", "--set: train.lr wants a number, got an empty text"),
    ("train.group=8.5", "--set: train.group wants a whole number, got 8.5"),
    ("train.grup=8", "--set: unknown key train.grup; did you mean train.group?"),
    ("run.steps=8", "--set: unknown key run.steps; it is train.steps"),
    ("trian.group=8", "--set: unknown table trian; did you mean train?"),
    ("model=5", "--set: model is a table: write [model] and its keys"),
    ("train.steps.x=5", "--set train.steps.x: nothing in r.toml can hold this key"),
    ("sampling.stop=[1", "--set sampling.stop=[1: the value is not TOML; quote the whole for the shell"),
    ("reward.3.weight=1", "--set reward.3.weight: no such reward; there is 1"),
    ("reward.0.weight=-1", "--set: reward.0.weight wants a number of at least 0, got -1"),
    ("stage.1.train.lr=1", "--set stage.1.train.lr: the recipe has no [[stage]]"),
    ("train.lr=1\nrun.seed=3", "--set: train.lr wants a number, got the text"),
]


@pytest.mark.parametrize(("text", "line"), BAD_SETS)
def test_a_bad_set(text: str, line: str) -> None:
    with pytest.raises(Refused) as caught:
        read(text_of("grpo"), text)
    assert str(caught.value).startswith(line), str(caught.value)


def test_an_index_must_be_said_where_there_are_several() -> None:
    with pytest.raises(Refused) as caught:
        load(SQL, sets=["reward.weight=1"])
    assert str(caught.value) == "--set reward.weight: no such reward; there are 2, reward.0 to reward.1"


def test_stages_inherit_key_by_key_and_replace_lists() -> None:
    recipe = load(THREE)
    assert [s.name for s in recipe.stages] == ["01_sft", "02_rl", "03_preference"]
    sft, rl, preference = (recipe.stage(n) for n in (1, 2, 3))
    assert [[d.name for d in r.data] for r in (recipe, sft, rl, preference)] == [
        ["sql", "chain_sum"], ["demos"], ["sql", "chain_sum"], ["."]
    ]  # fmt: skip
    assert [(r.train.steps, r.train.epochs) for r in (sft, rl, preference)] == [(None, 1), (300, None), (None, 1)]
    assert [r.train.lr for r in (sft, rl, preference)] == [1e-5, 1e-6, 1e-6]
    assert [r.loss.method for r in (sft, rl, preference)] == ["grpo", "dapo", "dpo"]
    assert [len(r.reward) for r in (sft, rl, preference)] == [3, 3, 3]
    assert sft.data[0].held_out == 0  # only trained on
    assert preference.loss.axes == {"link": {"beta": 0.2}}
    assert judged_sides(recipe.acceptance, recipe.data) == (("sql",), ("chain_sum",), ())
    assert recipe.acceptance[2].rule.margin == -0.02
    assert (sft.origin("train.lr"), rl.origin("train.lr")) == ("three_stages.toml:35", "default")
    assert recipe.origin("stage.1.train.lr") == "three_stages.toml:35"
    assert recipe.where("stage.2.loss.clip") == "three_stages.toml:38"
    assert rl.origin("reward.2.weight") == "three_stages.toml:17"
    assert rl.stage(2) is rl
    with pytest.raises(Refused, match=r"three_stages.toml has 3 stages, no stage 4"):
        recipe.stage(4)


def staged(top: str, stage: str) -> str:
    body = text_of("grpo").replace("[train]\nsteps = 3", f"[train]\n{top}")
    return f"{body}[[stage]]\nkind = 'rl'\n{stage}"


def test_a_stage_overrides_the_recipe_and_set_overrides_both() -> None:
    text = staged("steps = 3\nlr = 1e-3\nschedule = { name = 'linear', warmup = 5 }", "[stage.train]\nlr = 1e-4")
    assert read(text).stage(1).train.lr == 1e-4
    assert read(text).stage(1).train.schedule.warmup == 5
    assert read(text, "train.lr=1e-5").stage(1).train.lr == 1e-5
    assert read(text, "stage.1.train.lr=1e-7", "train.lr=1e-5").stage(1).train.lr == 1e-7
    assert read(text, "stage.1.train.lr=1e-7", "train.lr=1e-5").train.lr == 1e-5
    key = text.replace("lr = 1e-4", "schedule = 'cosine'")
    assert read(key).stage(1).train.schedule.warmup == 0  # a key is replaced as a whole


def test_a_stages_method_sets_only_there() -> None:
    text = staged("steps = 3", "[[stage]]\nkind = 'rl'\n[stage.loss]\nmethod = 'dapo'")
    recipe = read(text, "stage.1.loss.method=ppo")
    assert [r.train.passes for r in (recipe, recipe.stage(1), recipe.stage(2))] == [1, 4, 1]
    assert [len(r.reward) for r in (recipe, recipe.stage(1), recipe.stage(2))] == [1, 1, 2]
    assert recipe.stage(2).origin("reward.1.shaping") == "method dapo"


def test_settings_of_a_stages_inherited_and_own_lists() -> None:
    inherited = staged("steps = 3", "")
    recipe = read(inherited, "stage.1.reward.0.weight=2")
    assert (recipe.reward[0].weight, recipe.stage(1).reward[0].weight) == (1.0, 2.0)
    assert recipe.stage(1).reward[0].verifier == "number"
    own = staged("steps = 3", "[stage.reward]\nverifier = 'choice'")
    recipe = read(own, "reward.0.weight=5", "stage.1.reward.0.weight=2")
    assert (recipe.reward[0].weight, recipe.stage(1).reward[0].weight) == (5.0, 2.0)


def test_a_stage_counts_in_its_own_unit() -> None:
    text = staged("steps = 3\nepochs = 2", "[[stage]]\nkind = 'sft'")
    recipe = read(text)
    assert [(r.train.steps, r.train.epochs) for r in recipe.flat] == [(3, None), (None, 2)]
    with pytest.raises(Refused, match=r"r.toml:12: train.epochs is not for rl stages, and all are: train.steps"):
        read(staged("steps = 3\nepochs = 2", ""))
    with pytest.raises(Refused, match=r"stage 1 \(sft\) counts in passes over the data"):
        read(staged("steps = 3", "").replace("'rl'", "'sft'"))
    with pytest.raises(Refused, match=r"r.toml:11: train.steps is for rl stages, and there is none: train.epochs"):
        read(staged("steps = 3", "[stage.train]\nepochs = 1").replace("'rl'", "'sft'"))


BAD_STAGE_SETS = [
    ("stage.4.train.lr=1", "--set stage.4.train.lr: there are 3 [[stage]]"),
    ("stage.0.train.lr=1", "--set stage.0.train.lr: there are 3 [[stage]]"),
    ("stage.2=1", "--set stage.2: write stage.N.table.key, as in stage.2.train.lr"),
    ("stage.train.lr=1", "--set stage.train.lr: write stage.N.table.key, as in stage.2.train.lr"),
    ("stage.1.run.seed=1", "--set stage.1.run.seed: a stage cannot set this"),
    ("stage.1.data.held_out=0.1", "--set stage.1.data.held_out: a stage cannot set this"),
    ("stage.1.model.path=m", "--set stage.1.model.path: a stage cannot set this"),
    ("stage.2.train.lrr=1", "--set: unknown key train.lrr; did you mean train.lr?"),
    ("stage.2.train.lr=x", '--set: train.lr wants a number, got the text "x"'),
]


@pytest.mark.parametrize(("text", "line"), BAD_STAGE_SETS)
def test_a_bad_setting_of_a_stage(text: str, line: str) -> None:
    with pytest.raises(Refused) as caught:
        load(THREE, sets=[text])
    assert str(caught.value) == line


def test_reward_models_are_named_by_an_earlier_stage() -> None:
    stage = "[[stage]]\nkind = '{}'\n[stage.train]\n{}\n"
    judged = "[stage.reward]\nmodel = 'stage:1'\n"
    first = text_of("grpo").replace("steps = 3\n", "") + stage.format("reward_model", "epochs = 1")
    assert read(first + stage.format("rl", "steps = 1") + judged).stage(2).reward[0].model == "stage:1"
    with pytest.raises(Refused, match="no stage of kind reward_model with that number comes before"):
        read(first.replace("reward_model", "sft") + stage.format("rl", "steps = 1") + judged)


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
