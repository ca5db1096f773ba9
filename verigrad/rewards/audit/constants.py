"""One answer for every row: the share of rows a policy would be paid on that never reads the question.

Not a fault of the check where the golds repeat; a fault of the data or of the check where the share is large.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from verigrad.rewards.audit.judging import Measure
from verigrad.rewards.audit.records import Row
from verigrad.rewards.audit.targets import Target
from verigrad.rewards.audit.tricks.programs import constant_program, tests_of

COMMON = ("", "0", "1", "A", "B", "C", "D", "yes", "True", "None", "I don't know.", "\\boxed{1}", "{}")
GOLDS = 12
"""Golds of the rows that are tried as constants, the commonest first."""
OUTPUTS = 6
"""Results of the rows' tests that are tried as constant programs, the commonest first."""


@dataclass(frozen=True, kw_only=True)
class Constant:
    """A constant with the rows it wins."""

    answer: str
    """The answer, or what the program always gives."""
    won: int
    """Rows it is accepted on."""
    rows: int
    """Rows it was tried on."""

    @property
    def share(self) -> float:
        """Part of the rows it wins, in [0, 1]."""
        return self.won / self.rows if self.rows else 0.0


def best_constant(target: Target, rows: Sequence[Row], *, measure: Measure) -> Constant | None:
    """The constant that wins most rows, the shorter one of equals; None where there are fewer than two rows."""
    if len(rows) < 2:
        return None
    found = []
    for shown, answer in _candidates(rows):
        said = target.score([(answer(row), row.task) for row in rows])
        won = sum(measure.accepts(s, row) for s, row in zip(said, rows, strict=True))
        found.append(Constant(answer=shown, won=won, rows=len(rows)))
    return max(found, key=lambda c: (c.won, -len(c.answer)))


def _candidates(rows: Sequence[Row]) -> list[tuple[str, Callable[[Row], str]]]:
    outputs = Counter(repr(test["out"]) for row in rows for test in tests_of(row))
    values = {repr(test["out"]): test["out"] for row in rows for test in tests_of(row)}
    programs = [
        (f"a program that always gives {shown[:80]}", _program(values[shown]))
        for shown, _ in outputs.most_common(OUTPUTS)
    ]
    golds = [] if programs else [gold for gold, _ in Counter(r.gold for r in rows if r.gold).most_common(GOLDS)]
    return [*programs, *((text, _text(text)) for text in dict.fromkeys((*golds, *COMMON)))]


def _program(out: object) -> Callable[[Row], str]:
    return lambda row: constant_program(row, out)


def _text(text: str) -> Callable[[Row], str]:
    return lambda row: text
