"""A formula that means the same as the gold's.

Right, for {"declarations": "(declare-const x Int)", "formula": "(> x 3)"}: "x > 3", "(not (<= x 3))", "(>= x 4)".
Refused: "x >= 3", "true", "(> y 3)", a quantifier, any command but (assert ...), "x > 3 or x > 4, I think".

The gold holds `formula` (SMT-LIB or infix), `declarations` (SMT-LIB; without it every name of an infix formula is a
constant, see `sorts`) and optionally `assuming` (constraints under which both must agree).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from verigrad.records import Task
from verigrad.rewards.logic import Judged
from verigrad.rewards.solving import script, solver
from verigrad.rewards.solving.terms import Term
from verigrad.rewards.spans import committed_text
from verigrad.rewards.tokens import TooBig, Unread


def check(truth: Mapping[str, Any]) -> str:
    """Why this gold cannot be read."""
    try:
        given, formula = _gold(truth)
    except (Unread, TooBig) as error:
        return f"formula: {error}"
    return solver.unsolved(given.text(formula))


def judge(answer: str, truth: Mapping[str, Any], *, task: Task, seconds: float) -> Judged:
    """Whether no values make the two differ."""
    given, gold = _gold(truth)
    read = committed_text(answer)
    formula = script.formula(read, given)
    differ: Term = ("not", ("=", gold, formula))
    probe = (given.text(), ("not", ("=", gold, gold)), "unsat")
    if solver.status(given.text(), differ, probe=probe, seconds=seconds) == "sat":
        return Judged(ok=False, read=read, reason="differs from the gold for some values")
    return Judged(ok=True, read=read)


def example(truth: Mapping[str, Any]) -> str | None:
    """The gold's formula."""
    return str(truth["formula"])


def _gold(truth: Mapping[str, Any]) -> tuple[script.Script, Term]:
    text = truth.get("formula")
    if not isinstance(text, str) or not text.strip():
        raise Unread("want a formula")
    declared, assuming = truth.get("declarations"), truth.get("assuming") or []
    lines = ([declared] if isinstance(declared, str) else list(declared or [])) + (
        [assuming] if isinstance(assuming, str) else list(assuming)
    )
    if not lines:
        names = script.read([text], sorts=truth.get("sorts"))
        given = script.Script(
            constants=names.constants, functions=names.functions, commands=names.commands, assertions=()
        )
    else:
        given = script.read(lines, sorts=truth.get("sorts"))
    return given, script.formula(text, given)
