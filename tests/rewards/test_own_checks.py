"""The user's own check: its signatures, and the status rules for every way it can fail."""

import shutil
from pathlib import Path

import pytest

from verigrad.errors import RecipeError
from verigrad.recipe import Limits, Reward
from verigrad.records import Task
from verigrad.rewards import Rewards

HERE = Path(__file__).parent
TASK = Task.make(prompt="q", gold="yes", source="s", columns={"a": 1, "level": 3})


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    home = tmp_path_factory.mktemp("recipe")
    shutil.copy(HERE / "own_checks.py", home / "checks.py")
    (home / "note.txt").write_text("yes")
    (home / "broken.py").write_text("x = 1\ndef f(:\n    pass\n")
    (home / "raising.py").write_text("raise OSError('no licence')\n")
    (home / "needing.py").write_text("import surely_not_installed_here\n")
    return home


def rewards(folder, name, **options):
    named = name if callable(name) else f"checks.py:{name}"
    return Rewards([Reward(verifier=named, options=options)], folder=folder, max_tokens=16, workers=1)


@pytest.fixture(scope="module")
def misbehaving(folder):
    with rewards(folder, "misbehaves", seconds=1.2) as held:
        yield held


@pytest.mark.parametrize(
    ("answer", "status", "score", "reason"),
    [
        ("yes", "right", 1.0, ""),
        ("no", "wrong", 0.0, ""),
        ("half", "wrong", 0.5, ""),
        ("raise", "wrong", 0.0, "broke_check: raised KeyError: 'no such row' (checks.py:"),
        ("hang", "wrong", 0.0, "broke_check: timed_out"),
        ("exit", "wrong", 0.0, "broke_check: the process exited with status 0"),
        ("sys.exit", "wrong", 0.0, "broke_check: SystemExit"),
        ("crash", "wrong", 0.0, "broke_check: the process was ended by SIGSEGV"),
        ("nan", "wrong", 0.0, "broke_check: the check returned nan"),
        ("inf", "wrong", 0.0, "broke_check: the check returned inf"),
        ("none", "wrong", 0.0, "broke_check: the check returned None"),
        ("two", "wrong", 0.0, "broke_check: the check returned 2"),
        ("minus", "wrong", 0.0, "broke_check: the check returned -0.5"),
        ("text", "wrong", 0.0, "broke_check: returned str"),
        ("ungraded", "wrong", 0.0, "broke_check: could not judge: I cannot say"),
        ("verdict", "right", 1.0, ""),
        ("partly", "wrong", 0.25, ""),
        ("once", "wrong", 0.0, ""),
    ],
)
def test_a_fault_on_this_answer_alone_is_wrong(misbehaving, answer, status, score, reason):
    got = misbehaving.verify(answer, TASK)
    assert (got.status, got.score) == (status, score)
    assert got.reason.startswith(reason)
    assert bool(got.reason) == bool(reason)
    assert got.isolation == 1


def test_a_verdict_is_taken_as_it_is(misbehaving):
    got = misbehaving.verify("partly", TASK)
    assert (got.read, got.process, got.rule) == ("one row of four", (1.0, 0.0), "misbehaves")
    assert misbehaving.verify("verdict", TASK).rule == "mine"


@pytest.mark.parametrize("name", ["raises_always", "hangs_always", "none_always", "nan_always", "exits_always"])
def test_what_no_answer_could_have_caused_is_ungraded(folder, name):
    with rewards(folder, name, seconds=0.3) as held:
        got = held.verify("no", TASK)
        assert (got.status, got.score) == ("ungraded", None)
        assert "the gold through the same check" in got.reason
        assert [v.status for _, v in held.check_golds([TASK])] == ["ungraded"]


def test_without_a_gold_there_is_no_probe_and_a_fault_is_ungraded(misbehaving):
    bare = Task.make(prompt="q", source="s")
    assert misbehaving.verify("raise", bare).status == "ungraded"
    assert misbehaving.verify("no", bare).status == "wrong"
    assert misbehaving.check_golds([bare]) == []


def test_the_folder_is_the_working_directory(folder):
    with rewards(folder, "reads_its_folder") as held:
        assert held.verify("yes", TASK).correct


def test_the_task_arrives_whole(folder):
    with rewards(folder, "by_columns") as held:
        assert held.verify("1 s q", TASK).correct


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("rows_match", "f(answer, task)"),
        ("trl_text", "TRL's f(completions, **columns), completions as texts"),
        ("trl_chat", "TRL's f(completions, **columns), completions as chat turns"),
        ("compute_score", "verl's compute_score"),
        ("score_only", "verl's compute_score"),
    ],
)
def test_signatures_are_recognised_and_said(folder, name, said):
    with rewards(folder, name) as held:
        (check,) = held.checks
        assert said in check.said
        assert check.said.startswith(f"checks.py:{name} ")
        assert check.source == (folder / "checks.py").read_text()
        assert len(check.sha256) == 64
        assert held.names == (name,)
        assert held.verify("yes", TASK).status == "right"
        assert held.verify("no", TASK).status == "wrong"


def test_a_trl_function_of_another_length_is_a_fault(folder):
    with rewards(folder, "trl_wrong_length") as held:
        assert "one reward per completion" in held.verify("yes", TASK).reason


def test_the_gold_check_lists_what_fails_its_own_verifier(folder):
    tasks = [Task.make(prompt=str(i), gold=f"row {i}" + " " * (i % 5 == 0), source="s") for i in range(20)]
    with rewards(folder, "rows_match") as held:
        failed = held.check_golds(tasks)
        assert [t.prompt[0]["content"] for t, _ in failed] == ["0", "5", "10", "15"]
        assert all(v.status == "wrong" for _, v in failed)
    with rewards(folder, "never_right") as held:
        assert len(held.check_golds(tasks)) == 20


def test_a_check_that_judges_no_gold_is_found_by_the_first_few(folder):
    tasks = [Task.make(prompt=str(i), gold="row", source="s") for i in range(500)]
    with rewards(folder, "hangs_always", seconds=0.1) as held:
        failed = held.check_golds(tasks)
    assert len(failed) == 2
    assert all("timed_out" in v.reason for _, v in failed)


def test_the_gold_may_be_written_as_an_answer(folder):
    asked = Task.make(prompt="q", gold="select 1", source="s")
    with rewards(folder, "misbehaves", gold_as="```sql\n{gold}\n```") as held:
        assert [v.status for _, v in held.check_golds([asked])] == ["wrong"]
        assert held.judges("s").gold_answer(asked) == "```sql\nselect 1\n```"


@pytest.mark.parametrize(
    ("named", "says"),
    [
        ("checks.py:rows_macth", "checks.py has no rows_macth; did you mean rows_match?"),
        ("chekcs.py:rows_match", "chekcs.py is not there"),
        ("checks.py:NOT_A_FUNCTION", "checks.py:NOT_A_FUNCTION is no function"),
        ("checks.py:takes_one", "takes_one(answer) wants to be takes_one(answer, task)"),
        ("broken.py:f", "broken.py:2: invalid syntax"),
        ("raising.py:f", "raising.py cannot be loaded: OSError: no licence"),
        ("needing.py:f", "needing.py needs surely_not_installed_here, which is not installed"),
        ("surely_not_installed_here:f", "there is no module surely_not_installed_here"),
        (":f", 'reward.0.verifier = ":f": want "file.py:function" or "module:function"'),
    ],
)
def test_a_check_that_cannot_be_called_is_refused_in_one_line(folder, named, says):
    with pytest.raises(RecipeError) as error:
        Rewards([Reward(verifier=named)], folder=folder, max_tokens=16, workers=1)
    assert str(error.value) == says
    assert error.value.key == "reward.0.verifier"


OFFSET = 1


def helper(text):
    return int(text) + OFFSET


def given(answer, task):
    return helper(answer) == task.gold


def test_a_python_function_is_sent_to_a_worker(folder):
    with rewards(folder, given) as held:
        assert held.verify("2", Task.make(prompt="q", gold=3)).correct
        assert "OFFSET = 1" in held.checks[0].source
        assert held.names == ("given",)


def test_a_function_that_cannot_be_sent_is_refused(folder):
    local = 3

    def closure(answer, task):
        return local

    for function in (lambda answer, task: True, closure):
        with pytest.raises(RecipeError, match=r"reward\.0\.verifier"):
            rewards(folder, function)


@pytest.mark.parametrize("seconds", [0, -1.0, float("nan"), float("inf")])
def test_a_time_limit_no_answer_could_keep_is_refused(folder, seconds):
    part = Reward(verifier="checks.py:hangs_always", options={"seconds": seconds})
    with pytest.raises(RecipeError, match=r"options\.seconds wants a number above 0"):
        Rewards([part], folder=folder, max_tokens=16, limits=Limits(), workers=1)


def test_the_limit_of_the_recipe_holds_and_the_option_wins(folder):
    def built(**options):
        part = Reward(verifier="checks.py:hangs_always", options=options)
        return Rewards([part], folder=folder, max_tokens=16, limits=Limits(check_seconds=0.2), workers=1)

    with built() as held:
        assert "no answer in 0.2 s" in held.verify("x", TASK).reason
    with built(seconds=0.1) as held:
        assert "no answer in 0.1 s" in held.verify("x", TASK).reason
