"""Mathematical golds of many types: numbers, surds, sets, tuples, intervals, products, percent, degrees, complex."""

from __future__ import annotations

from verigrad.records import Task
from verigrad.rewards.audit.records import Row
from verigrad.rewards.audit.rows import spellings

_ASKED: tuple[tuple[str, str, tuple[str, ...]], ...] = (
    ("Compute 17 + 25.", "42", ("\\boxed{42}",)),
    ("Compute 3/4 + 1/2.", "\\frac{5}{4}", ("\\boxed{\\frac{5}{4}}", "5/4")),
    ("Simplify the square root of 12.", "2\\sqrt{3}", ("\\boxed{2\\sqrt{3}}",)),
    ("Solve x^2 = 9.", "\\{-3, 3\\}", ("\\boxed{\\{-3, 3\\}}", "\\boxed{\\{3, -3\\}}")),
    ("Where do y = x and y = 2x - 3 meet?", "(3, 3)", ("\\boxed{(3, 3)}",)),
    ("Solve |x| < 2.", "(-2, 2)", ("\\boxed{(-2, 2)}",)),
    ("Factor x^2 - 1.", "(x-1)(x+1)", ("\\boxed{(x-1)(x+1)}", "\\boxed{(x+1)(x-1)}")),
    ("Which share is 9 of 60?", "15\\%", ("\\boxed{15\\%}",)),
    ("What is the sum of the angles of a triangle?", "180^\\circ", ("\\boxed{180^\\circ}",)),
    ("Compute -5 times 7.", "-35", ("\\boxed{-35}",)),
    ("Give 1/8 as a decimal.", "0.125", ("\\boxed{0.125}",)),
    ("Compute (1+i)^2.", "2i", ("\\boxed{2i}",)),
)


def rows() -> list[Row]:
    """One a question; plain spellings only where the gold is a plain number."""
    return [
        Row(
            kind="math",
            task=Task.make(prompt=question, gold=gold, source="made"),
            right=tuple(dict.fromkeys((gold, *boxed, *(spellings(gold) if gold.lstrip("-").isdigit() else ())))),
        )
        for question, gold, boxed in _ASKED
    ]
