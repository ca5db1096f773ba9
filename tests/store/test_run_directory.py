"""The folder of a run: whole or not at all, one writer, readers at any time, one line for whatever is wrong."""

import errno
import hashlib
import os
import signal
import subprocess
import sys
import textwrap
import time

import numpy as np
import pytest

from verigrad.errors import Refused, VerigradError
from verigrad.records import Draw, Group, Rollout, Scored, Task, right, wrong
from verigrad.store import RunDirectory, compare_runs, files, lock


def group(step, *, seconds=0.0, reward=1.0):
    task = Task.make(prompt=f"q{step}", gold=step)

    def scored(attempt, verdict, pay):
        rollout = Rollout(
            task=task,
            draw=Draw(stage=1, step=step, attempt=attempt, seed=attempt),
            answer="a",
            prompt_ids=np.array([1, 2]),
            token_ids=np.array([3, step]),
            chosen=np.array([True, True]),
            logp=np.array([-0.1, -0.2], np.float32),
            finish="stop",
        )
        return Scored(rollout=rollout, verdict=verdict, parts={"number": pay}, reward=pay)

    timed = type(right())(status="right", score=1.0, seconds=seconds)
    return Group(task=task, members=(scored(0, timed, reward), scored(1, wrong(), 0.0)))


@pytest.fixture
def run(tmp_path):
    with RunDirectory.create(tmp_path / "sql", recipe_text="[model]\n", resolved={"values": {}}) as run:
        yield run


def test_create_writes_what_a_run_starts_with(tmp_path):
    check = tmp_path / "checks.py"
    check.write_bytes(b"def f(): ...\n")
    folder = tmp_path / "runs" / "sql"
    with RunDirectory.create(
        folder,
        recipe_text="x = 1\n",
        resolved={"v": float("nan")},
        stages=("sft", "rl"),
        user_files={"checks.py": check},
    ) as run:
        assert (folder / "recipe.toml").read_text() == "x = 1\n"
        assert run.read_json("resolved.json") == {"v": None}
        assert run.status() == {"phase": "created"}
        assert run.stages() == {1: "sft", 2: "rl"}
        assert (folder / "user" / "checks.py").read_bytes() == b"def f(): ...\n"
        digest = hashlib.sha256(b"def f(): ...\n").hexdigest()
        assert (folder / "user" / "SHA256SUMS").read_text() == f"{digest}  checks.py\n"
        assert (folder / "LOCK").exists()
    assert not (folder / "LOCK").exists()
    assert sorted(p.name for p in folder.parent.iterdir()) == ["sql"]


def test_an_existing_run_is_refused_with_both_ways_on(run):
    run.set_status("done", stage=1, step=500, decision="not_accepted")
    (run.folder.parent / "sql-2").mkdir()
    line = f"{run.folder} exists (500 steps, not accepted): --resume {run.folder}, or --set run.name=sql-3"
    with pytest.raises(Refused) as error:
        RunDirectory.create(run.folder, recipe_text="", resolved={})
    assert str(error.value) == line
    assert error.value.key == "run.name"


def test_a_folder_that_is_no_run(tmp_path):
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "thesis.tex").write_text("")
    with pytest.raises(Refused, match="exists and is no run of verigrad's"):
        RunDirectory.create(tmp_path / "full", recipe_text="", resolved={})
    with pytest.raises(Refused, match="is no run: it has no STATUS"):
        RunDirectory.open(tmp_path / "full")
    with pytest.raises(Refused, match="is not there"):
        RunDirectory.read(tmp_path / "none")
    (tmp_path / "empty").mkdir()
    RunDirectory.create(tmp_path / "empty", recipe_text="", resolved={}).close()


def test_a_missing_check_file_leaves_no_run(tmp_path):
    with pytest.raises(Refused, match=r"cannot read .*checks\.py: No such file"):
        RunDirectory.create(tmp_path / "r", recipe_text="", resolved={}, user_files={"c.py": tmp_path / "checks.py"})
    assert list(tmp_path.iterdir()) == []


def test_output_where_a_file_stands(tmp_path):
    (tmp_path / "runs").write_text("")
    with pytest.raises(Refused, match=r"cannot create .*a file stands where a folder should be"):
        RunDirectory.create(tmp_path / "runs" / "sql", recipe_text="", resolved={})


@pytest.mark.parametrize(
    ("number", "says"),
    [
        (errno.EACCES, "Permission denied; choose a folder you may write to"),
        (errno.EROFS, "Read-only file system; choose a folder you may write to"),
        (errno.ENOSPC, "No space left on device; free some disk, or lower train.keep_last"),
    ],
)
def test_a_disk_that_says_no_is_one_line(tmp_path, monkeypatch, number, says):
    def broken(*_):
        raise OSError(number, os.strerror(number))

    with RunDirectory.create(tmp_path / "sql", recipe_text="", resolved={}) as run:
        run.append_metrics(1, 1, {"lr": 1.0})
        with monkeypatch.context() as patch:
            patch.setattr(os, "fsync", broken)
            for attempt in (
                lambda: run.append_metrics(1, 2, {"lr": 1.0}),
                lambda: run.write_step(1, 2, [group(2)]),
                lambda: run.set_status("training"),
                lambda: _checkpoint(run, 2),
            ):
                with pytest.raises(VerigradError) as error:
                    attempt()
                assert says in str(error.value)
                assert "\n" not in str(error.value)
                assert error.value.exit_status == 3
            with pytest.raises(Refused) as refused:
                RunDirectory.create(tmp_path / "other", recipe_text="", resolved={})
            assert says in str(refused.value)
        assert len(run.read_metrics()) == 1
        assert run.steps(1) == run.checkpoints(1) == []
        assert [p for p in run.folder.rglob("*") if "tmp" in p.name] == []
    assert not (tmp_path / "other").exists()


def test_a_full_disk_met_by_a_library_is_one_line(run):
    with pytest.raises(VerigradError, match=r"cannot write .*step_00001: No space left on device; free some disk"):  # noqa: SIM117
        with run.staged(run.checkpoint_path(1, 1)):
            raise RuntimeError("I/O error: No space left on device (os error 28)")
    with pytest.raises(RuntimeError, match="another"), run.staged("model"):
        raise RuntimeError("another")
    assert not (run.folder / "model").exists()


def _checkpoint(run, step, content=b"w"):
    with run.staged(run.checkpoint_path(1, step)) as folder:
        (folder / "model").mkdir()
        (folder / "model" / "model.safetensors").write_bytes(content)
        (folder / "state").mkdir()


def test_checkpoints_keep_the_last_and_the_best(run):
    for step in (10, 20, 30, 40, 50):
        _checkpoint(run, step)
    assert run.drop_old(1, keep_last=2, best=20) == [10, 30]
    assert run.checkpoints(1) == [20, 40, 50]
    assert run.drop_old(1, keep_last=0) == [20, 40, 50]


def test_a_folder_is_replaced_whole(run):
    _checkpoint(run, 1, b"old")
    _checkpoint(run, 1, b"new")
    folder = run.checkpoint_path(1, 1)
    assert (folder / "model" / "model.safetensors").read_bytes() == b"new"
    assert [p.name for p in folder.parent.iterdir()] == ["step_00001"]


def test_paths_stay_inside_the_run(run):
    for name in ("../x", "/etc/x", "a/../../x", ""):
        with pytest.raises(ValueError, match="no path inside the run"):
            run.write_json(name, 1)


def test_metrics_have_sorted_keys_and_no_clock(run):
    run.append_metrics(1, 3, {"reward/mean": np.float32(0.5), "entropy": float("nan"), "lr": 1e-6})
    line = (run.folder / "metrics.jsonl").read_text()
    assert line == '{"stage": 1, "step": 3, "entropy": null, "lr": 1e-06, "reward/mean": 0.5}\n'
    run.append_timings(1, 3, {"sample": 1.5})
    assert run.read_timings() == [{"stage": 1, "step": 3, "sample": 1.5}]


def test_cut_after_drops_later_lines_and_keeps_rollouts(run):
    for stage, step in ((1, 1), (1, 2), (1, 3), (2, 1)):
        run.append_metrics(stage, step, {"lr": step})
        run.append_timings(stage, step, {"sample": 1.0})
    run.write_step(1, 3, [group(3)])
    run.cut_after(1, 2)
    assert [(m["stage"], m["step"]) for m in run.read_metrics()] == [(1, 1), (1, 2)]
    assert [(m["stage"], m["step"]) for m in run.read_timings()] == [(1, 1), (1, 2)]
    assert run.steps(1) == [3]


@pytest.mark.parametrize("torn", ['{"stage": 1, "st', '{"stage": 1, "step": 2, "lr": 1.0}'])
def test_a_torn_last_line_is_not_read_and_is_cut_on_open(run, torn):
    run.append_metrics(1, 1, {"lr": 1.0})
    run.close()
    with open(run.folder / "metrics.jsonl", "a") as handle:
        handle.write(torn)
    assert len(RunDirectory.read(run.folder).read_metrics()) == 1
    with RunDirectory.open(run.folder) as again:
        assert again.notes == ("metrics.jsonl: a torn last line, cut",)
        again.append_metrics(1, 2, {"lr": 2.0})
        assert [m["lr"] for m in again.read_metrics()] == [1.0, 2.0]


def test_damage_is_named_with_file_and_line(run):
    (run.folder / "metrics.jsonl").write_text('{"stage": 1, "step": 1}\nnot json\n')
    with pytest.raises(VerigradError, match=r"metrics\.jsonl:2: not a JSON line"):
        run.read_metrics()
    path = run.write_step(1, 1, [group(1)])
    whole = path.read_bytes()
    for broken in (whole[:-3], whole[:40] + b"\0" + whole[41:], b"", b"x"):
        path.write_bytes(broken)
        with pytest.raises(VerigradError, match="is damaged"):
            run.read_step(1, 1)
    with pytest.raises(VerigradError, match="has no rollouts of step 7 of stage 1"):
        run.read_step(1, 7)


def test_a_reader_may_not_write(run):
    reader = RunDirectory.read(run.folder)
    for attempt in (lambda: reader.append_metrics(1, 1, {}), lambda: reader.set_status("x")):
        with pytest.raises(ValueError, match="for reading only"):
            attempt()
    run.close()
    with pytest.raises(ValueError, match="or closed"):
        run.set_status("x")


# the lock


def test_a_live_lock_is_refused_in_one_line(run):
    with pytest.raises(Refused, match="already open in this process"):
        RunDirectory.open(run.folder)
    code = "import sys; from verigrad.store import RunDirectory; RunDirectory.open(sys.argv[1])"
    done = subprocess.run([sys.executable, "-c", code, str(run.folder)], capture_output=True, text=True, check=False)
    assert f"is being written by process {os.getpid()}; wait for it" in done.stderr


@pytest.mark.parametrize("fault", ["dead", "pid used again", "garbage"])
def test_a_dead_lock_is_taken_over_with_a_note(run, fault):
    run.close()
    text = {
        "dead": lock.content().replace(str(os.getpid()).encode(), b"999999999"),
        "pid used again": lock.content().replace(str(lock.started(os.getpid())).encode(), b"long ago"),
        "garbage": b"\0\0",
    }[fault]
    (run.folder / "LOCK").write_bytes(text)
    with RunDirectory.open(run.folder) as again:
        assert "took over the lock of process" in again.notes[0]
        assert lock.content() == (run.folder / "LOCK").read_bytes()


def test_a_lock_of_another_host_is_refused(run):
    run.close()
    (run.folder / "LOCK").write_text('{"pid": 1, "started": "x", "host": "elsewhere"}')
    with pytest.raises(Refused, match=r"process 1 on elsewhere.*if it is dead, delete .*LOCK"):
        RunDirectory.open(run.folder)


def test_a_run_nobody_holds_any_more_gives_its_lock_back(tmp_path):
    RunDirectory.create(tmp_path / "r", recipe_text="", resolved={})
    RunDirectory.open(tmp_path / "r").close()


def test_unfinished_replacements_are_undone(run):
    _checkpoint(run, 5, b"old")
    folder = run.checkpoint_path(1, 5)
    os.rename(folder, folder.with_name(".step_00005.old-77"))
    folder.with_name(".step_00006.tmp-77").mkdir()
    folder.with_name(".step_00004.gone-77").mkdir()
    run.close()
    with RunDirectory.open(run.folder) as again:
        assert again.checkpoints(1) == [5]
        assert [p.name for p in folder.parent.iterdir()] == ["step_00005"]
        assert len(again.notes) == 2


# kill -9

WRITER = textwrap.dedent("""
    import sys
    sys.path[:0] = [sys.argv[2]]
    from test_run_directory import _checkpoint, group
    from verigrad.store import RunDirectory
    with RunDirectory.open(sys.argv[1]) as run:
        step = max([0, *run.steps(1)])
        print("go", flush=True)
        while True:
            step += 1
            run.write_step(1, step, [group(step)] * 20)
            run.append_metrics(1, step, {f"reward/part/{i}": float(step) for i in range(200)})
            _checkpoint(run, step, bytes([step % 256]) * 200_000)
            run.drop_old(1, keep_last=2)
            run.set_status("training", stage=1, step=step)
""")


def test_killed_at_any_point_everything_is_whole(run):
    run.close()
    here = os.path.dirname(__file__)
    last = 0
    for delay in (0.0, 0.007, 0.013, 0.031, 0.057, 0.2):
        child = subprocess.Popen(
            [sys.executable, "-c", WRITER, str(run.folder), here], stdout=subprocess.PIPE, stderr=subprocess.PIPE
        )
        assert child.stdout.readline() == b"go\n", child.stderr.read()
        time.sleep(delay)
        child.send_signal(signal.SIGKILL)
        child.communicate()
        reader = RunDirectory.read(run.folder)
        for step in reader.steps(1):
            assert len(reader.read_step(1, step)) == 20
        assert all(len(m) == 202 for m in reader.read_metrics())
        for step in reader.checkpoints(1):
            content = (reader.checkpoint_path(1, step) / "model" / "model.safetensors").read_bytes()
            assert content == bytes([step % 256]) * 200_000
        with RunDirectory.open(run.folder) as again:
            assert "took over the lock" in again.notes[0]
            assert not [p for p in again.folder.rglob(".*") if p.name.startswith(".")]
            assert len(again.checkpoints(1)) <= 3
            assert again.steps(1) == list(range(1, len(again.steps(1)) + 1))
            last = max([last, *again.checkpoints(1)])
    assert last > 1


# two runs


def pair(tmp_path, *, reward=1.0, weights=b"w", lr=1.0, seconds=0.5, steps=(1,)):
    runs = []
    for name, values in (("a", (1.0, b"w", 1.0, 0.0, (1,))), ("b", (reward, weights, lr, seconds, steps))):
        pay, content, rate, time_taken, stored = values
        with RunDirectory.create(tmp_path / name, recipe_text=name, resolved={}) as run:
            for step in stored:
                run.write_step(1, step, [group(1), group(1, seconds=time_taken, reward=pay)])
            run.append_metrics(1, 1, {"lr": rate})
            run.append_timings(1, 1, {"sample": time_taken})
            _checkpoint(run, 1, content)
            with run.staged("model") as folder:
                (folder / "model.safetensors").write_bytes(content)
                (folder / "README.md").write_text(name)
        runs.append(tmp_path / name)
    return runs


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({}, []),
        ({"reward": 0.5}, ["01_rl/rollouts/step_00001.jsonl.zst: group 1 differs at members.0.parts.0.1: 1.0 and 0.5"]),
        ({"lr": 2.0}, ["metrics.jsonl:1: lr is 1.0 and 2.0"]),
        (
            {"weights": b"v"},
            [
                "01_rl/checkpoints/step_00001/model/model.safetensors: the weights differ",
                "model/model.safetensors: the weights differ",
            ],
        ),
    ],
)
def test_compare_runs_names_every_difference(tmp_path, change, says):
    assert compare_runs(*pair(tmp_path, **change)) == says


def test_compare_runs_names_what_only_one_has(tmp_path):
    a, b = pair(tmp_path, steps=(1, 2))
    assert compare_runs(a, b) == [f"01_rl/rollouts/step_00002.jsonl.zst: only in {b}"]


def test_packed_files_are_the_same_bytes_for_the_same_lines():
    assert files.pack(["a", "b"]) == files.pack(["a", "b"])
    assert files.pack([]) != files.pack([""])
