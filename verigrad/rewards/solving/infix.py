"""Formulas as people and Python's z3 write them ("x + y == 10", "And(x > 0, y != x)") as SMT-LIB terms.

A chain of comparisons is read as in mathematics; / divides exactly, // and % are div and mod; a power's exponent is a
small literal. Nothing is evaluated. Left out: quantifiers, arrays, texts.
"""

from __future__ import annotations

import re

from verigrad.rewards.solving.terms import MAX_DIGITS, MAX_TEXT, Term
from verigrad.rewards.tokens import TooBig, Unread

MAX_POWER = 8
MAX_DEPTH = 40
"""Brackets; each costs the reader a dozen frames."""

_TOKEN = re.compile(
    r"\s*([0-9]+(?:\.[0-9]+)?|[^\W\d]\w{0,60}|<=>|<->|==>|=>|->|<=|>=|==|!=|<>|&&|\|\||\*\*|//|[-+*/%^()<>=!~,≤≥≠∧∨¬×·÷−→↔&|])"
)
_COMPARE = {
    "==": "=", "=": "=", "!=": "distinct", "<>": "distinct", "≠": "distinct",
    "<=": "<=", "≤": "<=", ">=": ">=", "≥": ">=", "<": "<", ">": ">",
}  # fmt: skip
_LEVELS: tuple[dict[str, str], ...] = (
    {"<->": "=", "<=>": "=", "↔": "=", "iff": "="},
    {"=>": "=>", "->": "=>", "==>": "=>", "→": "=>", "implies": "=>"},
    {"or": "or", "||": "or", "|": "or", "∨": "or"},
    {"xor": "xor"},
    {"and": "and", "&&": "and", "&": "and", "∧": "and"},
)
_SUM = {"+": "+", "-": "-", "−": "-"}
_PRODUCT = {"*": "*", "×": "*", "·": "*", "/": "/", "÷": "/", "//": "div", "div": "div", "%": "mod", "mod": "mod"}
_CALLS = {
    "And": "and", "Or": "or", "Not": "not", "Implies": "=>", "Xor": "xor", "Distinct": "distinct", "If": "ite",
    "Abs": "abs", "abs": "abs", "ToReal": "to_real", "ToInt": "to_int",
}  # fmt: skip


def read(text: str) -> Term:
    """The one formula a text is. Raises Unread or TooBig."""
    if len(text) > MAX_TEXT:
        raise TooBig(f"a formula of more than {MAX_TEXT:,} characters")
    tokens, at = list[str](), 0
    text = text.strip()
    while at < len(text):
        match = _TOKEN.match(text, at)
        if match is None:
            raise Unread(f"no formula at {text[at : at + 20]!r}")
        tokens.append(match[1])
        at = match.end()
        while at < len(text) and text[at].isspace():
            at += 1
    reader = _Reader(tokens)
    term = reader.logic(0, 0)
    if reader.peek():
        raise Unread(f"more after the formula: {reader.peek()[:20]!r}")
    return term


class _Reader:
    """Tokens and where the reading is."""

    def __init__(self, tokens: list[str]) -> None:
        self._tokens, self._at = tokens, 0

    def peek(self) -> str:
        return self._tokens[self._at] if self._at < len(self._tokens) else ""

    def _next(self) -> str:
        token = self.peek()
        self._at += 1
        return token

    def logic(self, level: int, depth: int) -> Term:
        if depth > MAX_DEPTH:
            raise TooBig(f"nested more than {MAX_DEPTH} deep")
        if level == len(_LEVELS):
            return self._negated(depth)
        parts = [self.logic(level + 1, depth)]
        known = _LEVELS[level]
        word = ""
        while self.peek() in known or self.peek().lower() in known:
            token = self._next()
            word = known.get(token) or known[token.lower()]
            parts.append(self.logic(level + 1, depth))
        if len(parts) == 1:
            return parts[0]
        if word == "=>":  # associates to the right
            term = parts[-1]
            for part in reversed(parts[:-1]):
                term = ("=>", part, term)
            return term
        return (word, *parts)

    def _negated(self, depth: int) -> Term:
        if self.peek() in ("not", "NOT", "!", "~", "¬"):
            self._next()
            if depth > MAX_DEPTH:
                raise TooBig(f"nested more than {MAX_DEPTH} deep")
            return ("not", self._negated(depth + 1))
        return self._compared(depth)

    def _compared(self, depth: int) -> Term:
        left = self._binary(_SUM, depth)
        found: list[Term] = []
        while self.peek() in _COMPARE:
            word = _COMPARE[self._next()]
            right = self._binary(_SUM, depth)
            found.append((word, left, right))
            left = right
        return left if not found else found[0] if len(found) == 1 else ("and", *found)

    def _binary(self, known: dict[str, str], depth: int) -> Term:
        inner = _PRODUCT if known is _SUM else None
        left = self._binary(inner, depth) if inner else self._signed(depth)
        while self.peek() in known:
            word = known[self._next()]
            right = self._binary(inner, depth) if inner else self._signed(depth)
            left = (word, left, right)
        return left

    def _signed(self, depth: int) -> Term:
        if depth > MAX_DEPTH:
            raise TooBig(f"nested more than {MAX_DEPTH} deep")
        if self.peek() in ("-", "−"):
            self._next()
            return ("-", self._signed(depth + 1))
        if self.peek() == "+":
            self._next()
            return self._signed(depth + 1)
        base = self._atom(depth)
        if self.peek() in ("**", "^"):
            self._next()
            power = self._next()
            if not power.isdigit() or not 1 <= len(power) <= 2 or not 1 <= int(power) <= MAX_POWER:
                raise Unread(f"a power that is no whole number from 1 to {MAX_POWER}")
            return base if int(power) == 1 else ("*", *[base] * int(power))
        return base

    def _atom(self, depth: int) -> Term:
        token = self._next()
        if token == "(":
            term = self.logic(0, depth + 1)
            self._want(")")
            return term
        if token[:1].isdigit():
            if len(token) > MAX_DIGITS:
                raise TooBig(f"a number of more than {MAX_DIGITS} digits")
            return token
        if not token or not (token[0].isalpha() or token[0] == "_"):
            raise Unread(f"no formula at {token[:20]!r}")
        if self.peek() == "(":
            if token not in _CALLS:
                raise Unread(f"an unknown function {token[:30]!r}")
            self._next()
            parts = [self.logic(0, depth + 1)]
            while self.peek() == ",":
                self._next()
                parts.append(self.logic(0, depth + 1))
            self._want(")")
            return (_CALLS[token], *parts)
        return token.lower() if token in ("True", "False", "TRUE", "FALSE") else token

    def _want(self, mark: str) -> None:
        if self._next() != mark:
            raise Unread(f"no {mark!r}")
