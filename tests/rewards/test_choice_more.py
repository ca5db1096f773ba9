"""The choice verifier on Chinese cues, several letters and more ways to say one."""

import importlib.util
from pathlib import Path

import pytest

from verigrad.acceptance.graders import choice as grader
from verigrad.records import Task
from verigrad.rewards.verifiers import choice

_spec = importlib.util.spec_from_file_location("choice_cases", Path(__file__).with_name("choice_cases.py"))
cases = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(cases)


@pytest.mark.parametrize(("status", "gold", "letters", "answer"), cases.rows())
def test_cases(status, gold, letters, answer):
    asked = Task.make(prompt="", gold={"answer": gold, "choices": letters})
    assert (choice.verify(answer, asked).status == "right") == (status == "R")
    assert status == "R" or grader.grade(answer, asked).strict != "right"


def test_the_grader_reads_most_of_what_is_right():
    right = [row for row in cases.rows() if row[0] == "R"]
    read = [
        row
        for row in right
        if grader.grade(row[3], Task.make(prompt="", gold={"answer": row[1], "choices": row[2]})).strict == "right"
    ]
    assert len(read) >= 0.9 * len(right)
