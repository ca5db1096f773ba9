"""Exact polynomials over named generators and their quotients: rationals, roots of primes, pi, i, symbols, functions.

A monomial is a set of (generator, exponent); a polynomial maps monomials to rationals; a quotient is a pair of them,
its denominator 1 wherever it is a single term. Generators reduce as they are multiplied: i^2 = -1, sqrt(p)^2 = p,
sin^2 = 1 - cos^2, sqrt(P)^2 = P. So a difference of two quotients is zero exactly where its numerator is empty, as long
as the generators are independent (roots of distinct primes are: Besicovitch 1940, J. London Math. Soc. 15). Left out:
what an expression means (canonical), greatest common divisors. Work is counted and bounded.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from verigrad.rewards.mathematics.trees import TooBig, Unread

Atom = tuple[Any, ...]
Mono = frozenset[tuple[Atom, Fraction]]
Poly = dict[Mono, Fraction]
Quotient = tuple[Poly, Poly]

ONE: Mono = frozenset()
MAX_BITS = 1 << 17
"""Bits of one coefficient."""
MAX_WORK = 40_000
"""Products of two terms in one comparison."""
MAX_DEGREE = 64
"""Integer power of a sum."""


class Work:
    """How much one comparison may still do."""

    def __init__(self, left: int = MAX_WORK) -> None:
        self.left = left

    def spend(self, steps: int) -> None:
        """Raises TooBig where it is used up."""
        self.left -= steps
        if self.left < 0:
            raise TooBig("an expression that takes too many steps")


def constant(value: Fraction | int) -> Quotient:
    """A rational number."""
    return ({ONE: Fraction(value)} if value else {}), {ONE: Fraction(1)}


def generator(atom: Atom, exponent: Fraction | int = 1) -> Quotient:
    """One generator to a power that needs no reduction."""
    return {frozenset([(atom, Fraction(exponent))]): Fraction(1)}, {ONE: Fraction(1)}


def rational(value: Quotient) -> Fraction | None:
    """The rational number a quotient is, if it plainly is one."""
    top, bottom = value
    if not top:
        return Fraction(0)
    if len(top) == 1 and ONE in top and len(bottom) == 1 and ONE in bottom:
        return top[ONE] / bottom[ONE]
    return None


def key(value: Quotient) -> tuple[frozenset[Any], frozenset[Any]]:
    """A hashable form."""
    return frozenset(value[0].items()), frozenset(value[1].items())


def unkey(form: tuple[frozenset[Any], frozenset[Any]]) -> Quotient:
    """The quotient of a hashable form."""
    return dict(form[0]), dict(form[1])


def added(a: Poly, b: Poly) -> Poly:
    """The sum of two."""
    out = dict(a)
    for mono, coefficient in b.items():
        total = out.get(mono, 0) + coefficient
        if total:
            out[mono] = Fraction(total)
        else:
            out.pop(mono, None)
    return out


def scaled(a: Poly, factor: Fraction) -> Poly:
    """Every term times a rational."""
    return {m: c * factor for m, c in a.items()} if factor else {}


def times(a: Poly, b: Poly, work: Work) -> Poly:
    """The product of two, reduced."""
    work.spend(len(a) * len(b))
    out: Poly = {}
    for m1, c1 in a.items():
        for m2, c2 in b.items():
            value = c1 * c2
            if value.numerator.bit_length() + value.denominator.bit_length() > MAX_BITS:
                raise TooBig("a number of too many digits")
            for mono, c in _joined(m1, m2, work):
                total = out.get(mono, 0) + c * value
                if total:
                    out[mono] = Fraction(total)
                else:
                    out.pop(mono, None)
    return out


def _joined(m1: Mono, m2: Mono, work: Work) -> list[tuple[Mono, Fraction]]:
    if not m1 or not m2:
        return [(m1 or m2, Fraction(1))]
    exponents = dict(m1)
    factor = Fraction(1)
    extra: list[Poly] = []
    for atom, e in m2:
        e = exponents.pop(atom, Fraction(0)) + e
        kind = atom[0]
        if kind == "p":
            whole = e.numerator // e.denominator
            if whole:
                factor *= Fraction(atom[1]) ** whole
                e -= whole
        elif kind == "i":
            whole = int(e) % 4
            factor *= -1 if whole >= 2 else 1
            e = Fraction(whole % 2)
        elif kind in ("P", "sin", "abs") and (limit := 1 if kind == "P" else 2) <= e:
            whole = int(e // limit)
            e -= limit * whole
            square = _square(atom, work)
            if square is None:
                e += limit * whole
            else:
                extra += [square] * whole
        if e:
            exponents[atom] = e
    mono: Mono = frozenset(exponents.items())
    if not extra:
        return [(mono, factor)]
    out: Poly = {mono: factor}
    for square in extra:
        out = times(out, square, work)
    return list(out.items())


def _square(atom: Atom, work: Work) -> Poly | None:
    """What a reducible generator gives at its limit: the radicand, 1 - cos^2, the square of what bars enclose."""
    if atom[0] == "P":
        return dict(atom[1])
    if atom[0] == "sin":
        return {ONE: Fraction(1), frozenset([(("cos", atom[1]), Fraction(2))]): Fraction(-1)}
    top, bottom = unkey(atom[1])
    if len(bottom) != 1 or ONE not in bottom:
        return None
    inner = scaled(top, 1 / bottom[ONE])
    return times(inner, inner, work)


def product(a: Quotient, b: Quotient, work: Work) -> Quotient:
    """The product of two."""
    return tidy((times(a[0], b[0], work), times(a[1], b[1], work)), work)


def total(a: Quotient, b: Quotient, work: Work) -> Quotient:
    """The sum of two."""
    if a[1] == b[1]:
        return tidy((added(a[0], b[0]), a[1]), work)
    top = added(times(a[0], b[1], work), times(b[0], a[1], work))
    return tidy((top, times(a[1], b[1], work)), work)


def inverse(a: Quotient, work: Work) -> Quotient:
    """1 / a. Raises Unread for zero."""
    if not a[0]:
        raise Unread("a division by zero")
    return tidy((a[1], a[0]), work)


def tidy(value: Quotient, work: Work) -> Quotient:
    """A denominator of one term goes into the numerator, what cannot be inverted there (sin, roots of sums) aside."""
    top, bottom = value
    if not bottom:
        raise Unread("a division by zero")
    if len(bottom) != 1:
        return value
    ((mono, coefficient),) = bottom.items()
    if not mono:
        return (top if coefficient == 1 else scaled(top, 1 / coefficient)), {ONE: Fraction(1)}
    kept, turned, factor = {}, {}, 1 / coefficient
    for atom, e in mono:
        if atom[0] == "p":
            factor /= atom[1]
            turned[atom] = 1 - e
        elif atom[0] == "i":
            factor = -factor
            turned[atom] = e
        elif atom[0] in ("sin", "P", "abs"):
            kept[atom] = e
        else:
            turned[atom] = -e
    top = times(top, {frozenset(turned.items()): factor}, work)
    return top, {frozenset(kept.items()): Fraction(1)}


def power(a: Quotient, n: int, work: Work) -> Quotient:
    """An integer power. Raises TooBig before the arithmetic."""
    if n < 0:
        return inverse(power(a, -n, work), work)
    size = max((c.numerator.bit_length() + c.denominator.bit_length() for c in a[0].values()), default=0)
    single = len(a[0]) <= 1 and len(a[1]) <= 1
    if (not single and n > MAX_DEGREE) or (size - 2) * n > MAX_BITS or n > MAX_BITS:
        raise TooBig("a power too large to work out")
    out, base = constant(1), a
    while n:
        if n & 1:
            out = product(out, base, work)
        n >>= 1
        if n:
            base = product(base, base, work)
    return out


def difference(a: Quotient, b: Quotient, work: Work) -> Poly:
    """The numerator of a - b: empty exactly where they are equal."""
    if a[1] == b[1]:
        return added(a[0], scaled(b[0], Fraction(-1)))
    return added(times(a[0], b[1], work), scaled(times(b[0], a[1], work), Fraction(-1)))
