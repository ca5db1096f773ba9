"""Powers with rational exponents: roots of rationals by primes, of symbols, of sums as generators of their own.

sqrt(12) is 2 * sqrt(3), a cube root of a negative number is real, sqrt(x^2) is |x|. Left out: nested roots that
could be written without (sympy is asked).
"""

from __future__ import annotations

import functools
import math
from fractions import Fraction

from verigrad.rewards.mathematics import algebra
from verigrad.rewards.mathematics.algebra import ONE, Mono, Poly, Quotient, Work
from verigrad.rewards.mathematics.trees import TooBig, Unread


def raised(base: Quotient, exponent: Fraction, work: Work) -> Quotient:
    """A quotient to a rational power."""
    if exponent.denominator == 1:
        if not base[0] and exponent <= 0:
            raise Unread("zero to no positive power")
        if abs(exponent.numerator) > algebra.MAX_BITS:
            raise TooBig("an exponent too large")
        return algebra.power(base, exponent.numerator, work)
    if exponent < 0:
        return algebra.inverse(raised(base, -exponent, work), work)
    above, below = _root(base[0], exponent, work), _root(base[1], exponent, work)
    return algebra.product(above, algebra.inverse(below, work), work)


def _root(poly: Poly, exponent: Fraction, work: Work) -> Quotient:
    """A polynomial to a positive fractional power."""
    if not poly:
        return algebra.constant(0)
    whole, degree = exponent.numerator // exponent.denominator, exponent.denominator
    part = exponent - whole
    if len(poly) == 1:
        ((mono, coefficient),) = poly.items()
        return _root_of_term(mono, coefficient, exponent, work)
    content = _content(poly)
    inner = algebra.scaled(poly, 1 / content)
    if degree % 2 and leading(inner) < 0:
        inner, content = algebra.scaled(inner, Fraction(-1)), -content
    out = algebra.product(_root_of_term(ONE, content, exponent, work), _generator_root(inner, part), work)
    return algebra.product(out, algebra.power((inner, {ONE: Fraction(1)}), whole, work), work) if whole else out


def _generator_root(poly: Poly, part: Fraction) -> Quotient:
    return algebra.generator(("P", frozenset(poly.items())), part)


def _content(poly: Poly) -> Fraction:
    """The positive rational that leaves coprime integers."""
    values = list(poly.values())
    return Fraction(math.gcd(*(v.numerator for v in values)), math.lcm(*(v.denominator for v in values)))


def leading(poly: Poly) -> Fraction:
    """The coefficient of the term that comes first in a fixed order."""
    return poly[max(poly, key=_order)]


def _order(mono: Mono) -> tuple[Fraction, str]:
    return sum((e for _, e in mono), Fraction(0)), repr(sorted(map(repr, mono)))


def _root_of_term(mono: Mono, coefficient: Fraction, exponent: Fraction, work: Work) -> Quotient:
    even = exponent.denominator % 2 == 0
    out = algebra.constant(1)
    if coefficient < 0:
        if not even:
            out = algebra.constant(-1 if exponent.numerator % 2 else 1)
        elif exponent.denominator == 2:
            out = algebra.power(algebra.generator(("i",)), exponent.numerator, work)
        else:
            return algebra.generator(("n", frozenset({mono: coefficient}.items()), exponent))
        coefficient = -coefficient
    out = algebra.product(out, _surd(coefficient.numerator, exponent, work), work)
    if coefficient.denominator != 1:
        out = algebra.product(out, algebra.inverse(_surd(coefficient.denominator, exponent, work), work), work)
    for atom, e in mono:
        out = algebra.product(out, _root_of_generator(atom, e, exponent, even, work), work)
    return out


def _root_of_generator(atom: algebra.Atom, e: Fraction, exponent: Fraction, even: bool, work: Work) -> Quotient:
    kind, power = atom[0], e * exponent
    if kind in ("pi", "e", "p", "E"):
        return _reduced(atom, power, work)
    if kind == "sym" or (kind == "fn" and e.denominator == 1):
        if even and e.denominator == 1 and e % 2 == 0:
            if power.denominator == 1 and power % 2 == 0:
                return algebra.generator(atom, power)
            size = ("abs", algebra.key(algebra.generator(atom)))
            return _reduced(size, power, work)
        return algebra.generator(atom, power)
    return _generator_root({frozenset([(atom, e)]): Fraction(1)}, exponent)


def _reduced(atom: algebra.Atom, power: Fraction, work: Work) -> Quotient:
    """A generator to a power, brought into its range by multiplying."""
    if atom[0] not in ("p", "abs"):
        return algebra.generator(atom, power)
    whole = power.numerator // power.denominator
    out = algebra.generator(atom, power - whole) if power != whole else algebra.constant(1)
    if whole and atom[0] == "p":
        return algebra.product(out, algebra.power(algebra.constant(atom[1]), whole, work), work)
    return algebra.product(out, algebra.power(algebra.generator(atom), whole, work), work) if whole else out


def _surd(n: int, exponent: Fraction, work: Work) -> Quotient:
    """A positive integer to a fractional power, as powers of primes."""
    out = algebra.constant(1)
    for prime, count in factors(n):
        power = exponent * count
        whole = power.numerator // power.denominator
        if (whole + 1) * prime.bit_length() > algebra.MAX_BITS:
            raise TooBig("a power too large to work out")
        part = power - whole
        piece = algebra.generator(("p", prime), part) if part else algebra.constant(1)
        out = algebra.product(out, algebra.product(algebra.constant(prime**whole), piece, work), work)
    return out


@functools.lru_cache(maxsize=4096)
def factors(n: int) -> tuple[tuple[int, int], ...]:
    """Prime factors with their powers; what is left beyond 10^4 stays whole unless it is a perfect power."""
    out: list[tuple[int, int]] = []
    for prime in _primes():
        if prime * prime > n:
            break
        count = 0
        while n % prime == 0:
            n, count = n // prime, count + 1
        if count:
            out.append((prime, count))
    if n > 1:
        for degree in (2, 3, 5):
            side = round(n ** (1 / degree)) if n < 1 << 200 else 0
            if degree == 2:
                side = math.isqrt(n)
            if side > 1 and side**degree == n:
                return (*out, (side, degree))
        out.append((n, 1))
    return tuple(out)


@functools.cache
def _primes() -> tuple[int, ...]:
    sieve = bytearray([1]) * 10_000
    for i in range(2, 100):
        if sieve[i]:
            sieve[i * i :: i] = bytes(len(range(i * i, 10_000, i)))
    return tuple(i for i in range(2, 10_000) if sieve[i])
