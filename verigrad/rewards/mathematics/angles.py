"""Sine, cosine and what is made of them: exact at multiples of pi/12, pi/10 and pi/8, multiples and sums expanded.

Cosines of rational multiples of pi lie in [0, 1/2] of it; others become generators with a normal sign. Left out: half
angles of symbols (sin x against sin(x/2) is left to sympy), products to sums.
"""

from __future__ import annotations

import math
from fractions import Fraction

from verigrad.rewards.mathematics import algebra
from verigrad.rewards.mathematics.algebra import ONE, Quotient, Work
from verigrad.rewards.mathematics.trees import Unread

NAMES = frozenset(("sin", "cos", "tan", "cot", "sec", "csc", "asin", "acos", "atan", "sinh", "cosh", "tanh"))
_MAX_MULTIPLE = 8
_MAX_TERMS = 4

# cos(pi * key) as (rational coefficient, radicand) sums
_COSINES: dict[Fraction, tuple[tuple[Fraction, int], ...]] = {
    Fraction(0): ((Fraction(1), 1),),
    Fraction(1, 6): ((Fraction(1, 2), 3),),
    Fraction(1, 4): ((Fraction(1, 2), 2),),
    Fraction(1, 3): ((Fraction(1, 2), 1),),
    Fraction(1, 2): (),
    Fraction(1, 12): ((Fraction(1, 4), 6), (Fraction(1, 4), 2)),
    Fraction(5, 12): ((Fraction(1, 4), 6), (Fraction(-1, 4), 2)),
    Fraction(1, 5): ((Fraction(1, 4), 5), (Fraction(1, 4), 1)),
    Fraction(2, 5): ((Fraction(1, 4), 5), (Fraction(-1, 4), 1)),
}


def function(name: str, arg: Quotient, work: Work) -> Quotient:
    """The function of a quotient."""
    if name == "sin":
        return _sine(arg, work)
    if name == "cos":
        return _cosine(arg, work)
    if name in ("sinh", "cosh", "tanh"):
        return algebra.generator(("fn", name, algebra.key(arg)))
    if name in ("asin", "acos", "atan"):
        return _inverse(name, arg, work)
    above, below = {
        "tan": (_sine, _cosine),
        "cot": (_cosine, _sine),
        "sec": (None, _cosine),
        "csc": (None, _sine),
    }[name]
    top = above(arg, work) if above is not None else algebra.constant(1)
    return algebra.product(top, algebra.inverse(below(arg, work), work), work)


def cosine(turn: Fraction, work: Work) -> Quotient:
    """cos(turn * pi)."""
    turn = abs(turn) % 2
    turn = 2 - turn if turn > 1 else turn
    negative = turn > Fraction(1, 2)
    turn = 1 - turn if negative else turn
    known = _COSINES.get(turn)
    if known is not None:
        out = algebra.constant(0)
        for coefficient, radicand in known:
            root = algebra.constant(1)
            for prime in (2, 3, 5):
                if radicand % prime == 0:
                    root = algebra.product(root, algebra.generator(("p", prime), Fraction(1, 2)), work)
            out = algebra.total(out, algebra.product(algebra.constant(coefficient), root, work), work)
    else:
        out = algebra.generator(("cos", turn))
    return (algebra.scaled(out[0], Fraction(-1)), out[1]) if negative else out


def sine(turn: Fraction, work: Work) -> Quotient:
    """sin(turn * pi)."""
    return cosine(Fraction(1, 2) - turn, work)


def _turn(arg: Quotient) -> Fraction | None:
    """The rational r of an argument r * pi."""
    top, bottom = arg
    if not top:
        return Fraction(0)
    pi = frozenset([(("pi",), Fraction(1))])
    if len(top) == 1 and pi in top and len(bottom) == 1 and ONE in bottom:
        return top[pi] / bottom[ONE]
    return None


def _sine(arg: Quotient, work: Work) -> Quotient:
    turn = _turn(arg)
    return sine(turn, work) if turn is not None else _expanded(arg, work)[0]


def _cosine(arg: Quotient, work: Work) -> Quotient:
    turn = _turn(arg)
    return cosine(turn, work) if turn is not None else _expanded(arg, work)[1]


def _expanded(arg: Quotient, work: Work) -> tuple[Quotient, Quotient]:
    """Sine and cosine of a sum of terms, each a whole multiple of its unit."""
    top, bottom = arg
    if len(bottom) != 1 or ONE not in bottom or len(top) > _MAX_TERMS:
        form = algebra.key(arg)
        return algebra.generator(("sin", form)), algebra.generator(("cos", form))
    out: tuple[Quotient, Quotient] | None = None
    for mono, c in top.items():
        if mono == frozenset([(("pi",), Fraction(1))]):
            pair = sine(c, work), cosine(c, work)
        else:
            pair = _multiple({mono: Fraction(1, c.denominator)}, abs(c.numerator), work)
            if c < 0:
                pair = (algebra.scaled(pair[0][0], Fraction(-1)), pair[0][1]), pair[1]
        out = pair if out is None else _together(out, pair, work)
    if out is None:
        return algebra.constant(0), algebra.constant(1)
    return out


def _multiple(unit: algebra.Poly, n: int, work: Work) -> tuple[Quotient, Quotient]:
    if n > _MAX_MULTIPLE:
        unit, n = algebra.scaled(unit, Fraction(n)), 1
    form = algebra.key((unit, {ONE: Fraction(1)}))
    one = algebra.generator(("sin", form)), algebra.generator(("cos", form))
    out = one
    for _ in range(n - 1):
        out = _together(out, one, work)
    return out


def _together(a: tuple[Quotient, Quotient], b: tuple[Quotient, Quotient], work: Work) -> tuple[Quotient, Quotient]:
    """Sine and cosine of a sum."""
    (sin_a, cos_a), (sin_b, cos_b) = a, b
    first = algebra.total(algebra.product(sin_a, cos_b, work), algebra.product(cos_a, sin_b, work), work)
    both = algebra.product(sin_a, sin_b, work)
    second = algebra.total(algebra.product(cos_a, cos_b, work), (algebra.scaled(both[0], Fraction(-1)), both[1]), work)
    return first, second


def _inverse(name: str, arg: Quotient, work: Work) -> Quotient:
    """asin, acos, atan at the arguments of the table."""
    function_of = {"asin": sine, "acos": cosine, "atan": _tangent}[name]
    for twelfth in range(-6, 13):
        turn = Fraction(twelfth, 12)
        if (name == "acos" and turn < 0) or (name != "acos" and turn > Fraction(1, 2)):
            continue
        if name == "atan" and abs(turn) == Fraction(1, 2):
            continue
        if not algebra.difference(function_of(turn, work), arg, work):
            return {frozenset([(("pi",), Fraction(1))]): turn} if turn else {}, {ONE: Fraction(1)}
    fixed = algebra.rational(arg)
    if name in ("asin", "acos") and fixed is not None and abs(fixed) > 1:
        raise Unread("the angle of a sine beyond one")
    negative = fixed is not None and fixed < 0 and name != "acos"
    form = algebra.key((algebra.scaled(arg[0], Fraction(-1)), arg[1]) if negative else arg)
    out = algebra.generator(("fn", name, form))
    return (algebra.scaled(out[0], Fraction(-1)), out[1]) if negative else out


def _tangent(turn: Fraction, work: Work) -> Quotient:
    if math.isclose(abs(turn), 0.5):
        raise Unread("a tangent at a right angle")
    return algebra.product(sine(turn, work), algebra.inverse(cosine(turn, work), work), work)
