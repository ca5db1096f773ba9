"""Expressions as exact quotients: what every operation and function means, with roots, logarithms and angles reduced.

Symbols are taken as positive where a root or a logarithm needs it, sqrt(x^2) stays |x|. What has no rule becomes a
generator of its own ("opaque"): then unequal forms prove nothing. Left out: comparing (comparing), decimals (numerics).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction

from verigrad.rewards.mathematics import algebra, angles
from verigrad.rewards.mathematics.algebra import ONE, Quotient, Work
from verigrad.rewards.mathematics.roots import factors, leading, raised
from verigrad.rewards.mathematics.trees import Node, TooBig, Unread

OPAQUE = frozenset(("P", "sin", "cos", "abs", "fn", "ln", "lg?", "E", "e", "root", "n"))
"""Kinds of generators between which there may be relations that the algebra does not know."""
_MAX_FACTORIAL = 3_000


def quotient(node: Node, work: Work) -> Quotient:
    """The expression in canonical form. Raises Unread (a division by zero, an infinity) or TooBig."""
    rule = _RULES.get(node.op)
    if rule is None:
        raise Unread(f"no single value: {node.op}")
    return rule(node, work)


def opaque(value: Quotient) -> bool:
    """Some generator of it is of a kind that may have unknown relations to others."""
    return any(atom[0] in OPAQUE for part in value for mono in part for atom, _ in mono)


def _number(node: Node, work: Work) -> Quotient:
    value = node.value
    if not isinstance(value, Fraction):
        raise Unread("no number")
    return algebra.constant(value)


def _symbol(node: Node, work: Work) -> Quotient:
    return algebra.generator(("sym", node.value))


def _constant(node: Node, work: Work) -> Quotient:
    if node.value == "inf":
        raise Unread("an infinity inside an expression")
    return algebra.generator((node.value,))


def _sum(node: Node, work: Work) -> Quotient:
    out = quotient(node.args[0], work)
    for arg in node.args[1:]:
        out = algebra.total(out, quotient(arg, work), work)
    return out


def _product(node: Node, work: Work) -> Quotient:
    out = quotient(node.args[0], work)
    for arg in node.args[1:]:
        out = algebra.product(out, quotient(arg, work), work)
    return out


def _negative(node: Node, work: Work) -> Quotient:
    top, bottom = quotient(node.args[0], work)
    return algebra.scaled(top, Fraction(-1)), bottom


def _ratio(node: Node, work: Work) -> Quotient:
    above, below = (quotient(a, work) for a in node.args)
    return algebra.product(above, algebra.inverse(below, work), work)


def _percent(node: Node, work: Work) -> Quotient:
    return algebra.product(quotient(node.args[0], work), algebra.constant(Fraction(1, 100)), work)


def _degree(node: Node, work: Work) -> Quotient:
    return algebra.product(quotient(node.args[0], work), _times_pi(Fraction(1, 180)), work)


def _times_pi(value: Fraction) -> Quotient:
    return {frozenset([(("pi",), Fraction(1))]): value}, {ONE: Fraction(1)}


def _power(node: Node, work: Work) -> Quotient:
    base_node, exponent_node = node.args
    exponent = quotient(exponent_node, work)
    fixed = algebra.rational(exponent)
    if base_node.op == "const" and base_node.value == "e":
        return _exponential(exponent, work)
    base = quotient(base_node, work)
    return raised(base, fixed, work) if fixed is not None else _symbolic(base, exponent, work)


def _symbolic(base: Quotient, exponent: Quotient, work: Work) -> Quotient:
    """a^(2x+1) = a * (a^x)^2; bases that are positive integers go by their primes."""
    fixed = algebra.rational(base)
    if fixed is not None and fixed > 0:
        out = algebra.constant(1)
        for n, sign in ((fixed.numerator, 1), (fixed.denominator, -1)):
            for prime, count in factors(n):
                piece = _of_exponent(("E", prime), algebra.constant(prime), exponent, Fraction(count * sign), work)
                out = algebra.product(out, piece, work)
        return out
    return _of_exponent(("E", algebra.key(base)), base, exponent, Fraction(1), work)


def _exponential(exponent: Quotient, work: Work) -> Quotient:
    top, bottom = exponent
    if len(bottom) == 1 and ONE in bottom and len(top) == 1:
        ((mono, c),) = top.items()
        if mono == frozenset([(("i",), Fraction(1)), (("pi",), Fraction(1))]):
            real, imaginary = angles.cosine(c, work), angles.sine(c, work)
            turned = algebra.product(imaginary, algebra.generator(("i",)), work)
            return algebra.total(real, turned, work)
    return _of_exponent(("E", "e"), algebra.generator(("e",)), exponent, Fraction(1), work)


def _of_exponent(atom: algebra.Atom, base: Quotient, exponent: Quotient, count: Fraction, work: Work) -> Quotient:
    top, bottom = exponent
    if len(bottom) != 1 or ONE not in bottom:
        return algebra.generator((*atom, algebra.key(exponent)), count)
    out = algebra.constant(1)
    for mono, c in top.items():
        c = c / bottom[ONE] * count
        if not mono:
            piece = raised(base, c, work) if atom[1] != "e" else algebra.generator(("e",), c)
        else:
            piece = algebra.generator((*atom, mono), c)
            logs = [(a, e) for a, e in mono if a[0] == "ln"]
            if atom[1] == "e" and len(logs) == 1 and len(mono) == 1 and logs[0][1] == 1:
                piece = raised(_inside_ln(logs[0][0]), c, work)  # e^(c ln a) = a^c
        out = algebra.product(out, piece, work)
    return out


def _inside_ln(atom: algebra.Atom) -> Quotient:
    return algebra.constant(atom[1]) if isinstance(atom[1], int) else algebra.unkey(atom[1])


def _radical(node: Node, work: Work) -> Quotient:
    degree = algebra.rational(quotient(node.args[1], work))
    inner = quotient(node.args[0], work)
    if degree is None or degree.denominator != 1 or not 2 <= degree <= 1000:
        return algebra.generator(("fn", "root", algebra.key(inner), algebra.key(quotient(node.args[1], work))))
    return raised(inner, 1 / degree, work)


def _mixed(node: Node, work: Work) -> Quotient:
    return _sum(node, work)


def logarithm(value: Quotient, work: Work) -> Quotient:
    """The natural logarithm of a quotient: by primes, by symbols (taken as positive), else a generator."""
    top, bottom = value
    if not top:
        raise Unread("the logarithm of zero")
    if len(bottom) == 1 and ONE in bottom and len(top) == 1:
        ((mono, c),) = top.items()
        c = c / bottom[ONE]
        if c > 0:
            out = algebra.constant(0)
            for n, sign in ((c.numerator, 1), (c.denominator, -1)):
                for prime, count in factors(n):
                    out = algebra.total(out, _scaled(algebra.generator(("ln", prime)), count * sign, work), work)
            for atom, e in mono:
                out = algebra.total(out, _scaled(_log_of_generator(atom), e, work), work)
            return out
    return algebra.generator(("ln", algebra.key(value)))


def _log_of_generator(atom: algebra.Atom) -> Quotient:
    if atom[0] == "e":
        return algebra.constant(1)
    if atom[0] == "p":
        return algebra.generator(("ln", atom[1]))
    if atom[0] == "E" and atom[1] == "e" and isinstance(atom[2], frozenset):
        return {atom[2]: Fraction(1)}, {ONE: Fraction(1)}
    return algebra.generator(("ln", algebra.key(algebra.generator(atom))))


def _scaled(value: Quotient, factor: Fraction | int, work: Work) -> Quotient:
    return algebra.scaled(value[0], Fraction(factor)), value[1]


def _function(node: Node, work: Work) -> Quotient:
    name = str(node.value)
    args = [quotient(a, work) for a in node.args]
    if name in ("ln", "log", "lg"):
        above = logarithm(args[0], work)
        if name == "lg" or len(args) > 1:
            below = logarithm(args[1] if len(args) > 1 else algebra.constant(10), work)
            return algebra.product(above, algebra.inverse(below, work), work)
        return above if name == "ln" else algebra.product(above, algebra.generator(("lg?",)), work)
    if name == "exp":
        return _exponential(args[0], work)
    if name == "cbrt":
        return raised(args[0], Fraction(1, 3), work)
    if name in angles.NAMES:
        return angles.function(name, args[0], work)
    if name == "abs":
        return _absolute(args[0])
    fixed = [algebra.rational(a) for a in args]
    if name in _INTEGER and None not in fixed:
        return algebra.constant(_INTEGER[name]([f for f in fixed if f is not None]))
    return algebra.generator(("fn", name, *(algebra.key(a) for a in args)))


def _absolute(value: Quotient) -> Quotient:
    fixed = algebra.rational(value)
    if fixed is not None:
        return algebra.constant(abs(fixed))
    if value[0] and leading(value[0]) < 0:
        value = algebra.scaled(value[0], Fraction(-1)), value[1]
    return algebra.generator(("abs", algebra.key(value)))


def _factorial(args: list[Fraction]) -> int:
    n = args[0]
    if n.denominator != 1 or n < 0:
        raise Unread("a factorial of no whole number")
    if n > _MAX_FACTORIAL:
        raise TooBig("a factorial too large to work out")
    return math.factorial(int(n))


def _binomial(args: list[Fraction]) -> int:
    n, k = args
    if n.denominator != 1 or k.denominator != 1 or k < 0:
        raise Unread("a binomial of no whole numbers")
    if not 0 <= n <= _MAX_FACTORIAL:
        raise TooBig("a binomial too large to work out")
    return math.comb(int(n), int(k))


def _whole(args: list[Fraction]) -> list[int]:
    if any(a.denominator != 1 for a in args):
        raise Unread("no whole numbers")
    return [int(a) for a in args]


_INTEGER: dict[str, Callable[[list[Fraction]], int]] = {
    "factorial": _factorial,
    "binomial": _binomial,
    "floor": lambda args: math.floor(args[0]),
    "ceil": lambda args: math.ceil(args[0]),
    "gcd": lambda args: math.gcd(*_whole(args)),
    "lcm": lambda args: math.lcm(*_whole(args)),
}
_RULES = {
    "num": _number, "sci": _number, "sym": _symbol, "const": _constant, "add": _sum, "mul": _product,
    "neg": _negative, "div": _ratio, "pow": _power, "root": _radical, "mixed": _mixed, "fn": _function,
    "percent": _percent, "degree": _degree,
}  # fmt: skip
