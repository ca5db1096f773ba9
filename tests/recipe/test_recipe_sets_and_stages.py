"""`--set` and stages: what is laid over the recipe, in which order, and what is refused."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from verigrad.errors import Refused
from verigrad.recipe import Recipe, judged_sides, load, parse, with_method_sets

FIXTURES = Path(__file__).parent / "fixtures"
SQL = FIXTURES / "sql.toml"
THREE = FIXTURES / "three_stages.toml"


def methods(name: str) -> Mapping[str, Any]:
    """What two methods set elsewhere."""
    return {
        "ppo": {"train.passes": 4},
        "dapo": {"reward.+": {"shaping": "overlong", "options": {"cache": 64}}},
    }.get(name, {})


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
    return parse(text, file="r.toml", folder=FIXTURES, sets=sets, method_sets=methods)


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


@pytest.mark.parametrize(
    "text",
    [
        text_of("grpo"),
        text_of("ppo"),
        text_of("dapo", "options = { cache = 8 }"),
        text_of("ppo").replace("steps = 3", "steps = 3\npasses = 2"),
        staged("steps = 3", "[[stage]]\nkind = 'rl'\n[stage.loss]\nmethod = 'dapo'"),
    ],
)
def test_what_methods_set_can_come_later_and_then_changes_nothing_more(text: str) -> None:
    bare = parse(text, file="r.toml", folder=FIXTURES)
    before = bare.resolved()
    late = with_method_sets(bare, methods)
    assert late == read(text)
    assert late.resolved() == read(text).resolved()
    assert with_method_sets(late, methods).resolved() == late.resolved()
    assert bare.resolved() == before


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


def test_the_whole_recipes_of_the_page_about_stages_load() -> None:
    page = (Path(__file__).parents[2] / "docs" / "stages.md").read_text()
    whole = [block.split("```")[0] for block in page.split("```toml\n")[1:] if block.startswith("[model]")]
    read = [parse(text, file="r.toml", folder=FIXTURES) for text in whole]
    assert [[s.kind for s in recipe.stages] for recipe in read] == [["sft", "rl"], ["preference"]]
    assert [(recipe.stage(1).train.epochs, recipe.stage(len(recipe.stages)).loss.method) for recipe in read] == [
        (1, "dr_grpo"),
        (1, "dpo"),
    ]
