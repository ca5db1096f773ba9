"""`compare`: made runs on their stored answers, training seeds, refusals in one line; two models by a recipe."""

from __future__ import annotations

import copy
import json
from pathlib import Path

import pytest

import verigrad
from tests.reporting.made_run import RESOLVED, leaf, reply, task
from tests.runs.runs_cases import Shell
from verigrad.errors import Refused
from verigrad.records import Item
from verigrad.runs.sides import StoredRule, stored, trained
from verigrad.store import RunDirectory


def made(
    folder: Path, right: float, *, num: int = 100, suites: tuple[str, ...] = ("times_table", "forms"), **changed: object
) -> str:
    """A run whose answers are right on the first `right` of the items, wrong before on all but a tenth."""
    resolved = copy.deepcopy(RESOLVED)
    resolved["values"]["train"] |= {k: leaf(v) for k, v in changed.items()}
    items = [
        Item(
            task=task(n),
            suite=suite,
            greedy_before=reply(n % 10 == 0),
            greedy_after=reply(n < right * num),
            sampled_before=(reply(n % 10 == 0),) * 2,
            sampled_after=(reply(n < right * num),) * 2,
        )
        for suite in suites
        for n in range(num)
    ]
    with RunDirectory.create(folder, recipe_text="", resolved=resolved) as run:
        run.write_items(items)
        run.set_status("done", decision="accepted")
    return str(folder)


def test_two_runs_on_their_stored_answers(tmp_path: Path) -> None:
    weak, strong = made(tmp_path / "weak", 0.4), made(tmp_path / "strong", 0.8)
    result = verigrad.compare(weak, strong)
    assert result.better
    numbers = result.as_json()
    json.dumps(numbers, allow_nan=False)
    table, forms = numbers["suites"]
    assert (numbers["measured"], numbers["notes"]) == ("stored", [])
    assert (table["suite"], table["decision"]["gain"], table["word"]) == ("times_table", pytest.approx(0.4), "better")
    assert (forms["suite"], forms["word"]) == ("forms", "not worse")  # the guard of B's own recipe
    assert "against margin -0.02" in forms["decision"]["why"]
    assert result.lines()[-1].startswith("B is BETTER: ")
    back = verigrad.compare(strong, weak)
    assert not back.better
    assert [s["word"] for s in back.as_json()["suites"]] == ["worse", "worse than the margin allows"]


def test_rules_are_those_the_run_was_judged_by(tmp_path: Path) -> None:
    rules = stored(made(tmp_path / "one", 0.5)).rules
    assert rules == {
        "times_table": StoredRule(test="greedy", p=0.01),
        "forms": StoredRule(margin=-0.02),
    }


def test_in_a_run_of_stages_the_last_policys_suites_judge(tmp_path: Path) -> None:
    name = made(tmp_path / "staged", 0.5)
    resolved = json.loads((tmp_path / "staged/resolved.json").read_text())
    rules = [{"rule": {"p": leaf(p)}} for p in (0.04, 0.03, 0.02)]
    resolved["values"]["stage"] = [
        {"kind": leaf(kind), "acceptance": [rule]}
        for kind, rule in zip(("rl", "preference", "reward_model"), rules, strict=True)
    ]
    (tmp_path / "staged/resolved.json").write_text(json.dumps(resolved))
    assert stored(name).rules == {"times_table": StoredRule(p=0.03)}


def test_seeds_against_what_they_started_from(tmp_path: Path) -> None:
    runs = [made(tmp_path / f"s{n}", right) for n, right in enumerate((0.7, 0.8, 0.75))]
    result = verigrad.compare("before", ",".join(runs))
    assert result.better
    table = result.as_json()["suites"][0]
    assert table["seeds"]["b"]["runs"] == pytest.approx([0.7, 0.8, 0.75])
    assert table["greedy"]["a"]["strict"] == pytest.approx(0.1)
    assert table["decision"]["gain"] == pytest.approx(0.65)
    assert "what B started from" in result.lines()[0]
    assert verigrad.compare("before", runs).as_json() == result.as_json()


def test_one_trained_run_against_seeds_is_undecided(tmp_path: Path) -> None:
    runs = [made(tmp_path / f"s{n}", right) for n, right in enumerate((0.7, 0.8, 0.75))]
    result = verigrad.compare(made(tmp_path / "one", 0.4), runs)
    assert result.as_json()["verdict"] == "undecided"
    assert result.as_json()["suites"][0]["seeds"]["difference"] is None
    assert "A is one trained run, which says nothing of other seeds" in result.lines()[-1]
    json.dumps(result.as_json(), allow_nan=False)


def test_what_another_seed_would_change_is_a_run_or_lies_in_one(tmp_path: Path) -> None:
    run = Path(made(tmp_path / "one", 0.4))
    (run / "model").mkdir()
    (tmp_path / "base").mkdir()
    assert trained(str(run))
    assert trained(str(run / "model"))
    assert not trained(str(tmp_path / "base"))
    assert not trained("somebody/a-model")


def test_notes_say_what_differs(tmp_path: Path) -> None:
    a = made(tmp_path / "a", 0.5)
    faster = made(tmp_path / "b", 0.6, lr=1e-4)
    assert verigrad.compare(a, faster).as_json()["notes"] == []  # training may differ: that is what is compared
    other = verigrad.compare(f"{a},{faster}", made(tmp_path / "c", 0.7)).as_json()["notes"]
    assert other == [f"A: {faster} differs from {a} in more than its seed: train.lr"]
    resolved = json.loads((tmp_path / "b/resolved.json").read_text())
    resolved["values"]["acceptance"][0]["rule"]["test"]["value"] = "sampled"
    resolved["values"]["model"]["path"]["value"] = "another"
    (tmp_path / "b/resolved.json").write_text(json.dumps(resolved))
    notes = verigrad.compare(a, faster).as_json()["notes"]
    assert "acceptance.0.rule.test 'greedy' and 'sampled'" in notes[0]
    assert "they start from different models" in notes[1]
    assert notes[1].endswith("and another")


def test_a_suite_that_only_one_has_is_left_out_and_said(tmp_path: Path) -> None:
    a, b = made(tmp_path / "a", 0.4, suites=("times_table",)), made(tmp_path / "b", 0.9)
    numbers = verigrad.compare(a, b).as_json()
    assert [s["suite"] for s in numbers["suites"]] == ["times_table"]
    assert numbers["notes"] == ["not every run has the suite forms: left out"]


def test_what_cannot_be_compared_is_refused(tmp_path: Path) -> None:
    a, b = made(tmp_path / "a", 0.4, suites=("times_table",)), made(tmp_path / "b", 0.9, suites=("forms",))
    elsewhere = tmp_path / "model"
    elsewhere.mkdir()
    with RunDirectory.create(tmp_path / "young", recipe_text="", resolved=RESOLVED) as run:
        run.set_status("training", stage=1, step=3)
    cases = {
        (a, b): "the two share no suite: A has times_table; B has forms",
        (a, a): "is on both sides",
        (a, str(tmp_path / "nowhere")): "nowhere is not there",
        (str(elsewhere), a): "is no run: say --recipe R",
        (str(tmp_path / "young"), a): "has no held-out answers yet (it is in phase training)",
        (f"{a},{a}", b): "stands twice on one side",
        (f"{a},{tmp_path}/./a", b): "stands twice on one side",
        (f"{a},{b}", f"{tmp_path}/../{tmp_path.name}/b"): f"{b} is on both sides",
        (f"{a},", b): "names no run",
    }
    for (left, right), said in cases.items():
        with pytest.raises(Refused) as refused:
            verigrad.compare(left, right)
        assert said in str(refused.value), (left, right)
        assert "\n" not in str(refused.value)


def test_the_command_says_it_on_stdout_and_by_its_status(shell: Shell) -> None:
    made(shell.folder / "runs/weak", 0.4)
    made(shell.folder / "runs/strong", 0.8)
    said = shell("compare", "runs/weak", "runs/strong")
    assert said.status == 0
    assert said.out.splitlines()[:2] == ["A  runs/weak", "B  runs/strong"]
    other = shell("compare", "runs/strong", "runs/weak", "--json")
    assert other.status == 1
    assert json.loads(other.out)["verdict"] == "not_better"
    assert "--set goes with --recipe" in shell("compare", "runs/weak", "runs/strong", "--set", "x=1").refused()


def test_models_are_measured_afresh_by_a_recipe(in_finished: Shell) -> None:
    said = in_finished("compare", "tiny-llama-0", "runs/words", "--recipe", "r.toml", "--json")
    assert said.status == 0, said.err
    numbers = json.loads(said.out)
    assert (numbers["measured"], numbers["verdict"]) == ("fresh", "better")
    run = json.loads((in_finished.folder / "runs/words/acceptance.json").read_text())["suites"][0]
    assert numbers["suites"][0]["decision"]["p_value"] == run["decision"]["p_value"]
    before = json.loads(in_finished("compare", "before", "runs/words", "--json").out)
    for word in ("greedy", "decision"):
        assert before["suites"][0][word] == numbers["suites"][0][word]
