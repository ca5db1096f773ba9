"""A gold's declarations and constraints: SMT-LIB text or infix lines, read once into symbols and assertions.

Of a script only declare-const, declare-fun, declare-datatypes-free define-fun and assert count; set-logic, check-sat
and the like are passed over. In infix lines every name is a constant: of the sort that `sorts` gives it, else Int, or
Real where the gold says so or a number has a point. Left out: what an answer may write (terms.allowed).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from verigrad.rewards.solving import infix, terms
from verigrad.rewards.solving.terms import Term
from verigrad.rewards.tokens import TooBig, Unread

MAX_SCRIPT = 100_000
_IGNORED = frozenset(
    ("set-logic", "set-option", "set-info", "check-sat", "get-model", "get-value", "get-info", "exit", "echo")
)
_SORT = {"int": "Int", "integer": "Int", "real": "Real", "float": "Real", "bool": "Bool", "boolean": "Bool"}
_CONSTANTS = frozenset(("true", "false"))


@dataclass(frozen=True, kw_only=True)
class Script:
    """What a gold states."""

    constants: Mapping[str, str]
    """Name -> sort, in SMT-LIB."""
    functions: frozenset[str]
    """Names with arguments, declared or defined."""
    commands: tuple[str, ...]
    """Declarations and definitions, in order."""
    assertions: tuple[Term, ...]
    """Constraints."""

    @property
    def names(self) -> frozenset[str]:
        """Every declared name."""
        return frozenset(self.constants) | self.functions

    def text(self, *more: Term) -> str:
        """SMT-LIB: everything, and these assertions too."""
        asserted = [f"(assert {terms.write(term)})" for term in (*self.assertions, *more)]
        return "\n".join([*self.commands, *asserted])


def read(given: Any, *, sorts: Any = None, real: bool = False) -> Script:
    """A text or a list of texts, each SMT-LIB or infix. Raises Unread (a gold that cannot be read) or TooBig."""
    lines = [given] if isinstance(given, str) else given
    if not isinstance(lines, (list, tuple)) or not lines or not all(isinstance(x, str) for x in lines):
        raise Unread("want constraints: a text or a list of texts")
    if sum(map(len, lines)) > MAX_SCRIPT:
        raise Unread("constraints of too many characters")
    known = _sorts(sorts)
    constants, functions, commands = dict[str, str](), set[str](), list[str]()
    assertions: list[Term] = []
    loose: list[Term] = []
    for line in lines:
        try:
            if line.lstrip().startswith((";", "(declare", "(assert", "(set-", "(define")):
                _run(terms.read(line, limit=MAX_SCRIPT), constants, functions, commands, assertions)
            elif (term := _prefix(line)) is not None:
                loose.append(term)
            else:
                loose += [infix.read(part) for part in re.split(r"[;\n]", line) if part.strip()]
        except TooBig as error:
            raise Unread(str(error)) from None
    # asserted terms without a single declaration are meant like loose lines
    bare = [*loose, *([] if constants or functions else assertions)]
    used = [atom for term in bare for atom in terms.atoms(term)]
    truths = {name for term in bare for name in _truths(term, True)}
    point = real or any(re.fullmatch(r"[0-9]+\.[0-9]+", atom) for atom in used)
    for atom in used:
        named = re.fullmatch(r"[^\W\d]\w*", atom) and atom not in terms.OPERATORS | _CONSTANTS
        if named and atom not in constants and atom not in functions:
            default = "Bool" if atom in truths else "Real" if point else "Int"
            constants[atom] = known.get(atom) or (default if atom in truths else known.get("") or default)
            commands.append(f"(declare-const {atom} {constants[atom]})")
    if not assertions and not loose and not constants and not functions:
        raise Unread("no constraint and no declaration")
    return Script(
        constants=constants,
        functions=frozenset(functions),
        commands=tuple(commands),
        assertions=(*assertions, *loose),
    )


def formula(text: str, script: Script) -> Term:
    """An answer's formula over the script's names, in SMT-LIB or infix. Raises Unread or TooBig."""
    text = text.strip()
    found = _prefix(text)
    if found is None:
        found = infix.read(text)
    if isinstance(found, tuple) and len(found) == 2 and found[0] == "assert":
        found = found[1]
    terms.allowed(found, script.names)
    return found


def _prefix(text: str) -> Term | None:
    """The one SMT-LIB term a text is; None where it is infix."""
    if not text.lstrip().startswith("("):
        return None
    try:
        found = terms.read(text, limit=MAX_SCRIPT)
    except Unread:
        return None
    head = found[0][0] if len(found) == 1 and isinstance(found[0], tuple) and found[0] else ""
    prefix = isinstance(head, tuple) or head in terms.OPERATORS or head in ("assert", "forall", "exists")
    return found[0] if len(found) == 1 and prefix else None


def _truths(term: Term, truth: bool) -> set[str]:
    """Names that stand where a truth value must: by themselves, in logic, beside true or false."""
    if isinstance(term, str):
        return {term} if truth else set()
    head, parts = term[0] if term else "", term[1:]
    inside = head in ("and", "or", "not", "=>", "xor", "assert")
    beside = head in ("=", "distinct") and any(p in ("true", "false") or _is_truth(p) for p in parts)
    out: set[str] = set()
    for i, part in enumerate(parts):
        out |= _truths(part, inside or beside or (head == "ite" and i == 0))
    return out


def _is_truth(term: Term) -> bool:
    words = ("and", "or", "not", "=>", "xor", "<", "<=", ">", ">=", "=", "distinct")
    return not isinstance(term, str) and bool(term) and term[0] in words


def _sorts(given: Any) -> dict[str, str]:
    if given is None:
        return {}
    if isinstance(given, str):
        given = {"": given}
    if not isinstance(given, Mapping):
        raise Unread("sorts want a mapping of names to Int, Real or Bool")
    out = {str(name): _SORT.get(str(sort).lower(), str(sort)) for name, sort in given.items()}
    if not set(out.values()) <= {"Int", "Real", "Bool"}:
        raise Unread("sorts want Int, Real or Bool")
    return out


def _run(
    found: list[Term],
    constants: dict[str, str],
    functions: set[str],
    commands: list[str],
    assertions: list[Term],
) -> None:
    for command in found:
        if isinstance(command, str) or not command or not isinstance(command[0], str):
            raise Unread(f"no command: {terms.write(command)[:40]}")
        word, rest = command[0], command[1:]
        if word in _IGNORED:
            continue
        if word == "assert" and len(rest) == 1:
            assertions.append(rest[0])
            continue
        if not rest or not isinstance(rest[0], str):
            raise Unread(f"a command without a name: {word[:20]}")
        if word == "declare-const" and len(rest) == 2:
            constants[rest[0]] = terms.write(rest[1])
        elif word == "declare-fun" and len(rest) == 3:
            if rest[1] == ():
                constants[rest[0]] = terms.write(rest[2])
            else:
                functions.add(rest[0])
        elif word == "define-fun" and len(rest) == 4:
            functions.add(rest[0])
        elif word != "declare-sort":
            raise Unread(f"a command that is not taken: {word[:20]}")
        commands.append(terms.write(command))
