"""What runs in the killable process: math_verify on two bounded strings. Imported nowhere else (sympy costs a second).

Left out: deadlines. math_verify's own are SIGALRM, which cannot stop a call that never returns to bytecode; the process
is killed from outside.
"""

from __future__ import annotations

import importlib
import logging
from typing import Any


def equal(gold: str, answer: str) -> str:
    """`equal`, `different`, or `gold` / `answer` for the side that math_verify could not read."""
    from math_verify import parse, verify

    logging.disable(logging.CRITICAL)

    def read(text: str) -> list[object]:
        for form in (f"${text}$", text):
            found = [x for x in parse(form, parsing_timeout=None) if not isinstance(x, str)]
            if found:
                return list(found)
        return []

    left, right = read(gold), read(answer)
    if not left:
        return "gold"
    if not right:
        return "answer"
    same = verify(left, right, timeout_seconds=None) and not _apart(left[0], right[0])
    return "equal" if same else "different"


def proportional(gold: str, answer: str) -> str:
    """As `equal` for two equations: their differences of sides are the same up to a rational factor."""
    from math_verify import parse

    logging.disable(logging.CRITICAL)
    sympy: Any = importlib.import_module("sympy")
    sides = []
    for text, whose in ((gold, "gold"), (answer, "answer")):
        pair = []
        for side in text.split("="):
            found = [x for x in parse(f"${side}$", parsing_timeout=None) if isinstance(x, sympy.Expr)]
            if not found:
                return whose
            pair.append(found[0])
        sides.append(sympy.together(pair[0] - pair[-1]))
    tops = [sympy.numer(s) for s in sides]
    if any(top == 0 for top in tops):
        return "different"
    ratio = sympy.simplify(tops[0] / tops[1])
    return "equal" if ratio.is_number and ratio != 0 and ratio.is_rational else "different"


def rounded(gold: str, decimal: str) -> str:
    """As `equal` for a plain decimal: at least 10 significant digits, and the gold rounded or cut off there."""
    from math_verify import parse

    logging.disable(logging.CRITICAL)
    found = [x for x in parse(f"${gold}$", parsing_timeout=None) if not isinstance(x, str)]
    if not found:
        return "gold"
    exact: Any = found[0]
    if not getattr(exact, "is_number", False) or not exact.is_real:
        return "different"
    sympy: Any = importlib.import_module("sympy")
    said, places = sympy.Rational(decimal), len(decimal.partition(".")[2])
    if exact.is_rational:
        return "equal" if exact == said else "different"
    gap = abs(exact - said).evalf(60)
    nearer = gap < sympy.Rational(1, 10**places) and abs(said) <= abs(exact)
    long = len(decimal.replace(".", "").lstrip("-+0")) >= 10
    return "equal" if long and (nearer or 2 * gap <= sympy.Rational(1, 10**places)) else "different"


def _apart(gold: Any, answer: Any) -> bool:
    """Two numbers that math_verify's rounding (six decimals, chopped differences) takes for equal and that are not.

    Relative difference above 1e-10 where one side is a decimal, above 1e-30 where both are exact.
    """
    if not (getattr(gold, "is_number", False) and getattr(answer, "is_number", False)):
        return False
    sympy: Any = importlib.import_module("sympy")
    decimal = gold.has(sympy.Float) or answer.has(sympy.Float)
    tolerance = sympy.Float("1e-10" if decimal else "1e-30", 60)
    apart = sympy.Abs(gold - answer).evalf(60)
    size = sympy.Max(sympy.Abs(gold).evalf(60), sympy.Abs(answer).evalf(60))
    return bool(apart > tolerance * size)
