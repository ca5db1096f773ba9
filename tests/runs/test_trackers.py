"""Trackers beside metrics.jsonl: what each is handed, one that fails, one that is not installed."""

from __future__ import annotations

import importlib.machinery
import sys
import types

import pytest

from verigrad.errors import Refused
from verigrad.recipe import Run
from verigrad.runs.logs import check_trackers, open_log


class Tracker(types.ModuleType):
    """The three calls that W&B and trackio share, written down."""

    def __init__(self, name: str, *, fails: str = "") -> None:
        super().__init__(name)
        self.__spec__ = importlib.machinery.ModuleSpec(name, None)
        self.calls: list[tuple] = []
        self.fails = fails

    def _said(self, *call: object) -> None:
        self.calls.append(call)
        if call[0] == self.fails:
            raise ConnectionError("no network\nat all")

    def init(self, *, project: str, name: str) -> None:
        self._said("init", project, name)

    def log(self, metrics: dict, *, step: int) -> None:
        self._said("log", metrics, step)

    def finish(self) -> None:
        self._said("finish")


@pytest.mark.parametrize("word", ["wandb", "trackio"])
def test_a_tracker_gets_every_step_and_its_end(word: str, tmp_path, monkeypatch: pytest.MonkeyPatch) -> None:
    tracker = Tracker(word)
    monkeypatch.setitem(sys.modules, word, tracker)
    run = Run(name="words", log=(word,))
    check_trackers(run)
    with open_log(run, tmp_path, stage=1, start=0, say=pytest.fail) as log:
        log(1, {"lr": 0.5})
        log(2, {"lr": 0.25})
    with open_log(run, tmp_path, stage=2, start=0, say=pytest.fail) as log:
        log(1, {"lr": 0.125})
    assert tracker.calls == [
        ("init", "verigrad", "words"),
        ("log", {"lr": 0.5}, 1),
        ("log", {"lr": 0.25}, 2),
        ("finish",),
        ("init", "verigrad", "words-stage-2"),
        ("log", {"lr": 0.125}, 1),
        ("finish",),
    ]
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("fails", ["init", "log", "finish"])
def test_a_tracker_that_fails_is_one_line_and_not_asked_again(fails: str, tmp_path, monkeypatch) -> None:
    tracker = Tracker("wandb", fails=fails)
    monkeypatch.setitem(sys.modules, "wandb", tracker)
    run = Run(name="words", log=("wandb", "tensorboard"))
    said: list[str] = []
    with open_log(run, tmp_path, stage=1, start=0, say=said.append) as log:
        for step in (1, 2, 3):
            log(step, {"lr": 0.5})
    assert said == ["run.log: wandb is not written any more: ConnectionError: no network at all"]
    assert sum(call[0] == fails for call in tracker.calls) == 1
    assert any((tmp_path / "tensorboard").iterdir())


def test_a_tracker_that_is_not_installed_is_one_line() -> None:
    with pytest.raises(
        Refused, match=r'^run.log = "trackio": not installed; pip install trackio, or log = \["wandb"\]$'
    ):
        check_trackers(Run(name="words", log=("trackio", "wandb")))
    with pytest.raises(Refused, match=r'pip install wandb, or log = \["tensorboard"\]$') as caught:
        check_trackers(Run(name="words", log=("wandb",)))
    assert caught.value.key == "run.log"
