"""APPS: {"problem_id": 0, "question": "Read two numbers, print their sum.", "input_output": JSON of {"inputs": ["1 2"],
"outputs": ["3"]}, "solutions": JSON of a list of programs, "starter_code": ""}; with "fn_name" in input_output, inputs
are lists of arguments.

Other sets of the same columns are read alike. Outputs of functions that all stand in a list of one are taken out of it,
as most rows with fn_name have them; where a function really gives such lists its gold fails by its own verifier and is
listed.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from verigrad.data.formats import texts

NAME = "APPS"
SAYS = "prompt = question and starter_code, gold = the tests of input_output; for code"


def fits(row: Mapping[str, Any]) -> bool:
    """A question with inputs and outputs."""
    return texts(row, "question") and isinstance(row.get("input_output"), str | Mapping)


def prompt(row: Mapping[str, Any]) -> str:
    """The question, what to begin with, and where output goes."""
    starter = row.get("starter_code")
    head = f"\n\nBegin with:\n\n```python\n{starter}\n```" if isinstance(starter, str) and starter.strip() else ""
    how = "Define the function." if "fn_name" in _tests(row) else "Read from standard input, print to standard output."
    return f"{row['question']}{head}\n\n{how} Answer with a ```python block."


def columns(row: Mapping[str, Any]) -> dict[str, Any]:
    """The tests as gold, with the first solution. ValueError for inputs and outputs that do not pair."""
    io = _tests(row)
    pairs = list(zip(io["inputs"], io["outputs"], strict=True))
    gold: dict[str, Any]
    if name := io.get("fn_name"):
        single = all(isinstance(out, list) and len(out) == 1 for _, out in pairs)
        tests = [{"args": args, "out": out[0] if single else out} for args, out in pairs]
        gold = {"type": "call", "entry": name, "tests": tests}
    else:
        gold = {"type": "stdin", "tests": [{"in": _lines(i), "out": _lines(o)} for i, o in pairs]}
    first = next(iter(_solutions(row)), None)
    return {"gold": gold | ({"solution": first} if first else {})}


def _tests(row: Mapping[str, Any]) -> Mapping[str, Any]:
    io = row["input_output"]
    if isinstance(io, str):
        try:
            io = json.loads(io)
        except (ValueError, RecursionError):
            raise ValueError("input_output is not JSON") from None
    inputs, outputs = (io.get("inputs"), io.get("outputs")) if isinstance(io, Mapping) else (None, None)
    if not isinstance(inputs, list) or not isinstance(outputs, list) or len(inputs) != len(outputs):
        raise ValueError("input_output does not hold inputs and outputs of one length")
    return io  # type: ignore[no-any-return]


def _lines(given: Any) -> str:
    if isinstance(given, list):
        return "\n".join(str(line) for line in given)
    if not isinstance(given, str):
        raise ValueError("an input or output of a program is no text")
    return given


def _solutions(row: Mapping[str, Any]) -> list[str]:
    found = row.get("solutions") or []
    if isinstance(found, str):
        try:
            found = json.loads(found)
        except (ValueError, RecursionError):
            raise ValueError("solutions is not JSON") from None
    return [s for s in found if isinstance(s, str) and s.strip()] if isinstance(found, list) else []
