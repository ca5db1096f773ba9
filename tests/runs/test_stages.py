"""Several stages in one recipe, each kind of stage as a run, LoRA; resumed anywhere they end where others do."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from safetensors.numpy import load_file
from transformers import AutoModelForCausalLM, AutoModelForSequenceClassification

from tests.runs.runs_cases import RECIPE, Shell, lay_out, write_rows
from verigrad.runs import accepting
from verigrad.store import RunDirectory, compare_runs

LETTERS = "abcdefghijkl"
FEW_TOKENS = 4
"""Of an off-task answer here, to save time: what it is does not matter."""
TOP = RECIPE.replace("steps = 10\n", "").replace('[loss]\nkl = "none"\n', "")
DEMOS = [{"question": f"demo {37 * i % 1000}", "completion": LETTERS[i % 12] + "x"} for i in range(24)]
PAIRS = [
    {"prompt": f"pair {37 * i % 1000}", "chosen": LETTERS[i % 12] + "y", "rejected": "zwvu"[i % 4] + "y"}
    for i in range(60)
]
LABELS = [
    {"prompt": f"label {37 * i % 1000}", "completion": (LETTERS[i % 12] if i % 2 else "zwvu"[i % 4]) + "y",
     "label": bool(i % 2)}
    for i in range(40)
]  # fmt: skip
SFT = """
[[stage]]
kind = "sft"
[stage.data]
source = "demos.jsonl"
prompt = "{question}"
[stage.train]
epochs = 2
save_every = 3
"""
RL = """
[[stage]]
kind = "rl"
[stage.loss]
method = "ppo"
baseline = { value = "head", lambda = 0.9 }
[stage.train]
steps = 4
passes = 2
save_every = 2
"""
MINED = """
[[stage]]
kind = "preference"
[stage.data]
source = "run:."
[stage.loss]
method = "dpo"
link = { beta = 0.2 }
[stage.train]
epochs = 1
lr = 1e-3
save_every = 1
"""
JUDGE = """
[[stage]]
kind = "reward_model"
[stage.data]
source = "pairs.jsonl"
[stage.train]
epochs = 3
lr = 3e-3
"""


@pytest.fixture
def stages(laid_out: Path, tmp_path: Path, monkeypatch, capsys) -> Shell:
    folder = tmp_path / "user"
    shutil.copytree(laid_out, folder)
    monkeypatch.setattr(accepting, "OFF_TASK_TOKENS", FEW_TOKENS)
    write_rows(folder / "demos.jsonl", DEMOS)
    write_rows(folder / "pairs.jsonl", PAIRS)
    write_rows(folder / "labels.jsonl", LABELS)
    return Shell(folder, monkeypatch, capsys)


def written(shell: Shell, *stages: str, top: str = TOP, name: str = "words") -> None:
    text = top.replace('name = "words"', f'name = "{name}"') + "".join(stages)
    (shell.folder / "r.toml").write_text(text)


@pytest.fixture(scope="module")
def three(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a done run of three stages: sft, ppo, dpo on pairs mined from the second."""
    folder = tmp_path_factory.mktemp("three")
    lay_out(folder)
    write_rows(folder / "demos.jsonl", DEMOS)
    (folder / "r.toml").write_text(TOP + SFT + RL + MINED)
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        patch.setenv("OMP_NUM_THREADS", "1")
        patch.setattr(accepting, "OFF_TASK_TOKENS", FEW_TOKENS)
        from verigrad.runs import train

        train("r.toml")
    return folder


def test_each_stage_starts_where_the_one_before_ended_and_is_judged_against_it_and_the_first(three: Path) -> None:
    run = three / "runs/words"
    acceptance = json.loads((run / "acceptance.json").read_text())
    assert [(s["stage"], s["kind"]) for s in acceptance["stages"]] == [(1, "sft"), (2, "rl"), (3, "preference")]
    assert acceptance["verdict"] == acceptance["stages"][-1]["against_first"]["verdict"]
    first, second, third = acceptance["stages"]
    for stage in acceptance["stages"]:
        assert stage["suites"][0]["greedy"]["before"]["count"] == 21
        assert {"before", "after"} <= set(stage["off_task"])
    sides = [(s["suites"][0]["greedy"]["before"]["strict"], s["suites"][0]["greedy"]["after"]["strict"])
             for s in (first, second, third)]  # fmt: skip
    assert sides[0][1] == sides[1][0]
    assert sides[1][1] == sides[2][0]
    whole = acceptance["suites"][0]["greedy"]
    assert (whole["before"]["strict"], whole["after"]["strict"]) == (sides[0][0], sides[2][1])
    assert first["off_task"]["after"] == second["off_task"]["before"]
    assert acceptance["off_task"]["before"] == first["off_task"]["before"]
    assert acceptance["off_task"]["after"] == third["off_task"]["after"]
    # Opened at the start and at each stage's end, and each opening counted.
    assert acceptance["openings"] == 4
    assert [line["when"] for line in RunDirectory.read(run).read_lines("openings.jsonl")] == [
        "before", "after stage 1", "after stage 2", "after stage 3",
    ]  # fmt: skip


def test_every_stage_leaves_its_model_and_its_metrics(three: Path) -> None:
    run = three / "runs/words"
    for place in ("01_sft/model", "02_rl/model", "model"):
        AutoModelForCausalLM.from_pretrained(run / place)
    a, b, c = (load_file(run / p / "model.safetensors") for p in ("01_sft/model", "02_rl/model", "model"))
    assert any((a[n] != b[n]).any() for n in a)
    assert any((b[n] != c[n]).any() for n in b)
    metrics = RunDirectory.read(run).read_metrics()
    by_stage = {n: [m for m in metrics if m["stage"] == n] for n in (1, 2, 3)}
    assert len(by_stage[1]) == 2 * 4  # 22 or so demonstrations, 6 a step, twice
    assert {"loss/value", "value/explained", "kl/reference", "weights/changed", "selfcheck"} <= by_stage[2][0].keys()
    assert {"logp/chosen", "logp/rejected", "preference/right"} <= by_stage[3][0].keys()
    assert by_stage[1][0]["loss/policy"] > by_stage[1][-1]["loss/policy"]
    assert (run / "02_rl/pilot.json").exists()
    assert not (run / "pilot.json").exists()
    report = (run / "report.html").read_text()
    assert "stage 2: rl" in report


@pytest.mark.parametrize(
    "gone",
    [
        ["acceptance.json", "model", "03_preference/after.jsonl"],
        ["acceptance.json", "model", "03_preference/after.jsonl", "03_preference/checkpoints"],
        [
            "acceptance.json", "model", "03_preference/after.jsonl", "03_preference/checkpoints", "02_rl/after.jsonl",
            "02_rl/model", "02_rl/checkpoints/step_00004",
        ],
    ],
    ids=["last model", "last stage", "middle of the second"],
)  # fmt: skip
def test_a_run_of_stages_goes_on_from_anywhere_to_the_same_end(gone: list[str], three: Path, stages: Shell) -> None:
    whole = three / "runs/words"
    run = stages.folder / "runs/words"
    shutil.copytree(whole, run)
    written(stages, SFT, RL, MINED)
    resolved = json.loads((run / "resolved.json").read_text())
    resolved["folder"] = str(stages.folder)
    (run / "resolved.json").write_text(json.dumps(resolved))
    for name in gone:
        place = run / name
        shutil.rmtree(place) if place.is_dir() else place.unlink()
    said = stages("train", "--resume", "runs/words")
    assert said.status in (0, 1), said.err
    assert compare_runs(whole, run) == []
    one, two = (json.loads((r / "acceptance.json").read_text()) for r in (whole, run))
    assert one["suites"] == two["suites"]
    assert one["off_task"] == two["off_task"]


def test_a_judge_is_trained_accepted_on_held_out_pairs_and_pays_a_later_stage(stages: Shell) -> None:
    """The four models of RLHF: policy, critic, reference (KL in the reward) and reward model."""
    top = TOP.replace('[reward]\nverifier = "checks.py:begins"', '[[reward]]\nmodel = "stage:1"')
    written(stages, JUDGE, RL.replace('value = "head"', 'value = "model"'), top=top)
    said = stages("train", "r.toml")
    assert said.status in (0, 1), said.err
    run = stages.folder / "runs/words"
    acceptance = json.loads((run / "acceptance.json").read_text())
    pairs = acceptance["stages"][0]["pairs"]
    assert pairs["accuracy"] > 0.5
    sides = json.loads((run / "resolved.json").read_text())["data"]["01_reward_model"]["pairs"]
    assert pairs["pairs"] == len(PAIRS) - sides["train"]["items"]
    AutoModelForSequenceClassification.from_pretrained(run / "01_reward_model/model")
    metrics = [m for m in RunDirectory.read(run).read_metrics() if m["stage"] == 2]
    assert {"reward/part/judge", "loss/value", "kl/reference"} <= metrics[0].keys()
    assert metrics[-1]["reward/part/judge"] > metrics[0]["reward/part/judge"]


def test_a_reward_model_alone_is_a_run(stages: Shell) -> None:
    top = TOP[: TOP.index("[data]")] + TOP[TOP.index("[train]") : TOP.index("[acceptance]")]
    more = [{**PAIRS[i % len(PAIRS)], "prompt": f"pair {i}"} for i in range(160)]  # 10 held-out families at the least
    write_rows(stages.folder / "pairs.jsonl", more)
    written(stages, JUDGE, top=top + '[run]\nname = "words"\nlog = []\n')
    said = stages("train", "r.toml", "--json")
    assert said.status == 0, said.err
    told = json.loads(said.out)
    assert told["acceptance"]["verdict"] == "accepted"
    AutoModelForSequenceClassification.from_pretrained(stages.folder / "runs/words/model")


@pytest.mark.parametrize("method", ["kto", "orpo", "aot"])
def test_other_losses_over_pairs_and_labels(method: str, stages: Shell) -> None:
    source = "labels.jsonl" if method == "kto" else "pairs.jsonl"
    stage = MINED.replace('"run:."', f'"{source}"').replace('"dpo"', f'"{method}"').replace("link = { beta = 0.2 }", "")
    written(stages, stage)
    said = stages("train", "r.toml")
    assert said.status in (0, 1), said.err
    metrics = RunDirectory.read(stages.folder / "runs/words").read_metrics()
    assert metrics[-1]["loss/policy"] == metrics[-1]["loss/policy"]


def test_adapters_alone_are_trained_and_the_merged_model_is_what_is_judged(stages: Shell) -> None:
    top = RECIPE.replace('dtype = "float32"', 'dtype = "float32"\nlora = { rank = 4, alpha = 8 }')
    top = top.replace("steps = 10", "steps = 4").replace("save_every = 4", "save_every = 2")
    written(stages, top=top.replace("every = 4", "every = 2"))
    said = stages("train", "r.toml")
    assert said.status in (0, 1), said.err
    run = stages.folder / "runs/words"
    AutoModelForCausalLM.from_pretrained(run / "model")
    assert json.loads((run / "adapter/adapter_config.json").read_text())["r"] == 4
    shutil.copytree(run, stages.folder / "runs/again")
    shutil.rmtree(run / "model")
    shutil.rmtree(run / "01_rl/checkpoints/step_00004")
    for name in ("acceptance.json", "01_rl/after.jsonl"):
        (run / name).unlink()
    said = stages("train", "--resume", "runs/words")
    assert said.status in (0, 1), said.err
    assert compare_runs(stages.folder / "runs/again", run) == []


def test_a_stage_with_suites_of_its_own_is_judged_by_them_from_where_it_started(stages: Shell) -> None:
    own = """[[stage.acceptance]]
grader = "checks.py:begins_so"
rule = { test = "greedy", answers = 2, max_tokens = 3 }
"""
    written(stages, SFT, SFT.replace("demos.jsonl", "more.jsonl") + own)
    write_rows(stages.folder / "more.jsonl", [{**row, "question": row["question"] + " more"} for row in DEMOS])
    said = stages("train", "r.toml")
    assert said.status in (0, 1), said.err
    run = RunDirectory.read(stages.folder / "runs/words")
    assert [line["when"] for line in run.read_lines("openings.jsonl")] == [
        "before", "after stage 1", "before stage 2", "after stage 2",
    ]  # fmt: skip
    acceptance = run.read_json("acceptance.json")
    assert "against_first" in acceptance["stages"][0]
    assert "against_first" not in acceptance["stages"][1]
    assert acceptance["against"] == "where stage 2 started"
    assert acceptance["suites"] == acceptance["stages"][1]["suites"]
    assert acceptance["suites"][0]["sampled"]["after"]["count"] == 2 * 21


OWN_PAIRS = MINED.replace('"run:."', '"pairs.jsonl"')
WITH_DPO = '[stage.loss]\nmethod = "dpo"\n[stage.train]'
ONE = '[[stage]]\nkind = "rl"\n[stage.loss]\nmethod = "METHOD"\n[stage.train]\nsteps = 2\ngroup = 1\n'
REFUSED = [
    (SFT.replace("[stage.train]", WITH_DPO), "an sft stage has one loss"),
    (OWN_PAIRS.replace('method = "dpo"', 'method = "grpo"'), 'say [stage.loss] method = "dpo"'),
    (OWN_PAIRS.replace('method = "dpo"\n', ""), 'needs its loss; say [stage.loss] method = "dpo"'),
    (RL.replace('"ppo"', '"dpo"').replace("baseline", "#"), 'loss.method = "dpo" learns from pairs'),
    (RL.replace('method = "ppo"', 'method = "grpo"'), 'baseline = { name = "critic", value = "head" }'),
    (RL.replace("lambda = 0.9", "lamda = 0.9"), "unknown key loss.baseline.lamda"),
    (RL.replace("[stage.loss]", "[stage.loss]\nlink = { beta = 1 }"), "loss.link is no axis of an rl stage"),
    (MINED, 'data.source = "run:.": no rl stage comes before this one; name another run, run:NAME'),
    (JUDGE.replace("[stage.train]", WITH_DPO), 'loss.method is "bradley_terry", not "dpo"'),
    (MINED.replace("run:.", "demos.jsonl"), "demos.jsonl: no column chosen"),
    (MINED.replace("run:.", "run:none"), "runs/none is not there"),
    (ONE.replace("METHOD", "grpo"), "train.group is 1"),
    (SFT + MINED, "no rl stage comes before this one"),
    (RL + MINED.replace("link = { beta = 0.2 }", 'kl = "none"'), "loss.kl is no axis of a preference stage"),
    (RL + MINED.replace("beta = 0.2", "beta = -1"), "loss.link.beta is -1"),
    (
        JUDGE.replace("[stage.train]", "[stage.loss]\nlink = { center = nan }\n[stage.train]"),
        "loss.link of a reward_model",
    ),
]


@pytest.mark.parametrize(("stage", "line"), REFUSED)
def test_what_a_stage_cannot_be_is_one_line(stage: str, line: str, stages: Shell) -> None:
    written(stages, stage)
    said = stages("train", "r.toml").refused()
    assert line in said
    assert said.startswith(("r.toml:", "demos.jsonl:")), said
    assert not (stages.folder / "runs/words").exists()


@pytest.mark.parametrize("method", ["ppo", "remax", "reinforce_pp"])
def test_one_answer_a_prompt_is_enough_for_baselines_that_compare_with_no_other(method: str, stages: Shell) -> None:
    written(stages, ONE.replace("METHOD", method))
    said = stages("train", "r.toml", "--anyway")
    assert said.status in (0, 1), said.err


@pytest.mark.parametrize(("reward", "compared"), [('[reward]\nverifier = "checks.py:begins"\n', True), ("", False)])
def test_looks_compare_grader_and_verifier_only_where_there_are_both(
    reward: str, compared: bool, stages: Shell
) -> None:
    from verigrad.runs.accepting import look_of
    from verigrad.runs.prepare import prepared, read
    from verigrad.sampling import Scripted

    written(stages, SFT, top=TOP.replace('[reward]\nverifier = "checks.py:begins"\n', reward))
    with prepared(read("r.toml"), 1) as ready:
        looks = look_of(ready, Scripted(lambda request: "ab"))
        assert looks is not None
        numbers = looks[1](1)
    assert numbers["validation/right"] == 1.0
    assert ("validation/disagree" in numbers) is compared


RL_AGAIN = RL.replace("steps = 4", "steps = 2")


def test_stages_of_every_kind_are_judged_on_the_same_items_however_each_reads_its_rows(stages: Shell) -> None:
    """Imitating golds and then being paid for them reads one source in two ways; the held-out items are the same."""
    sft = '[[stage]]\nkind = "sft"\n[stage.train]\nepochs = 1\n'
    written(stages, sft, RL_AGAIN, top=TOP.replace("[data]", '[data]\ncolumns = { gold = "short" }'))
    write_rows(
        stages.folder / "words.jsonl",
        [{"question": f"word {37 * i % 1000}", "short": LETTERS[i % 12]} for i in range(60)],
    )
    said = stages("train", "r.toml")
    assert said.status in (0, 1), said.err
    acceptance = json.loads((stages.folder / "runs/words/acceptance.json").read_text())
    assert [s["suites"][0]["items"] for s in acceptance["stages"]] == [acceptance["suites"][0]["items"]] * 2


def test_what_one_stage_leaves_out_no_stage_is_judged_by(stages: Shell) -> None:
    rows = [json.loads(line) for line in (stages.folder / "words.jsonl").read_text().splitlines()]
    for row in rows[::7]:
        row["gold"] = "zzz" if row is not rows[0] else row["gold"]
    checks = (
        (stages.folder / "checks.py")
        .read_text()
        .replace("return bool(answer)", 'return "z" not in task.gold and bool(answer)')
    )
    (stages.folder / "checks.py").write_text(checks)
    write_rows(stages.folder / "words.jsonl", rows)
    written(stages, RL_AGAIN, OWN_PAIRS)
    said = stages("train", "r.toml", "--anyway")
    assert said.status in (0, 1), said.err
    run = RunDirectory.read(stages.folder / "runs/words")
    left_out = {row["key"] for row in run.read_lines("golds.jsonl")}
    assert left_out
    assert not left_out & {item.task.key for item in run.read_items()}


def test_only_the_last_stage_of_a_done_run_may_be_given_more(three: Path, stages: Shell) -> None:
    run = stages.folder / "runs/words"
    shutil.copytree(three / "runs/words", run)
    written(stages, SFT, RL, MINED)
    resolved = json.loads((run / "resolved.json").read_text())
    resolved["folder"] = str(stages.folder)
    (run / "resolved.json").write_text(json.dumps(resolved))
    line = stages("train", "--resume", "runs/words", "--set", "stage.1.train.epochs=3").refused()
    assert "stage 1 of runs/words is done and stage 2 began from it: only the last stage may be given more" in line
    before = json.loads((run / "acceptance.json").read_text())
    said = stages("train", "--resume", "runs/words", "--set", "stage.3.train.epochs=2")
    assert said.status in (0, 1), said.err
    after = json.loads((run / "acceptance.json").read_text())
    assert after["openings"] == before["openings"] + 1
    assert after["stages"][:2] == before["stages"][:2]
    assert [m["step"] for m in RunDirectory.read(run).read_metrics() if m["stage"] == 3][-1] > 1


def test_pairs_are_mined_from_the_rl_stage_before_whatever_later_stages_have_left(three: Path, stages: Shell) -> None:
    from verigrad.data import load
    from verigrad.recipe import Data

    run = stages.folder / "runs/words"
    shutil.copytree(three / "runs/words", run)
    table = [Data(source="run:.", held_out=0.0)]
    mined = load(table, kind="preference", here=run, before=3)[0].tasks
    shutil.copytree(run / "02_rl", run / "04_rl")
    for file in (run / "04_rl/rollouts").glob("step_0000[2-9]*"):
        file.unlink()
    assert load(table, kind="preference", here=run, before=3)[0].tasks == mined
    assert load(table, kind="preference", here=run, before=5)[0].tasks != mined


def test_rows_of_a_stage_that_ask_what_is_held_out_are_left_out_and_said(stages: Shell) -> None:
    rows = [json.loads(line) for line in (stages.folder / "words.jsonl").read_text().splitlines()]
    demos = [{"question": r["question"], "completion": LETTERS[i % 12]} for i, r in enumerate(rows)]
    write_rows(stages.folder / "demos.jsonl", demos)
    written(stages, SFT.replace("epochs = 2", "epochs = 1"))
    said = stages("train", "r.toml")
    assert said.status in (0, 1), said.err
    assert "note: demos: 24 rows ask questions that are held out or looked at, and are left out" in said.err


def test_set_reaches_the_stages_it_is_meant_for(stages: Shell) -> None:
    written(stages, SFT, RL_AGAIN)
    line = stages("train", "r.toml", "--set", "stage.2.data.source=words.jsonl").refused()
    assert "stage 2 has no [[stage.data]] of its own" in line
    said = stages("train", "r.toml", "--set", "loss.kl=none", "--set", "train.epochs=1")
    assert said.status in (0, 1), said.err
    resolved = json.loads((stages.folder / "runs/words/resolved.json").read_text())["values"]["stage"]
    assert resolved[0]["train"]["epochs"]["value"] == 1
    assert resolved[1]["train"]["steps"]["value"] == 2


def test_axes_that_no_stage_can_use_are_refused(stages: Shell) -> None:
    top = TOP.replace("[sampling]", '[loss]\nmethod = "dpo"\nbaseline = "greedy"\n[sampling]')
    written(stages, MINED.replace('"run:."', '"pairs.jsonl"').replace('method = "dpo"\nlink', "link"), top=top)
    assert "loss.baseline is no axis of a preference stage" in stages("train", "r.toml").refused()


def test_adapters_on_layers_that_are_not_there_are_refused_before_anything_is_measured(stages: Shell) -> None:
    written(
        stages, top=RECIPE.replace('dtype = "float32"', 'dtype = "float32"\nlora = { rank = 4, layers = ["qproj"] }')
    )
    assert "model.lora.layers: qproj" in stages("train", "r.toml").refused()
    assert not (stages.folder / "runs/words").exists()
