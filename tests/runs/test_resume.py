"""Going on with a run: what may change, what is refused, every end in between; equal to one that never ended."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.runs.runs_cases import Shell
from verigrad.errors import Interrupted
from verigrad.runs import Run, resume, train
from verigrad.runs.talk import Silent
from verigrad.store import RunDirectory, compare_runs, lock

ROOT = Path(__file__).resolve().parents[2]
Finished = tuple[Path, "subprocess.CompletedProcess[str]"]


class InterruptedIn(Silent):
    """Ctrl-C while the phase that begins so is under way."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._now = ""

    def phase(self, name: str, total: int | None = None) -> None:
        self._now = name

    def advance(self, done: int, note: str = "") -> None:
        if self._now.startswith(self._name) and done:
            raise KeyboardInterrupt


@pytest.mark.parametrize(
    ("word", "line"),
    [
        ("train.lr=1e-3", "run.limits, run.log, acceptance.every alone: train.lr was 0.02, is 0.001"),
        ("loss.method=dapo", "alone: loss.method was 'grpo', is 'dapo'"),
        ("run.seed=1", "alone: run.seed was 0, is 1"),
        ("train.steps=9", "--resume may raise train.steps, not lower it: 10 -> 9"),
        ("train.stepps=9", "unknown key train.stepps; did you mean train.steps?"),
    ],
)
def test_what_a_resumed_run_may_not_change(word: str, line: str, in_finished: Shell) -> None:
    before = sorted(p.stat().st_mtime_ns for p in in_finished.folder.rglob("runs/**/*") if p.is_file())
    assert line in in_finished("train", "--resume", "runs/words", "--set", word).refused()
    assert before == sorted(p.stat().st_mtime_ns for p in in_finished.folder.rglob("runs/**/*") if p.is_file())


@pytest.mark.parametrize(
    ("file", "change", "line"),
    [
        ("checks.py", ("return False", "return True"), "checks.py has changed since runs/words began"),
        ("words.jsonl", ("word 37", "word 38"), "words: the data has changed since runs/words began"),
    ],
)
def test_a_changed_check_or_row_is_refused_and_nothing_is_taken_away(
    file: str, change: tuple[str, str], line: str, copy_of_finished: Shell
) -> None:
    text = (copy_of_finished.folder / file).read_text()
    (copy_of_finished.folder / file).write_text(text.replace(*change, 1))
    said = copy_of_finished("train", "--resume", "runs/words", "--set", "train.steps=12").refused()
    assert line in said
    for kept in ("acceptance.json", "model/model.safetensors", "report.html"):
        assert (copy_of_finished.folder / "runs/words" / kept).exists()


def test_more_steps_on_a_done_run_equal_a_run_that_had_them_from_the_start(
    finished: Finished, copy_of_finished: Shell
) -> None:
    """The schedule is constant, and both runs looked and saved at the same steps."""
    folder = copy_of_finished.folder
    copy_of_finished.edit(("save_every = 4", "save_every = 2"), ("every = 4", "every = 2"), ("group = 6", "group = 4"))
    whole = ("--set", "train.steps=4")
    assert copy_of_finished("train", "r.toml", *whole, "--set", "run.name=whole").status in (0, 1)
    short = ("--set", "train.steps=2")
    assert copy_of_finished("train", "r.toml", *short, "--set", "run.name=short").status in (0, 1)
    said = copy_of_finished("train", "--resume", "runs/short", *whole)
    assert said.status in (0, 1), said.err
    assert compare_runs(folder / "runs/whole", folder / "runs/short") == []
    one, two = (json.loads((folder / f"runs/{n}/acceptance.json").read_text()) for n in ("whole", "short"))
    assert (one.pop("openings"), two.pop("openings")) == (2, 3)
    assert one == two


@pytest.mark.parametrize("phase", ["pilot", "before", "training", "after"])
def test_ctrl_c_anywhere_leaves_a_run_that_goes_on_to_the_same_end(
    phase: str, finished: Finished, copy_of_finished: Shell
) -> None:
    shutil.move("runs/words", "undisturbed")
    if phase == "pilot":
        with pytest.raises(KeyboardInterrupt):
            train("r.toml", talk=InterruptedIn(phase))
        assert not Path("runs/words").exists()
        return
    shutil.copytree("undisturbed", "runs/words")
    run = Path("runs/words")
    (run / "acceptance.json").unlink()
    (run / "01_rl/after.jsonl").unlink()
    if phase != "after":
        shutil.rmtree(run / "model")
    if phase == "before":
        (run / "before.jsonl").unlink()
    if phase == "training":
        for step in (8, 10):
            shutil.rmtree(run / f"01_rl/checkpoints/step_{step:05d}", ignore_errors=True)
    with pytest.raises(Interrupted, match=r"^interrupted: train --resume runs.words goes on from ") as caught:
        resume(run, talk=InterruptedIn(phase))
    assert caught.value.exit_status == 130
    assert RunDirectory.read(run).status()["phase"] == "interrupted"
    assert not (run / "LOCK").exists()


def test_a_run_killed_after_its_decision_gets_its_page_without_another_opening(copy_of_finished: Shell) -> None:
    run = copy_of_finished.folder / "runs/words"
    (run / "report.html").unlink()
    (run / "STATUS").write_text('{"phase": "accepting", "stage": 1, "step": 10}\n')
    said = copy_of_finished("train", "--resume", "runs/words")
    assert said.status == 0, said.err
    assert (run / "report.html").exists()
    assert Run(folder=run).status["phase"] == "done"
    assert len((run / "openings.jsonl").read_text().splitlines()) == 2


def test_a_pilot_that_refused_refuses_again_after_a_kill(copy_of_finished: Shell) -> None:
    run = copy_of_finished.folder / "runs/words"
    for name in ("acceptance.json", "before.jsonl", "openings.jsonl"):
        (run / name).unlink()
    shutil.rmtree(run / "model")
    pilot = json.loads((run / "pilot.json").read_text())
    (run / "pilot.json").write_text(json.dumps({**pilot, "advice": "pilot: 0 of 32 prompts"}))
    said = copy_of_finished("train", "--resume", "runs/words").refused()
    assert said == "pilot: 0 of 32 prompts; --anyway goes on"
    assert not run.exists()


def test_two_processes_never_write_one_run(copy_of_finished: Shell) -> None:
    path = copy_of_finished.folder / "runs/words/LOCK"
    other = subprocess.Popen(["sleep", "60"])
    try:
        path.write_text(
            json.dumps({**json.loads(lock.content()), "pid": other.pid, "started": lock.started(other.pid)})
        )
        said = copy_of_finished("train", "--resume", "runs/words").refused()
        assert f"runs/words is being written by process {other.pid}" in said
    finally:
        other.kill()
        other.wait()
    said = copy_of_finished("train", "--resume", "runs/words")
    assert f"took over the lock of process {other.pid}, which is dead" in said.err
    assert said.errors == ["verigrad: runs/words is done: --set train.steps=20 goes on"]
    assert not path.exists()


def test_a_run_that_stops_itself_exits_3_names_the_last_good_and_keeps_the_traceback(copy_of_finished: Shell) -> None:
    limits = ("--set", "run.limits.memory_gb=0.01", "--set", "train.steps=12")
    said = copy_of_finished("train", "--resume", "runs/words", *limits).refused(3)
    assert re.search(
        r"^step 11: [\d.]+ GB used, run.limits.memory_gb is 0.01 \(runs/words: last good is the checkpoint of step 10; "
        r"traceback in runs/words/error.txt\)$",
        said,
    ), said
    run = copy_of_finished.folder / "runs/words"
    assert "Stopped" in (run / "error.txt").read_text()
    assert Run(folder=run).status["phase"] == "stopped"


def test_a_fault_of_our_own_exits_3_not_1(shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object, **__: object) -> None:
        raise IndexError("ours")

    monkeypatch.setattr("verigrad.runs.listing", broken, raising=False)
    said = shell("list", "methods")
    assert said.status == 3
    assert said.err.endswith("verigrad: failed by a fault of its own; the lines above say where\n")


def test_ctrl_c_saves_exits_130_and_the_check_processes_end_too(shell: Shell) -> None:
    command = [str(Path(sys.executable).with_name("verigrad")), "train", "r.toml", "--set", "train.steps=400"]
    run = shell.folder / "runs/words"
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env={**os.environ, "OMP_NUM_THREADS": "1"}
    ) as process:
        while process.poll() is None and not (run / "01_rl/rollouts/step_00002.jsonl.zst").exists():
            time.sleep(0.01)
        children = [int(p) for p in Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()]
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=300)
    assert process.returncode == 130, err
    assert out == ""
    last = re.search(r"^verigrad: stopped after step (\d+), saved: train --resume runs/words goes on$", err, re.M)
    assert last, err
    assert RunDirectory.read(run).checkpoints(1)[-1] == int(last[1])
    assert RunDirectory.read(run).status()["phase"] == "interrupted"
    assert children
    assert all(lock.started(pid) is None for pid in children)
    assert not (run / "LOCK").exists()


def test_the_kill_drill_in_short(tmp_path: Path) -> None:
    out = tmp_path / "drill.json"
    command = [sys.executable, str(ROOT / "benchmarks/kill_drill.py"), "--kills", "3", "--seed", "1", "--out", str(out)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    result = json.loads(out.read_text())
    assert (result["runs"], result["unequal"]) == (3, 0)
    assert result["kills"] >= 3
