"""Expressions as decimals of 60 digits: to tell two values apart, to order ends of intervals, to check a rounding.

Real values only; every function is worked out here with `decimal`, whose context belongs to the calling thread. Two
values that agree to all digits are not thereby equal. Left out: complex values, symbols without a value.
"""

from __future__ import annotations

import decimal
import math
from collections.abc import Mapping
from decimal import Decimal
from fractions import Fraction

from verigrad.rewards.mathematics.trees import Node, TooBig, Unread

DIGITS = 60
PI = Decimal("3.14159265358979323846264338327950288419716939937510582097494459230781640628620899862803482534211706798")
_CONTEXT = decimal.Context(
    prec=DIGITS + 20,
    Emax=10**6,
    Emin=-(10**6),
    traps=[decimal.InvalidOperation, decimal.DivisionByZero, decimal.Overflow],
)


def value(node: Node, symbols: Mapping[str, Decimal] | None = None) -> Decimal | None:
    """The value to DIGITS digits; None where it is not real or cannot be worked out here."""
    with decimal.localcontext(_CONTEXT):
        try:
            return +_value(node, symbols or {})
        except (Unread, TooBig, ArithmeticError, ValueError, RecursionError, KeyError):
            return None


def overflows(node: Node) -> bool:
    """A number without symbols whose size alone is beyond what is worked out here: a tower of powers."""
    with decimal.localcontext(_CONTEXT):
        try:
            _value(node, {})
        except decimal.Overflow:
            return True
        except (Unread, TooBig, ArithmeticError, ValueError, RecursionError, KeyError):
            return False
    return False


def of_fraction(number: Fraction) -> Decimal:
    """A rational as a decimal of DIGITS digits."""
    with decimal.localcontext(_CONTEXT):
        return Decimal(number.numerator) / Decimal(number.denominator)


def apart(a: Decimal, b: Decimal) -> bool:
    """The two differ by more than their last digits."""
    with decimal.localcontext(_CONTEXT):
        size = max(abs(a), abs(b))
        return abs(a - b) > size * Decimal(10) ** -40 and abs(a - b) > Decimal(10) ** -1000


def _value(node: Node, symbols: Mapping[str, Decimal]) -> Decimal:
    op = node.op
    if op in ("num", "sci"):
        if not isinstance(node.value, Fraction):
            raise Unread("no number")
        return Decimal(node.value.numerator) / Decimal(node.value.denominator)
    if op == "sym":
        return symbols[str(node.value)]
    if op == "const":
        if node.value == "pi":
            return PI
        if node.value == "e":
            return Decimal(1).exp()
        raise Unread("no real number")
    args = [_value(a, symbols) for a in node.args]
    if op in ("add", "mixed"):
        return sum(args, Decimal(0))
    if op == "mul":
        out = Decimal(1)
        for a in args:
            out *= a
        return out
    if op == "neg":
        return -args[0]
    if op == "div":
        return args[0] / args[1]
    if op == "percent":
        return args[0] / 100
    if op == "degree":
        return args[0] * PI / 180
    if op == "pow":
        return _power(args[0], args[1])
    if op == "root":
        return _root(args[0], args[1])
    if op == "fn":
        return _function(str(node.value), args)
    raise Unread("no single value")


def _power(base: Decimal, exponent: Decimal) -> Decimal:
    if exponent == exponent.to_integral_value() and abs(exponent) < 10**7:
        return base ** int(exponent)
    if base < 0:
        raise Unread("a power that is not real")
    return base**exponent if base else Decimal(0)


def _root(inner: Decimal, degree: Decimal) -> Decimal:
    if inner < 0:
        if degree % 2 != 1:
            raise Unread("a root that is not real")
        return -_root(-inner, degree)
    if degree == 2:
        return inner.sqrt()
    return inner ** (1 / degree) if inner else Decimal(0)


def _function(name: str, args: list[Decimal]) -> Decimal:
    x = args[0]
    if name in ("sin", "cos", "tan", "cot", "sec", "csc"):
        sine, cosine = _circle(x)
        one = Decimal(1)
        above, below = {
            "sin": (sine, one), "cos": (cosine, one), "tan": (sine, cosine), "cot": (cosine, sine),
            "sec": (one, cosine), "csc": (one, sine),
        }[name]  # fmt: skip
        return above / below
    if name == "ln" or (name == "log" and len(args) == 2):
        return x.ln() if len(args) == 1 else x.ln() / args[1].ln()
    if name == "lg":
        return x.log10()
    if name == "exp":
        return x.exp()
    if name == "abs":
        return abs(x)
    if name == "cbrt":
        return _root(x, Decimal(3))
    if name == "atan":
        return _arctangent(x)
    if name in ("asin", "acos"):
        right = PI / 2
        angle = right.copy_sign(x) if abs(x) == 1 else _arctangent(x / (1 - x * x).sqrt())
        return angle if name == "asin" else right - angle
    if name in ("sinh", "cosh", "tanh"):
        up, down = x.exp(), (-x).exp()
        return {"sinh": (up - down) / 2, "cosh": (up + down) / 2, "tanh": (up - down) / (up + down)}[name]
    if name == "factorial" and x == x.to_integral_value() and 0 <= x <= 3000:
        return Decimal(math.factorial(int(x)))
    if name == "binomial" and all(a == a.to_integral_value() and 0 <= a <= 3000 for a in args):
        return Decimal(math.comb(int(x), int(args[1])))
    if name in ("floor", "ceil"):
        return x.to_integral_value(decimal.ROUND_FLOOR if name == "floor" else decimal.ROUND_CEILING)
    raise Unread(f"no value of {name}")


def _circle(x: Decimal) -> tuple[Decimal, Decimal]:
    """Sine and cosine by Taylor's series, the argument brought below 1."""
    if abs(x) > 10**12:
        raise TooBig("an angle too large")
    turns = (x / (2 * PI)).to_integral_value()
    x -= turns * 2 * PI
    halvings = 6
    x /= 2**halvings
    sine, cosine, term = Decimal(0), Decimal(0), Decimal(1)
    for n in range(0, 80):
        if n % 2:
            sine += term if n % 4 == 1 else -term
        else:
            cosine += term if n % 4 == 0 else -term
        term = term * x / (n + 1)
    for _ in range(halvings):
        sine, cosine = 2 * sine * cosine, cosine * cosine - sine * sine
    return sine, cosine


def _arctangent(x: Decimal) -> Decimal:
    halvings = 8
    for _ in range(halvings):
        x = x / (1 + (1 + x * x).sqrt())
    out, term, square = Decimal(0), x, x * x
    for n in range(60):
        out += term / (2 * n + 1) if n % 2 == 0 else -term / (2 * n + 1)
        term *= square
    return out * Decimal(2**halvings)
