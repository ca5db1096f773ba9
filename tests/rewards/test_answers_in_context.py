"""Answers denied, left open or made into another value by the words beside them, and neighbours that stand."""

import importlib.util
import time
from pathlib import Path

import pytest

from verigrad.records import Task
from verigrad.rewards import context
from verigrad.rewards.verifiers import choice, number

_spec = importlib.util.spec_from_file_location("answers_in_context", Path(__file__).with_name("answers_in_context.py"))
answers = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(answers)
STATUS = {"R": "right", "U": "unreadable"}
EIGHTY = Task.make(prompt="What is 8 * 10?", gold=80)
WORDS = Task.make(
    prompt="What is a dog?", gold="animal", columns={"choices": ["animal", "food", "vehicle", "clothing"]}
)
LETTERS = Task.make(prompt="Capital of France?", gold="B", columns={"choices": ["London", "Paris", "Rome"]})


def rows(text):
    lines = text.strip("\n").split("\n")
    return [(STATUS[line[0]], line[2:] if "\\neg" in line else line[2:].replace("\\n", "\n")) for line in lines]


@pytest.mark.parametrize(("status", "answer"), rows(answers.EIGHTY))
def test_number(status, answer):
    got = number.verify(answer, EIGHTY)
    assert got.status == status, got


@pytest.mark.parametrize(("status", "answer"), rows(answers.WORDS))
def test_choice_of_words(status, answer):
    got = choice.verify(answer, WORDS)
    assert got.status == status, got


@pytest.mark.parametrize(("status", "answer"), rows(answers.LETTERS))
def test_choice_of_letters(status, answer):
    got = choice.verify(answer, LETTERS)
    assert got.status == status, got


@pytest.mark.parametrize(
    "answer",
    [
        "not the answer is 80 " * 18_000,
        "I doubt the answer is 80. " * 15_000,
        "not \\boxed{80} " * 20_000,
        "half of the " * 30_000 + "80",
        "80" + " is not" * 50_000,
        "80" + ", " * 190_000 + "no",
        "B is wrong " * 30_000,
    ],
)
def test_hostile_contexts_return_quickly(answer):
    begun = time.perf_counter()
    assert number.verify(answer, EIGHTY).status in ("wrong", "unreadable")
    assert choice.verify(answer, LETTERS).status in ("wrong", "unreadable")
    assert time.perf_counter() - begun < 3.0


@pytest.mark.parametrize(
    ("before", "after", "denied", "changed"),
    [
        ("the answer is ", ".", False, False),
        ("anything but ", "", True, False),
        ("not this one, but ", "", False, False),
        ("a third of ", "", False, True),
        ("the third is ", "", False, False),
        ("", " million", False, True),
        ("", " is right", False, False),
        ("", ", which is wrong", True, False),
    ],
)
def test_only_words_that_reach_the_answer_count(before, after, denied, changed):
    assert context.denied(before, after) is denied
    assert context.changed(before, after) is changed
