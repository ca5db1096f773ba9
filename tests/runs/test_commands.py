"""Every command beside a finished run: data on stdout, talk on stderr, JSON where asked, and the exit status."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from tests.runs.runs_cases import Shell
from verigrad.errors import Refused
from verigrad.losses import preferences
from verigrad.runs import Run, listing
from verigrad.training import NAMES

Finished = tuple[Path, "subprocess.CompletedProcess[str]"]


def test_an_accepted_run_exits_0_and_says_what_it_did(finished: Finished) -> None:
    folder, done = finished
    summary = json.loads(done.stdout)
    assert summary["status"] == {"phase": "done", "stage": 1, "step": 10, "decision": "accepted"}
    assert summary["model"] == "runs/words/model"
    talk = done.stderr.splitlines()
    assert [line[:3] for line in talk[:4]] == ["1. ", "2. ", "3. ", "4. "]
    assert any(line.startswith("pilot: 32 prompts x 6 answers: ") for line in talk)
    assert any(line.startswith("  training 10/10 reward ") for line in talk)
    assert "Traceback" not in done.stderr
    names = {p.name for p in (folder / "runs/words").iterdir()}
    assert names == {
        "01_rl",
        "STATUS",
        "acceptance.json",
        "before.jsonl",
        "items.jsonl.zst",
        "metrics.jsonl",
        "model",
        "off_task.json",
        "openings.jsonl",
        "pilot.json",
        "recipe.toml",
        "report.html",
        "resolved.json",
        "timings.jsonl",
        "user",
    }


def test_a_run_emits_no_name_beyond_the_closed_list(finished: Finished) -> None:
    run = Run(folder=finished[0] / "runs/words")
    emitted = {name for line in run.metrics for name in line} - {"stage", "step"}
    assert {n for n in emitted if n not in NAMES} == {"reward/part/begins"}
    assert {"reward/mean", "loss/policy", "validation/right", "validation/disagree", "entropy", "grad/norm"} <= emitted


def test_resolved_says_what_ran(finished: Finished) -> None:
    resolved = json.loads((finished[0] / "runs/words/resolved.json").read_text())
    assert resolved["values"]["train"]["lr"] == {"value": 0.02, "origin": "r.toml:19"}
    assert resolved["method"]["ran"] == "grpo, changed: kl k3 -> none"
    assert resolved["checks"][0]["said"] == "checks.py:begins is called as f(answer, task)"
    assert {side: len(d["sha256"]) for side, d in resolved["data"]["words"].items()} == {
        "train": 64,
        "validation": 64,
        "held_out": 64,
    }
    kept = (finished[0] / "runs/words/user/checks.py").read_bytes()
    assert kept == (finished[0] / "checks.py").read_bytes()


def test_a_run_that_is_there_is_not_written_over(in_finished: Shell) -> None:
    said = in_finished("train", "r.toml").refused()
    assert said == "runs/words exists (10 steps, accepted): --resume runs/words, or --set run.name=words-2"


def test_a_done_run_is_not_resumed(in_finished: Shell) -> None:
    said = in_finished("train", "--resume", "runs/words").refused()
    assert said == "runs/words is done: --set train.steps=20 goes on"


def test_accept_judges_the_run_again_and_alike(in_finished: Shell) -> None:
    said = in_finished("accept", "runs/words", "--json")
    assert said.status == 0
    stored = json.loads((in_finished.folder / "runs/words/acceptance.json").read_text())
    assert json.loads(said.out)["suites"] == stored["suites"]


def test_a_model_against_itself_is_not_accepted_and_exits_1(in_finished: Shell) -> None:
    said = in_finished("accept", "tiny-llama-0", "--recipe", "r.toml")
    assert said.status == 1
    assert "greedy gain +0.000" in said.out
    assert "ACCEPTED:" not in said.out.replace("NOT ACCEPTED:", "")


def test_accept_of_a_run_without_a_model_says_so(copy_of_finished: Shell) -> None:
    (copy_of_finished.folder / "runs/words/model").rename(copy_of_finished.folder / "elsewhere")
    said = copy_of_finished("accept", "runs/words").refused()
    assert said == "runs/words has no model yet (it is in phase done)"


def test_pilot_shows_what_groups_would_teach(in_finished: Shell) -> None:
    said = in_finished("pilot", "r.toml", "--set", "run.name=other", "--set", "train.group=2", "--json")
    assert said.status == 0, said.err
    numbers = json.loads(said.out)["numbers"]
    assert (numbers["prompts"], numbers["group"]) == (32, 2)
    assert sum(numbers["verdicts"].values()) == pytest.approx(1)
    assert not (in_finished.folder / "runs/other").exists()


def test_verify_prints_a_verdict_a_line_and_compares_with_what_was_expected(in_finished: Shell) -> None:
    cases = [
        {"id": "a", "kind": "number", "completion": "8 * 10 = 80", "truth": 80, "expected": True},
        {"id": "b", "kind": "number", "completion": "79", "truth": 80, "expected": False},
    ]
    path = in_finished.folder / "cases.jsonl"
    path.write_text("".join(json.dumps(c) + "\n" for c in cases))
    said = in_finished("verify", "--file", "cases.jsonl")
    rows = [json.loads(line) for line in said.out.splitlines()]
    assert said.status == 0
    assert [(r["id"], r["status"], r["agrees"]) for r in rows] == [("a", "right", True), ("b", "wrong", True)]
    path.write_text(json.dumps({**cases[1], "expected": True}) + "\n")
    assert in_finished("verify", "--file", "cases.jsonl").status == 1


def test_verify_calls_the_users_check(in_finished: Shell) -> None:
    path = in_finished.folder / "own.jsonl"
    path.write_text(json.dumps({"id": 1, "completion": "b", "truth": "abc"}) + "\n")
    (row,) = [json.loads(x) for x in in_finished("verify", "checks.py:begins", "--file", "own.jsonl").out.splitlines()]
    assert (row["status"], row["rule"]) == ("right", "begins")


def test_list_says_what_two_methods_differ_in(in_finished: Shell) -> None:
    said = in_finished("list", "methods", "grpo", "dapo")
    assert said.status == 0
    assert "clip.high 0.2 -> 0.28" in said.out.splitlines()
    assert "kl k3 -> none" in said.out.splitlines()
    assert in_finished("list", "methods", "grpo", "grpo").out == "grpo is grpo\n"
    assert json.loads(in_finished("list", "methods", "grpo", "dapo", "--json").out) == said.out.splitlines()


def test_list_shows_a_preference_method_with_its_numbers_and_what_two_differ_in() -> None:
    data, lines = listing("methods", "dpo")
    words = [" ".join(line.split()) for line in lines]
    assert words[0] == "dpo DPO, arXiv:2305.18290, eq. 7"
    assert "link logistic DPO eq. 7" in words
    assert any(line.startswith("link.beta 0.1 DPO appendix B") for line in words)
    assert data["axes"]["link"] == {"name": "logistic", "beta": 0.1}
    assert listing("methods", "dpo", "ipo")[1] == ["link logistic -> squared (beta 0.1)"]
    assert listing("methods", "simpo", "cpo")[1][:2] == ["score mean -> sum", "link.beta 2.5 -> 0.1"]
    assert "score sum -> no choice of it" in listing("methods", "dpo", "kto")[1]
    assert listing("methods", "dpo", "dpo")[1] == ["dpo is dpo"]
    for name in preferences:
        assert len(listing("methods", name)[1]) >= 4
    with pytest.raises(Refused) as refused:
        listing("stages")
    assert str(refused.value) == "list takes data, rewards, methods, graders"


@pytest.mark.parametrize(
    ("what", "name"),
    [
        ("data", "times_table"),
        ("data", "columns of GSM8K"),
        ("data", "hub:owner/name"),
        ("rewards", "verifier = number"),
        ("rewards", "shaping = cosine"),
        ("methods", "rloo"),
        ("graders", "number"),
    ],
)
def test_list_names_everything_and_shows_one(what: str, name: str, in_finished: Shell) -> None:
    said = in_finished("list", what)
    assert said.status == 0
    assert name in said.out
    assert name in {row["name"] for row in json.loads(in_finished("list", what, "--json").out)}
    assert len(in_finished("list", what, name).out) > 40


def test_list_takes_a_rewards_name_alone(in_finished: Shell) -> None:
    assert in_finished("list", "rewards", "math").out == in_finished("list", "rewards", "verifier = math").out
    both = in_finished("list", "rewards", "format").out
    assert "verifier = format\n" in both
    assert "shaping = format\n" in both
    assert "did you mean math?" in in_finished("list", "rewards", "mathh").refused()


def test_report_writes_a_page_and_prints_where(in_finished: Shell) -> None:
    said = in_finished("report", "runs/words", "--out", "page.html")
    assert (said.status, said.out) == (0, "page.html\n")
    assert "<html" in (in_finished.folder / "page.html").read_text()[:300]
    said = in_finished("report", "runs/words", "--out", "none/page.html").refused()
    assert said == "cannot write none/page.html: No such file or directory"


def test_doctor_looks_at_the_machine_and_at_a_run(in_finished: Shell) -> None:
    machine = in_finished("doctor", "--json")
    assert machine.status in (0, 1)
    assert json.loads(machine.out)["checks"]
    said = in_finished("doctor", "runs/words", "--json")
    told = json.loads(said.out)
    assert said.status == (0 if told["healthy"] else 1)
    assert told["steps"] == 10


def test_help_is_there_without_a_word(in_finished: Shell) -> None:
    for command in ("init", "list", "verify", "pilot", "train", "accept", "doctor", "report"):
        assert command in in_finished("--help").out
        assert in_finished(command, "--help").status == 0
