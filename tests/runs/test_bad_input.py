"""Bad input through the command line: one line that says what to change, exit 2, no traceback, no run left behind."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.runs.runs_cases import GOLD, ROWS, Shell, write_rows
from tests.tiny import edit_json
from verigrad.models import load, new_scorer, save_scorer
from verigrad.runs import Run


def recipe(*changes: tuple[str, str]) -> Callable[[Shell], None]:
    return lambda shell: shell.edit(*changes)


def _third_line_broken(shell: Shell) -> None:
    path = shell.folder / "words.jsonl"
    lines = path.read_text().splitlines()
    lines[2] = '{"question": "word", "gold": '
    path.write_text("\n".join(lines) + "\n")


def _column_missing(shell: Shell) -> None:
    write_rows(shell.folder / "words.jsonl", [*ROWS[:4], {"question": "no gold", "answer": "x"}])


def _no_tokenizer(shell: Shell) -> None:
    for path in (shell.folder / "tiny-llama-0").glob("tokenizer*"):
        path.unlink()


def _torn_weights(shell: Shell) -> None:
    path = shell.folder / "tiny-llama-0" / "model.safetensors"
    path.write_bytes(path.read_bytes()[:5000])


def _unknown_architecture(shell: Shell) -> None:
    edit_json(shell.folder / "tiny-llama-0" / "config.json", model_type="no_such_model")


def _runs_is_a_file(shell: Shell) -> None:
    (shell.folder / "runs").write_text("")


def _run_is_no_run(shell: Shell) -> None:
    (shell.folder / "runs" / "words").mkdir(parents=True)
    (shell.folder / "runs" / "words" / "notes.txt").write_text("mine")


def _held_out_overlaps(shell: Shell) -> None:
    write_rows(shell.folder / "other.jsonl", [{"question": "Word  37 ", "gold": GOLD}, *ROWS[:1]])
    shell.edit(("held_out = 0.3", 'held_out = "other.jsonl"'))


def _empty(shell: Shell) -> None:
    (shell.folder / "words.jsonl").write_text("\n\n")


def check(name: str, *more: tuple[str, str]) -> Callable[[Shell], None]:
    return recipe(('checks.py:begins"', f'checks.py:{name}"'), *more)


CASES: dict[str, tuple[Callable[[Shell], None], str]] = {
    "misspelt key": (
        recipe(("verifier =", "verifer =")),
        r"^r.toml:10: unknown key reward.verifer; did you mean reward.verifier\?$",
    ),
    "key of another table": (
        recipe(('name = "words"', "steps = 3")),
        r"^r.toml:\d+: unknown key run.steps; it is train.steps$",
    ),
    "unknown method": (
        recipe(('kl = "none"', 'method = "grop"')),
        r'^r.toml:12: unknown loss.method = "grop"; did you mean grpo\?$',
    ),
    "a text for a number": (
        recipe(("group = 6", 'group = "6"')),
        r'^r.toml:18: train.group wants a whole number.*the text "6"$',
    ),
    "a group of one": (
        recipe(("group = 6", "group = 1")),
        r"^r.toml:18: train.group is 1: grpo compares the answers to one prompt .*at least 2$",
    ),
    "not TOML": (recipe(("[loss]", "[loss")), r"^r.toml:11: "),
    "no data file": (recipe(("words.jsonl", "wrods.jsonl")), r"^r.toml:6: .*wrods.jsonl.*did you mean words.jsonl"),
    "no check file": (recipe(('checks.py:begins"', 'check.py:begins"')), r"^r.toml:10: .*check.py"),
    "no such check": (check("beginns"), r"^r.toml:10: checks.py has no beginns; did you mean begins\?$"),
    "no such grader": (
        recipe(("checks.py:begins_so", "checks.py:begin_so")),
        r"^r.toml:22: checks.py has no begin_so; did you mean begins_so\?$",
    ),
    "grader is the verifier": (
        recipe(("checks.py:begins_so", "checks.py:begins")),
        r'^r.toml:22: acceptance.grader is the training verifier: say grader = "same"',
    ),
    "broken line": (_third_line_broken, r"^words.jsonl:3: "),
    "missing column": (_column_missing, r"^words.jsonl:5: has no gold"),
    "empty source": (_empty, r"words.jsonl"),
    "prompt without its column": (
        recipe(("{question}", "{qestion}")),
        r"^words.jsonl: data.prompt shows {qestion}, but the columns are .*did you mean question\?$",
    ),
    "no model": (recipe(("tiny-llama-0", "tiny-lama-0")), r"^r.toml:3: .*tiny-lama-0"),
    "no tokenizer": (_no_tokenizer, r"^r.toml:3: .*tokenizer"),
    "torn weights": (_torn_weights, r"^r.toml:3: .*tiny-llama-0"),
    "unknown architecture": (_unknown_architecture, r"^r.toml:3: .*no_such_model"),
    "runs is a file": (_runs_is_a_file, r"^cannot create runs.words: .*a file stands where a folder should be$"),
    "the folder is taken": (
        _run_is_no_run,
        r"^runs.words exists and is no run of verigrad's: move it away, or choose another run.name$",
    ),
    "held-out in training": (_held_out_overlaps, r"held.out"),
    "golds that fail": (
        check("never"),
        r"^the first \d golds are all wrong by their own verifier \(.*list: runs.words.golds.jsonl\); mend",
    ),
    "a check that raises": (check("raises"), r"^the first \d golds are all wrong .*ValueError: two lines"),
    "a check that returns nan": (check("nan"), r"^the first \d golds are all wrong .*nan"),
    "a check that hangs": (
        check("hangs", ("log = []", "log = []\nlimits = { check_seconds = 0.2 }")),
        r"^the first \d golds are all wrong .*no answer in 0.2 s",
    ),
    "engine of a later version": (
        recipe(("[sampling]", '[sampling]\nengine = "vllm"')),
        r"^r.toml:14: sampling.engine = .vllm. is not in this version yet",
    ),
    "top-p in training": (recipe(("[sampling]", "[sampling]\noptions = { top_p = 0.9 }")), r"^r.toml:14: .*top_p"),
}


@pytest.mark.parametrize("case", CASES)
def test_one_line_exit_2_and_no_run(case: str, shell: Shell) -> None:
    spoil, line = CASES[case]
    spoil(shell)
    before = set(shell.folder.rglob("*"))
    said = shell("train", "r.toml").refused()
    assert re.search(line, said), said
    assert "\n" not in said
    left = {p.relative_to(shell.folder).as_posix() for p in set(shell.folder.rglob("*")) - before}
    left = {p for p in left if "__pycache__" not in p}
    assert left <= {"runs", "runs/words", "runs/words/golds.jsonl"}


def test_some_wrong_golds_are_counted_listed_and_left_out_with_anyway(shell: Shell) -> None:
    rows = [{**r, "gold": "" if i in (20, 31, 44) else GOLD} for i, r in enumerate(ROWS)]
    write_rows(shell.folder / "words.jsonl", rows)
    said = shell("pilot", "r.toml").refused()
    assert said == (
        "3 of 60 golds are wrong by their own verifier (list: runs/words/golds.jsonl); mend them, "
        "or --anyway leaves those rows out and records it"
    )
    assert len((shell.folder / "runs/words/golds.jsonl").read_text().splitlines()) == 3
    said = shell("train", "r.toml", "--anyway", "--set", "train.steps=1")
    assert said.status in (0, 1), said.err
    assert len((shell.folder / "runs/words/golds.jsonl").read_text().splitlines()) == 3
    assert (shell.folder / "runs/words/acceptance.json").exists()


def test_a_refused_list_of_golds_does_not_stand_in_the_way(shell: Shell) -> None:
    shell.edit(('checks.py:begins"', 'checks.py:never"'))
    shell("train", "r.toml").refused()
    assert (shell.folder / "runs/words/golds.jsonl").exists()
    shell.edit(("checks.py:never", "checks.py:begins"))
    shell("pilot", "r.toml")
    assert not (shell.folder / "runs/words").exists()


def test_nothing_to_learn_from_is_refused_and_leaves_no_run(shell: Shell) -> None:
    write_rows(shell.folder / "words.jsonl", [{**r, "gold": "\N{SNOWMAN}"} for r in ROWS])
    said = shell("train", "r.toml").refused()
    assert said.startswith("pilot: 0 of 32 prompts had a right answer in 6: ")
    assert said.endswith("; --anyway goes on")
    assert not (shell.folder / "runs/words").exists()
    answer = shell("pilot", "r.toml")
    assert answer.status == 1
    assert "pilot: 0 of 32 prompts had a right answer in 6" in answer.out


def test_a_check_that_breaks_on_answers_alone_calls_them_wrong(shell: Shell) -> None:
    write_rows(shell.folder / "words.jsonl", ROWS[:14])
    shell.edit(('checks.py:begins"', 'checks.py:delicate"'), ("group = 6", "group = 4"))
    said = shell("train", "r.toml", "--set", "train.steps=1", "--anyway")
    assert said.status in (0, 1), said.err
    metrics = Run(folder=shell.folder / "runs/words").metrics[0]
    assert metrics["verdict/broke_check"] > 0
    assert metrics["verdict/ungraded"] == 0


@pytest.mark.parametrize(
    ("words", "line"),
    [
        (("train",), "give a recipe, or --resume RUN"),
        (("train", "no.toml"), "no.toml"),
        (("train", "--resume", "runs/none"), "runs/none is not there; runs are folders such as runs/quickstart"),
        (("train", "r.toml", "--set", "train.lr"), "--set"),
        (("train", "r.toml", "--set", "train.lrr=1"), "unknown key train.lrr"),
        (("train", "r.toml", "--set", "run.name=../x"), "run.name"),
        (("accept", "tiny-llama-0"), "tiny-llama-0 is no run: say --recipe, whose suites judge it"),
        (("accept", "nothing", "--recipe", "r.toml"), "nothing"),
        (("verify", "number", "--file", "no.jsonl"), "no.jsonl: cannot be read: No such file or directory"),
        (("verify", "nubmer", "--file", "cases.jsonl"), "did you mean number?"),
        (("list", "methods", "grop"), "did you mean grpo?"),
        (("list", "methods", "dpoo"), "no method called dpoo; did you mean dpo?"),
        (("list", "methods", "dpo", "grpo"), "dpo learns from pairs or labels, grpo from rewards: they have no axis"),
        (("list", "thods"), "list takes data, rewards, methods, graders"),
        (("list", "data", "a", "b"), "two names compare methods alone"),
        (("report", "runs/none"), "runs/none"),
        (("doctor", "runs/none"), "runs/none"),
        (("init", "tiny-llama-0", "--have", "nothing"), "tiny-llama-0 is not empty: another folder"),
        (("init", "new", "--have", "nohting"), "init offers checker, answers, pairs, judge, nothing, not"),
    ],
)
def test_every_command_refuses_in_one_line(words: tuple[str, ...], line: str, shell: Shell) -> None:
    (shell.folder / "cases.jsonl").write_text('{"id": 1, "completion": "3", "truth": 3}\n')
    assert line in shell(*words).refused()


@pytest.mark.parametrize(
    ("case", "line"),
    [
        ("[1]", "cases.jsonl:2: a case is one JSON object a line"),
        ("{", "cases.jsonl:2: not JSON"),
        ("[" * 100_000, "cases.jsonl:2: not JSON"),
        ('{"kind": "number", "truth": 3}', 'cases.jsonl:2: the case needs "completion"'),
        ('{"completion": "3", "kind": ["number"], "truth": 3}', 'cases.jsonl:2: "kind" is the name of a verifier'),
        ('{"completion": "3", "kind": "number", "truth": 3, "expected": [1]}', 'cases.jsonl:2: "expected" is true'),
        ('{"completion": "3", "kind": "number", "truth": "\\ud800"}', "cases.jsonl:2: only a completion may hold half"),
    ],
)
def test_a_broken_case_is_named_by_its_line(case: str, line: str, shell: Shell) -> None:
    (shell.folder / "cases.jsonl").write_text("\n" + case + "\n")
    assert line in shell("verify", "--file", "cases.jsonl").refused()


def test_the_real_command_refuses_the_same_way(shell: Shell) -> None:
    shell.edit(("verifier =", "verifer ="))
    command = [str(Path(sys.executable).with_name("verigrad")), "train", "r.toml"]
    done = subprocess.run(
        command, capture_output=True, text=True, check=False, env={**os.environ, "OMP_NUM_THREADS": "1"}
    )
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == "verigrad: r.toml:10: unknown key reward.verifer; did you mean reward.verifier?\n"


def _graded_by(shell: Shell, grader: str, *more: tuple[str, str]) -> None:
    shell.edit(("checks.py:begins_so", grader), *more)


@pytest.mark.parametrize(
    ("grader", "line"),
    [
        ("number", r"^r.toml:22: words: none of the first 4 golds is accepted by grader number \(gold 'abcdefghijkl': "
                   r"ungraded: the gold is no literal number; list: runs.words.golds.jsonl\); name another grader"),
        ("checks.py:never", r"^r.toml:22: words: none of the first 4 golds is accepted by grader checks.py:never "),
        ("os:system", r"^r.toml:22: acceptance.grader: os:system cannot be used: TypeError: system\(command\)"),
        ("nope.mod:f", r"^r.toml:22: acceptance.grader: nope.mod:f cannot be used: ModuleNotFoundError"),
        (":x", r'^r.toml:22: .*":x" is no file.py:function and no module:function$'),
        ("checks.py:begins:x", r'^r.toml:22: .*"checks.py:begins:x" is no file.py:function'),
    ],
)  # fmt: skip
def test_a_grader_that_can_tell_nothing_right_is_found_before_training(grader: str, line: str, shell: Shell) -> None:
    _graded_by(shell, grader)
    for verb in ("train", "pilot"):
        said = shell(verb, "r.toml").refused()
        assert re.search(line, said), said


def test_golds_a_grader_does_not_accept_are_left_out_of_the_suite_alone(shell: Shell) -> None:
    rows = [{**r, "gold": "letters: " + GOLD if i % 9 == 4 else GOLD} for i, r in enumerate(ROWS)]
    write_rows(shell.folder / "words.jsonl", rows)
    (shell.folder / "strict.py").write_text("def f(answer, task):\n    return answer[:1] in task.gold[:3]\n")
    with (shell.folder / "strict.py").open("a") as file:
        file.write("\n\ndef g(answer, task):\n    return ' ' not in task.gold and f(answer, task)\n")
    _graded_by(shell, "strict.py:g")
    said = shell("pilot", "r.toml").refused()
    found = re.search(
        r"^r.toml:22: words: (\d) of (\d+) golds are not accepted by grader strict.py:g "
        r"\(gold 'letters: abcdefghijkl': wrong; list: runs/words/golds.jsonl\); "
        r"mend them, or --anyway leaves those rows out of the suite and records it$",
        said,
    )
    assert found, said
    listed = (shell.folder / "runs/words/golds.jsonl").read_text().splitlines()
    assert len(listed) == int(found[1])
    assert all('"grader strict.py:g of words: wrong"' in line for line in listed)
    note = f"note: words: {found[1]} of {found[2]} golds are not accepted by grader strict.py:g and are left out"
    piloted = shell("pilot", "r.toml", "--anyway")
    assert piloted.status in (0, 1), piloted.err
    assert note in piloted.err
    trained = shell("train", "r.toml", "--anyway", "--set", "train.steps=1")
    assert trained.status in (0, 1), trained.err
    assert note in trained.err
    run = Run(folder=shell.folder / "runs/words")
    assert len((run.folder / "golds.jsonl").read_text().splitlines()) == int(found[1])
    assert run.acceptance is not None
    assert run.acceptance["suites"][0]["greedy"]["after"]["ungraded"] == 0


def test_pilot_goes_on_over_golds_with_anyway(shell: Shell) -> None:
    write_rows(shell.folder / "words.jsonl", [{**r, "gold": "" if i == 20 else GOLD} for i, r in enumerate(ROWS)])
    assert "1 of 60 golds are wrong by their own verifier" in shell("pilot", "r.toml").refused()
    assert shell("pilot", "r.toml", "--anyway").status in (0, 1)


def _with_judge(shell: Shell, reward: str, *more: tuple[str, str]) -> None:
    """Two reward models, "judge" and "other", whose scores are each other's negative, and these reward tables."""
    scorer = new_scorer(load(str(shell.folder / "tiny-llama-0"), dtype="float32", device="cpu"), seed=11)
    save_scorer(scorer, shell.folder / "judge", "")
    scorer.module.score.weight.data.neg_()
    save_scorer(scorer, shell.folder / "other", "")
    shell.edit(('[reward]\nverifier = "checks.py:begins"\n', reward), *more)


def test_a_judge_is_no_grader_of_its_own_work(shell: Shell) -> None:
    _with_judge(shell, '[[reward]]\nmodel = "judge"\n', ("checks.py:begins_so", "same"))
    said = shell("pilot", "r.toml").refused()
    assert re.search(r'^r.toml:\d+: acceptance.grader = "same" wants a training verifier, and a reward model alone '
                     r"judges words: its sign is no grade; name a grader$", said), said  # fmt: skip


def test_a_gated_judge_that_takes_from_right_answers_is_said(shell: Shell) -> None:
    """Of two judges whose scores are each other's negative one pays right answers below 0."""
    table = '[[reward]]\nverifier = "checks.py:begins"\n'
    table += "".join(f'[[reward]]\nmodel = "{name}"\ngated = true\n' for name in ("judge", "other"))
    _with_judge(shell, table)
    said = shell("pilot", "r.toml", "--json")
    assert said.status in (0, 1), said.err
    told = [note for note in json.loads(said.out)["notes"] if note.startswith("gated reward model ")]
    assert len(told) == 1
    assert re.search(
        r"^gated reward model (judge|other) paid right answers -\d+\.\d\d on average, so being right may earn less "
        r"than being wrong: a smaller reward weight for it, or more for a right answer",
        told[0],
    )
