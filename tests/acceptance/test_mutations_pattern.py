"""Faults planted in the pattern verifier: the grader must catch each of them on the table of answers."""

import importlib.util
import re
from pathlib import Path

import pytest

from verigrad.acceptance.graders import pattern as grader
from verigrad.records import Task
from verigrad.rewards.verifiers import pattern as verifier

_file = Path(__file__).parents[1] / "rewards/structured_answers.py"
_spec = importlib.util.spec_from_file_location("structured_answers", _file)
table = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(table)

ROWS = [(gold, answer) for gold, answer, wanted in table.PATTERN if wanted != "B" and len(answer) < 1_000]


def apart():
    """Rows on which verifier and grader differ on right / not right."""
    out = []
    for gold, answer in ROWS:
        task = Task.make(prompt="q", gold=gold)
        said = verifier.verify(answer, task, seconds=30.0).correct, grader.grade(answer, task).strict == "right"
        if said[0] != said[1]:
            out.append((gold, answer, *said))
    return out


REGULAR = verifier.regular
LINEAR = REGULAR.linear
FAULTS = {
    "a match anywhere is enough": ("matches", lambda compiled, text, how: compiled.search(text) is not None),
    "a match at the start is enough": ("matches", lambda compiled, text, how: compiled.match(text) is not None),
    "case never matters": ("linear", lambda form, **_: LINEAR(form, ignore_case=True)),
    "digits of every script": ("linear", lambda form, **_: re.compile(form)),
    "any line may match": ("matches", lambda compiled, text, how: any(map(compiled.fullmatch, text.split("\n")))),
}


def test_the_sound_verifier_is_not_contradicted():
    assert apart() == []


@pytest.mark.parametrize("fault", FAULTS)
def test_a_planted_fault_is_caught(fault, monkeypatch):
    monkeypatch.setattr(REGULAR, *FAULTS[fault])
    assert any(said and not graded for _, _, said, graded in apart())


def test_reasoning_that_counts_is_caught(monkeypatch):
    monkeypatch.setattr(
        verifier, "committed_text", lambda answer, **_: re.sub(r"</?(?:think|answer)>", "", answer).strip()
    )
    assert any(said and not graded for _, _, said, graded in apart())
