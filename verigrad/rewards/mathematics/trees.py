"""What a text says, as small immutable trees: expressions, and the values made of them.

Left out: reading (expressions, statements) and meaning (canonical, comparing).
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import NamedTuple, TypeAlias

from verigrad.rewards.tokens import MAX_DIGITS, MAX_EXPONENT, TooBig, Unread

__all__ = ["MAX_DIGITS", "MAX_EXPONENT", "TooBig", "Unread"]

MAX_DEPTH = 40
"""Nested brackets, fractions and exponents of one expression."""
MAX_NODES = 600
"""Nodes of one expression."""
MAX_ITEMS = 100
"""Members of one list, set or matrix."""


class Node(NamedTuple):
    """An expression: an operation and what it is applied to.

    `num` (value), `sym` and `const` (pi, e, i, inf) are leaves; `add`, `mul` (any number of arguments), `div`, `pow`,
    `neg`, `root` (radicand, degree), `fn` (name in `value`), `pm` (both signs), `mixed` (whole, fraction).
    """

    op: str
    args: tuple[Node, ...] = ()
    value: Fraction | str | None = None
    text: str = ""
    """A number as spelled."""


@dataclass(frozen=True)
class Unit:
    """A unit, percent or count as stated."""

    name: str
    """Its one name: "cm", "percent", "degree", "dollar", or the unknown word itself."""
    kind: str = ""
    """What it measures; empty for a word that is in no table."""
    factor: Fraction = Fraction(1)
    """In the units of its kind."""


@dataclass(frozen=True)
class Scalar:
    """One expression, with a unit or without."""

    node: Node
    unit: Unit | None = None


@dataclass(frozen=True)
class Text:
    """Words that stand for themselves, case-folded."""

    words: str


@dataclass(frozen=True)
class Bracketed:
    """(a, b), [a, b), <a, b>: a point, a list or an interval, which the gold decides."""

    left: str
    right: str
    items: tuple[Value, ...]


@dataclass(frozen=True)
class Collection:
    """A set in braces or values side by side: order does not matter."""

    items: tuple[Value, ...]
    braces: bool = False
    label: str = ""
    """What the values are values of, where it is said (x = 1, x = 2)."""


@dataclass(frozen=True)
class Sequence:
    """Items in order with dots among them: compared as written."""

    items: tuple[Value | None, ...]


@dataclass(frozen=True)
class Matrix:
    """Rows of expressions."""

    rows: tuple[tuple[Scalar, ...], ...]


@dataclass(frozen=True)
class Based:
    """Digits in a base: 25_8."""

    digits: str
    base: int


@dataclass(frozen=True)
class Relation:
    """An equation, an inequality, a congruence: sides and the signs between them."""

    sides: tuple[Value, ...]
    signs: tuple[str, ...]
    label: str = ""
    """The first side as written, without spaces, where it is only a name."""
    modulus: Scalar | None = None


@dataclass(frozen=True)
class Named:
    """Several equations with a name on the left: x = 3, y = 4."""

    values: tuple[tuple[str, Value], ...]


@dataclass(frozen=True)
class Piece:
    """An interval or a point of the real line; None is an infinite end."""

    low: Scalar | None
    low_closed: bool
    high: Scalar | None
    high_closed: bool


@dataclass(frozen=True)
class Region:
    """A union of pieces, in order, apart from each other."""

    pieces: tuple[Piece, ...]
    label: str = ""


Value: TypeAlias = "Scalar | Text | Bracketed | Collection | Sequence | Matrix | Based | Relation | Named | Region"


def number(value: Fraction | int, text: str = "") -> Node:
    """A number's leaf."""
    return Node("num", (), Fraction(value), text)


def literal(node: Node) -> bool:
    """A number as one writes a result: an integer, a decimal, a fraction of integers, a mixed number, in or without a
    minus; a power of ten with a factor; nothing that is still to be worked out.
    """
    if node.op in ("neg", "percent"):
        return literal(node.args[0])
    if node.op in ("num", "mixed", "sci"):
        return True
    return node.op == "div" and all(plain_integer(a) for a in node.args)


def plain_integer(node: Node) -> bool:
    """An integer, with a minus or without."""
    if node.op == "neg":
        return plain_integer(node.args[0])
    return node.op == "num" and isinstance(node.value, Fraction) and node.value.denominator == 1


def decimal_places(node: Node) -> tuple[str, int] | None:
    """Digits and places of a number written as a decimal (1.50: "150", 2); None for anything else."""
    while node.op in ("neg", "percent"):
        node = node.args[0]
    if node.op == "sci":
        inner = decimal_places(node.args[0]) or _whole(node.args[0])
        return None if inner is None else (inner[0], inner[1] - int(node.text))
    if node.op != "num" or "." not in node.text:
        return None
    whole, _, part = node.text.partition(".")
    return (whole + part).lstrip("0"), len(part)


def _whole(node: Node) -> tuple[str, int] | None:
    return (node.text.lstrip("0"), 0) if node.op == "num" and node.text.isdigit() else None
