"""doctor finds what was planted, says nothing of a healthy run, and asks the machine without torch."""

import json
import subprocess
import sys

import pytest

from tests.reporting.made_run import make
from verigrad import sandbox
from verigrad.errors import Refused
from verigrad.reporting import doctor, machine
from verigrad.reporting.findings import findings
from verigrad.reporting.machine import Check, memory_gb
from verigrad.store import RunDirectory


def run_with(tmp_path, change=None, *, steps=80):
    return make(tmp_path / "r", steps=steps, of=80, done=False, change=change, write_steps=())


def test_a_healthy_run_has_no_finding(tmp_path):
    result = doctor(run_with(tmp_path))
    assert result.healthy
    assert result.lines() == [f"{tmp_path / 'r'}: no finding in 80 steps"]
    assert result.as_json()["findings"] == []


def late(**values):
    def change(step, m):
        if step > 55:
            m.update({k.replace("__", "/"): v for k, v in values.items()})

    return change


def flat(step, m):
    m["reward/right"] = 0.3 + 0.02 * (step % 2)


def gamed(step, m):
    m["reward/mean"] = step / 80
    if "validation/right" in m:
        m["validation/right"] = 0.5 - step / 400


def part(step, m):
    flat(step, m)
    m["reward/part/number"] = m["reward/right"]
    m["reward/part/overlong"] = -0.5 + step / 100


def idle(step, m):
    m["reward/right"] = m["reward/part/number"] = 0.005
    m["reward/part/format"] = 0.9


@pytest.mark.parametrize(
    ("change", "name", "number"),
    [
        (late(group__all_right=0.9, group__all_wrong=0.05), "dead_groups", "90% of the last groups were all right"),
        (late(group__all_right=0.0, group__all_wrong=0.95), "dead_groups", "95% all wrong"),
        (late(entropy=0.01), "entropy_collapse", "to 0.01 nats"),
        (late(entropy=3.0), "entropy_grows", "to 3 nats"),
        (late(length__truncated=0.4), "truncation", "40% of the last answers"),
        (gamed, "reward_without_validation", "from 45.0% to 30.0% (step 80)"),
        (part, "part_without_right", "reward/part/overlong rose from"),
        (
            idle,
            "paid_without_right",
            "0.5% of the last answers were right, and in the mean reward/part/format paid 0.9",
        ),
        (late(mismatch__mean=0.2), "mismatch", "0.2 nats a token"),
        (flat, "nothing_learned", "in 80 steps"),
        (late(reward__right=0.05), "worse", "to 5.0%"),
        (late(verdict__ungraded=0.04), "ungraded", "4.0% of the last answers could not be graded"),
        (late(verdict__broke_check=0.05), "broke_check", "5.0%"),
        (late(verdict__timed_out=0.05), "timed_out", "5.0%"),
        (late(verdict__unreadable=0.5), "unreadable", "50.0%"),
        (late(validation__disagree=0.2), "disagree", "20.0% of the validation answers"),
        (lambda s, m: m.update({"grad/norm": 90.0}) if s == 33 else None, "gradient_spike", "90 at step 33"),
        (
            lambda s, m: m.update({"loss/policy": float("nan")}) if s == 9 else None,
            "not_a_number",
            "loss/policy is not",
        ),
    ],
)
def test_what_is_planted_is_found_with_its_number(tmp_path, change, name, number):
    result = doctor(run_with(tmp_path, change))
    assert not result.healthy
    found = [f for f in result.found if f.name == name]
    assert len(found) == 1, [f.name for f in result.found]
    assert number in found[0].says
    assert found[0].advice
    assert f"  try: {found[0].advice}" in result.lines()
    assert json.loads(json.dumps(result.as_json()))["healthy"] is False


def test_a_run_too_short_is_not_judged(tmp_path):
    result = doctor(run_with(tmp_path, late(), steps=5))
    assert result.healthy
    assert result.lines() == [f"{tmp_path / 'r'}: 5 steps are too few to judge (from 8 on)"]


def test_nan_is_found_in_a_short_run_too():
    assert [f.name for f in findings([{"stage": 1, "step": 1, "lr": None}])] == ["not_a_number"]


def test_stages_are_judged_apart(tmp_path):
    with RunDirectory.create(tmp_path / "r", recipe_text="", resolved={}, stages=("rl", "rl")) as run:
        for stage, cut in ((1, 0.0), (2, 0.5)):
            for step in range(1, 13):
                run.append_metrics(stage, step, {"length/truncated": cut})
    found = doctor(tmp_path / "r").found
    assert [(f.stage, f.name) for f in found] == [(2, "truncation")]


def test_what_is_no_run_is_refused_in_one_line(tmp_path):
    with pytest.raises(Refused, match="is not there"):
        doctor(tmp_path / "none")
    (tmp_path / "log.csv").write_text("")
    with pytest.raises(Refused, match="other trainers' logs are not built in this version"):
        doctor(tmp_path / "log.csv")


def test_this_machine():
    result = doctor()
    names = {c.name: c for c in result.checks}
    for name in ("python", "torch", "cores", "memory", "free disk", "gpu", "bubblewrap", "coq", "compiler"):
        assert name in names
    levels = {level.number: level for level in sandbox.levels()}
    for number in (2, 3):
        said = names[f"sandbox level {number}"]
        assert said.state == ("ok" if levels[number].available else "missing")
        assert said.advice.endswith(levels[number].why_not)
    assert result.healthy == all(c.state != "bad" for c in result.checks)
    assert int(names["cores"].found) >= 1
    assert json.loads(json.dumps(result.as_json()))["checks"][0]["name"] == "python"
    assert len(result.lines()) == len(result.checks)
    assert all("\n" not in line for line in result.lines())


def test_a_missing_program_names_its_install_command(monkeypatch):
    sandbox.levels()  # asked once a process: not while nothing can be found
    monkeypatch.setattr("shutil.which", lambda name: "/usr/bin/apt-get" if name == "apt-get" else None)
    found = {c.name: c for c in doctor().checks}
    assert found["bubblewrap"].state == "missing"
    assert found["bubblewrap"].advice == "only for sandbox level 3: apt-get install bubblewrap"
    assert found["gpu"].found == "none; runs use the CPU"


def test_without_a_needed_package_the_machine_is_not_healthy(monkeypatch):
    monkeypatch.setattr(machine, "version", lambda name: None if name == "torch" else "1.0")
    result = doctor()
    assert not result.healthy
    assert [c for c in result.checks if c.state == "bad"] == [
        Check(name="torch", found="not installed", state="bad", advice="pip install torch")
    ]


def test_memory_is_a_plausible_number():
    memory = memory_gb()
    assert memory is None or 0.1 < memory < 100_000


def test_no_torch_is_loaded():
    code = "import sys; from verigrad.reporting import doctor, report; doctor(); sys.exit('torch' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_steps_of_a_warm_up_do_not_make_a_short_rl_stage_judged(tmp_path):
    with RunDirectory.create(tmp_path / "r", recipe_text="", resolved={}, stages=("sft", "rl")) as run:
        for stage, steps in ((1, 12), (2, 5)):
            for step in range(1, steps + 1):
                run.append_metrics(stage, step, {"lr": 0.1})
    assert doctor(tmp_path / "r").lines() == [
        f"{tmp_path / 'r'}: stage 2 rl, 5 steps are too few to judge (from 8 on)",
        f"{tmp_path / 'r'}: no finding in 12 steps",
    ]


@pytest.mark.parametrize(("late", "found"), [(-0.25, ["critic_explains_nothing"]), (0.125, [])])
def test_a_critic_that_explains_nothing(late, found):
    rows = [{"stage": 1, "step": n, "value/explained": 0.5 if n <= 4 else late} for n in range(1, 9)]
    assert [f.name for f in findings(rows)] == found
    assert findings(rows[:7]) == []


@pytest.mark.parametrize(("phase", "says"), [("failed", "it ended with"), ("done", "an earlier try ended with")])
def test_a_run_that_ended_with_an_error_says_so(tmp_path, phase, says):
    with RunDirectory.create(tmp_path / "r", recipe_text="", resolved={}) as run:
        run.write_error("Traceback (most recent call last):\n  ...\nMemoryError: 8 GB")
        run.set_status(phase)
    result = doctor(tmp_path / "r")
    assert result.lines()[0] == f"{tmp_path / 'r'}: {says} MemoryError: 8 GB (error.txt)"
    assert result.healthy == (phase == "done")
    assert result.as_json()["error"] == "MemoryError: 8 GB"
