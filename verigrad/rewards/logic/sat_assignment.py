"""An assignment that satisfies every clause of a formula in conjunctive normal form.

Right, for {"clauses": [[1, -2], [2, 3]]}: "1 -2 3 0", "v 1 -2 3 0", "x1=True, x2=False, x3=True",
'{"x1": true, "x3": true}' (variables left out are free where each clause has a true literal).
Refused: a clause with no true literal, a variable both ways, a variable that is not there, "sat".

The gold holds `clauses` (lists of whole numbers, negative = negated) or `dimacs` (a text), and optionally `answer`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from verigrad.records import Task
from verigrad.rewards.logic import Judged
from verigrad.rewards.solving import solver
from verigrad.rewards.spans import committed_text
from verigrad.rewards.tokens import Unread

MAX_CLAUSES = 20_000
MAX_VARIABLE = 5_000


def check(truth: Mapping[str, Any]) -> str:
    """Why this gold cannot be read."""
    try:
        _clauses(truth)
    except Unread as error:
        return str(error)
    return ""


def judge(answer: str, truth: Mapping[str, Any], *, task: Task, seconds: float) -> Judged:
    """Whether the assignment satisfies every clause."""
    clauses = _clauses(truth)
    literals = _literals(committed_text(answer, limit=60_000))
    read = " ".join(map(str, sorted(literals, key=abs)))
    known = {abs(x) for clause in clauses for x in clause}
    if any(-x in literals for x in literals):
        return Judged(ok=False, read=read, reason="a variable both ways")
    if more := {abs(x) for x in literals} - known:
        return Judged(ok=False, read=read, reason=f"no variable {min(more)}")
    failed = next((i for i, clause in enumerate(clauses, 1) if not literals.intersection(clause)), None)
    return Judged(ok=failed is None, read=read, reason=f"clause {failed} has no true literal")


def example(truth: Mapping[str, Any]) -> str | None:
    """The gold's own answer, or a model of the solver's."""
    if truth.get("answer") is not None:
        answer = truth["answer"]
        return answer if isinstance(answer, str) else " ".join(map(str, answer))
    clauses = _clauses(truth)
    names = sorted({abs(x) for clause in clauses for x in clause})
    lines = [f"(declare-const x{n} Bool)" for n in names]
    lines += [
        "(assert (or false " + " ".join(f"x{x}" if x > 0 else f"(not x{-x})" for x in clause) + "))"
        for clause in clauses
    ]
    found = solver.model("\n".join(lines), 5.0)
    if found is None:
        return None
    return " ".join(str(n if found.get(f"x{n}") == "true" else -n) for n in names)


def _clauses(truth: Mapping[str, Any]) -> list[list[int]]:
    clauses = truth.get("clauses")
    if isinstance(truth.get("dimacs"), str):
        body = " ".join(line for line in truth["dimacs"].split("\n") if not re.match(r"\s*[cp%]", line))
        if not re.fullmatch(r"[-0-9\s]*", body):
            raise Unread("a text that is no DIMACS")
        clauses, clause = [], list[int]()
        for word in body.split():
            if word == "0":
                clauses, clause = [*clauses, clause], []
            else:
                clause.append(int(word) if len(word) < 7 else 0)
        if clause:
            raise Unread("a clause without its 0")
    if not isinstance(clauses, (list, tuple)) or not 1 <= len(clauses) <= MAX_CLAUSES:
        raise Unread("clauses want a list of lists")
    out = [list(c) if isinstance(c, (list, tuple)) else [0] for c in clauses]
    for x in (x for clause in out for x in clause):
        if isinstance(x, bool) or not isinstance(x, int) or not 1 <= abs(x) <= MAX_VARIABLE:
            raise Unread(f"literals want whole numbers from 1 to {MAX_VARIABLE}")
    return out


def _literals(text: str) -> frozenset[int]:
    if text.startswith("{"):
        try:
            pairs = json.loads(text, object_pairs_hook=lambda pairs: pairs)
        except (ValueError, RecursionError):
            raise Unread("no assignment") from None
        text = ", ".join(f"{name}={value}" for name, value in pairs)
    words = [w for w in re.split(r"[\s,]+", text) if w and w.lower() not in ("v", "s", "sat", "satisfiable")]
    if words and all(re.fullmatch(r"-?[0-9]{1,6}", w) for w in words):
        words = words[:-1] if words[-1] == "0" else words
        if not words or any(int(w) == 0 for w in words):
            raise Unread("a 0 inside the assignment")
        return frozenset(map(int, words))
    found = set[int]()
    for piece in (p for p in re.split(r"[,;\n]|\band\b", text) if p.strip(" .")):
        match = re.fullmatch(
            r"[\s*-]*x?_?\{?([0-9]{1,6})\}?\s*(?:=|:|->|is)\s*(true|false|1|0|t|f)[\s.*]*", piece, re.IGNORECASE
        )
        if match is None:
            raise Unread(f"no variable and value: {piece.strip()[:20]!r}")
        found.add(int(match[1]) if match[2].lower() in ("true", "1", "t") else -int(match[1]))
    if not found:
        raise Unread("no assignment")
    return frozenset(found)
