"""Two quantities: equal by value, by the form the gold demands, and by what is stated beside them.

Policies (options of the kind): a literal gold wants a literal answer, nothing still to be worked out; a decimal is
right for an irrational gold iff it has enough digits and is the gold rounded or truncated; a decimal gold of three
digits or more takes what rounds to it; a percent is read only where the gold is one or lies between 0 and 1. Left out:
lists, sets, relations (comparing).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction

from verigrad.rewards.mathematics import algebra, canonical, numerics, regions
from verigrad.rewards.mathematics.algebra import Work
from verigrad.rewards.mathematics.trees import (
    Node,
    Scalar,
    TooBig,
    Unit,
    Unread,
    decimal_places,
    literal,
    number,
    plain_integer,
)

LEAST_DIGITS = 10
"""Significant digits that a decimal for an irrational gold must have."""
ROUND_DIGITS = 3
"""Significant digits from which on a decimal gold takes what rounds to it."""
_POINTS = tuple(
    [Decimal(a) / Decimal(b) for a, b in row]
    for row in (
        [(137, 100), (71, 30), (53, 70), (197, 90), (311, 130), (89, 40)],
        [(31, 97), (67, 89), (41, 83), (73, 79), (29, 71), (61, 101)],
        [(-37, 29), (-83, 47), (-19, 31), (-61, 23), (-97, 41), (-43, 17)],
        [(523, 61), (307, 43), (211, 37), (401, 53), (613, 59), (701, 73)],
    )
)

Prove = Callable[[Node, Node], bool]
"""Whether two expressions are equal, by sympy in its process; raises what breaks there."""


@dataclass(frozen=True, kw_only=True)
class Policy:
    """How a comparison is made."""

    round_to_gold: bool = True
    reduced: bool = False
    evaluated: bool = True
    tolerance: float = 0.0
    question: str = ""
    """The question in lower case: it may name the unit that the gold leaves out."""
    prove: Prove | None = None
    """None: what the algebra cannot prove is not equal."""


def exact(node: Node) -> Fraction | None:
    """The value of a literal, quickly; None for anything else."""
    if node.op in ("num", "sci"):
        return node.value if isinstance(node.value, Fraction) else None
    if node.op == "neg":
        inner = exact(node.args[0])
        return None if inner is None else -inner
    if node.op == "div":
        above, below = exact(node.args[0]), exact(node.args[1])
        return None if above is None or not below else above / below
    if node.op == "mixed":
        parts = [exact(a) for a in node.args]
        return None if None in parts else sum((p for p in parts if p is not None), Fraction(0))
    return None


def same(gold: Scalar, answer: Scalar, policy: Policy) -> bool:
    """The answer is right for the gold. Raises Unread for a form that the gold does not take."""
    left, right = regions.infinite(gold), regions.infinite(answer)
    if left or right:
        return left == right
    factors = _factors(gold, answer, policy)
    if factors is None:
        return False
    demanded(gold.node, answer.node, policy)
    return any(_equal(gold.node, answer.node, f, policy) for f in factors)


def demanded(gold: Node, answer: Node, policy: Policy) -> None:
    """Raises Unread where a literal is demanded and the answer is still to be worked out, or not in lowest terms."""
    if policy.reduced and answer.op == "div":
        pair = [exact(a) for a in answer.args]
        if None not in pair and math.gcd(*(int(p) for p in pair if p is not None)) != 1:
            raise Unread("not in lowest terms")
    if not policy.evaluated or not literal(gold):
        return
    if literal(answer):
        value = exact(answer)
        bare = answer.args[0] if answer.op == "neg" else answer
        asked = gold.args[0] if gold.op == "neg" else gold
        if bare.op == "div" and asked.op != "div" and value is not None and value.denominator == 1:
            raise Unread("an unevaluated division")
        return
    inner = answer.args[0] if answer.op == "neg" else answer
    if inner.op == "pow" and all(plain_integer(a) for a in inner.args):
        return
    if irrational_form(answer) or regions.symbols(answer):
        return
    raise Unread("an expression still to be worked out where the gold is a number")


def irrational_form(node: Node) -> bool:
    """It holds pi, e, a root or a function: an exact form that no literal could give."""
    if node.op == "const" and node.value in ("pi", "e"):
        return True
    if node.op == "root" or (node.op == "fn" and node.value not in ("factorial", "binomial", "abs", "gcd", "lcm")):
        value = exact_rational(node)
        return value is None
    if node.op == "pow" and exact_rational(node) is None:
        return True
    return any(irrational_form(a) for a in node.args)


def exact_rational(node: Node) -> Fraction | None:
    """The rational an expression is, if it is one."""
    known = exact(node)
    return known if known is not None else algebra.rational(canonical.quotient(node, Work()))


def _factors(gold: Scalar, answer: Scalar, policy: Policy) -> tuple[Node | None, ...] | None:
    """What the answer is to be multiplied by, one of them; None where the units do not agree."""
    stated, said = gold.unit, answer.unit
    if stated is None and said is None:
        return (None,)
    if said is not None and said.kind == "percent":
        if stated is not None:
            return (None,) if stated == said else None
        size = numerics.value(gold.node)
        if size is None or not 0 < size < 1:
            raise Unread("a percent where the gold is none")
        return (number(said.factor),)
    if stated is not None and stated.kind == "percent":
        return (number(1 / stated.factor),) if said is None else None
    if said is None:
        if stated is not None and stated.name == "degree":
            return (None, _per_degree())
        return (None,)
    if stated is None:
        return _unstated(said, policy)
    return _agreeing(stated, said)


def _unstated(said: Unit, policy: Policy) -> tuple[Node | None, ...] | None:
    asked = policy.question
    if said.kind == "angle":
        if said.name == "degree" and ("degree" in asked or "\\circ" in asked or "°" in asked or "度" in asked):
            return (None,)
        return (Node("div", (Node("const", (), "pi"), number(180, "180"))),) if said.name == "degree" else (None,)
    if said.name == "cent" and ("dollar" in asked or "$" in asked) and "cent" not in asked:
        return (number(said.factor),)
    return (None,)


def _per_degree() -> Node:
    return Node("div", (number(180, "180"), Node("const", (), "pi")))


def _agreeing(stated: Unit, said: Unit) -> tuple[Node | None, ...] | None:
    if stated == said:
        return (None,)
    if stated.kind and stated.kind == said.kind:
        return (number(said.factor / stated.factor),)
    if {stated.name, said.name} & {"degree"} and {stated.name, said.name} & {"celsius", "fahrenheit"}:
        return (None,)
    if not stated.kind and not said.kind:
        one, two = set(stated.name.split()), set(said.name.split())
        return (None,) if one <= two or two <= one else None
    return None


def _equal(gold: Node, answer: Node, factor: Node | None, policy: Policy) -> bool:
    if factor is not None and factor.op == "num" and isinstance(factor.value, Fraction):
        value = exact(answer)
        if value is None:
            answer = Node("mul", (answer, factor))
        else:
            places = decimal_places(answer)
            answer = number(value * factor.value, "1." + "0" * places[1] if places else "")
    elif factor is not None:
        answer = Node("mul", (answer, factor))
    left, right = exact(gold), exact(answer)
    if left is not None and right is not None:
        if left == right or (policy.tolerance and abs(left - right) <= Fraction(policy.tolerance) * abs(left)):
            return True
        return policy.round_to_gold and _rounds(gold, answer, numerics.of_fraction(right))
    if _symbols_differ(gold, answer):
        return False
    if equal_nodes(gold, answer, policy.prove):
        return True
    if regions.symbols(gold) or regions.symbols(answer):
        return False
    return _by_decimals(gold, answer, policy)


def _symbols_differ(gold: Node, answer: Node) -> bool:
    """A variable on one side only that the value depends on would have to cancel: such answers are not read."""
    return bool(regions.symbols(answer) - regions.symbols(gold))


def _by_decimals(gold: Node, answer: Node, policy: Policy) -> bool:
    mine, theirs = numerics.value(gold), numerics.value(answer)
    if mine is None or theirs is None:
        return False
    if policy.tolerance and abs(mine - theirs) <= Decimal(policy.tolerance) * abs(mine):
        return True
    spelled = decimal_places(answer)
    if spelled is not None and exact(gold) is None:
        digits, places = spelled
        return len(digits) >= LEAST_DIGITS and exact_rational(gold) is None and _agrees(mine, theirs, places)
    return policy.round_to_gold and _rounds(gold, answer, theirs)


def _agrees(mine: Decimal, theirs: Decimal, places: int) -> bool:
    """`theirs`, of so many places, is `mine` correctly rounded or cut off."""
    unit = Fraction(1, 1) / Fraction(10) ** places
    gap = Fraction(theirs) - Fraction(mine)
    cut = abs(gap) < unit and abs(Fraction(theirs)) <= abs(Fraction(mine))
    return cut or abs(gap) * 2 <= unit


def _rounds(gold: Node, answer: Node, theirs: Decimal) -> bool:
    """The gold is a decimal of enough digits, and the answer, exact or longer, rounds to it."""
    mine, value = decimal_places(gold), exact(gold)
    if mine is None or value is None or gold.op == "sci" or len(mine[0]) < ROUND_DIGITS or mine[1] < 1:
        return False
    said = decimal_places(answer)
    if (said is not None and said[1] <= mine[1]) or (said is None and plain_integer(answer)):
        return False
    return abs(Fraction(theirs) - value) * 2 <= Fraction(1, 10 ** mine[1])


def equal_nodes(gold: Node, answer: Node, prove: Prove | None) -> bool:
    """Equal as exact expressions: by the algebra, else refuted by decimals, else by `prove`."""
    work = Work()
    left, right = canonical.quotient(gold, work), canonical.quotient(answer, work)
    if not algebra.difference(left, right, work):
        return True
    if not (canonical.opaque(left) or canonical.opaque(right)):
        return False
    names = sorted(regions.symbols(gold) | regions.symbols(answer))
    if len(names) > len(_POINTS[0]):
        return False
    seen = False
    for row in _POINTS if names else _POINTS[:1]:
        point = dict(zip(names, row, strict=False))
        a, b = numerics.value(gold, point), numerics.value(answer, point)
        if a is not None and b is not None:
            seen = True
            if numerics.apart(a, b):
                return False
    if prove is None or (not seen and not names and numerics.value(gold) is not None):
        return False
    if not regions.symbols(answer) and numerics.overflows(answer):
        raise TooBig("a number of more than a million digits")
    return prove(gold, answer)
