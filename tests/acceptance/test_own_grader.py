"""A user's own grader through its process, a callable, "same", and what is refused before anything runs."""

import importlib
import math
import os
import time

import pytest

from verigrad.acceptance import grader_names, open_grader
from verigrad.errors import RecipeError
from verigrad.records import Grade, Task, right, unreadable, wrong

CHECKS = """
import os, time
from verigrad.records import Grade, Verdict
from sizes import SIZE

def rows_match(answer, task):
    print("noise on stdout")
    assert SIZE == 3 and os.path.exists("sizes.py")
    return answer == task.gold

def partial(answer, task):
    return 0.5

def graded(answer, task):
    return Grade(strict="wrong", lenient="right", read=answer, reason="late")

def verdict(answer, task):
    return Verdict(status="unreadable", score=0.0, reason="nothing")

def moody(answer, task):
    if answer == "raise": raise ValueError("no such row")
    if answer == "hang": time.sleep(60)
    if answer == "exit": os._exit(3)
    if answer == "none": return None
    if answer == "nan": return float("nan")
    if answer == "list": return [1]
    return answer == task.gold

def broken(answer, task):
    raise RuntimeError("the database is missing")

def after_hashes(answer, task):
    return answer.split("####")[1].strip() == task.gold

def boxed_only(answer, task):
    return answer.split("boxed{")[1].rstrip("}") == task.gold

def as_json(answer, task):
    import json
    return json.loads(answer) == task.gold

def begging(answer, task):
    if answer != task.gold:
        return Verdict(status="ungraded", score=0.0, reason="I cannot say")
    return True

def sleepy(answer, task):
    time.sleep(60)

def lonely(answer):
    return True

SIZES = 3
same_under_another_name = rows_match
"""


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "checks.py").write_text(CHECKS)
    (tmp_path / "sizes.py").write_text("SIZE = 3\n")
    return tmp_path


TASK = Task.make(prompt="q", gold="SELECT 1", columns={"db": "shop"})


def test_values(folder):
    with open_grader("checks.py:rows_match", folder=folder) as grader:
        assert grader.independent
        assert grader.grade("SELECT 1", TASK).strict == "right"
        assert grader.grade("SELECT 2", TASK).strict == "wrong"
    with open_grader("checks.py:same_under_another_name", folder=folder) as grader:
        assert grader.grade("SELECT 1", TASK).strict == "right"
    (folder / "slow.py").write_text("import time\ntime.sleep(0.5)\ndef f(answer, task):\n    return True\n")
    with open_grader("slow.py:f", folder=folder, seconds=0.4) as grader:  # loading is not the answer's doing
        assert grader.grade("x", TASK) == Grade(strict="right", lenient="right")
    with open_grader("checks.py:partial", folder=folder) as grader:
        assert grader.grade("x", TASK).strict == "wrong"
    with open_grader("checks.py:graded", folder=folder) as grader:
        assert grader.grade("x", TASK) == Grade(strict="wrong", lenient="right", read="x", reason="late")
    with open_grader("checks.py:verdict", folder=folder) as grader:
        assert grader.grade("x", TASK).strict == "unreadable"


def test_what_breaks_the_check_is_wrong_and_a_broken_check_is_ungraded(folder):
    with open_grader("checks.py:moody", folder=folder, seconds=0.5) as grader:
        for answer, said in {
            "raise": "ValueError: no such row",
            "hang": "timed_out",
            "exit": "exited with status 3",
            "none": "None",
            "nan": "nan",
            "list": "list",
        }.items():
            grade = grader.grade(answer, TASK)
            assert grade.strict == "wrong", answer
            assert grade.reason.startswith("broke_check: "), answer
            assert said in grade.reason
        assert grader.grade("SELECT 1", TASK).strict == "right"
    with open_grader("checks.py:broken", folder=folder) as grader:
        grade = grader.grade("SELECT 1", TASK)
        assert grade.strict == "ungraded"
        assert "the database is missing" in grade.reason


@pytest.mark.parametrize(
    ("function", "gold", "answers"),
    [
        ("after_hashes", "80", ["80", "", "The answer is 80."]),
        ("boxed_only", "80", ["80", "#### 80"]),
        ("as_json", [8, 0], ["80 apples", "["]),
        ("begging", "80", ["81", "please"]),
    ],
)
def test_no_answer_makes_itself_ungraded(folder, function, gold, answers):
    task = Task.make(prompt="q", gold=gold)
    with open_grader(f"checks.py:{function}", folder=folder) as grader:
        assert grader.unaccepted(task) == ""
        for answer in answers:
            grade = grader.grade(answer, task)
            assert grade.strict == "wrong", (answer, grade)
            assert grade.reason.startswith("broke_check: "), (answer, grade)


def test_a_spelling_of_the_recipe_counts_too(folder):
    (folder / "ask.py").write_text("def f(answer, task):\n    return answer.split(' and ')[1] == '0'\n")
    task = Task.make(prompt="q", gold="80")
    with open_grader("ask.py:f", folder=folder) as grader:
        assert grader.grade("80", task).strict == "ungraded"
    with open_grader("ask.py:f", folder=folder, spell=lambda t: [f"{t.gold} and 0"]) as grader:
        assert grader.grade("80", task).reason.startswith("broke_check: ")


def test_a_check_that_hangs_on_the_gold_is_asked_once(folder):
    with open_grader("checks.py:sleepy", folder=folder, seconds=0.2) as grader:
        start = time.perf_counter()
        assert grader.unaccepted(TASK).startswith("timed_out")
        assert time.perf_counter() - start < 1.5


def test_a_callable_and_same():
    grader = open_grader(lambda answer, task: len(answer) == 3)
    assert grader.grade("abc", TASK).strict == "right"
    assert open_grader(lambda a, t: math.nan).grade("abc", TASK).strict == "ungraded"
    same = open_grader("same", training_verdict=lambda a, t: right("x") if a == "yes" else unreadable("no"))
    assert not same.independent
    assert same.grade("yes", TASK) == Grade(strict="right", lenient="right", read="x")
    assert same.grade("?", TASK).strict == "unreadable"


def test_a_callable_that_can_be_imported_runs_in_a_process(tmp_path, monkeypatch):
    (tmp_path / "mygrader_of_test.py").write_text(
        "import os\ndef here(answer, task):\n    return answer == str(os.getpid())\n"
    )
    monkeypatch.syspath_prepend(str(tmp_path))
    here = importlib.import_module("mygrader_of_test").here
    with open_grader(here) as grader:
        assert grader.name == "mygrader_of_test:here"
        assert grader.grade(str(os.getpid()), TASK).strict == "wrong"


def test_built_in_by_listing():
    kinds = (
        "blank",
        "choice",
        "code",
        "formal",
        "format",
        "logic",
        "math",
        "math_verify",
        "number",
        "pattern",
        "schema",
    )
    assert grader_names() == kinds
    assert open_grader("number").grade("80", Task.make(prompt="q", gold="80")).strict == "right"
    grader = open_grader("choice", options={"choices": ["yes", "no"]})
    assert grader.grade("no", Task.make(prompt="q", gold="no")).strict == "right"


@pytest.mark.parametrize(
    ("word", "text"),
    [
        ("numbr", "no grader numbr; did you mean number?"),
        ("same", 'grader = "same" needs a training verifier'),
        ("checks.py:rows_macth", "checks.py has no rows_macth; did you mean rows_match?"),
        ("gone.py:f", "acceptance.grader: no file gone.py can be read here"),
        ("bad.py:f", "bad.py is not Python"),
        ("os:system", "acceptance.grader: os:system cannot be used: TypeError: system(command) cannot be called as"),
        ("nope.mod:f", "acceptance.grader: nope.mod:f cannot be used: ModuleNotFoundError: No module named 'nope'"),
        ("os:no_such_thing", "acceptance.grader: os:no_such_thing cannot be used: AttributeError"),
        (":x", 'acceptance.grader: ":x" is no file.py:function'),
        ("checks.py:", 'acceptance.grader: "checks.py:" is no file.py:function'),
        ("checks.py:starts:x", 'acceptance.grader: "checks.py:starts:x" is no file.py:function'),
        ("checks.py:SIZES", "acceptance.grader: checks.py:SIZES cannot be used: TypeError: SIZES is int, no function"),
        ("checks.py:lonely", "acceptance.grader: checks.py:lonely cannot be used: TypeError: lonely(answer) cannot be"),
        ("raises.py:f", "acceptance.grader: raises.py:f cannot be used: ValueError: two lines"),
        ("exits.py:f", "acceptance.grader: exits.py:f cannot be used: "),
        (lambda answer: True, "acceptance.grader: <lambda>(answer) cannot be called as <lambda>(answer, task)"),
    ],
)
def test_refusals(folder, word, text):
    (folder / "bad.py").write_text("def f(:\n")
    (folder / "raises.py").write_text("raise ValueError('two\\nlines')\ndef f(answer, task): ...\n")
    (folder / "exits.py").write_text("import os\nos._exit(3)\ndef f(answer, task): ...\n")
    with pytest.raises(RecipeError) as error:
        open_grader(word, folder=folder)
    assert str(error.value).startswith(text)
    assert error.value.key == "acceptance.grader"
    assert "\n" not in str(error.value)


def test_wrong_is_not_right():
    assert open_grader("same", training_verdict=lambda a, t: wrong()).grade("x", TASK).strict == "wrong"
