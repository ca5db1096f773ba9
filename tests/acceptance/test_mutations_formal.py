"""Faults planted in the formal verifier: the grader must catch each. Its prover is the verifier's: SAME PROVER."""

import re

import pytest

from verigrad.acceptance.graders import formal as grader
from verigrad.records import Task
from verigrad.rewards.provers import Proved, coq
from verigrad.rewards.verifiers import formal as verifier

ZERO = Task.make(prompt="q", gold={"type": "coq", "statement": "Theorem goal : forall n : nat, n + 0 = n"})
TWICE = Task.make(prompt="q", gold={"type": "coq", "statement": "Theorem goal : forall P : Prop, ~ ~ P -> P"})
STATED = "Theorem goal : forall n : nat, n + 0 = n."
PROOF = f"{STATED} Proof. intros n. induction n; simpl; congruence. Qed."
CLASSICAL = "Require Import Classical. Theorem goal : forall P : Prop, ~ ~ P -> P. Proof. exact NNPP. Qed."


def without(*words):
    """The reading of a proof that lets these words through."""
    screen = coq.screen
    return lambda text, goal: screen(re.sub(rf"\b(?:{'|'.join(words)})\b", "exact", text), goal)


def compiled(text, goal, **_):
    """A prover that is content with a file that compiles, which each of these does."""
    return Proved(kind="proved", level=3)


FAULTS = {
    "the statement is not compared": (
        "screen",
        lambda text, goal: "",
        "Theorem goal : True. Proof. exact I. Qed.",
        ZERO,
    ),
    "Admitted is a proof": ("screen", without("Admitted"), f"{STATED} Proof. Admitted.", ZERO),
    "axioms are free": ("screen", without("Axiom"), f"Axiom a : False. {STATED} Proof. destruct a. Qed.", ZERO),
    "the guard may be switched off": (
        "screen",
        without("Unset"),
        f"Unset Guard Checking. Fixpoint f (n : nat) : False := f n. {STATED} Proof. destruct (f 0). Qed.",
        ZERO,
    ),
    "section variables are free": (
        "screen",
        without("Variable"),
        f"Section s. Variable a : False. {STATED} Proof. destruct a. Qed. End s.",
        ZERO,
    ),
    "the axioms used are not looked at": ("screen", coq.screen, CLASSICAL, TWICE),
    "what does not compile counts": ("screen", coq.screen, f"{STATED} Proof. reflexivity. Qed.", ZERO),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_planted_fault_is_caught(fault, monkeypatch):
    name, screen, answer, task = FAULTS[fault]
    monkeypatch.setattr(coq, name, screen)
    monkeypatch.setattr(coq, "prove", compiled)
    assert verifier.verify(answer, task).correct
    assert grader.grade(answer, task).strict == "wrong"


def test_the_sound_verifier_is_not_contradicted():
    assert verifier.verify(PROOF, ZERO, seconds=120.0).correct
    assert grader.grade(PROOF, ZERO, seconds=120.0).strict == "right"
    for _, _, answer, task in FAULTS.values():
        assert verifier.verify(answer, task, seconds=120.0).status == "wrong"


def test_the_grader_says_that_the_prover_is_the_same():
    assert grader.NOTE == "SAME PROVER"
    lean = Task.make(prompt="q", gold={"type": "lean4", "statement": "theorem goal : 1 = 1"})
    assert grader.grade("theorem goal : 1 = 1 := rfl", lean).strict == "ungraded"
