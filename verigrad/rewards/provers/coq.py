r"""Coq 8.16: a proof compiled in one box, its statement and axioms checked by coqchk in a second.

Right, for "Theorem goal : forall n : nat, n + 0 = n": "intros n. induction n; simpl; congruence." (the script alone),
or the whole theorem with Proof and Qed, lemmas before it, `Require Import Lia.`
Refused before anything runs: another statement, Admitted and admit, Axiom, Parameter, Variable, Hypothesis, Set and
Unset, Notation, Load, Redirect, Extraction, Declare, attributes, native_compute, characters that look like others.

The statement is compiled by itself, never after the candidate's file, and the theorem must have that type
(`Definition verigrad_goal : statement := @goal`, in a file of ours in the second box): notations, scopes and redefined
names in the candidate's file change nothing. `coqchk -o` must find no axiom of the candidate's, no assumed guard,
positivity or type-in-type; axioms of the standard library that the proof uses must be allowed. Left out: plug-ins and
libraries beside the standard one.
"""

from __future__ import annotations

import functools
import re
import shutil

from verigrad.rewards import proof_text
from verigrad.rewards.proof_text import Comments
from verigrad.rewards.provers import Goal, Proved, Spelling, fault, goal_of
from verigrad.sandbox import Limits, Ran, run

_COMMENTS = Comments(open="(*", close="*)", strings_inside=True)
_THEOREM = "Theorem|Lemma|Fact|Remark|Corollary|Proposition|Property|Example"
_STOP = r"\.(?=\s|$)|:="
_FORBIDDEN = frozenset(
    (
        *("Admitted", "admit", "Admit", "give_up", "Abort", "Axiom", "Axioms", "Parameter", "Parameters", "Conjecture"),
        *("Conjectures", "Hypothesis", "Hypotheses", "Variable", "Variables", "Context", "Primitive", "Register"),
        *("Unset", "Global", "Notation", "Infix", "Reserved", "Delimit", "Undelimit", "Bind", "Declare", "Load"),
        *("Redirect", "Extraction", "Extract", "Cd", "Pwd", "Drop", "Quit", "Add", "Remove", "Back", "BackTo", "Undo"),
        *("Reset", "Restart", "Universe", "Universes", "Constraint", "Polymorphic", "Cumulative", "Undo", "Write"),
        *("AdmitAxiom", "proof_admitted", "Ltac2", "Elpi", "Comments", "Separate", "Recursive", "Test", "Timeout"),
    )
)
_RESERVED = frozenset(("answer", "statement", "preamble", "check", "verigrad_goal", "verigrad_statement"))
_PARTS = (
    "Axioms",
    "Constants/Inductives relying on type-in-type",
    "Constants/Inductives relying on unsafe (co)fixpoints",
    "Inductives whose positivity is assumed",
)


_SPELLING = Spelling(
    wanted="Theorem NAME : FORMULA",
    theorem=rf"(?<![\w'.])(?:{_THEOREM})\s+([A-Za-z_][\w']*)",
    ending=r"\.\s*(?:Proof\s*\.?\s*)?$",
    more=_STOP,
    every="forall {}, ({})",
)


def split(statement: str) -> Goal:
    """The statement in parts: what stands before the theorem, its name, its formula. Raises Unread."""
    return goal_of(statement, _COMMENTS, _SPELLING)


def screen(text: str, goal: Goal) -> str:
    """Why the proof is refused before anything runs."""
    if "(*)" in text:
        return "a comment that may not be one"
    bare = proof_text.stripped(text, _COMMENTS)
    if bare is None:
        return "a comment or text that is never closed"
    if why := proof_text.look_alike(text, goal.header + goal.preamble):
        return why
    if word := proof_text.forbidden(bare, _FORBIDDEN - set(re.findall(r"\w+", goal.header))):
        return f"{word} is not allowed in a proof"
    if any(
        re.match(r"[-+*{}\s]*(?:(?:Local|Export|Time|Fail)\s+)*Set\s+[A-Z]", x) for x in re.split(r"\.(?=\s)", bare)
    ):
        return "Set is not allowed in a proof"
    if "#[" in bare or '"' in bare.replace('""', "") or re.search(r"(?<!\w)Module\s+Type", bare):
        return "attributes and module types are not allowed in a proof"
    if not goal.allow_native and re.search(r"\bnative_(?:compute|cast_no_check)\b", bare):
        return "native_compute: outside the kernel"
    for match in re.finditer(r"\bRequire\b(?:\s+(?:Import|Export))?([^.]*(?:\.\w[^.]*)*)\.(?=\s|$)", bare):
        if set(re.findall(r"\w+", match[1])) & _RESERVED:
            return "a library that is not the standard one"
    found = proof_text.headers(bare, _THEOREM + "|Definition|Fixpoint|Let|Instance", goal.name, _STOP)
    if found and found != [goal.header]:
        return "another statement"
    if not found and re.search(rf"(?<![\w'.])(?:{_THEOREM}|Definition)\s", bare):
        return f"{goal.name} is not stated"
    return ""


def missing() -> str:
    """What to install."""
    gone = [name for name in ("coqc", "coqchk") if shutil.which(name) is None]
    return f"no {' and no '.join(gone)} here: apt install coq" if gone else ""


def prove(text: str, goal: Goal, *, seconds: float, level: int | None) -> Proved:
    """Compiles the proof in one box; checks statement and axioms in a second."""
    try:
        given, stated = _statement(goal, seconds, level)
    except _Unstated as error:
        return error.proved
    made: dict[str, bytes | str] = {"preamble.vo": given} if given else {}
    answer = {**made, "answer.v": _file(text, goal)}
    first = _boxed("exec coqc -q answer.v", answer, seconds, level, ("answer.vo",))
    if (said := fault(first, "coqc", _line(first))) is not None:
        return said
    compiled = first.files.get("answer.vo")
    if not compiled:
        return Proved(kind="refused", reason="nothing was compiled", level=first.level)
    ours = (
        "Require statement answer.\n"
        f"Definition verigrad_goal : statement.verigrad_statement := @answer.{goal.name}.\n"
        "Print Assumptions verigrad_goal.\n"
    )
    files = {**made, "statement.vo": stated, "answer.vo": compiled, "check.v": ours}
    second = _boxed(_SECOND, files, 2 * seconds, level, ())
    if (said := fault(second, "the second box", _line(second))) is not None:
        return said
    why = _judged(second.stdout.decode("utf-8", "replace"), second.stderr.decode("utf-8", "replace"), goal)
    return Proved(kind="refused" if why else "proved", reason=why, level=second.level)


_FINDLIB = 'path="/usr/lib/ocaml"\ndestdir="/usr/lib/ocaml"\nldconf="ignore"\n'
"""Debian's coqc looks for its plug-ins by findlib, whose settings stand in /etc: not in the box."""
_SECOND = (
    "coqc -q check.v >used 2>errors || { cat errors >&2; exit 3; }; cat used; "
    "test ! -f preamble.vo || more='-norec preamble'; "
    'coqchk -o -silent -R . "" $more -norec statement -norec answer -norec check >&2'
)


def _head(goal: Goal) -> tuple[str, str]:
    """Of the preamble: what every file begins with (imports, scopes), and what must be defined once, in a file of its
    own, or "" where there is nothing.
    """
    sentences = [x.strip() for x in re.split(r"(?<=\.)(?=\s|$)", goal.preamble) if x.strip()]
    opening = [x for x in sentences if re.match(r"(?:From\b.*\b)?(?:Require|Import|Export|Open|Local Open|Close)\b", x)]
    return "\n".join(opening) + "\n", goal.preamble + "\n" if len(opening) < len(sentences) else ""


def _file(text: str, goal: Goal) -> str:
    opening, defined = _head(goal)
    head = opening + ("Require Import preamble.\n" if defined else "")
    bare = proof_text.without(proof_text.stripped(text, _COMMENTS) or "", goal.preamble)
    if re.search(rf"(?<![\w'.])(?:{_THEOREM})\s", bare):
        return head + (bare if defined else text) + "\n"
    script = re.sub(r"^\s*Proof\s*\.", "", bare.strip())
    script = re.sub(r"(?<![\w'.])(?:Qed|Defined)\s*\.\s*$", "", script.strip())
    return f"{head}Theorem {goal.header}.\nProof.\n{script}\nQed.\n"


class _Unstated(Exception):
    """The statement was not compiled: what that means for every proof of it. Raised, so that it is not remembered."""

    def __init__(self, proved: Proved) -> None:
        super().__init__(proved.reason)
        self.proved = proved


@functools.lru_cache(maxsize=1024)
def _statement(goal: Goal, seconds: float, level: int | None) -> tuple[bytes, bytes]:
    """Preamble (empty where nothing is defined in it) and statement, compiled by themselves: the probe of every proof.

    Raises _Unstated.
    """
    opening, defined = _head(goal)
    given = _compiled("preamble", defined, {}, seconds, level) if defined else b""
    head = opening + ("Require Import preamble.\n" if defined else "")
    made: dict[str, bytes | str] = {"preamble.vo": given} if given else {}
    source = f"{head}Definition verigrad_statement := ({goal.type}).\n"
    return given, _compiled("statement", source, made, seconds, level)


def _compiled(name: str, source: str, made: dict[str, bytes | str], seconds: float, level: int | None) -> bytes:
    for _ in range(2):
        files = {**made, f"{name}.v": source}
        ran = _boxed(f"exec coqc -q {name}.v", files, seconds, level, (f"{name}.vo",))
        if ran.ok and ran.files.get(f"{name}.vo"):
            return ran.files[f"{name}.vo"]
    if ran.kind == "not_started":
        raise _Unstated(Proved(kind="ours", reason=ran.error, level=ran.level))
    raise _Unstated(Proved(kind="gold", reason=f"the {name} does not compile: {_line(ran)}", level=ran.level))


def _boxed(script: str, files: dict[str, bytes | str], seconds: float, level: int | None, keep: tuple[str, ...]) -> Ran:
    limits = Limits(seconds=seconds, memory_bytes=3 << 30, processes=16, file_bytes=64 << 20, tmp_bytes=256 << 20)
    command = ["/bin/sh", "-c", 'export OCAMLFIND_CONF="$PWD/findlib.conf"; ' + script]
    locked: dict[str, bytes | str] = {"findlib.conf": _FINDLIB}
    ran = run(command, files=files, limits=limits, level=level, keep=keep, locked=locked)
    if ran.kind == "not_started":
        ran = run(command, files=files, limits=limits, level=level, keep=keep, locked=locked)
    return ran


def _line(ran: Ran) -> str:
    text = (ran.stderr or ran.stdout).decode("utf-8", "replace")
    text = text.rpartition("Error:")[2] if "Error:" in text else text
    return " ".join(text.split())[:160] or f"status {ran.status}"


def _judged(used: str, summary: str, goal: Goal) -> str:
    """Why coqchk's summary and the assumptions our own file printed do not allow the proof."""
    if "CONTEXT SUMMARY" not in summary:
        return "coqchk gave no summary"
    parts = {name: _part(summary, name) for name in _PARTS}
    if any(names is None for names in parts.values()):
        return "coqchk gave no summary"
    axioms = parts["Axioms"] or []
    for name in _PARTS[1:]:
        if parts[name]:
            return f"{name}: {(parts[name] or [''])[0]}"[:160]
    if own := [a for a in axioms if not a.startswith(("Coq.", "preamble."))]:
        return f"an axiom of its own: {own[0]}"[:160]
    if "Closed under the global context" in used:
        return ""
    taken = [m[1] for m in re.finditer(r"(?m)^([A-Za-z_][\w'.]*)\s*(?::|$)", used) if m[1] != "Axioms"]
    if not taken or "is assumed" in used or "relies on" in used:
        return f"assumptions that are not allowed: {' '.join(used.split())[:100]}"
    for name in taken:
        whole = [a for a in axioms if a == name or a.endswith("." + name)]
        if not whole or not any(_allowed(a, goal) for a in whole):
            return f"the axiom {name}"[:160]
    return ""


def _allowed(axiom: str, goal: Goal) -> bool:
    return axiom.startswith("preamble.") or any(axiom == a or axiom.endswith("." + a) for a in goal.allowed_axioms)


def _part(summary: str, name: str) -> list[str] | None:
    match = re.search(rf"\* {re.escape(name)}:(.*?)(?=\n\* |\Z)", summary, re.DOTALL)
    if match is None:
        return None
    return [] if match[1].strip() == "<none>" else match[1].split()
