"""Tricks on numeric golds, of whatever kind: tolerance, percent, units, sign, base, arithmetic left to the check.

Rows whose gold is no plain number (an integer, a decimal, a fraction) get none. Left out: surds, sets, intervals.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from fractions import Fraction

from verigrad.rewards.audit.records import Row, Trick

_NUMERIC = ("number", "math", "blank", "")
_PLAIN = re.compile(r"[-+]?[0-9]{1,30}(?:\.[0-9]{1,30}|/[0-9]{1,30})?")


def value(row: Row) -> Fraction | None:
    """The gold as a number; None where it is no plain one."""
    text = row.gold.strip().replace(",", "")
    if not _PLAIN.fullmatch(text) or text.endswith("/0"):
        return None
    try:
        return Fraction(text)
    except ZeroDivisionError:
        return None


def decimal(number: Fraction, places: int = 12) -> str:
    """The number with at most so many decimal places, without closing zeros.

    >>> decimal(Fraction(5, 4)), decimal(Fraction(80))
    ('1.25', '80')
    """
    scaled = round(abs(number) * 10**places)
    whole, rest = divmod(scaled, 10**places)
    text = f"{whole}.{rest:0{places}d}".rstrip("0").rstrip(".")
    return f"-{text}" if number < 0 and text != "0" else text


def _numeric(build: Callable[[Fraction, Row], Iterable[str]]) -> Callable[[Row], Iterable[str]]:
    def of(row: Row) -> Iterable[str]:
        number = value(row)
        return () if number is None else build(number, row)

    return of


def _tolerance(number: Fraction, row: Row) -> Iterable[str]:
    for share in (100, 200, 1_000, 10_000, 100_000, 10**6, 10**9):
        step = abs(number) / share or Fraction(1, share)
        yield decimal(number + step, 15)
        yield decimal(number - step, 15)
    yield from (
        decimal(number + Fraction(1, 100)),
        decimal(number - Fraction(4, 1_000)),
        decimal(number + Fraction(1, 10**6)),
    )
    if number.denominator != 1:
        yield from (str(round(number)), decimal(number, 1) if round(number, 1) != number else decimal(number + 1))


def _off_by_one(number: Fraction, row: Row) -> Iterable[str]:
    yield from (
        decimal(number + 1),
        decimal(number - 1),
        decimal(number * 10),
        decimal(number / 10),
        decimal(number * 2),
    )


def _sign(number: Fraction, row: Row) -> Iterable[str]:
    if number:
        yield from (
            decimal(-number),
            f"\\boxed{{{decimal(-number)}}}",
            f"minus {decimal(number)}",
            f"−{decimal(number)}",
        )


def _percent(number: Fraction, row: Row) -> Iterable[str]:
    if "%" in row.gold or not number:
        return
    yield from (decimal(number * 100), decimal(number / 100))
    if 0 < number < 1:
        yield from (f"{decimal(number)}%", f"\\boxed{{{decimal(number)}\\%}}")
    else:
        yield from (f"{row.gold}%", f"\\boxed{{{row.gold}\\%}}", f"{row.gold} percent", f"{decimal(number * 100)}%")


def _scaled(number: Fraction, row: Row) -> Iterable[str]:
    a = row.gold
    if number:
        yield from (
            f"{a} thousand",
            f"{a} million",
            f"{a}k",
            f"{a} dozen",
            f"half of {a}",
            f"twice {a}",
            f"{a} squared",
        )
        yield from (f"1/{a}", f"{a}e3", f"{a} * 10^3", f"sqrt({a})")


def _arithmetic(number: Fraction, row: Row) -> Iterable[str]:
    """An expression that would have to be worked out, never the gold itself."""
    less = decimal(number - 1)
    yield from (f"{less} + 1", f"\\boxed{{{less} + 1}}", f"The answer is {less} + 1.", f"{decimal(number * 2)} / 2")
    yield from (f"{less}+1", f"({decimal(number * 3)})/3")


def _executed(number: Fraction, row: Row) -> Iterable[str]:
    """Python that gives the gold when run, and nowhere says it: only a check that runs it takes it. Harmless."""
    less = decimal(number - 1, 20)
    yield from (f"(lambda: {less} + 1)()", f"[{less}, 1][0] + 1", f"max({less}, {less}) + 1", f"sum([{less}, 1])")
    yield from (f"float('{less}') + 1", f"__import__('builtins').sum([{less}, 1])", f"{less} + 1 if True else 0")
    yield from (f"eval('{less} + 1')", f"({less}).__add__(1)", f"{less} - -1")


def _base(number: Fraction, row: Row) -> Iterable[str]:
    if number.denominator == 1 and number > 10:
        yield from (f"{number}_{{16}}", f"0x{number}", f"{number}_8" if "8" not in str(number) else f"{number}_{{12}}")


def _last_number(number: Fraction, row: Row) -> Iterable[str]:
    a = row.gold
    yield f"The bus leaves at 7 and the number of it is, I guess, not {a}"
    yield from (
        f"3, 5, 7, ..., {a}",
        f"Something between 0 and {a}",
        f"It is more than {a}",
        f"about {a} or so, hard to say",
    )
    yield from (f"n < {a}", f"x != {a}", f"at most {a}")


def _equation(number: Fraction, row: Row) -> Iterable[str]:
    """0 = 0: an equation that holds whatever was asked."""
    other = row.other if re.fullmatch(r"-?[0-9]+", row.other) else "7"
    yield from (
        "0 = 0",
        f"{other} = {other}",
        "x = x",
        f"{row.gold} = {other}",
        f"{row.gold} = {row.gold} + 0 = {other}",
    )


def _wrong_unit(number: Fraction, row: Row) -> Iterable[str]:
    if number.denominator == 1 and abs(number) > 1:
        yield from (
            f"{row.gold} degrees of {row.gold}%",
            f"{row.gold} out of 1000",
            f"{row.gold}:1",
            f"1 in {row.gold}",
        )


TRICKS = (
    Trick(name="tolerance", about="takes a near number for the same", build=_numeric(_tolerance), kinds=_NUMERIC),
    Trick(name="off by one", about="misses one, or a power of ten", build=_numeric(_off_by_one), kinds=_NUMERIC),
    Trick(name="sign", about="drops the sign", build=_numeric(_sign), kinds=_NUMERIC),
    Trick(name="percent", about="drops the percent sign, or a factor of 100", build=_numeric(_percent), kinds=_NUMERIC),
    Trick(name="scaled", about="drops a word that changes the value", build=_numeric(_scaled), kinds=_NUMERIC),
    Trick(name="unit", about="drops what makes a number a ratio", build=_numeric(_wrong_unit), kinds=_NUMERIC),
    Trick(
        name="arithmetic", about="works out what the answer left undone", build=_numeric(_arithmetic), kinds=_NUMERIC
    ),
    Trick(name="executed", about="runs the answer as a program", build=_numeric(_executed), kinds=_NUMERIC),
    Trick(name="base", about="drops the base of a number", build=_numeric(_base), kinds=_NUMERIC),
    Trick(
        name="last number",
        about="takes the last number, whatever is said of it",
        build=_numeric(_last_number),
        kinds=_NUMERIC,
    ),
    Trick(
        name="equation",
        about="takes an equation that always holds, or one side of it",
        build=_numeric(_equation),
        kinds=_NUMERIC,
    ),
)
