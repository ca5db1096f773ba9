"""A 9 by 9 sudoku: any completion that keeps the givens; no digit twice in a row, a column or a 3 by 3 box.

Right: nine rows of nine digits ("1 2 3 4 5 6 7 8 9" or "123456789", | between boxes).
Refused: a changed given, a repeated digit, eight rows, two grids that differ, rows with holes.

The gold holds `puzzle` (rows, or all 81 cells; _ . or 0 where empty) and optionally `oracle`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from verigrad.records import Task
from verigrad.rewards.logic import Judged
from verigrad.rewards.solving import grids

ORDER = 9


def check(truth: Mapping[str, Any]) -> str:
    """Why this gold cannot be read."""
    return grids.check(truth, ORDER)


def judge(answer: str, truth: Mapping[str, Any], *, task: Task, seconds: float) -> Judged:
    """Whether the one grid the answer commits itself to is a solution."""
    grid = grids.committed(answer, ORDER)
    why = grids.broken(grid, grids.puzzle(truth["puzzle"], ORDER))
    return Judged(ok=not why, read=" / ".join("".join(map(str, row)) for row in grid), reason=why)


def example(truth: Mapping[str, Any]) -> str | None:
    """The oracle, or a solution found."""
    return grids.example(truth, ORDER)
