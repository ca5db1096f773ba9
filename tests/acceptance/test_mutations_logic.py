"""Faults planted in the logic verifier: the grader, which has no solver, must catch each on the table of answers."""

import importlib.util
from pathlib import Path

import pytest

from verigrad.acceptance.graders import logic as grader
from verigrad.records import Task
from verigrad.rewards.logic import countdown, cryptarithm, hanoi, one_of, prime_factorization, sat
from verigrad.rewards.solving import grids, solver
from verigrad.rewards.verifiers import logic as verifier

_file = Path(__file__).parents[1] / "rewards/structured_answers.py"
_spec = importlib.util.spec_from_file_location("structured_answers", _file)
table = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(table)

ROWS = [(gold, answer) for gold, answer, _ in table.LOGIC if len(answer) < 5_000]


def apart(*types):
    """Rows (of these types) on which verifier and grader differ on right / not right."""
    out = []
    for gold, answer in ROWS:
        if types and gold["type"] not in types:
            continue
        task = Task.make(prompt="q", gold=gold)
        said = verifier.verify(answer, task, seconds=30.0).correct, grader.grade(answer, task).strict == "right"
        if said[0] != said[1]:
            out.append((gold, answer, *said))
    return out


class _NoCount:
    def __init__(self, numbers):
        self.numbers = numbers

    def __sub__(self, other):
        return {}


def _shared(said, truth):
    return LETTERS(said, truth).replace("two letters share a digit", "")


def _first(text):
    return (text.replace(",", " ").lower().split() or [""])[0].strip(".")


def _moved(text, names):
    return [(None, 0, 1), (None, 0, 2), (None, 1, 2)]


READ = countdown._read
BROKEN, LETTERS = grids.broken, cryptarithm.broken
FAULTS = {
    "numbers may be used again": ("countdown", countdown, "Counter", _NoCount),
    "the value is cut to a whole number": (
        "countdown", countdown, "_read", lambda span, truth: (READ(span, truth)[0].__floor__(), *READ(span, truth)[1:]),
    ),
    "the givens may change": ("mini_sudoku", grids, "broken", lambda grid, given: BROKEN(grid, [[0] * 4] * 4)),
    "a grid is not looked at": ("mini_sudoku", grids, "broken", lambda grid, given: ""),
    "every factor is prime": ("prime_factorization", prime_factorization, "is_prime", lambda n: True),
    "one digit for two letters": ("cryptarithm", cryptarithm, "broken", _shared),
    "the first word counts": ("one_of", one_of, "fold", _first),
    "the word sat anywhere": ("sat", sat, "_status", lambda span: "unsat" if "unsat" in span else "sat"),
    "the solver's answer is ignored": ("smt", solver, "status", lambda *_, **__: "sat"),
    "every model is taken": ("smt_model", solver, "status", lambda *_, **__: "sat"),
    "every formula is equivalent": ("smt_equivalent", solver, "status", lambda *_, **__: "unsat"),
    "moves are not followed": ("hanoi", hanoi, "_moves", _moved),
}  # fmt: skip


def test_the_sound_verifier_is_not_contradicted():
    assert apart() == []


@pytest.mark.parametrize("fault", FAULTS)
def test_a_planted_fault_is_caught(fault, monkeypatch):
    kind, *patch = FAULTS[fault]
    monkeypatch.setattr(*patch)
    assert any(said and not graded for _, _, said, graded in apart(kind))
