"""The same run from Python: functions where a file's would stand, and the run as an object."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import verigrad
from tests.runs import own_functions
from tests.runs.own_functions import begins, begins_so
from tests.runs.runs_cases import Shell
from verigrad.errors import Interrupted, Refused
from verigrad.runs import resume
from verigrad.runs.prepare import read
from verigrad.runs.talk import Silent


def recipe(**train: Any) -> verigrad.Recipe:
    return verigrad.Recipe.of(
        {
            "model": {"path": "tiny-llama-0", "dtype": "float32"},
            "data": {"source": "words.jsonl", "prompt": "{question}", "held_out": 0.3},
            "reward": {"verifier": begins},
            "loss": {"method": "dr_grpo"},
            "sampling": {"max_tokens": 3},
            "train": {"steps": 2, "prompts": 4, "group": 4, "lr": 1e-2, **train},
            "acceptance": {"grader": begins_so, "rule": {"test": "greedy", "answers": 1}},
            "run": {"name": "mine", "log": []},
        }
    )


class Stops(Silent):
    def phase(self, name: str, total: int | None = None) -> None:
        if name.startswith("after"):
            raise KeyboardInterrupt


def test_a_run_from_python_with_functions_is_resumed_there(shell: Shell) -> None:
    with pytest.raises(Interrupted):
        verigrad.train(recipe(), talk=Stops())
    with pytest.raises(Refused, match="was started from Python: resume it there"):
        resume("runs/mine")
    with pytest.raises(Refused, match=r"alone: train.lr was 0.01, is 0.5"):
        resume("runs/mine", recipe=recipe(lr=0.5))
    run = resume("runs/mine", recipe=recipe())
    assert isinstance(run, verigrad.Run)
    assert run.acceptance is not None
    assert run.accepted is (run.acceptance["verdict"] == "accepted")
    assert len(run.metrics) == 2
    assert {item.suite for item in run.items} == {"words"}
    assert (run.model / "model.safetensors").exists()
    assert (run.folder / "user/own_functions.py").read_text() == Path(own_functions.__file__).read_text()
    resolved = json.loads((run.folder / "resolved.json").read_text())
    assert resolved["recipe"] == "python"
    assert resolved["checks"][0]["said"].endswith("is called as f(answer, task)")


def test_a_recipe_from_python_has_what_its_method_sets_elsewhere() -> None:
    """The same tables mean the same run in a file and in Python: dapo pays -1 and 1 and for length in both."""
    tables = {
        "model": {"path": "m"},
        "data": {"source": "times_table"},
        "reward": {"verifier": "number"},
        "loss": {"method": "dapo"},
        "train": {"steps": 2},
        "acceptance": {"grader": "number"},
    }
    recipe = read(verigrad.Recipe.of(tables))
    assert recipe.reward[0].options["pays"] == [-1, 1]
    assert [part.shaping for part in recipe.reward] == [None, "overlong"]
    assert recipe.origin("reward.1.shaping") == "method dapo"
    own = read(verigrad.Recipe.of({**tables, "reward": {"verifier": "number", "options": {"pays": [0, 2]}}}))
    assert own.reward[0].options["pays"] == [0, 2]
    with pytest.raises(Refused, match=r"unknown loss\.method"):
        read(verigrad.Recipe.of({**tables, "loss": {"method": "dappo"}}))


def test_set_goes_with_a_file(shell: Shell) -> None:
    with pytest.raises(Refused, match="--set goes with a recipe file"):
        verigrad.train(recipe(), sets=["train.lr=1"])
    assert not Path("runs").exists()
