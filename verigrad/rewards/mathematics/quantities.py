"""One expression with what is stated beside it: currency before, a unit, a percent or a count ("million") behind.

Counts are worked into the number (80 million is 80000000); percent, degree, money and units stay stated. Left out:
what a unit means for equality (comparing).
"""

from __future__ import annotations

import re
from fractions import Fraction

from verigrad.rewards import context
from verigrad.rewards.mathematics import expressions, units
from verigrad.rewards.mathematics.lexing import Token
from verigrad.rewards.mathematics.trees import Collection, Node, Scalar, Unit, Unread, Value, literal

PERCENT = Unit("percent", "percent", Fraction(1, 100))
DEGREE = units.UNITS["degree"]
_COUNTS = {name: unit.factor for name, unit in units.UNITS.items() if unit.kind == "count"}
_PERCENTS = frozenset(("percent", "percentage", "pct"))
_MAX_WORDS = 6
_HEDGED = re.compile(
    r"\b(?:or|nor|but|not|either|else|otherwise|to|between|less|fewer|than|when|whenever|if|unless|provided|assuming)\b",
    re.IGNORECASE,
)
_NUMBERS = frozenset(("num", "rep", "sci"))
_FILLERS = frozenset(("approximately", "about", "exactly", "roughly", "around", "only", "just", "a", "total", "of"))


def scalar(tokens: list[Token]) -> Scalar:
    """The one quantity these tokens are. Raises Unread for two (plus and minus)."""
    found = scalar_or_both(tokens)
    if not isinstance(found, Scalar):
        raise Unread("plus or minus")
    return found


def scalar_or_both(tokens: list[Token]) -> Value:
    """The quantity, or with a plus-minus sign both of them."""
    tokens, unit = _currency(tokens)
    tokens, unit = _behind(tokens, unit)
    node = expressions.expression(tokens)
    node, inner = _peeled(node)
    if inner is not None:
        if unit is not None and unit != inner and not (inner == DEGREE and unit.name in ("c", "f")):
            raise Unread("two units")
        unit = inner
    if not _has(node, ("pm", "mp")):
        return Scalar(node, unit)
    both = (Scalar(_signed(node, positive), unit) for positive in (True, False))
    return Collection(tuple(both))


def _currency(tokens: list[Token]) -> tuple[list[Token], Unit | None]:
    """A currency sign before the number or behind it, taken off."""
    for i, token in enumerate(tokens):
        mark = "$" if token.text == "¤" else token.text
        found = units.sign(mark) if token.kind == "op" else None
        if found is not None and (i < 2 or i == len(tokens) - 1):
            return [t for j, t in enumerate(tokens) if j != i], found
    return tokens, None


def _behind(tokens: list[Token], unit: Unit | None) -> tuple[list[Token], Unit | None]:
    """Words behind the expression: a count and a unit."""
    at = next((i for i, t in enumerate(tokens) if t.kind in ("word", "text")), None)
    if at is None:
        at = _letter_unit(tokens)
    if at is None:
        return tokens, unit
    if at == 0:
        if tokens[0].text.lower() in _FILLERS and len(tokens) > 1:
            return _behind(tokens[1:], unit)
        raise Unread(f"words: {tokens[0].text[:30]!r}")
    if not _unit_words(tokens[at:]):
        raise Unread("more than a quantity and its unit")
    words = "".join((" " if t.spaced or t.kind in ("word", "text") else "") + t.text for t in tokens[at:]).strip()
    if context.denied("", " " + words) or _HEDGED.search(words):
        raise Unread("denied or left open")
    head, _, rest = words.partition(" ")
    tokens = tokens[:at]
    while (count := _COUNTS.get(head.lower())) is not None:
        tokens = [Token("num", _times(tokens, count))]
        head, _, rest = rest.partition(" ")
        words = (head + " " + rest).strip()
    if head in _PERCENTS and not rest.strip():
        return tokens, PERCENT
    if not words:
        return tokens, unit
    if context.changed("", " " + words):
        raise Unread("a part of another value")
    stated = units.unit(words)
    if unit is not None and stated.kind and stated != unit:
        raise Unread("two units")
    return tokens, unit or stated


def _unit_words(tokens: list[Token]) -> bool:
    """Words, with at most / and a power among them."""
    for i, token in enumerate(tokens):
        if token.kind in ("word", "text"):
            continue
        before = tokens[i - 1].text if i else ""
        power = token.text in ("^", "{", "}") or (token.text in ("2", "3") and before in ("^", "{"))
        if not power and token.text not in ("/", "-", ".") and token.kind != "id":
            return False
    return sum(t.kind in ("word", "text", "id") for t in tokens) <= _MAX_WORDS


def _letter_unit(tokens: list[Token]) -> int | None:
    """Where a unit of one letter starts: 5 m, 3 m/s, 4 m^2 with a space before the letter; 90 L."""
    if len(tokens) < 2 or tokens[0].kind not in _NUMBERS:
        return None
    last = next((i for i, t in enumerate(tokens) if t.kind == "id"), None)
    if last is None or tokens[last - 1].kind not in _NUMBERS or not tokens[last].spaced:
        return None
    words = "".join(t.text for t in tokens[last:])
    if tokens[last].text in _COUNTS and len(tokens) == last + 1:
        return last
    if units.single(tokens[last].text) is None:
        return None
    return last if re.fullmatch(r"[A-Za-z](?:\^\{?[23]\}?)?(?:/[a-z]{1,4}(?:\^\{?2\}?)?)?", words) else None


def _times(tokens: list[Token], count: Fraction) -> str:
    node = expressions.expression(tokens)
    if node.op != "num" or not isinstance(node.value, Fraction):
        raise Unread("a count of an expression")
    total = node.value * count
    if total.denominator != 1:
        raise Unread("a count that is no whole number")
    return str(int(total))


def whole(node: Node) -> Scalar:
    """An expression with its percent or degree sign set apart."""
    return Scalar(*_peeled(node))


def _peeled(node: Node) -> tuple[Node, Unit | None]:
    """The percent or degree sign at the end of the whole, taken off."""
    if node.op == "neg":
        inner, unit = _peeled(node.args[0])
        return Node("neg", (inner,)), unit
    if node.op in ("percent", "degree"):
        return node.args[0], PERCENT if node.op == "percent" else DEGREE
    if node.op == "mul" and len(node.args) == 2 and node.args[0].op == "degree" and node.args[1].value in ("C", "F"):
        name = "celsius" if node.args[1].value == "C" else "fahrenheit"
        return node.args[0].args[0], units.UNITS[name]
    return node, None


def _has(node: Node, ops: tuple[str, ...]) -> bool:
    return node.op in ops or any(_has(a, ops) for a in node.args)


def _signed(node: Node, positive: bool) -> Node:
    if node.op in ("pm", "mp"):
        inner = _signed(node.args[0], positive)
        return inner if positive == (node.op == "pm") else Node("neg", (inner,))
    return node._replace(args=tuple(_signed(a, positive) for a in node.args)) if node.args else node


def glued_unit(value: Scalar, gold_symbols: frozenset[str]) -> Scalar:
    """5m as five metres, 5m^2 as square metres, where the gold has no m: a number times one letter that is a unit."""
    node = value.node
    if value.unit is None and node.op == "mul" and len(node.args) == 2 and literal(node.args[0]):
        letter, power = node.args[1], ""
        if letter.op == "pow" and letter.args[1].text in ("2", "3"):
            letter, power = letter.args[0], f"^{letter.args[1].text}"
        if power and letter.value == "m" and "m" not in gold_symbols:
            return Scalar(node.args[0], units.unit(f"m{power}"))
        if not power and letter.op == "sym" and letter.value not in gold_symbols:
            count = _COUNTS.get(str(letter.value))
            if count is not None and node.args[0].op == "num" and isinstance(node.args[0].value, Fraction):
                return Scalar(Node("num", (), node.args[0].value * count, ""))
            unit = units.single(str(letter.value))
            if unit is not None:
                return Scalar(node.args[0], unit)
    return value
