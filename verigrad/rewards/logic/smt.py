"""The number answered for one constant satisfies the constraints.

Right, for {"constraints": ["x + y == 10", "x - y == 2"], "ask": "x", "value": 6}: "6", "x = 6", "The answer is 6.",
"x = 6, y = 4", a solver's model.
Refused: "5", "sat", "x = 6 or x = 5", "x = 6, y = 5" (what is said of another constant counts too), "y = 6".

The gold holds `constraints` (SMT-LIB, a text or lines; or infix lines), `ask` (a constant or a term), optionally
`value` (a number that satisfies them: the probe) and `sorts`. Where several values satisfy the constraints, each is
right.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from verigrad.records import Task
from verigrad.rewards.logic import Judged
from verigrad.rewards.solving import script, solver, values
from verigrad.rewards.solving.terms import Term
from verigrad.rewards.tokens import TooBig, Unread

_ASKED = "the_asked_value"


def check(truth: Mapping[str, Any]) -> str:
    """Why this gold cannot be read."""
    try:
        given, ask, sort = _gold(truth)
        known: list[Term] = []
        if truth.get("value") is not None:
            known = [("=", ask, values.term(_value(truth["value"]), sort))]
    except (Unread, TooBig) as error:
        return str(error)
    return solver.unsolved(given.text(*known))


def judge(answer: str, truth: Mapping[str, Any], *, task: Task, seconds: float) -> Judged:
    """Whether the constraints can be satisfied with what the answer says."""
    given, ask, sort = _gold(truth)
    name = ask if isinstance(ask, str) else _ASKED
    said = values.committed(answer, {**given.constants, name: sort}, ask=name, task=task)
    if name not in said:
        raise Unread(f"no value for {truth['ask']}")
    read = ", ".join(f"{n} = {v}" for n, v in said.items())
    parts: list[Term] = []
    for n, value in said.items():
        try:
            term = values.term(value, sort if n == name else given.constants[n])
        except Unread as error:
            return Judged(ok=False, read=read, reason=f"{n}: {error}")
        parts.append(("=", ask if n == name else n, term))
    text = given.text()
    known = truth.get("value")
    probe = (text, None if known is None else ("=", ask, values.term(_value(known), sort)), "sat")
    if solver.status(text, ("and", "true", *parts), probe=probe, seconds=seconds) == "sat":
        return Judged(ok=True, read=read)
    return Judged(ok=False, read=read, reason="does not satisfy the constraints")


def example(truth: Mapping[str, Any]) -> str | None:
    """The gold's value, or one of a model."""
    given, ask, _ = _gold(truth)
    name = ask if isinstance(ask, str) else str(truth["ask"])
    if truth.get("value") is not None:
        value = truth["value"]
        return str(value).lower() if isinstance(value, bool) else f"{value}"
    found = solver.model(given.text(), 5.0) if isinstance(ask, str) else None
    return None if not found or name not in found else f"(({name} {found[name]}))"


def _gold(truth: Mapping[str, Any]) -> tuple[script.Script, Term, str]:
    """The script, what is asked and its sort. Raises Unread."""
    value = truth.get("value")
    real = value is not None and not isinstance(value, bool) and _whole(value) is False
    given = script.read(truth.get("constraints"), sorts=truth.get("sorts"), real=real)
    ask = truth.get("ask")
    if not isinstance(ask, str) or not ask.strip():
        raise Unread("ask wants a constant")
    if ask.strip() in given.constants:
        return given, ask.strip(), given.constants[ask.strip()]
    term = script.formula(ask, given)
    if isinstance(term, str):
        raise Unread(f"no constant {ask[:30]!r} in the constraints")
    boolean = isinstance(value, bool) or term[0] in ("and", "or", "not", "=", "<", "<=", ">", ">=", "distinct", "=>")
    return given, term, "Bool" if boolean else "Real" if "Real" in given.constants.values() else "Int"


def _value(value: Any) -> values.Value:
    if isinstance(value, bool):
        return value
    if isinstance(value, str) and value.strip().lower() in ("true", "false"):
        return value.strip().lower() == "true"
    try:
        return Fraction(str(value)[: 2 * values.MAX_DIGITS])
    except (ValueError, ZeroDivisionError):
        raise Unread("value wants a number") from None


def _whole(value: Any) -> bool:
    found = _value(value)
    return isinstance(found, bool) or found.denominator == 1
