r"""MATH: {"problem": "What is $7 \cdot 8$?", "solution": "... $\boxed{56}$.", "level": "Level 1", "type": "Algebra"}.

MATH-500 and its kin also have the final answer in a column `answer`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from verigrad.data.formats import texts

NAME = "MATH"
SAYS = r"prompt = problem, gold = answer where there is one, else the last \boxed{} of solution; for math"
_BOX = re.compile(r"\\(?:boxed|fbox)\s{0,3}(\{|[^\s{])")


def fits(row: Mapping[str, Any]) -> bool:
    """A problem with a worked solution that boxes its answer."""
    return texts(row, "problem", "solution") and (texts(row, "answer") or _BOX.search(row["solution"]) is not None)


def prompt(row: Mapping[str, Any]) -> str:
    """The problem."""
    return str(row["problem"])


def columns(row: Mapping[str, Any]) -> dict[str, Any]:
    """The final answer as gold. ValueError where a box never closes."""
    answer = row.get("answer")
    return {"gold": answer if isinstance(answer, str) and answer.strip() else last_box(row["solution"])}


def last_box(solution: str) -> str:
    r"""What the last \boxed{...} holds, or the one character after a \boxed without braces. ValueError without one."""
    boxes = list(_BOX.finditer(solution))
    if not boxes:
        raise ValueError(r"solution has no \boxed{}")
    last = boxes[-1]
    if last[1] != "{":
        return last[1]
    depth = 1
    for i in range(last.end(), len(solution)):
        escaped = solution[i - 1] == "\\" and solution[i - 2 : i - 1] != "\\"
        depth += 0 if escaped else (solution[i] == "{") - (solution[i] == "}")
        if not depth:
            return solution[last.end() : i].strip()
    raise ValueError(r"the last \boxed{ of solution is never closed")
