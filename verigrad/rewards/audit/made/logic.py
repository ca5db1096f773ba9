"""One puzzle of each type of logic gold."""

from __future__ import annotations

from typing import Any

from verigrad.records import Task
from verigrad.rewards.audit.records import Row

_ASKED: tuple[tuple[str, dict[str, Any], tuple[str, ...]], ...] = (
    ("Use 3, 4, 6 to make 18.", {"type": "countdown", "numbers": [3, 4, 6], "target": 18}, ("3*4+6", "6 + 3 * 4")),
    ("Use 2, 5, 7 to make 24.", {"type": "countdown", "numbers": [2, 5, 7], "target": 24}, ("(5+7)*2", "2 * (5 + 7)")),
    ("Is (p or q) and not p satisfiable?", {"type": "sat", "status": "sat"}, ("sat", "<answer>sat</answer>")),
    ("Is p and not p satisfiable?", {"type": "sat", "status": "unsat"}, ("unsat", "<answer>unsat</answer>")),
    ("What colour is grass?", {"type": "one_of", "answer": "green"}, ("green",)),
    ("Factor 12 into primes.", {"type": "prime_factorization", "n": 12, "answer": "2 * 2 * 3"}, ("2 * 2 * 3", "2x2x3")),
    (
        "Complete the grid.",
        {
            "type": "mini_sudoku",
            "puzzle": "_ _ _ _\n_ _ _ _\n_ _ _ _\n4 3 2 1",
            "oracle": "2 1 4 3\n3 4 1 2\n1 2 3 4\n4 3 2 1",
        },
        ("2 1 4 3\n3 4 1 2\n1 2 3 4\n4 3 2 1",),
    ),
)


def rows() -> list[Row]:
    """One a puzzle."""
    return [
        Row(kind="logic", task=Task.make(prompt=question, gold=gold, source="made"), right=right)
        for question, gold, right in _ASKED
    ]
