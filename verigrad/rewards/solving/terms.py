"""SMT-LIB terms as plain nested tuples: read from hostile text with bounds, written back from our own tree.

A term is an atom (a text) or a tuple of terms. What goes to the solver is always written from such a tree, never the
candidate's own text: no command, comment or string of it gets there. Left out: sorts (the solver checks them), infix
spelling (infix).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from fractions import Fraction
from typing import TypeAlias

from verigrad.rewards.tokens import TooBig, Unread

MAX_TEXT = 8_000
"""Characters of one formula."""
MAX_DEPTH = 64
MAX_NODES = 2_000
MAX_DIGITS = 40
"""Digits of one number in an answer's formula."""

Term: TypeAlias = "str | tuple[Term, ...]"

_TOKEN = re.compile(r"\s*(?:;[^\n]*(?:\n|$)|([()]|\|[^|\\]{1,60}\||[^\s()|;\"]+))")
_NUMERAL = re.compile(r"[0-9]+(?:\.[0-9]+)?")
_SYMBOL = re.compile(r"[A-Za-z~!@$%^&*_+=<>.?/-][0-9A-Za-z~!@$%^&*_+=<>.?/-]{0,60}")
_CONSTANT = re.compile(r"true|false|#b[01]{1,128}|#x[0-9a-fA-F]{1,32}")

OPERATORS = frozenset((
    "and", "or", "not", "=>", "xor", "=", "distinct", "ite", "+", "-", "*", "/", "div", "mod", "abs", "<", "<=",
    ">", ">=", "to_real", "to_int", "is_int", "let", "bvadd", "bvsub", "bvmul", "bvand", "bvor", "bvxor", "bvnot",
    "bvneg", "bvult", "bvule", "bvugt", "bvuge", "bvslt", "bvsle", "bvsgt", "bvsge", "bvshl", "bvlshr", "bvashr",
    "bvudiv", "bvurem", "concat", "select", "store",
))  # fmt: skip
"""What an answer's formula may apply beside the declared functions."""


def read(text: str, *, limit: int = MAX_TEXT) -> list[Term]:
    """All terms of a text. Raises Unread or TooBig."""
    if len(text) > limit:
        raise TooBig(f"a formula of more than {limit:,} characters")
    stack: list[list[Term]] = [[]]
    nodes, at = 0, 0
    text = text.strip()
    while at < len(text):
        match = _TOKEN.match(text, at)
        if match is None:
            raise Unread(f"no term at {text[at : at + 20]!r}")
        at, token = match.end(), match[1]
        if token is None:
            continue
        nodes += 1
        if nodes > 10 * MAX_NODES:
            raise TooBig("a formula of too many parts")
        if token == "(":
            stack.append([])
            if len(stack) > MAX_DEPTH:
                raise TooBig(f"nested more than {MAX_DEPTH} deep")
        elif token == ")":
            if len(stack) == 1:
                raise Unread("a bracket that opens nowhere")
            done = tuple(stack.pop())
            stack[-1].append(done)
        else:
            stack[-1].append(token[1:-1] if token.startswith("|") and _SYMBOL.fullmatch(token[1:-1]) else token)
    if len(stack) > 1:
        raise Unread("a bracket that is never closed")
    return stack[0]


def write(term: Term) -> str:
    """The term in SMT-LIB."""
    return term if isinstance(term, str) else "(" + " ".join(write(part) for part in term) + ")"


def atoms(term: Term) -> Iterator[str]:
    """Every atom of a term."""
    waiting: list[Term] = [term]
    while waiting:
        node = waiting.pop()
        if isinstance(node, str):
            yield node
        else:
            waiting += node


def allowed(term: Term, declared: frozenset[str]) -> None:
    """Raises Unread for a symbol that is neither declared nor an operator, TooBig for size.

    No quantifier and no command gets past it; `let` may bind new names.
    """
    bound = set[str]()
    waiting: list[Term] = [term]
    nodes = 0
    while waiting:
        node = waiting.pop()
        nodes += 1
        if nodes > MAX_NODES:
            raise TooBig(f"a formula of more than {MAX_NODES:,} parts")
        if isinstance(node, str):
            continue
        if not node:
            raise Unread("an empty term")
        if node[0] == "let":
            if len(node) != 3 or isinstance(node[1], str):
                raise Unread("a let that binds nothing")
            for pair in node[1]:
                if isinstance(pair, str) or len(pair) != 2 or not isinstance(pair[0], str):
                    raise Unread("a let that binds nothing")
                if pair[0] in declared or not _SYMBOL.fullmatch(pair[0]) or pair[0] in OPERATORS:
                    raise Unread(f"a let that binds {str(pair[0])[:30]!r}")
                bound.add(pair[0])
        waiting += node
    for atom in atoms(term):
        if _NUMERAL.fullmatch(atom):
            if len(atom) > MAX_DIGITS:
                raise TooBig(f"a number of more than {MAX_DIGITS} digits")
        elif not (atom in declared or atom in OPERATORS or atom in bound or _CONSTANT.fullmatch(atom)):
            raise Unread(f"an unknown symbol {atom[:30]!r}")


def numeral(text: str, *, real: bool = False) -> Term:
    """A number ("-3", "3/4", "2.5", "(- 3)" aside) as a term; for a real sort with a point."""
    value = Fraction(text)
    top, bottom = abs(value.numerator), value.denominator
    dot = ".0" if real else ""
    term: Term = f"{top}{dot}" if bottom == 1 else ("/", f"{top}.0", f"{bottom}.0")
    return ("-", term) if value < 0 else term
