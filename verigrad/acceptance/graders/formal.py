r"""Grader `formal`: a Coq proof compiled again from the answer and checked by coqchk. SAME PROVER as the verifier.

Accepted for "Theorem goal : 1 = 1": "reflexivity.", "Theorem goal : 1 = 1. Proof. reflexivity. Qed." Not accepted:
another statement, Admitted, an axiom of the answer's own. There is one Coq here, so the prover is the verifier's too;
what differs is the reading, the file around the proof (a lemma of ours is proved by the answer's, in a box of its own)
and that coqchk alone decides: every axiom it lists that is not of the standard library counts as used. Left out: Lean
(ungraded).
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Mapping
from typing import Any

from verigrad.acceptance.reading import after_reasoning
from verigrad.records import BROKE_CHECK, Grade, Status, Task
from verigrad.sandbox import Limits, Ran, run

NOTE = "SAME PROVER"
PROGRAMS = True
MAX_TEXT = 30_000
_STATED = r"\b(?:Theorem|Lemma|Fact|Remark|Corollary|Proposition|Property|Example)\b"
_BANNED = re.compile(
    r"\b(?:Admitted|admit|Admit|give_up|Axioms?|Parameters?|Conjectures?|Hypothes[ie]s|Variables?|Context|Primitive|Set|"
    r"Unset|Global|Notation|Infix|Declare|Load|Redirect|Extraction|Extract|Cd|Drop|Add|Register|native_compute|"
    r"bypass_check|proof_admitted|AdmitAxiom)\b|#\[|\(\*\)"
)
GOLD_OPTIONS = ("type",)
"""Options of the verifier of this name that say how golds are written; a recipe's reach this grader too."""


def grade(answer: str, task: Task, *, type: str = "coq", seconds: float = 90.0, level: int | None = None) -> Grade:
    """Strict and lenient by the one proof: a proof is right or it is not."""
    gold: Any = task.gold if isinstance(task.gold, Mapping) else {"statement": task.gold}
    if gold.get("type", type) != "coq":
        return _both("ungraded", "only Coq proofs are graded")
    parts = _parts(str(gold.get("statement", "")))
    if parts is None:
        return _both("ungraded", "the gold is no statement")
    text = _proof(answer)
    if text is None:
        return _both("unreadable", "no single proof")
    bare = re.sub(r"\(\*.*?\*\)", " ", text, flags=re.DOTALL)
    if (found := _BANNED.search(bare)) is not None:
        return _both("wrong", f"{found[0]} in a proof", text)
    if any(not c.isascii() and c not in gold["statement"] and not re.match(r"[^\w]", c) for c in bare):
        return _both("wrong", "letters that are not ASCII", text)
    if shutil.which("coqc") is None or shutil.which("coqchk") is None:
        return _both("ungraded", "no coqc or no coqchk here: apt install coq")
    return _checked(text, bare, parts, gold, seconds, level)


def gold_as(task: Task, **_: Any) -> list[str]:
    """The gold's own proof, where it has one."""
    proof = task.gold.get("proof") if isinstance(task.gold, Mapping) else None
    return [proof] if isinstance(proof, str) else []


def _checked(
    text: str, bare: str, parts: tuple[str, str, str], gold: Mapping[str, Any], seconds: float, level: int | None
) -> Grade:
    before, name, rest = parts
    for sentence in re.split(r"(?<=\.)\s+", before.strip()):  # the statement's own definitions said once more
        if sentence and not re.match(r"From|Require|Import|Open", sentence):
            text, bare = text.replace(sentence, " ", 1), bare.replace(sentence, " ", 1)
    stated = re.findall(rf"{_STATED}\s+{re.escape(name)}(?![\w'])(.*?)(?:\.(?=\s|$)|:=)", bare, re.DOTALL)
    if re.search(_STATED, bare):
        if len(stated) != 1 or "".join(stated[0].split()) != "".join(rest.split()):
            return _both("wrong", "another statement", text)
        proof = text
    else:
        script = re.sub(r"^\s*Proof\s*\.|(?:Qed|Defined)\s*\.\s*$", "", bare.strip())
        proof = f"Theorem {name} {rest}.\nProof.\n{script}\nQed.\n"
    shared = {"given.v": before + "\n"}
    imports = "\n".join(
        re.findall(r"(?m)^\s*((?:From\s[^.]*)?(?:Require|Import|Open|Local Open)\b.*?\.)(?=\s|$)", before)
    )
    head = f"{imports}\nRequire Import given.\n"
    own = f"{head}Require theirs.\nLemma accepted {rest}.\nProof. exact (@theirs.{name}). Qed.\n"
    plain = f"{head}Lemma stated {rest}.\nProof. Abort.\n"
    made = _box("coqc -q given.v && coqc -q plain.v", {**shared, "plain.v": plain}, ("given.vo",), seconds, level)
    if not (made.kind == "exited" and made.status == 0):
        return _both("ungraded", f"the statement does not compile, or no box: {made.error}")
    given: dict[str, bytes | str] = {"given.vo": made.files.get("given.vo", b"")}
    theirs = _box("coqc -q theirs.v", {**given, "theirs.v": f"{head}{proof}"}, ("theirs.vo",), seconds, level)
    if (fault := _fault(theirs, text)) is not None:
        return fault
    files = {**given, "theirs.vo": theirs.files.get("theirs.vo", b""), "own.v": own}
    script = 'coqc -q own.v && coqchk -silent -o -R . "" -norec given -norec theirs -norec own 2>&1'
    second = _box(script, files, (), 2 * seconds, level)
    if (fault := _fault(second, text)) is not None:
        return fault
    why = _axioms(second.stdout.decode("utf-8", "replace"), gold)
    return _both("wrong" if why else "right", why, text)


def _axioms(summary: str, gold: Mapping[str, Any]) -> str:
    """Why coqchk's summary does not allow the proof."""
    found = dict(re.findall(r"\* ([^:\n]+):\s*(.*?)(?=\n\s*\n|\n\* |\Z)", summary, re.DOTALL))
    if "Axioms" not in found:
        return "no summary"
    for title, body in found.items():
        if title not in ("Axioms", "Theory") and body.strip() != "<none>":
            return f"{title}: {body.split()[0]}"
    allowed = [str(a).rpartition(".")[2] for a in gold.get("allowed_axioms") or ()]
    standard = ("Coq.ssr.", "Coq.Floats.", "Coq.Numbers.Cyclic.Int63.", "Coq.Array.")
    for axiom in found["Axioms"].replace("<none>", "").split():
        inside = axiom.startswith(("given.", *standard))
        if not inside and not (axiom.startswith("Coq.") and axiom.rpartition(".")[2] in allowed):
            return f"the axiom {axiom}"
    return ""


def _parts(statement: str) -> tuple[str, str, str] | None:
    """What stands before the theorem, its name, and binders with type."""
    plain = re.sub(r"\(\*.*?\*\)", " ", statement, flags=re.DOTALL)
    found = list(re.finditer(rf"{_STATED}\s+([A-Za-z_][\w']*)", plain))
    if not found or ":" not in plain[found[-1].end() :]:
        return None
    return plain[: found[-1].start()], found[-1][1], re.sub(r"\.\s*$", "", plain[found[-1].end() :].strip())


def _proof(answer: str) -> str | None:
    text = after_reasoning(answer)
    if text is None or not text.strip() or len(text) > MAX_TEXT:
        return None
    parts = re.findall(r"(?is)<answer>(.*?)</answer>", text) or re.findall(r"(?ms)^```\w*\n(.*?)^```", text) or [text]
    return parts[0].strip() if len({"".join(p.split()) for p in parts}) == 1 else None


def _box(
    script: str, files: Mapping[str, bytes | str], keep: tuple[str, ...], seconds: float, level: int | None
) -> Ran:
    settings = 'path="/usr/lib/ocaml"\nldconf="ignore"\n'
    limits = Limits(seconds=seconds, memory_bytes=3 << 30, processes=16, file_bytes=64 << 20, tmp_bytes=256 << 20)
    command = ["/bin/sh", "-c", f'export OCAMLFIND_CONF="$PWD/ocamlfind.conf"\n{script}']
    return run(command, files={**files, "ocamlfind.conf": settings}, limits=limits, level=level, keep=keep)


def _fault(ran: Ran, text: str) -> Grade | None:
    if ran.kind == "not_started":
        return _both("ungraded", ran.error)
    if ran.kind != "exited":
        return _both("wrong", f"{BROKE_CHECK}: {ran.kind}", text)
    if ran.status == 0:
        return None
    said = (ran.stderr + ran.stdout).decode("utf-8", "replace").rpartition("Error:")[2]
    return _both("wrong", f"coq: {' '.join(said.split())[:120]}", text)


def _both(status: Status, reason: str, read: str | None = None) -> Grade:
    return Grade(strict=status, lenient=status, reason=reason, read=None if read is None else read[:200])
