r"""`formal`: a complete proof of exactly this statement, from allowed axioms only.

Right, for {"type": "coq", "statement": "Theorem goal : forall n : nat, n + 0 = n"}: "intros n. induction n; simpl;
congruence.", or the whole theorem with Proof and Qed.
Refused, prover or not: another statement, Admitted, sorry, an axiom of one's own, native_decide, redefined notations.

The gold is a mapping with `type` (coq, lean4), `statement` (with the imports it needs before it), optionally
`allow_native`, `allowed_axioms`, `proof` (a right one, for the gold check). The proof is read first (`provers`), then
compiled in the sandbox, then checked in a second box against our own copy of the statement; a limit it runs into is
wrong (broke_check). Where the prover is not installed a proof that passes the reading is ungraded. Left out: partial
proofs, tactics one at a time.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from verigrad.records import BROKE_CHECK, Task, Verdict, right, ungraded, unreadable, wrong
from verigrad.rewards import proof_text, provers
from verigrad.rewards.killable import shown
from verigrad.rewards.options import Option
from verigrad.rewards.provers import Goal
from verigrad.rewards.spans import committed_text
from verigrad.rewards.tokens import TooBig, Unread

RULE = "formal"
PROGRAMS = True
OPTIONS: Mapping[str, Option] = {
    "type": Option(default="coq", type=str, meaning="coq or lean4, where the gold does not say it"),
    "seconds": Option(default=60.0, type=float, meaning="a proof not compiled by then breaks the check"),
}


def verify(answer: str, task: Task, *, type: str = "coq", seconds: float = 60.0, level: int | None = None) -> Verdict:
    """The verdict on the one proof the answer commits itself to."""
    try:
        name, goal = _read_gold(task, type)
    except Unread as error:
        return ungraded(f"gold: {error}", rule=RULE)
    try:
        text = committed_text(answer, cues=False, limit=proof_text.MAX_TEXT)
    except Unread as error:
        return unreadable(str(error), rule=RULE)
    except TooBig as error:
        return wrong(rule=RULE, reason=f"{BROKE_CHECK}: {error}")
    prover = provers.find(name)
    if why := prover.screen(text, goal):
        return wrong(shown(text), rule=RULE, reason=why)
    if missing := prover.missing():
        return ungraded(missing, rule=RULE)
    said = prover.prove(text, goal, seconds=seconds, level=level)
    if said.kind in ("gold", "ours"):
        verdict = ungraded(said.reason, rule=RULE)
    elif said.kind == "proved":
        verdict = right(shown(text), rule=RULE)
    elif said.kind == "broke":
        verdict = wrong(shown(text), rule=RULE, reason=f"{BROKE_CHECK}: {said.reason}")
    else:
        verdict = wrong(shown(text), rule=RULE, reason=said.reason)
    return replace(verdict, isolation=said.level)


def check_gold(task: Task, *, type: str = "coq", **_: Any) -> str | None:
    """Why this task's gold cannot be read; None where it can."""
    try:
        _read_gold(task, type)
    except Unread as error:
        return str(error)
    return None


def gold_answer(task: Task, **_: Any) -> str | None:
    """The gold's own proof; None where it has none."""
    proof = task.gold.get("proof") if isinstance(task.gold, Mapping) else None
    return proof if isinstance(proof, str) else None


def _read_gold(task: Task, type_: str) -> tuple[str, Goal]:
    gold: Any = task.gold if isinstance(task.gold, Mapping) else {"statement": task.gold}
    name = gold.get("type", type_)
    if name not in provers.names():
        raise Unread(f"type {str(name)[:20]!r}: want {' or '.join(provers.names())}")
    statement, axioms = gold.get("statement"), gold.get("allowed_axioms") or []
    if not isinstance(statement, str) or len(statement) > proof_text.MAX_TEXT:
        raise Unread("want a statement")
    if not isinstance(axioms, (list, tuple)) or not all(isinstance(a, str) and a for a in axioms):
        raise Unread("allowed_axioms want names")
    goal = provers.find(name).split(statement)
    return name, replace(goal, allow_native=bool(gold.get("allow_native", False)), allowed_axioms=tuple(axioms))
