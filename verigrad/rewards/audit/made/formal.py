"""Small Coq theorems with proofs by hand, and a Lean statement whose proof no prover here can check."""

from __future__ import annotations

from verigrad.records import Task
from verigrad.rewards.audit.records import Row

_COQ = (
    ("Theorem two : 1 + 1 = 2.", "Proof. reflexivity. Qed."),
    ("Theorem add_0 : forall n : nat, n + 0 = n.", "Proof.\n  induction n; simpl; congruence.\nQed."),
)
_LEAN = ("theorem goal : (2:Nat)+2 = 4",)


def rows() -> list[Row]:
    """One a statement."""
    coq = [
        Row(
            kind="formal",
            task=Task.make(prompt=f"Prove: {s}", gold={"type": "coq", "statement": s}, source="made"),
            right=(f"{s}\n{proof}", f"```coq\n{s}\n{proof}\n```"),
        )
        for s, proof in _COQ
    ]
    lean = [
        Row(
            kind="formal",
            task=Task.make(prompt=f"Prove: {s}", gold={"type": "lean4", "statement": s}, source="made"),
            right=(),
        )
        for s in _LEAN
    ]
    return coq + lean
