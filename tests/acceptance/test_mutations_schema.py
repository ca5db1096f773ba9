"""Faults planted in the schema verifier: the grader must catch each of them on the table of answers."""

import importlib.util
from pathlib import Path

import pytest

from verigrad.acceptance.graders import schema as grader
from verigrad.records import Task
from verigrad.rewards.documents import committed
from verigrad.rewards.documents.formats import json as json_format
from verigrad.rewards.verifiers import schema as verifier

_file = Path(__file__).parents[1] / "rewards/structured_answers.py"
_spec = importlib.util.spec_from_file_location("structured_answers", _file)
table = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(table)

ROWS = [(gold, answer) for gold, answer, _ in table.SCHEMA if gold is not table.HANGS and len(answer) < 5_000]


def apart():
    """Rows on which verifier and grader differ on right / not right."""
    out = []
    for gold, answer in ROWS:
        task = Task.make(prompt="q", gold=gold)
        said = verifier.verify(answer, task, seconds=30.0).correct, grader.grade(answer, task).strict == "right"
        if said[0] != said[1]:
            out.append((gold, answer, *said))
    return out


FAULTS = {
    "duplicate keys: the last wins": lambda patch: patch.setattr(json_format, "_object", dict),
    "the schema is never looked at": lambda patch: patch.setattr(verifier, "_validated", lambda *_: {}),
    "the last of several documents": lambda patch: patch.setattr(committed, "_one", lambda values, same: values[-1]),
    "values compared loosely": lambda patch: patch.setattr(verifier, "same", lambda a, b, **_: a == b),
    "4.0 is an integer": lambda patch: patch.setattr(verifier, "_validated", _loosely(verifier._validated)),
    "what must not be said is not looked for": lambda patch: patch.setattr(verifier, "_leak", lambda *_: ""),
    "what is denied counts": lambda patch: patch.setattr(committed.context, "denied", lambda *_: False),
}


def _loosely(validated):
    import dataclasses

    def check(schema, value, gold, seconds):
        return validated(schema, value, dataclasses.replace(gold, strict_types=False), seconds)

    return check


def test_the_sound_verifier_is_not_contradicted():
    assert apart() == []


@pytest.mark.parametrize("fault", FAULTS)
def test_a_planted_fault_is_caught(fault, monkeypatch):
    FAULTS[fault](monkeypatch)
    assert any(said and not graded for _, _, said, graded in apart())
