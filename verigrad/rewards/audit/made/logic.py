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


_MORE: tuple[tuple[str, dict[str, Any], tuple[str, ...]], ...] = (
    (
        "x + y = 10 and x - y = 2. What is x?",
        {"type": "smt", "constraints": ["x + y == 10", "x - y == 2"], "ask": "x", "value": 6},
        ("6", "x = 6"),
    ),
    (
        "Give x and y with x + y = 10 and x > y.",
        {"type": "smt_model", "constraints": ["x + y == 10", "x > y"], "example": "x = 6, y = 4"},
        ("x = 6, y = 4",),
    ),
    (
        "Write a formula between x > 5 and x > 1.",
        {
            "type": "smt_valid",
            "declarations": "(declare-const x Int)",
            "conditions": ["(=> (> x 5) {answer})", "(=> {answer} (> x 1))"],
            "example": "(> x 3)",
        },
        ("(> x 3)",),
    ),
    (
        "Say x > 3 in other words.",
        {"type": "smt_equivalent", "declarations": "(declare-const x Int)", "formula": "(> x 3)"},
        ("(> x 3)", "(not (<= x 3))"),
    ),
    (
        "Satisfy (1 or not 2) and (2 or 3) and (not 1 or not 3).",
        {"type": "sat_assignment", "clauses": [[1, -2], [2, 3], [-1, -3]], "answer": "1 2 -3 0"},
        ("1 2 -3 0",),
    ),
    (
        "Two disks from A to C.",
        {"type": "hanoi", "disks": 2, "start": "A", "goal": "C"},
        ("Move disk 1 from A to B\nMove disk 2 from A to C\nMove disk 1 from B to C",),
    ),
    (
        "SEND + MORE = MONEY",
        {"type": "cryptarithm", "equation": "SEND + MORE = MONEY"},
        ("S=9, E=5, N=6, D=7, M=1, O=0, R=8, Y=2",),
    ),
)


def rows() -> list[Row]:
    """One a puzzle."""
    return [
        Row(kind="logic", task=Task.make(prompt=question, gold=gold, source="made"), right=right)
        for question, gold, right in (*_ASKED, *_MORE)
    ]
