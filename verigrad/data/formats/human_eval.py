"""HumanEval: {"task_id", "prompt": the beginning of a function, "entry_point": its name, "canonical_solution": the rest
of it, "test": "def check(candidate): assert candidate(1, 2) == 3 ..."}.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from verigrad.data.formats import texts

NAME = "HumanEval"
SAYS = "prompt = the function to complete, gold = the assertions of test; for code"


def fits(row: Mapping[str, Any]) -> bool:
    """The beginning of a function, its name, and a test that defines check(candidate)."""
    return texts(row, "prompt", "entry_point", "test") and "def check(" in row["test"]


def prompt(row: Mapping[str, Any]) -> str:
    """The function to complete."""
    return (
        f"Complete this function. Answer with the whole of it in a ```python block.\n\n```python\n{row['prompt']}\n```"
    )


def columns(row: Mapping[str, Any]) -> dict[str, Any]:
    """The test as gold, with the code an answer may go on from and the reference solution."""
    gold = {"type": "unittest", "entry": row["entry_point"], "tests": [row["test"]], "prefix": row["prompt"]}
    solution = row.get("canonical_solution")
    return {"gold": gold | ({"solution": row["prompt"] + solution} if isinstance(solution, str) else {})}
