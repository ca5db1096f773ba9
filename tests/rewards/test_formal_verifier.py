"""The formal verifier: the shipped cases, what is refused before anything runs, a few proofs compiled and checked."""

import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from verigrad.records import Task
from verigrad.rewards import proof_text, provers
from verigrad.rewards.provers import coq, lean4
from verigrad.rewards.verifiers import formal
from verigrad.sandbox import Ran

CASES = [
    case
    for line in (Path(__file__).parents[1] / "cases/verifier_cases.jsonl").read_text().splitlines()
    if (case := json.loads(line))["kind"] == "formal"
]
ZERO = {
    "type": "coq",
    "statement": "Theorem goal : forall n : nat, n + 0 = n",
    "proof": "intros n. induction n; simpl; congruence.",
}
STATED = "Theorem goal : forall n : nat, n + 0 = n."
PROVED = f"{STATED}\nProof. intros n. induction n as [|n IH]; [reflexivity | simpl; rewrite IH; reflexivity]. Qed."
FOUR = {"type": "lean4", "statement": "theorem goal : (2:Nat)+2 = 4"}
LEAN = "theorem goal : (2:Nat)+2 = 4 := by decide"
DENIED = {"type": "coq", "statement": "Theorem goal : forall P : Prop, ~ ~ P -> P"}
CLASSICAL = "Require Import Classical.\nTheorem goal : forall P : Prop, ~ ~ P -> P.\nProof. exact NNPP. Qed."
FLIP = {
    "type": "coq",
    "statement": "Inductive t := A | B.\nDefinition flip (x : t) := match x with A => B | B => A end.\n"
    "Theorem twice : forall x, flip (flip x) = x",
}

OTHER_FLIP = (
    "Inductive t := A | B. Definition flip (x : t) := x.\n"
    "Theorem twice : forall x, flip (flip x) = x. Proof. reflexivity. Qed."
)


def verify(answer, gold, **options):
    return formal.verify(answer, Task.make(prompt="q", gold=gold), **options)


@pytest.mark.parametrize("case", CASES, ids=[c["id"] for c in CASES])
def test_shipped_cases(case):
    got = verify(case["completion"], case["truth"])
    assert got.status in (("right",) if case["expected"] else ("wrong", "unreadable")), (case["why"], got)


@pytest.mark.parametrize(
    "answer",
    [
        "Theorem goal : True. Proof. exact I. Qed.",
        "Theorem goal : forall n : nat, n = n. Proof. reflexivity. Qed.",
        "Theorem other : True. Proof. exact I. Qed.",
        f"{STATED} Admitted.",
        f"{STATED} Proof. intros. admit. Admitted.",
        f"{STATED} Proof. intros. give_up. Abort.",
        f"Axiom a : False. {STATED} Proof. destruct a. Qed.",
        f"Parameter a : False. {STATED} Proof. destruct a. Qed.",
        f"Section s. Variable a : False. {STATED} Proof. destruct a. Qed. End s.",
        f"Section s. Hypothesis a : False. {STATED} Proof. destruct a. Qed. End s.",
        f"Context (a : False). {STATED} Proof. destruct a. Qed.",
        f"Unset Guard Checking. Fixpoint f (n : nat) : False := f n. {STATED} Proof. destruct (f 0). Qed.",
        f"#[bypass_check(guard)] Fixpoint f (n : nat) : False := f n. {STATED} Proof. destruct (f 0). Qed.",
        f"Set Universe Polymorphism. {PROVED}",
        f'Notation "a = b" := True. {STATED} Proof. exact I. Qed.',
        f'Infix "=" := le. {STATED} Proof. auto. Qed.',
        f'Load "answer". {PROVED}',
        f'Declare ML Module "x". {PROVED}',
        f'Redirect "x" Print nat. {PROVED}',
        f'Extraction "x.ml" nat. {PROVED}',
        f'Cd "/". {PROVED}',
        f"Drop. {PROVED}",
        f"Require Import statement. {PROVED}",
        f"From Coq Require Import check. {PROVED}",
        f"Module Type T. Axiom x : nat. End T. {PROVED}",
        f"{STATED} Proof. native_compute. Qed.",
        f"{PROVED} {PROVED}",
        f"{PROVED} (* never closed",
        f"{STATED} Proof. (*) Admitted. (*) Qed.",
        PROVED.replace("goal", "gоal"),
        "Definition goal := I.",
    ],
)
def test_coq_refused_before_anything_runs(answer, monkeypatch):
    monkeypatch.setattr(coq, "run", lambda *_, **__: pytest.fail("it ran"))
    assert verify(answer, ZERO).status == "wrong"


@pytest.mark.parametrize(
    "answer",
    [
        PROVED,
        ZERO["proof"],
        f"Lemma h (A : Set) (x : A) : x = x. Proof. reflexivity. Qed.\n{PROVED}",
        f"(* Admitted would be easier *)\nRequire Import Lia.\n{PROVED}",
        f"From Coq Require Import Arith.PeanoNat. Import Nat.\n{PROVED}",
    ],
)
def test_coq_that_is_let_through(answer):
    assert coq.screen(answer, coq.split(ZERO["statement"])) == ""


@pytest.mark.parametrize(
    "answer",
    [
        "theorem goal : True := trivial",
        "theorem goal : (2:Nat)+2 = 5 := by decide",
        "theorem other : (2:Nat)+2 = 4 := by decide",
        "theorem goal : (2:Nat)+2 = 4 := sorry",
        "theorem goal : (2:Nat)+2 = 4 := by sorry",
        "theorem goal : (2:Nat)+2 = 4 := by admit",
        "theorem goal : (2:Nat)+2 = 4 := by native_decide",
        "axiom a : False\ntheorem goal : (2:Nat)+2 = 4 := a.elim",
        "theorem goal : (2:Nat)+2 = 4 := Lean.ofReduceBool _ _ rfl",
        f"set_option debug.skipKernelTC true\n{LEAN}",
        f"set_option autoImplicit true in\n{LEAN}",
        f'macro "x" : tactic => `(tactic| sorry)\n{LEAN}',
        f'notation "two" => 2\n{LEAN}',
        f'local infixl:65 " + " => fun _ _ => 4\n{LEAN}',
        f'elab "x" : tactic => pure ()\n{LEAN}',
        f'syntax "x" : term\n{LEAN}',
        f"instance : Add Nat := ⟨fun _ _ => 4⟩\n{LEAN}",
        f"unsafe def f : False := f\n{LEAN}",
        f"@[implemented_by f] def g := 1\n{LEAN}",
        f'@[extern "f"] opaque g : Nat\n{LEAN}',
        f"@[csimp] theorem x : 1 = 1 := rfl\n{LEAN}",
        f"#eval 1\n{LEAN}",
        f"import Lean\n{LEAN}",
        f"namespace N\n{LEAN}\nend N",
        f"run_cmd pure ()\n{LEAN}",
        f"{LEAN}\n{LEAN}",
        f"{LEAN} /- never closed",
        LEAN.replace("goal", "gоal"),
        "theorem goal : (2:Nat)+2 = 4 := by «sorry»",
        "def goal := 4",
        "by native_decide",
        "sorry",
        FOUR["statement"],
        f"-- {LEAN}",
        "/- by decide -/",
        "This is obvious.",
    ],
)
def test_lean_refused_with_or_without_a_prover(answer):
    assert verify(answer, FOUR).status == "wrong"


@pytest.mark.parametrize(
    "answer",
    [LEAN, "by decide", ":= by decide", f"```lean\n{LEAN}\n```", f"-- sorry is only said here\n{LEAN}",
     "theorem goal :\n    (2:Nat) + 2 = 4 :=\n  rfl", f"theorem helper : 1 = 1 := rfl\n{LEAN}",
     f"import Mathlib\nopen Nat\n{LEAN}"],
)  # fmt: skip
def test_a_lean_proof_without_a_prover_is_nobodys_fault(answer, monkeypatch):
    monkeypatch.setattr(lean4.shutil, "which", lambda _: None)
    got = verify(answer, FOUR)
    assert (got.status, "no lean here" in got.reason) == ("ungraded", True)


@pytest.mark.parametrize(
    ("printed", "allowed", "why"),
    [
        ("'verigrad_goal' does not depend on any axioms", (), ""),
        ("'verigrad_goal' depends on axioms: [propext, Quot.sound]", (), ""),
        ("'verigrad_goal' depends on axioms: [propext, sorryAx]", (), "the axiom sorryAx"),
        ("'verigrad_goal' depends on axioms: [Lean.ofReduceBool]", (), "the axiom Lean.ofReduceBool"),
        ("'verigrad_goal' depends on axioms: [mine]", ("mine",), ""),
        ("nothing", (), "no list of axioms"),
    ],
)
def test_leans_list_of_axioms(printed, allowed, why):
    goal = provers.Goal(name="goal", header="goal : True", type="True", allowed_axioms=allowed)
    assert lean4.judged(printed, goal) == why


def test_leans_boxes_by_a_stand_in(monkeypatch):
    made, said = [], {"answer": 0}

    def run(command, *, files, keep, **_):
        name = next(n for n in files if n.endswith(".lean"))
        made.append((name, sorted(files)))
        out = b"'verigrad_goal' depends on axioms: [propext]" if name == "check.lean" else b""
        return Ran(kind="exited", status=said.get(name[:-5], 0), stdout=out, files={keep[0]: b"x"}, level=3)

    monkeypatch.setattr(lean4, "run", run)
    monkeypatch.setattr(lean4.shutil, "which", lambda _: "/usr/bin/lean")
    got = verify(LEAN, FOUR)
    assert (got.status, got.isolation) == ("right", 3)
    assert [name for name, _ in made] == ["preamble.lean", "statement.lean", "answer.lean", "check.lean"]
    assert "statement.olean" not in made[2][1] or "statement.lean" not in made[2][1]
    said["answer"] = 1
    assert verify(LEAN, FOUR).status == "wrong"
    said.update(answer=0, statement=1)
    assert verify(LEAN, FOUR).status == "ungraded"


@pytest.mark.parametrize(
    ("answer", "gold", "wanted"),
    [
        (ZERO["proof"], ZERO, "right"),
        (f"```coq\n{PROVED}\n```", ZERO, "right"),
        (f"Lemma h : 1 = 1. Proof. reflexivity. Qed.\n{PROVED}", ZERO, "right"),
        (f"{STATED}\nProof. intros n. reflexivity. Qed.", ZERO, "wrong"),
        (f"Definition nat := True. {STATED}\nProof. exact (fun n => eq_refl). Qed.", ZERO, "wrong"),
        (CLASSICAL, DENIED, "wrong"),
        (CLASSICAL, {**DENIED, "allowed_axioms": ["classic"]}, "right"),
        ("intros x. destruct x; reflexivity.", FLIP, "right"),
        (OTHER_FLIP, FLIP, "wrong"),
        ("Qed. Lemma x : True. exact I.", ZERO, "wrong"),
    ],
)  # fmt: skip
def test_coq_compiled_and_checked(answer, gold, wanted):
    got = verify(answer, gold, seconds=120.0)
    assert got.status == wanted, got
    assert got.isolation in (0, 2, 3)
    assert wanted != "right" or got.isolation >= 2


def test_a_proof_that_runs_for_ever_breaks_the_check():
    got = verify("do 1000000000 idtac. Fail idtac.", ZERO, seconds=3.0)
    assert (got.status, got.reason[:11]) == ("wrong", "broke_check"), got


def test_a_statement_that_does_not_compile_is_nobodys_fault():
    assert (
        verify("exact I.", {"type": "coq", "statement": "Theorem goal : nosuchthing"}, seconds=120.0).status
        == "ungraded"
    )


@pytest.mark.parametrize(
    "gold", [7, {"type": "agda", "statement": "x"}, {"type": "coq"}, {"type": "coq", "statement": "goal"}]
)
def test_a_gold_that_cannot_be_read_is_named(gold):
    assert formal.check_gold(Task.make(prompt="q", gold=gold))
    assert verify("exact I.", gold).status == "ungraded"


def test_without_coq_a_proof_is_nobodys_fault(monkeypatch):
    monkeypatch.setattr(coq.shutil, "which", lambda _: None)
    got = verify(PROVED, ZERO)
    assert (got.status, "apt install coq" in got.reason) == ("ungraded", True)
    assert verify(f"{STATED} Admitted.", ZERO).status == "wrong"


@pytest.mark.parametrize(
    ("text", "marks", "left"),
    [
        ("a (* b (* c *) d *) e", coq._COMMENTS, "a   e"),
        ('a (* "*)" *) e', coq._COMMENTS, "a  e"),
        ('a "(*" b', coq._COMMENTS, 'a "" b'),
        ("a (* b", coq._COMMENTS, None),
        ("a -- b\nc /- d /- e -/ f -/ g", lean4._COMMENTS, "a \nc   g"),
        ('a "/-" b', lean4._COMMENTS, 'a "" b'),
        ('a "\\"/-" b', lean4._COMMENTS, 'a "" b'),
    ],
)
def test_comments_are_taken_out_as_the_compiler_does(text, marks, left):
    got = proof_text.stripped(text, marks)
    assert (got if got is None else got.split()) == (left if left is None else left.split())


@settings(max_examples=200, deadline=None)
@given(st.text(alphabet=st.sampled_from('(*)"-/ .:=\nTheoremgl0nat«@#'), max_size=60))
def test_no_text_breaks_the_reading(text):
    for name in provers.names():
        prover = provers.find(name)
        goal = prover.split({"coq": ZERO, "lean4": FOUR}[name]["statement"])
        assert isinstance(prover.screen(text, goal), str)
