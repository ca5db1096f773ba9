"""Small Coq theorems with proofs by hand, and a Lean statement whose proof no prover here can check."""

from __future__ import annotations

from verigrad.records import Task
from verigrad.rewards.audit.records import Row

_COQ = (
    ("Theorem two : 1 + 1 = 2", "Proof. reflexivity. Qed."),
    ("Theorem add_0 : forall n : nat, n + 0 = n", "Proof.\n  induction n; simpl; congruence.\nQed."),
)
_LEAN = ("theorem goal : (2:Nat)+2 = 4",)


def rows() -> list[Row]:
    """One a statement."""
    return [*(_coq(s, proof) for s, proof in _COQ), *(_lean(s) for s in _LEAN)]


def _coq(statement: str, proof: str) -> Row:
    whole = f"{statement}.\n{proof}"
    gold = {"type": "coq", "statement": statement, "proof": whole}
    task = Task.make(prompt=f"Prove: {statement}.", gold=gold, source="made")
    return Row(kind="formal", task=task, right=(whole, f"```coq\n{whole}\n```"))


def _lean(statement: str) -> Row:
    task = Task.make(prompt=f"Prove: {statement}", gold={"type": "lean4", "statement": statement}, source="made")
    return Row(kind="formal", task=task, right=())
