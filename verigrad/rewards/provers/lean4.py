r"""Lean 4, where a `lean` command exists: a proof compiled in one box, statement and axioms checked in a second.

Right, for "theorem goal : (2:Nat)+2 = 4": "theorem goal : (2:Nat)+2 = 4 := by decide", "by decide" (the proof alone).
Refused before anything runs, with or without a prover: another statement, sorry and admit, axiom, native_decide (unless
the gold allows it), macro, notation, syntax, elab, instance, set_option, attributes, unsafe, implemented_by, extern,
#commands, imports beside Mathlib, namespaces, characters that look like others.

Where the proof passes that reading and there is no `lean`, nobody could be judged. The second box compiles a file of
ours: the statement by itself, then `theorem verigrad_goal : statement := @goal` and `#print axioms`; propext,
Classical.choice and Quot.sound are allowed, others where the gold says so. Left out: Mathlib, unless it is where the
`lean` command looks for it.
"""

from __future__ import annotations

import re
import shutil
from pathlib import Path

from verigrad.rewards import proof_text
from verigrad.rewards.proof_text import Comments
from verigrad.rewards.provers import Goal, Proved, Spelling, fault, goal_of
from verigrad.sandbox import Limits, Ran, run

_COMMENTS = Comments(open="/-", close="-/", line="--", escape="\\")
_THEOREM = "theorem|lemma"
_STOP = r":=|(?<!\w)where(?!\w)|\n\s*\|"
_IMPORT = re.compile(r"(?<![\w'.])import\s+(\S+)")
_STANDARD = ("propext", "Classical.choice", "Quot.sound")
_NATIVE = ("native_decide", "ofReduceBool", "ofReduceNat", "reduceBool", "reduceNat", "trustCompiler")
_FORBIDDEN = frozenset(
    (
        *("sorry", "sorryAx", "admit", "axiom", "stop", "unsafe", "implemented_by", "extern", "opaque", "constant"),
        *("macro", "macro_rules", "notation", "notation3", "infix", "infixl", "infixr", "prefix", "postfix", "syntax"),
        *("elab", "elab_rules", "declare_syntax_cat", "set_option", "attribute", "instance", "local", "scoped"),
        *("run_cmd", "run_tac", "run_elab", "run_meta", "initialize", "builtin_initialize"),
        *("namespace", "section", "end", "variable", "variables", "universe", "universes", "partial", "private"),
        *("protected", "export", "include", "omit", "csimp", "deriving", "mutual", "simproc", "dsimproc", "unseal"),
        *("by_elab", "unsafeCast", "unsafeIO", "lcProof", "lcUnreachable", "dbg_trace", "eval", "IO"),
        *("addDecl", "Environment", "Elab", "Meta", "Lean", "debug", "skipKernelTC", "nonrec", "noncomputable"),
    )
)


_SPELLING = Spelling(
    wanted="theorem NAME : FORMULA",
    theorem=rf"(?<![\w'.])(?:{_THEOREM})\s+([A-Za-z_][\w'.]*)",
    ending=r":=\s*(?:by)?\s*(?:sorry)?\s*$",
    more=r":=(?![^()]*\))",
    every="∀ {}, ({})",
)


def split(statement: str) -> Goal:
    """The statement in parts. Raises Unread."""
    return goal_of(statement, _COMMENTS, _SPELLING)


def screen(text: str, goal: Goal) -> str:
    """Why the proof is refused before anything runs."""
    bare = proof_text.stripped(text, _COMMENTS)
    if bare is None:
        return "a comment or text that is never closed"
    if why := proof_text.look_alike(text, goal.header + goal.preamble):
        return why
    bare = proof_text.without(bare, goal.preamble)
    if not bare.strip():
        return "nothing but comments"
    if not goal.allow_native and (word := next((w for w in _NATIVE if w in bare), "")):
        return f"{word}: trusts the compiler"
    if word := proof_text.forbidden(bare.replace(".", " . "), _FORBIDDEN - set(re.findall(r"\w+", goal.header))):
        return f"{word} is not allowed in a proof"
    if any(not re.fullmatch(r"(?:Mathlib|Aesop|Batteries)(?:\.\w+)*", name) for name in _imports(bare)):
        return "an import beside Mathlib, Aesop and Batteries"
    if re.search(r"@\[|#\w|«|»|!\[|`", bare):
        return "attributes, commands and quoted names are not allowed in a proof"
    found = proof_text.headers(bare, _THEOREM + "|def|abbrev|example", goal.name, _STOP)
    if found and found != [goal.header]:
        return "another statement"
    if not found and re.search(rf"(?<![\w'.])(?:{_THEOREM}|def|abbrev|example)\s", bare):
        return f"{goal.name} is not stated"
    if found and not re.search(_STOP, bare):
        return "the statement without a proof"
    if re.search(r"[A-Za-z]\.$", bare.strip()):
        return "a sentence: no proof in Lean ends with a full stop"
    return ""


def _imports(bare: str) -> list[str]:
    return [match[1] for match in _IMPORT.finditer(bare)]


def missing() -> str:
    """What to install."""
    return "" if shutil.which("lean") else "no lean here: install Lean 4 (elan) and put lean on the PATH"


def prove(text: str, goal: Goal, *, seconds: float, level: int | None) -> Proved:
    """Compiles the proof in one box; checks statement and axioms in a second."""
    made: dict[str, bytes] = {}
    for name, source in (
        ("preamble", goal.preamble + "\n"),
        ("statement", f"{_opening(goal)}def verigrad_statement : Prop := ({goal.type})\n"),
    ):
        ran = _boxed(name, source, made, seconds, level)
        if ran.kind == "not_started":
            return Proved(kind="ours", reason=ran.error, level=ran.level)
        if not ran.ok:
            return Proved(kind="gold", reason=f"the {name} does not compile: {_line(ran)}", level=ran.level)
        made[f"{name}.olean"] = ran.files.get(f"{name}.olean", b"")
    first = _boxed("answer", _file(text, goal), made, seconds, level)
    if (said := fault(first, "lean", _line(first))) is not None:
        return said
    made["answer.olean"] = first.files.get("answer.olean", b"")
    ours = (
        "import statement\nimport answer\n"
        f"theorem verigrad_goal : verigrad_statement := @{goal.name}\n#print axioms verigrad_goal\n"
    )
    second = _boxed("check", ours, made, seconds, level)
    if (said := fault(second, "lean", _line(second))) is not None:
        return said
    why = judged(second.stdout.decode("utf-8", "replace"), goal)
    return Proved(kind="refused" if why else "proved", reason=why, level=second.level)


def judged(printed: str, goal: Goal) -> str:
    """Why the axioms our own file printed are not allowed."""
    if "does not depend on any axioms" in printed:
        return ""
    match = re.search(r"'verigrad_goal' depends on axioms: \[([^\]]*)\]", printed)
    if match is None:
        return "no list of axioms"
    taken = [name.strip() for name in match[1].split(",")]
    native = ("Lean.ofReduceBool", "Lean.ofReduceNat", "Lean.trustCompiler") if goal.allow_native else ()
    extra = next((a for a in taken if a not in (*_STANDARD, *native, *goal.allowed_axioms)), "")
    return f"the axiom {extra}" if extra else ""


def _opening(goal: Goal) -> str:
    """How every file after the preamble's begins."""
    return "import preamble\n" + "".join(f"{x}\n" for x in goal.preamble.split("\n") if x.startswith("open "))


def _file(text: str, goal: Goal) -> str:
    bare = proof_text.without(proof_text.stripped(text, _COMMENTS) or "", goal.preamble)
    if re.search(rf"(?<![\w'.])(?:{_THEOREM})\s", bare):
        taken = "".join(f"import {name}\n" for name in _imports(bare))
        return f"{taken}{_opening(goal)}{_IMPORT.sub('', bare)}\n"
    proof = re.sub(r"^\s*:=", "", bare).strip()
    return f"{_opening(goal)}theorem {goal.header} := {proof}\n"


def _boxed(name: str, source: str, made: dict[str, bytes], seconds: float, level: int | None) -> Ran:
    limits = Limits(seconds=seconds, memory_bytes=8 << 30, processes=64, file_bytes=256 << 20, tmp_bytes=512 << 20)
    command = ["/bin/sh", "-c", f'LEAN_PATH=. exec "$0" -o {name}.olean {name}.lean', shutil.which("lean") or "lean"]
    files: dict[str, bytes | str] = {**made, f"{name}.lean": source}
    home = Path(shutil.which("lean") or "/usr/bin/lean").resolve().parents[1]
    reads = [str(home)] if not str(home).startswith("/usr") else []
    ran = run(command, files=files, limits=limits, level=level, keep=[f"{name}.olean"], reads=reads)
    if ran.kind == "not_started":
        ran = run(command, files=files, limits=limits, level=level, keep=[f"{name}.olean"], reads=reads)
    return ran


def _line(ran: Ran) -> str:
    text = (ran.stdout + ran.stderr).decode("utf-8", "replace")
    return " ".join(text.split())[:160] or f"status {ran.status}"
