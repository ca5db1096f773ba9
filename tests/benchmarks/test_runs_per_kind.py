"""runs-per-kind: what it measured stands in the headers and on the page; it runs end to end with a tiny model."""

import json
from pathlib import Path
from typing import Any

import pytest

from benchmarks import runs_per_kind
from benchmarks.common import ROOT
from benchmarks.warm import next_token
from tests.tiny import tiny_folder
from verigrad import models
from verigrad.data import Order, load, split
from verigrad.recipe import load as load_recipe

SUITE: dict[str, Any] = {
    "suite": "smt_bounds",
    "items": 100,
    "decision": {
        "verdict": "accepted",
        "gain": 0.5,
        "interval": [0.4, 0.6],
        "p_value": 1e-9,
        "test": "exact McNemar",
    },
    **{kind: {"before": {"strict": 0.25}, "after": {"strict": 0.75}} for kind in ("greedy", "sampled")},
}
RUN: dict[str, Any] = {
    "recipe": "recipes/smt.toml",
    "warm": [],
    "minutes_warm": 0.0,
    "minutes": 4.25,
    "peak_gb_at_most": 3.2,
    "commit": "0123456789abcdef",
    "load_before": 0.5,
    "acceptance": {"verdict": "accepted", "suites": [SUITE]},
}
RESULT: dict[str, Any] = {
    "date": "2026-12-01",
    "hardware": {"cpu": "a processor", "cores": 2},
    "runs": [RUN],
}


def test_a_header_says_what_was_measured_and_where() -> None:
    assert runs_per_kind.header(RESULT, RUN).splitlines() == [
        "# measured by `make runs-per-kind` at commit 0123456789ab",
        "# a processor, 2 cores: 4.2 minutes, at most 3.2 GB; load 0.5 before",
        "# smt_bounds: accepted, gain +0.500 [+0.400, +0.600], p 1e-09 (exact McNemar); greedy 0.250 -> 0.750, "
        "sampled 0.250 -> 0.750, 100 items",
        "# end of measured",
    ]
    warmed = RUN | {"warm": ["--steps", "4"], "minutes_warm": 0.5}
    assert "4.2 minutes; warmed before in 0.5 minutes" in runs_per_kind.header(RESULT, warmed)


def test_the_table_names_recipe_kind_and_decision() -> None:
    assert runs_per_kind.table(RESULT).splitlines()[-1] == (
        "| [smt](../recipes/smt.toml) | `logic` | smt_bounds | 100 | 0.250 -> 0.750 | +0.500 [+0.400, +0.600] | "
        "accepted | 4.2 | 0.5 | `0123456789ab` |"
    )


def test_headers_and_page_say_what_the_result_says() -> None:
    page = runs_per_kind.PAGE.read_text(encoding="utf-8")
    block = "Not measured yet."
    if runs_per_kind.RESULT.exists():
        result = json.loads(runs_per_kind.RESULT.read_text(encoding="utf-8"))
        block = runs_per_kind.table(result)
        for run in result["runs"]:
            assert runs_per_kind.header(result, run) in (ROOT / run["recipe"]).read_text(encoding="utf-8")
    marks = runs_per_kind.PAGE_OPEN, runs_per_kind.PAGE_CLOSE
    assert runs_per_kind.between(page, *marks, f"{marks[0]}\n{block}\n{marks[1]}") == page


def test_every_recipe_planned_is_there_with_its_marks_and_a_warmed_one_starts_from_what_is_warmed() -> None:
    for planned in runs_per_kind.PLANNED:
        file = ROOT / f"recipes/{planned.recipe}.toml"
        text = file.read_text(encoding="utf-8")
        assert text.index(runs_per_kind.OPEN) < text.index(runs_per_kind.CLOSE)
        path = load_recipe(file).stage(1).model.path
        assert path.startswith("../runs/warm/") == bool(planned.warm)


def test_a_smoke_trains_and_judges_with_a_model_that_knows_nothing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    model = str(tiny_folder(tmp_path))
    assert runs_per_kind.main(["--smoke", "--only", "multiple_choice", "--model", model]) == 0
    assert "multiple_choice: " in capsys.readouterr().out


def test_a_warm_up_lowers_the_loss_on_right_answers_and_writes_a_model(tmp_path: Path) -> None:
    recipe = load_recipe(ROOT / "recipes/multiple_choice.toml").stage(1)
    out = tmp_path / "warm"
    losses = next_token.warm(
        recipe, start=str(tiny_folder(tmp_path / "tiny")), steps=4, examples=4, lr=3e-3, lead=" ", out=out
    )
    assert len(losses) == 4
    assert losses[-1] < losses[0]
    lm = models.load(str(out), dtype="float32", device="cpu", template="none")
    task = Order(split(load(recipe.data)).train, prompts=1, run_seed=0, stage=0).tasks(1)[0]
    assert next_token.said(recipe, task, " ") == f" {task.gold['answer']}\n"
    assert next_token.next_token_loss(lm, [(task, " A\n")]).item() > 0
