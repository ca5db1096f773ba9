"""Well-known data sets by their columns: what becomes prompt and gold, and that the verifiers read it."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from verigrad.data import load, load_suite
from verigrad.data.formats import formats, recognised
from verigrad.data.formats.math import last_box
from verigrad.errors import DataError
from verigrad.rewards import kind

FIXTURES = Path(__file__).parent / "fixtures"
FORMATS = {
    "gsm8k": "GSM8K",
    "math": "MATH",
    "math500": "MATH",
    "human_eval": "HumanEval",
    "mbpp": "MBPP",
    "mbpp_sanitized": "MBPP",
    "apps": "APPS",
    "mmlu": "multiple choice",
    "arc": "multiple choice",
    "openbookqa": "multiple choice",
}


def rows(name):
    return [json.loads(line) for line in (FIXTURES / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()]


@pytest.fixture
def tasks(table):
    def read(name, **said):
        (source,) = load([table(f"{name}.jsonl", **said)], folder=FIXTURES)
        return source.tasks

    return read


@pytest.mark.parametrize(("name", "form"), FORMATS.items())
def test_a_row_is_of_exactly_one_format_which_a_note_says(name, form, table):
    for row in rows(name):
        assert [f.NAME for f in formats() if f.fits(row)] == [form]
    (source,) = load([table(f"{name}.jsonl")], folder=FIXTURES)
    assert len(source.tasks) == len(rows(name))
    (note,) = source.notes
    assert note.startswith(f"{name}.jsonl: read as {form}: prompt = ")
    assert "\n" not in note


@pytest.mark.parametrize(
    ("name", "golds", "verifier"),
    [
        ("gsm8k", ["7", "12,000"], "number"),
        ("math", ["56", r"\frac{1}{2}", "3"], "math"),
        ("math500", ["56"], "math"),
        ("mmlu", ["B", "D"], "choice"),
        ("arc", ["A", "B"], "choice"),
        ("openbookqa", ["A"], "choice"),
    ],
)
def test_golds_are_read_by_their_verifier(tasks, name, golds, verifier):
    found = tasks(name)
    assert [t.gold for t in found] == golds
    module = kind(verifier)
    for task in found:
        assert module.check_gold(task) is None
        assert module.verify(module.gold_answer(task), task).status == "right"


def test_choices_stand_in_the_prompt_and_in_a_column(tasks):
    _, second = tasks("arc")
    assert second.prompt[0]["content"] == "What burns?\nA. water\nB. wood\nAnswer with one letter."
    assert second.columns["choices"] == {"A": "water", "B": "wood"}


def test_human_eval_asks_for_the_function_and_keeps_its_test(tasks):
    first, _ = tasks("human_eval")
    row = rows("human_eval")[0]
    assert row["prompt"] in first.prompt[0]["content"]
    assert first.gold == {
        "type": "unittest",
        "entry": "add",
        "tests": [row["test"]],
        "prefix": row["prompt"],
        "solution": row["prompt"] + "    return a + b\n",
    }
    assert "check(" not in first.prompt[0]["content"]


def test_mbpp_shows_its_first_test_and_names_the_function(tasks):
    first, second = tasks("mbpp")
    assert first.gold["entry"] == "add"
    assert first.gold["tests"] == ["assert add(1, 2) == 3", "assert add(4, 5) == 9", "assert add(-1, 1) == 0"]
    assert "assert add(1, 2) == 3" in first.prompt[0]["content"]
    assert "add(4, 5)" not in first.prompt[0]["content"]
    assert (second.gold["entry"], second.gold["setup"]) == ("heap_sorted", "import heapq")
    (sanitized,) = tasks("mbpp_sanitized")
    assert (sanitized.gold["entry"], sanitized.gold["setup"]) == ("root", "import math")


def test_apps_is_a_program_or_a_function(tasks):
    program, function, lines = tasks("apps")
    assert program.gold["type"] == "stdin"
    assert program.gold["tests"] == [{"in": "1 2\n", "out": "3\n"}, {"in": "3 4\n", "out": "7\n"}]
    assert program.gold["solution"].startswith("a, b = map")
    assert function.gold["tests"] == [{"args": ["a"], "out": "aa"}, {"args": ["xy"], "out": "xyxy"}]
    assert function.gold["entry"] == "twice"
    assert "def twice(s):" in function.prompt[0]["content"]
    assert lines.gold["tests"] == [{"in": "a\nb", "out": "b\na"}]


@pytest.mark.parametrize("name", ["human_eval", "mbpp", "mbpp_sanitized", "apps"])
def test_code_is_judged_by_its_own_solution(tasks, name):
    code = kind("code")
    for task in tasks(name):
        assert code.check_gold(task) is None, task.gold
        assert code.verify(code.gold_answer(task), task).status == "right"
        assert code.verify("```python\ndef add(*a): return 0\n```", task).status == "wrong"


def test_what_the_table_says_wins(tasks):
    first, _ = tasks("gsm8k", prompt="Q: {question}", system="S")
    assert [m["content"] for m in first.prompt] == ["S", f"Q: {rows('gsm8k')[0]['question']}"]
    assert first.gold == "7"
    whole, _ = tasks("gsm8k", columns={"gold": "answer"})
    assert whole.gold == rows("gsm8k")[0]["answer"]
    assert whole.prompt[0]["content"] == rows("gsm8k")[0]["question"]


def test_a_row_with_its_own_prompt_and_gold_is_left_alone(table, jsonl, tmp_path):
    name = jsonl("q.jsonl", {"question": "q", "answer": "#### 7", "prompt": "p", "gold": 1})
    (source,) = load([table(name)], folder=tmp_path)
    assert (source.tasks[0].gold, source.notes) == (1, ())
    (both,) = load([table(name, prompt="{question}", columns={"gold": "answer"})], folder=tmp_path)
    assert (both.tasks[0].gold, both.notes) == ("#### 7", ())


def test_a_gold_that_cannot_be_read_is_kept_to_be_listed(table, jsonl, tmp_path):
    row = {"question": "Which?", "choices": ["a", "b"], "answer": 1}
    name = jsonl("q.jsonl", row, row | {"question": "And?", "answer": 2}, row | {"question": "Now?", "answer": "c"})
    (source,) = load([table(name)], folder=tmp_path)
    assert [t.gold for t in source.tasks] == [
        "B",
        {"unread": "no choice has the index 2"},
        {"unread": "the answer 'c' is none of the choices"},
    ]
    for task in source.tasks[1:]:
        for verifier in ("number", "choice", "format"):
            assert kind(verifier).check_gold(task) is not None


def test_a_row_of_another_form_is_named(table, jsonl, tmp_path):
    name = jsonl("q.jsonl", {"question": "q", "answer": "#### 7"}, {"text": "q"})
    with pytest.raises(DataError, match=r"q.jsonl:2: not GSM8K like the first row; the columns are text"):
        load([table(name)], folder=tmp_path)


def test_a_suite_of_another_file_is_read_by_its_form(table, tmp_path):
    shutil.copy(FIXTURES / "gsm8k.jsonl", tmp_path / "train.jsonl")
    shutil.copy(FIXTURES / "gsm8k.jsonl", tmp_path / "test.jsonl")
    shutil.copy(FIXTURES / "arc.jsonl", tmp_path / "arc.jsonl")
    said = table("train.jsonl", system="S", prompt="Q: {question}")
    suite = load_suite("test.jsonl", [said], folder=tmp_path)
    assert [m["content"] for m in suite.tasks[0].prompt] == ["S", f"Q: {rows('gsm8k')[0]['question']}"]
    assert suite.tasks[0].gold == "7"
    other = load_suite("arc.jsonl", [table("train.jsonl")], folder=tmp_path)
    assert other.tasks[0].gold == "A"
    assert other.notes[0].startswith("arc.jsonl: read as multiple choice")


@pytest.mark.parametrize(
    ("solution", "box"),
    [
        (r"\boxed{1} and \boxed{2}", "2"),
        (r"\boxed{\frac{1}{2}} .", r"\frac{1}{2}"),
        (r"\boxed{ \{1, 2\} }", r"\{1, 2\}"),
        (r"\fbox{x}", "x"),
        (r"\boxed 3", "3"),
        (r"\boxed {4}", "4"),
    ],
)
def test_the_last_box_of_a_solution(solution, box):
    assert last_box(solution) == box


@pytest.mark.parametrize("solution", ["no box", r"\boxed{1", r"\boxed{1}\boxed{{2}"])
def test_a_solution_without_a_whole_box(solution):
    with pytest.raises(ValueError, match="boxed"):
        last_box(solution)


def test_other_rows_have_no_format():
    assert recognised({"question": "q", "answer": "yes"}) is None
    assert recognised({"prompt": "p", "gold": 1}) is None
    assert recognised({}) is None
