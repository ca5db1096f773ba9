"""A 4 by 4 sudoku: any completion that keeps the givens; no digit twice in a row, a column or a 2 by 2 box.

Right, for a puzzle with several completions: any of them, as four rows of four digits ("1 2 3 4", "1234" or "1|2|3|4").
Refused: a changed given, a repeated digit, three rows, two grids that differ, rows with holes.

The gold holds `puzzle` (rows; _ . or 0 where empty) and optionally `oracle`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from verigrad.records import Task
from verigrad.rewards.logic import Judged
from verigrad.rewards.solving import grids

ORDER = 4


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
