"""Arithmetic on whole numbers as a model writes it (3 * (7 + 1), 3 × 8 ÷ 2), exactly and without evaluating any text.

Literals are plain digits; there is no sign before a number, no power, no function, no two numbers side by side.
"""

from __future__ import annotations

import re
from fractions import Fraction

from verigrad.rewards.spelling import normalise
from verigrad.rewards.tokens import TooBig, Unread

MAX_TEXT = 1_000
MAX_DIGITS = 20
MAX_NUMBERS = 50
MAX_DEPTH = 40

_TOKEN = re.compile(r"\s*([0-9]+|[-+*/÷()xX])")


def evaluate(text: str) -> tuple[Fraction, list[int]]:
    """The exact value and the numbers used, in order. Raises Unread (no such expression, a division by 0) or TooBig."""
    if len(text) > MAX_TEXT:
        raise TooBig(f"an expression of more than {MAX_TEXT:,} characters")
    if re.search(r"[₀-₉⁰¹²³⁴-⁹½⅓¼]", text):
        raise Unread("raised or lowered digits")
    text = normalise(re.sub(r"\\times|\\cdot", "*", text)).replace("\\div", "÷")
    tokens, at = list[str](), 0
    while at < len(text):
        match = _TOKEN.match(text, at)
        if match is None:
            raise Unread(f"no arithmetic at {text[at : at + 20]!r}")
        tokens.append("*" if match[1] in "xX" else "/" if match[1] == "÷" else match[1])
        at = match.end()
    if sum(token.isdigit() for token in tokens) > MAX_NUMBERS:
        raise TooBig(f"more than {MAX_NUMBERS} numbers")
    if any(len(token) > MAX_DIGITS for token in tokens):
        raise TooBig(f"a number of more than {MAX_DIGITS} digits")
    reader = _Reader(tokens)
    value = reader.sum(0)
    if reader.at != len(tokens):
        raise Unread(f"no arithmetic at {' '.join(tokens[reader.at : reader.at + 5])!r}")
    return value, [int(token) for token in tokens if token.isdigit()]


class _Reader:
    """Tokens and where the reading is."""

    def __init__(self, tokens: list[str]) -> None:
        self.tokens, self.at = tokens, 0

    def _peek(self) -> str:
        return self.tokens[self.at] if self.at < len(self.tokens) else ""

    def sum(self, depth: int) -> Fraction:
        value = self._product(depth)
        while self._peek() in ("+", "-"):
            self.at += 1
            sign = 1 if self.tokens[self.at - 1] == "+" else -1
            value += sign * self._product(depth)
        return value

    def _product(self, depth: int) -> Fraction:
        value = self._atom(depth)
        while self._peek() in ("*", "/"):
            self.at += 1
            times = self.tokens[self.at - 1] == "*"
            factor = self._atom(depth)
            if not times and factor == 0:
                raise Unread("a division by zero")
            value = value * factor if times else value / factor
        return value

    def _atom(self, depth: int) -> Fraction:
        token = self._peek()
        self.at += 1
        if token.isdigit():
            return Fraction(int(token))
        if token == "(" and depth < MAX_DEPTH:
            value = self.sum(depth + 1)
            if self._peek() != ")":
                raise Unread("a bracket that is never closed")
            self.at += 1
            return value
        raise Unread(f"no number at {token!r}")
