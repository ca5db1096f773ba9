"""A model: values for all constants that satisfy the constraints.

Right, for {"constraints": ["x + y == 10", "x > y"]}: "x = 6, y = 4", '{"x": 7, "y": 3}', "((x 6) (y 4))", a model as a
solver prints it.
Refused: "x = 6" (y is missing), "x = 5, y = 5", "sat", "x = 6, y = 4, z = 1".

The gold holds `constraints` (SMT-LIB or infix lines), optionally `sorts` and `example`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from verigrad.records import Task
from verigrad.rewards.logic import Judged
from verigrad.rewards.solving import script, solver, values
from verigrad.rewards.solving.terms import Term
from verigrad.rewards.tokens import TooBig, Unread


def check(truth: Mapping[str, Any]) -> str:
    """Why this gold cannot be read."""
    try:
        given = _gold(truth)
    except (Unread, TooBig) as error:
        return str(error)
    return solver.unsolved(given.text()) if given.constants else "no constant"


def judge(answer: str, truth: Mapping[str, Any], *, task: Task, seconds: float) -> Judged:
    """Whether the constraints hold under the answer's values."""
    given = _gold(truth)
    said = values.committed(answer, given.constants)
    read = ", ".join(f"{n} = {v}" for n, v in said.items())
    if missing := set(given.constants) - set(said):
        return Judged(ok=False, read=read, reason=f"no value for {min(missing)}")
    parts: list[Term] = []
    for name, value in said.items():
        try:
            parts.append(("=", name, values.term(value, given.constants[name])))
        except Unread as error:
            return Judged(ok=False, read=read, reason=f"{name}: {error}")
    text = given.text()
    if solver.status(text, ("and", "true", *parts), probe=(text, None, "sat"), seconds=seconds) == "sat":
        return Judged(ok=True, read=read)
    return Judged(ok=False, read=read, reason="does not satisfy the constraints")


def example(truth: Mapping[str, Any]) -> str | None:
    """The gold's own example, or a model of the solver's."""
    if isinstance(truth.get("example"), str):
        return str(truth["example"])
    given = _gold(truth)
    found = solver.model(given.text(), 5.0)
    if found is None:
        return None
    zero = {"Int": "0", "Real": "0.0", "Bool": "false"}
    return "(" + " ".join(f"({n} {found.get(n, zero.get(s, '0'))})" for n, s in given.constants.items()) + ")"


def _gold(truth: Mapping[str, Any]) -> script.Script:
    return script.read(truth.get("constraints"), sorts=truth.get("sorts"))
