"""A formula that makes every condition valid and is not vacuous: an invariant, an interpolant, a strengthening.

Right, for {"declarations": "(declare-const x Int)", "conditions": ["(=> (> x 5) {answer})", "(=> {answer} (> x 1))"],
"example": "(> x 3)"}: "(> x 3)", "x >= 2".
Refused: "true" and "false" (each breaks a condition), "x > 0", a formula nothing satisfies, a quantifier, a command.

The gold holds `declarations` (SMT-LIB, or infix lines that hold), `conditions` (SMT-LIB or infix formulas in which
{answer} stands for the answer's formula; all must be valid) and `example` (a formula that must be right). A gold for
which "true" or "false" would do is refused: it would pay for nothing.
"""

from __future__ import annotations

import functools
import json
from collections.abc import Mapping
from typing import Any

from verigrad.records import Task
from verigrad.rewards.logic import Judged
from verigrad.rewards.solving import script, solver
from verigrad.rewards.solving.terms import Term
from verigrad.rewards.spans import committed_text
from verigrad.rewards.tokens import TooBig, Unread

_HOLE = "the_answers_formula"


def check(truth: Mapping[str, Any]) -> str:
    """Why this gold cannot be read, or why it would pay for nothing."""
    try:
        _gold(truth)
    except (Unread, TooBig) as error:
        return str(error)
    return _vacuous(json.dumps(dict(truth), sort_keys=True, default=str))


def judge(answer: str, truth: Mapping[str, Any], *, task: Task, seconds: float) -> Judged:
    """Whether every condition is valid with the answer's formula in it."""
    given, conditions, known = _gold(truth)
    read = committed_text(answer)
    formula = script.formula(read, given)
    why = _fails(given, conditions, formula, known, seconds)
    return Judged(ok=not why, read=read, reason=why)


def example(truth: Mapping[str, Any]) -> str | None:
    """The gold's example."""
    return str(truth["example"])


def _fails(given: script.Script, conditions: tuple[Term, ...], formula: Term, known: Term, seconds: float) -> str:
    text = given.text()
    if solver.status(text, formula, probe=(text, known, "sat"), seconds=seconds) != "sat":
        return "nothing satisfies it"
    for number, condition in enumerate(conditions, 1):
        broken: Term = ("not", _filled(condition, formula))
        probe = (text, ("not", _filled(condition, known)), "unsat")
        if solver.status(text, broken, probe=probe, seconds=seconds) != "unsat":
            return f"condition {number} is not valid"
    return ""


@functools.lru_cache(maxsize=4096)
def _vacuous(text: str) -> str:
    given, conditions, known = _gold(json.loads(text))
    try:
        if why := _fails(given, conditions, known, known, 10.0):
            return f"its own example: {why}"
        for word in ("true", "false"):
            if not _fails(given, conditions, word, known, 10.0):
                return f'"{word}" would be right'
    except (solver.Broke, solver.GoldFault, Unread) as error:
        return f"the solver: {error}"
    return ""


def _gold(truth: Mapping[str, Any]) -> tuple[script.Script, tuple[Term, ...], Term]:
    conditions, known = truth.get("conditions"), truth.get("example")
    conditions = [conditions] if isinstance(conditions, str) else conditions
    if not isinstance(conditions, (list, tuple)) or not conditions or not all(isinstance(c, str) for c in conditions):
        raise Unread("want conditions")
    if not all("{answer}" in c for c in conditions):
        raise Unread("a condition without {answer}")
    if not isinstance(known, str):
        raise Unread("want an example")
    given = script.read(truth.get("declarations"), sorts=truth.get("sorts"))
    holed = script.Script(
        constants={**given.constants, _HOLE: "Bool"},
        functions=given.functions,
        commands=given.commands,
        assertions=given.assertions,
    )
    read = tuple(script.formula(c.replace("{answer}", f" {_HOLE} "), holed) for c in conditions)
    return given, read, script.formula(known, given)


def _filled(condition: Term, formula: Term) -> Term:
    if isinstance(condition, str):
        return formula if condition == _HOLE else condition
    return tuple(_filled(part, formula) for part in condition)
