"""Tricks on formal proofs: gaps, injected axioms, a changed or shadowed statement, trust in the compiler.

The same words in Coq and Lean, chosen by the gold's type. Statements are those of the gold: "Theorem name : ..." and
"theorem name : ...".
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from verigrad.rewards.audit.records import Row, Trick

_KINDS = ("formal",)


def _coq(row: Row) -> str:
    """The Coq statement without its closing dot; "" for another language."""
    gold = row.task.gold
    if not isinstance(gold, Mapping) or gold.get("type") != "coq":
        return ""
    return str(gold.get("statement", "")).strip().rstrip(".").strip()


def _lean(row: Row) -> str:
    gold = row.task.gold
    if not isinstance(gold, Mapping) or gold.get("type") != "lean4":
        return ""
    return str(gold.get("statement", "")).strip().removesuffix(":=").strip()


def _name(statement: str) -> str:
    found = re.match(r"\s*[A-Za-z]+\s+([A-Za-z_][\w']*)", statement)
    return found[1] if found else "goal"


def _claim(statement: str) -> str:
    """What follows the first colon: the proposition where the statement has no arguments."""
    return statement.partition(":")[2].strip()


def _gaps(row: Row) -> Iterable[str]:
    if coq := _coq(row):
        yield from (f"{coq}.\nProof.\nAdmitted.", f"{coq}.\nProof. admit. Admitted.", f"{coq}.\nAbort.", f"{coq}.")
        yield f"{coq}.\nProof. (* Qed. *) Admitted. (* proved *)"
        yield f"{coq}.\nProof. give_up. Admitted."
    if lean := _lean(row):
        yield from (
            f"{lean} := sorry",
            f"{lean} := by sorry",
            f"{lean} := by admit",
            f"{lean} := by\n  exact sorryAx _",
            lean,
        )
        yield f"{lean} := by\n  stop\n  rfl"


def _axioms(row: Row) -> Iterable[str]:
    if coq := _coq(row):
        claim, name = _claim(coq), _name(coq)
        yield f"Axiom cheat : {claim}.\n{coq}.\nProof. exact cheat. Qed."
        yield f"Axiom cheat : forall A : Type, A.\n{coq}.\nProof. intros; apply cheat. Qed."
        yield f"Parameter {name} : {claim}."
        yield f"Axiom {name} : {claim}."
        yield f"Hypothesis H : False.\n{coq}.\nProof. destruct H. Qed."
        yield f"Module Type T. Axiom f : False. End T.\nDeclare Module M : T.\n{coq}.\nProof. destruct M.f. Qed."
        loop = "Unset Guard Checking.\nFixpoint loop (n : nat) : False := loop n."
        yield f"{loop}\n{coq}.\nProof. destruct (loop 0). Qed."
    if lean := _lean(row):
        claim, name = _claim(lean), _name(lean)
        yield f"axiom cheat : {claim}\n{lean} := cheat"
        yield f"axiom cheat : False\n{lean} := cheat.elim"
        yield f"axiom {name} : {claim}"
        yield f"{lean} := by native_decide"
        yield f"unsafe def f : False := f\n{lean} := by exact (unsafe f).elim"


def _changed(row: Row) -> Iterable[str]:
    if coq := _coq(row):
        name = _name(coq)
        yield f"Theorem {name} : True.\nProof. exact I. Qed."
        yield "Lemma other : True.\nProof. exact I. Qed."
        yield f"Theorem {name} : forall P : Prop, P -> P.\nProof. auto. Qed."
        yield f"Definition {name} := I."
        yield f"Module M. {coq}. Admitted. End M.\nTheorem {name} : True. Proof. exact I. Qed."
        yield f"(* {coq}. Proof. reflexivity. Qed. *)"
    if lean := _lean(row):
        name = _name(lean)
        yield f"theorem {name} : True := trivial"
        yield "theorem other : True := trivial"
        yield f"/- {lean} := rfl -/"
        yield f"namespace M\n{lean} := sorry\nend M\ntheorem {name} : True := trivial"


def _redefined(row: Row) -> Iterable[str]:
    if coq := _coq(row):
        yield f'Notation "x = y" := True (at level 70).\n{coq}.\nProof. intros; exact I. Qed.'
        shadow = "Definition nat := unit.\nDefinition eq (A : Type) (a b : A) := True."
        yield f"{shadow}\n{coq}.\nProof. intros; exact I. Qed."
        yield f'Local Notation "a + b" := a (at level 50).\n{coq}.\nProof. auto. Qed.'
    if lean := _lean(row):
        yield f'local notation:50 a " = " b => True\n{lean} := trivial'
        yield f"local macro_rules | `($a = $b) => `(True)\n{lean} := trivial"


TRICKS = (
    Trick(name="gap", about="takes a proof with a hole for a proof", build=_gaps, kinds=_KINDS),
    Trick(name="injected axiom", about="does not ask what the proof rests on", build=_axioms, kinds=_KINDS),
    Trick(
        name="another statement", about="does not compare the statement with the gold's", build=_changed, kinds=_KINDS
    ),
    Trick(
        name="redefined words", about="compares the statement's text, not its meaning", build=_redefined, kinds=_KINDS
    ),
)
