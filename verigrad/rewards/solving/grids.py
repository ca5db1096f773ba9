"""Sudoku grids of any square order: read strictly, checked against the puzzle's givens and the three rules."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from verigrad.rewards.spans import committed_text
from verigrad.rewards.tokens import Unread

Grid = tuple[tuple[int, ...], ...]
_EMPTY = "_.*?xX"


def puzzle(given: Any, order: int) -> Grid:
    """The puzzle with 0 for empty cells: a text of rows, one text of all cells, or a list of lists. Raises Unread."""
    if isinstance(given, (list, tuple)):
        rows = [
            list(row) if isinstance(row, (list, tuple)) else [c for c in str(row) if not c.isspace()] for row in given
        ]
    elif isinstance(given, str):
        lines = [re.sub(r"[\s|,]", "", line) for line in given.split("\n")]
        lines = [line for line in lines if line and not re.fullmatch(r"[-+=]+", line)]
        rows = [list(line) for line in lines]
        if len(rows) == 1 and len(rows[0]) == order * order:
            rows = [rows[0][i : i + order] for i in range(0, order * order, order)]
    else:
        raise Unread("a puzzle wants rows")
    if len(rows) != order or any(len(row) != order for row in rows):
        raise Unread(f"a puzzle wants {order} rows of {order} cells")
    return tuple(tuple(_cell(c, order) for c in row) for row in rows)


def _cell(c: Any, order: int) -> int:
    if c is None or c == 0 or str(c) in ("0", "", *_EMPTY):
        return 0
    if not re.fullmatch(r"[1-9][0-9]?", str(c)) or int(str(c)) > order:
        raise Unread(f"a cell {str(c)[:10]!r}")
    return int(str(c))


def committed(answer: str, order: int) -> Grid:
    """The one grid of an answer: rows of digits on consecutive lines, or a list of lists. Raises Unread or TooBig."""
    text = committed_text(answer, cues=False)
    if text.startswith("["):
        try:
            rows = json.loads(text)
        except (ValueError, RecursionError):
            raise Unread("no grid") from None
        cells = [c for row in rows if isinstance(row, list) for c in row]
        if any(isinstance(c, bool) or not isinstance(c, int) for c in cells) or not all(
            isinstance(r, list) for r in rows
        ):
            raise Unread("no grid of whole numbers")
        return _full([[*row] for row in rows], order)
    grids: list[list[list[int]]] = [[]]
    for line in text.split("\n"):
        bare = re.sub(r"[\s|,\[\]]", "", line)
        if re.fullmatch(rf"[1-9]{{{order}}}", bare) and re.fullmatch(r"[\s|,\[\]1-9]+", line):
            if len(grids[-1]) == order:
                raise Unread("more rows than a grid has")
            grids[-1].append([int(c) for c in bare])
        elif re.search(r"[0-9_]", line):
            raise Unread("a line that is no row")
        elif bare and not re.fullmatch(r"[-+=]+", bare) and grids[-1]:
            grids.append([])
    found = [_full(grid, order) for grid in grids if grid]
    if not found:
        raise Unread("no grid")
    if len(set(found)) > 1:
        raise Unread("several grids that differ")
    return found[0]


def _full(rows: list[list[int]], order: int) -> Grid:
    if len(rows) != order or any(len(row) != order for row in rows):
        raise Unread(f"want {order} rows of {order} digits")
    return tuple(tuple(row) for row in rows)


def broken(grid: Grid, given: Grid) -> str:
    """Which rule the grid breaks; empty where it solves the puzzle."""
    order, all_ = len(given), set(range(1, len(given) + 1))
    side = round(order**0.5)
    for r in range(order):
        for c in range(order):
            if given[r][c] and grid[r][c] != given[r][c]:
                return f"row {r + 1}, column {c + 1} was given"
    if any(set(row) != all_ for row in grid):
        return "a row repeats a digit"
    if any({row[c] for row in grid} != all_ for c in range(order)):
        return "a column repeats a digit"
    for r in range(0, order, side):
        for c in range(0, order, side):
            if {grid[r + i][c + j] for i in range(side) for j in range(side)} != all_:
                return "a box repeats a digit"
    return ""


def solved(given: Grid) -> Grid | None:
    """One solution, by the cell with the fewest digits left; None where there is none or the search is long."""
    order, side, steps = len(given), round(len(given) ** 0.5), 0
    cells = [list(row) for row in given]

    def left(r: int, c: int) -> list[int]:
        top, start = r - r % side, c - c % side
        seen = {*cells[r], *(row[c] for row in cells)}
        seen |= {cells[top + i][start + j] for i in range(side) for j in range(side)}
        return [d for d in range(1, order + 1) if d not in seen]

    def fill() -> bool:
        nonlocal steps
        steps += 1
        holes = [(len(left(r, c)), r, c) for r in range(order) for c in range(order) if not cells[r][c]]
        if not holes or steps > 20_000:
            return not holes
        _, r, c = min(holes)
        for d in left(r, c):
            cells[r][c] = d
            if fill():
                return True
            cells[r][c] = 0
        return False

    return tuple(tuple(row) for row in cells) if fill() else None


def check(truth: Mapping[str, Any], order: int) -> str:
    """Why this gold cannot be read."""
    try:
        puzzle(truth.get("puzzle"), order)
    except Unread as error:
        return str(error)
    return ""


def example(truth: Mapping[str, Any], order: int) -> str | None:
    """The oracle, or a solution found."""
    for key in ("oracle", "answer", "solution"):
        if isinstance(truth.get(key), str):
            return str(truth[key])
    grid = solved(puzzle(truth["puzzle"], order))
    return None if grid is None else "\n".join(" ".join(map(str, row)) for row in grid)
