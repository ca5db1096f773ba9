"""What is equal to what, typed by the gold: a set is no tuple, a tuple no interval unless it is spelled like one.

Every function takes the gold first and raises Unread where the answer is not of the kind that the gold asks for. Left
out: two quantities (scalars), reading (statements).
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from decimal import Decimal
from fractions import Fraction
from typing import Any

from verigrad.rewards.mathematics import algebra, canonical, numerics, questions, regions, scalars, shapes
from verigrad.rewards.mathematics.algebra import Poly, Work
from verigrad.rewards.mathematics.scalars import Policy
from verigrad.rewards.mathematics.trees import (
    Based,
    Bracketed,
    Collection,
    Matrix,
    Named,
    Node,
    Piece,
    Region,
    Relation,
    Scalar,
    Sequence,
    Text,
    Unread,
    Value,
    number,
)

_ARTICLES = ("the ", "a ", "an ")
_EQUALS = frozenset(("=", "\\approx", "\\cong"))


def right(gold: Value, answer: Value, policy: Policy) -> bool:
    """The answer is right for the gold. Raises Unread, TooBig, and what `policy.prove` raises."""
    if isinstance(gold, Relation):
        return _relation(gold, answer, policy)
    if isinstance(answer, Relation):
        value = committed(answer, gold, policy)
        answer = _by_name(answer.label, value) if isinstance(gold, Named) else value
    rule = _RULES[type(gold)]
    return rule(gold, answer, policy)


def committed(answer: Relation, gold: Value, policy: Policy) -> Value:
    """The side of an equation that it commits itself to: its last, after a name or after sides equal to it."""
    if not set(answer.signs) <= _EQUALS:
        raise Unread("a condition where a value is asked")
    sides = list(answer.sides)
    last = sides[-1]
    asked = False
    if answer.label:
        sides = sides[1:]
    elif not _constant(sides[0]):
        asked = _is_asked(sides[0], policy)
        sides = sides[1:] if asked else sides
    for i, side in enumerate(sides[:-1]):
        about = answer.signs[len(answer.signs) - len(sides) + 1 + i] != "="
        if not _same_side(side, last, about=about):
            if answer.label or asked or _constant(side):
                raise Unread("sides that differ")
            raise Unread("an equation where a value is asked")
        if about and isinstance(last, Scalar) and isinstance(side, Scalar) and not _rounded(gold, side):
            return side
    return last


def _by_name(label: str, value: Value) -> Value:
    """(x, y) = (1, 2) as x = 1, y = 2."""
    names = label[1:-1].split(",") if label[:1] == "(" else []
    if isinstance(value, Bracketed) and len(names) == len(value.items):
        return Named(tuple(zip(names, value.items, strict=True)))
    return value


def _rounded(gold: Value, side: Scalar) -> bool:
    """The gold is a number and not the one before "about": what is asked is the rounded one."""
    own = scalars.exact(gold.node) if isinstance(gold, Scalar) else None
    return own is not None and own != scalars.exact(side.node)


def _is_asked(side: Value, policy: Policy) -> bool:
    """The left side is what the question asks for: it stands in it (Find a + b), not as a side of an equation."""
    if not isinstance(side, Scalar):
        return False
    return shapes.shape(side) in questions.expressions(policy.question)


def _constant(value: Value) -> bool:
    return isinstance(value, Based) or (isinstance(value, Scalar) and not regions.symbols(value.node))


def _same_side(side: Value, last: Value, *, about: bool) -> bool:
    if isinstance(side, Scalar) and isinstance(last, Based):
        return scalars.exact(side.node) == _of_base(last)
    if isinstance(side, Based) and isinstance(last, Scalar):
        return scalars.exact(last.node) == _of_base(side)
    if not (isinstance(side, Scalar) and isinstance(last, Scalar)):
        return type(side) is type(last) and side == last
    if about:
        a, b = numerics.value(side.node), numerics.value(last.node)
        places = last.node.text.partition(".")[2] if last.node.op == "num" else ""
        if a is None or b is None:
            return False
        unit = Decimal(1).scaleb(-len(places)) if places else Decimal(0)
        return abs(a - b) <= max(abs(b) / 100, unit / 2) or 0 <= abs(a) - abs(b) < unit
    one, two = (_with_unit(s) for s in (side, last))
    if scalars.equal_nodes(one, two, None):
        return True
    # 3 * 5 cm = 15 cm and 0.5 = 50%: the unit stands on one side
    return side.unit != last.unit and scalars.equal_nodes(side.node, last.node, None)


def _with_unit(value: Scalar) -> Node:
    if value.unit is not None and value.unit.kind == "percent":
        return Node("mul", (value.node, number(value.unit.factor)))
    return value.node


def _of_base(value: Based) -> Fraction | None:
    return Fraction(int(value.digits, value.base)) if "." not in value.digits else None


def _scalar(gold: Scalar, answer: Value, policy: Policy) -> bool:
    if isinstance(answer, Based) and answer.base == 10:
        answer = Scalar(number(int(answer.digits), answer.digits))
    if isinstance(answer, Collection) and len(answer.items) == 1 and not answer.braces:
        answer = answer.items[0]
    if not isinstance(answer, Scalar):
        raise Unread(f"{_kind(answer)} where one value is asked")
    return scalars.same(gold, answer, policy)


def _text(gold: Text, answer: Value, policy: Policy) -> bool:
    if isinstance(answer, Scalar) and answer.unit is None:
        return _words(gold.words) == _spelled(answer.node)
    if not isinstance(answer, Text):
        raise Unread(f"{_kind(answer)} where words are asked")
    return _words(gold.words) == _words(answer.words)


def _words(text: str) -> str:
    for article in _ARTICLES:
        text = text.removeprefix(article)
    return " ".join(text.split())


def _spelled(node: Node) -> str:
    if node.op == "sym":
        return str(node.value).casefold()
    return "".join(_spelled(a) for a in node.args) if node.op == "mul" else ""


def _bracketed(gold: Bracketed, answer: Value, policy: Policy) -> bool:
    if isinstance(answer, Region):
        interval = regions.of_bracketed(gold)
        if interval is None:
            raise Unread("an interval where a point is asked")
        return _same_region(interval, answer, policy)
    if isinstance(answer, Matrix) and gold.left == "\\langle" and all(len(r) == 1 for r in answer.rows):
        answer = Bracketed("\\langle", "\\rangle", tuple(r[0] for r in answer.rows))
    if not isinstance(answer, Bracketed):
        raise Unread(f"{_kind(answer)} where a point or an interval is asked")
    ends = {"\\langle": "(", "\\rangle": ")"}
    brackets = [[ends.get(b, b) for b in (v.left, v.right)] for v in (gold, answer)]
    if brackets[0] != brackets[1]:
        one, two = regions.of_bracketed(gold), regions.of_bracketed(answer)
        if (
            ("]" in (gold.left, answer.left) or "[" in (gold.right, answer.right))
            and one is not None
            and two is not None
        ):
            return _same_region(one, two, policy)
        return False
    return len(gold.items) == len(answer.items) and all(
        right(g, a, policy) for g, a in zip(gold.items, answer.items, strict=True)
    )


def _collection(gold: Collection, answer: Value, policy: Policy) -> bool:
    if isinstance(answer, Region) and not answer.pieces:
        answer = Collection((), braces=True)
    if isinstance(answer, Scalar) or (isinstance(answer, (Bracketed, Text)) and len(gold.items) == 1):
        answer = Collection((answer,))
    if isinstance(answer, Named) and len({re.sub(r"_.*", "", n) for n, _ in answer.values}) == 1:
        answer = Collection(tuple(v for _, v in answer.values))  # x_1 = 4, x_2 = 9
    if not isinstance(answer, Collection):
        raise Unread(f"{_kind(answer)} where a set of values is asked")
    if gold.label and answer.label and gold.label != answer.label:
        return False
    wanted, left = list(gold.items), list(answer.items)
    if gold.braces or answer.braces:
        wanted, left = _distinct(wanted), _distinct(left)
    if len(wanted) != len(left):
        return False
    for item in wanted:
        at = next((i for i, other in enumerate(left) if _member(item, other, policy)), None)
        if at is None:
            return False
        left.pop(at)
    return True


def _member(gold: Value, answer: Value, policy: Policy) -> bool:
    if type(gold) is not type(answer) and not (isinstance(gold, Text) or isinstance(answer, Relation)):
        return False
    return right(gold, answer, policy)


def _distinct(items: list[Value]) -> list[Value]:
    out: list[Value] = []
    for item in items:
        if not any(agree(item, other) for other in out):
            out.append(item)
    return out


def _named(gold: Named, answer: Value, policy: Policy) -> bool:
    if isinstance(answer, Collection) and _counted(gold):
        return _collection(Collection(tuple(v for _, v in gold.values)), replace(answer, label=""), policy)
    if isinstance(answer, Collection) and len(answer.items) == 1 and isinstance(answer.items[0], Named):
        answer = answer.items[0]
    if not isinstance(answer, Named):
        raise Unread(f"{_kind(answer)} where named values are asked")
    mine, theirs = dict(gold.values), dict(answer.values)
    return mine.keys() == theirs.keys() and all(right(v, theirs[k], policy) for k, v in mine.items())


def _counted(gold: Named) -> bool:
    """x_1 = 4, x_2 = 9: the solutions of one unknown, whatever number each was given."""
    names = [re.fullmatch(r"([A-Za-z])_\{?([0-9])\}?", name) for name, _ in gold.values]
    found = [(m[1], m[2]) for m in names if m]
    return len(found) == len(names) and found == [(found[0][0], str(i + 1)) for i in range(len(found))]


def _region(gold: Region, answer: Value, policy: Policy) -> bool:
    if isinstance(answer, Bracketed):
        interval = regions.of_bracketed(answer)
        if interval is None:
            raise Unread("a point where an interval is asked")
        answer = interval
    if isinstance(answer, Collection) and answer.braces and all(p.low == p.high for p in gold.pieces):
        answer = regions.of_points(answer.items)
    if not isinstance(answer, Region):
        raise Unread(f"{_kind(answer)} where an interval is asked")
    return _same_region(gold, answer, policy)


def _same_region(gold: Region, answer: Region, policy: Policy) -> bool:
    return len(gold.pieces) == len(answer.pieces) and all(
        _same_piece(g, a, policy) for g, a in zip(gold.pieces, answer.pieces, strict=True)
    )


def _same_piece(gold: Piece, answer: Piece, policy: Policy) -> bool:
    if (gold.low_closed, gold.high_closed) != (answer.low_closed, answer.high_closed):
        return False
    for g, a in ((gold.low, answer.low), (gold.high, answer.high)):
        if (g is None) != (a is None) or (g is not None and a is not None and not scalars.same(g, a, policy)):
            return False
    return True


def _matrix(gold: Matrix, answer: Value, policy: Policy) -> bool:
    if not isinstance(answer, Matrix):
        raise Unread(f"{_kind(answer)} where a matrix is asked")
    shapes = [[len(r) for r in m.rows] for m in (gold, answer)]
    return shapes[0] == shapes[1] and all(
        scalars.same(g, a, policy)
        for row, other in zip(gold.rows, answer.rows, strict=True)
        for g, a in zip(row, other, strict=True)
    )


def _based(gold: Based, answer: Value, policy: Policy) -> bool:
    if isinstance(answer, Scalar) and answer.unit is None and answer.node.op == "num" and "base" in policy.question:
        return answer.node.text == gold.digits
    if not isinstance(answer, Based):
        raise Unread(f"no number in base {gold.base}")
    return gold == answer


def _sequence(gold: Sequence, answer: Value, policy: Policy) -> bool:
    if not isinstance(answer, Sequence):
        raise Unread(f"{_kind(answer)} where a sequence is asked")
    if len(gold.items) != len(answer.items):
        return False
    for g, a in zip(gold.items, answer.items, strict=True):
        if (g is None) != (a is None) or (g is not None and a is not None and not right(g, a, policy)):
            return False
    return True


def _relation(gold: Relation, answer: Value, policy: Policy) -> bool:
    if not isinstance(answer, Relation):
        if gold.label and set(gold.signs) <= _EQUALS and not isinstance(answer, (Named, Region)):
            return right(gold.sides[-1], answer, policy)
        raise Unread(f"{_kind(answer)} where an equation is asked")
    if gold.label and answer.label == gold.label and set(answer.signs) <= _EQUALS:
        return right(gold.sides[-1], committed(answer, gold.sides[-1], policy), policy)
    if len(gold.sides) > 2 and len(gold.sides) == len(answer.sides):
        return _chain(gold, answer, policy)
    if len(gold.sides) != 2 or len(answer.sides) != 2 or shapes.family(gold) != shapes.family(answer):
        return False
    nodes = [[s.node for s in r.sides if isinstance(s, Scalar)] for r in (gold, answer)]
    if any(len(n) != 2 for n in nodes):
        return False
    if gold.label and not regions.symbols(nodes[0][1]):
        return False  # x = 3 is asked: an equation still to be solved is none
    if gold.modulus is not None or answer.modulus is not None:
        return _congruent(gold, answer, nodes)
    work = Work()
    one, two = (_zero_form(n, r, work) for n, r in zip(nodes, (gold, answer), strict=True))
    return any(_proportional(a, b, positive=gold.signs[0] != "=") for a, b in zip(one, two, strict=True))


def _chain(gold: Relation, answer: Relation, policy: Policy) -> bool:
    """f(2) < f(1) < f(4), or the same from the other end."""
    signs, sides = answer.signs, answer.sides
    if signs != gold.signs:
        turned = {"<": ">", ">": "<", "\\le": "\\ge", "\\ge": "\\le"}
        signs, sides = tuple(turned.get(s, s) for s in reversed(signs)), tuple(reversed(sides))
    return signs == gold.signs and all(right(g, a, policy) for g, a in zip(gold.sides, sides, strict=True))


def _zero_form(nodes: list[Node], value: Relation, work: Work) -> tuple[Poly, Poly]:
    """The left side minus the right, turned so that it is at most zero, and the same cleared of negative powers."""
    left, right_ = nodes if value.signs[0] not in (">", "\\ge") else nodes[::-1]
    quotient = canonical.quotient(Node("add", (left, Node("neg", (right_,)))), work)
    top, bottom = quotient
    if len(bottom) == 1:
        return top, _cleared(top, work)
    return top, top


def _cleared(poly: Poly, work: Work) -> Poly:
    """Times the power of each symbol that leaves no negative ones."""
    lowest: dict[algebra.Atom, Fraction] = {}
    for mono in poly:
        for atom, e in mono:
            if e < 0 and atom[0] == "sym":
                lowest[atom] = min(lowest.get(atom, Fraction(0)), e)
    if not lowest:
        return poly
    return algebra.times(poly, {frozenset((a, -e) for a, e in lowest.items()): Fraction(1)}, work)


def _proportional(a: Poly, b: Poly, *, positive: bool) -> bool:
    if not a or not b or a.keys() != b.keys():
        return False
    ratios = {b[m] / a[m] for m in a}
    return len(ratios) == 1 and (not positive or min(ratios) > 0)


def _congruent(gold: Relation, answer: Relation, nodes: list[list[Node]]) -> bool:
    if gold.modulus is None or answer.modulus is None:
        return False
    size, other = scalars.exact(gold.modulus.node), scalars.exact(answer.modulus.node)
    mine, theirs = scalars.exact(nodes[0][1]), scalars.exact(nodes[1][1])
    if not size or size != other or mine is None or theirs is None:
        return False
    left = [canonical.quotient(n[0], Work()) for n in nodes]
    return not algebra.difference(left[0], left[1], Work()) and (mine - theirs) % size == 0


def agree(a: Value, b: Value) -> bool:
    """Two readings of one answer say the same; never asks sympy."""
    if a == b:
        return True
    try:
        plain = Policy(round_to_gold=False, evaluated=False)
        return right(a, b, plain) or right(b, a, plain)
    except Unread:
        return False


def _kind(value: Value) -> str:
    return {
        Scalar: "one value", Text: "words", Bracketed: "a point or an interval", Collection: "several values",
        Sequence: "a sequence", Matrix: "a matrix", Based: "a number in another base", Relation: "an equation",
        Named: "several named values", Region: "an interval",
    }[type(value)]  # fmt: skip


_RULES: dict[type, Callable[[Any, Any, Policy], bool]] = {
    Scalar: _scalar, Text: _text, Bracketed: _bracketed, Collection: _collection, Named: _named, Region: _region,
    Matrix: _matrix, Based: _based, Sequence: _sequence,
}  # fmt: skip
