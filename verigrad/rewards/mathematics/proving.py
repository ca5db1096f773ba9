"""What runs in the killable process: two trees built as sympy objects, node by node, and a proof that they are equal.

Only what sympy rewrites to the same form counts, for constants also a minimal polynomial; agreement at points never.
Imported nowhere else (sympy costs a second). Left out: deadlines (asking).
"""

from __future__ import annotations

import contextlib
import importlib
from fractions import Fraction
from typing import Any

_FUNCTIONS = {
    "sin": "sin", "cos": "cos", "tan": "tan", "cot": "cot", "sec": "sec", "csc": "csc", "asin": "asin", "acos": "acos",
    "atan": "atan", "sinh": "sinh", "cosh": "cosh", "tanh": "tanh", "ln": "log", "exp": "exp", "abs": "Abs",
    "floor": "floor", "ceil": "ceiling", "factorial": "factorial", "binomial": "binomial", "gcd": "gcd", "lcm": "lcm",
}  # fmt: skip


def equal(gold: list[Any], answer: list[Any]) -> bool:
    """Proven equal. Symbols are taken as real."""
    sympy: Any = importlib.import_module("sympy")
    left, right = _built(gold, sympy), _built(answer, sympy)
    gap = left - right
    if gap == 0:
        return True
    if not gap.free_symbols:
        with contextlib.suppress(Exception):
            x = sympy.Dummy("x")
            if sympy.minimal_polynomial(gap, x) == x:
                return True
    for rewrite in (
        sympy.expand,
        sympy.radsimp,
        lambda e: sympy.expand(sympy.expand_trig(e)),
        lambda e: sympy.expand_log(e, force=True),
        sympy.trigsimp,
        sympy.simplify,
        lambda e: sympy.simplify(e.rewrite(sympy.exp)),
        lambda e: sympy.sqrtdenest(sympy.simplify(e)),
    ):
        try:
            if rewrite(gap) == 0:
                return True
        except (NotImplementedError, ValueError, TypeError, AttributeError, sympy.PolynomialError):
            continue
    return False


def _built(node: list[Any], sympy: Any) -> Any:
    op, args, value = node[0], [_built(a, sympy) for a in node[1]], node[2]
    if op in ("num", "sci"):
        number = Fraction(value)
        return sympy.Rational(number.numerator, number.denominator)
    if op == "sym":
        return sympy.Symbol(value, real=True)
    if op == "const":
        return {"pi": sympy.pi, "e": sympy.E, "i": sympy.I}[value]
    if op in ("add", "mixed"):
        return sympy.Add(*args)
    if op == "mul":
        return sympy.Mul(*args)
    if op == "neg":
        return -args[0]
    if op == "div":
        return args[0] / args[1]
    if op == "percent":
        return args[0] / 100
    if op == "degree":
        return args[0] * sympy.pi / 180
    if op == "pow":
        return args[0] ** args[1]
    if op == "root":
        return sympy.real_root(args[0], args[1]) if args[1].is_odd else sympy.root(args[0], args[1])
    if op == "fn":
        return _applied(value, args, sympy)
    raise ValueError(f"no expression: {op}")


def _applied(name: str, args: list[Any], sympy: Any) -> Any:
    if name == "log":
        base = args[1] if len(args) > 1 else sympy.exp(1 / sympy.Symbol("lg?", positive=True))
        return sympy.log(args[0]) / sympy.log(base)
    if name == "lg":
        return sympy.log(args[0]) / sympy.log(10)
    if name == "cbrt":
        return sympy.real_root(args[0], 3)
    if name in _FUNCTIONS:
        return getattr(sympy, _FUNCTIONS[name])(*args)
    return sympy.Function(name.replace(" ", "_"))(*args)
