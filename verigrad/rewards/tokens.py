"""From a short text to tokens, with every number literal among them as an exact rational.

A literal is an integer, a decimal, a fraction of two integers, a mixed number or one of these in scientific notation,
with an optional sign, currency sign and percent. Sizes are bounded before any arithmetic. Left out: which of the
numbers is the answer (literals).
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal as OneOf

from verigrad.rewards.spelling import normalise, words

MAX_SPAN = 2_000
"""Characters of one span that are read at all."""
MAX_DIGITS = 400
"""Digits of one literal."""
MAX_EXPONENT = 400
"""Absolute power of ten."""

Form = OneOf["plain", "fraction", "mixed", "scientific"]


class Unread(Exception):
    """No single committed answer; the text says why."""


class TooBig(Exception):
    """Beyond a size limit of ours: the answer broke the check."""


@dataclass(frozen=True, kw_only=True)
class Number:
    """One number literal.

    >>> tokens("2 3/4", boxed=True)[0].number.value
    Fraction(11, 4)
    """

    value: Fraction
    """Exact; a percent is divided by 100."""
    text: str
    """As read, normalised, without spaces around."""
    form: Form
    """How it is spelled, the percent sign aside."""
    percent: bool = False
    """Spelled as a percent."""
    pair: tuple[int, int] | None = None
    """Numerator and denominator as spelled, where it is a fraction or mixed."""
    places: int | None = None
    """Digits after the decimal point, where it is plain."""


@dataclass(frozen=True)
class Token:
    """A word, an operator, a punctuation mark, a number; `broken` is what looks like a number and is none."""

    kind: str
    text: str
    number: Number | None = None
    link: bool = False


_INT = r"(?:[1-9][0-9]{0,2}(?:,[0-9]{3})+(?![0-9]|,[0-9])|[0-9]+)"
_DECIMAL = rf"(?:0,[0-9]+(?![0-9]|,[0-9])|{_INT}(?:\.[0-9]+)?|(?<![A-Za-z])\.[0-9]+)"
_TEX_PART = rf"(?:\{{ ?-?{_INT} ?\}}|[0-9])"
_TEX_FRACTION = rf"\\frac ?{_TEX_PART} ?{_TEX_PART}"
_POWER = r"(?:[eE][+-]?[0-9]+| ?[*x] ?10 ?\^ ?(?:\{ ?[+-]?[0-9]+ ?\}|\([+-]?[0-9]+\)|[+-]?[0-9]+))"
_NUMBER = (
    rf"(?P<mixed>{_INT} ?{_TEX_FRACTION}|{_INT} {_INT}/{_INT}(?![0-9/]))"
    rf"|(?P<fraction>{_TEX_FRACTION}|{_INT}/{_INT}(?![0-9/.]))"
    rf"|(?P<scientific>{_DECIMAL}{_POWER})"
    rf"|(?P<plain>{_DECIMAL})"
)
_TOKEN = re.compile(
    rf"(?P<number>{_NUMBER})(?P<percent> ?(?:%|per ?cent\b))?"
    r"|(?P<command>\\[A-Za-z]+|\\.)"
    r"|(?P<equal>=>|->|={1,2}|≈|→|⇒)"
    r"|(?P<operator><=|>=|!=|[-+*/^÷<>≤≥≠±|~])"
    r"|(?P<word>[A-Za-z][A-Za-z0-9_]*(?:'[a-z]+)?)"
    r"|(?P<mark>[,.;:!?()\[\]{}\"'])"
    r"|(?P<other>\S)"
)
_UNITS = words("cm mm km m kg g mg l ml lb lbs ft oz mph kph kmh hr hrs min mins h s")
_POWER_UNIT = re.compile(r"(?:mm|cm|m|km|ft)[23]$")
_LINKS = words(
    "it's that's is are was be equals equal gives give makes make gets get leaves leave yields becomes totals"
)
_CJK_LINKS = frozenset("是为於于得")


def tokens(text: str, *, boxed: bool) -> list[Token]:
    """The tokens of a span; see commit for `boxed`. Raises TooBig, and Unread for a lone dash before a number."""
    if len(text) > MAX_SPAN:
        raise TooBig(f"a span of more than {MAX_SPAN} characters")
    text = re.sub(r"\b[Nn]egative (?=[0-9.])", "-", normalise(text))
    out: list[Token] = []
    for match in _TOKEN.finditer(text):
        kind = match.lastgroup or ""
        piece = match[0]
        if not match["number"]:
            kind = "command" if match["command"] else kind
            link = kind == "equal" or piece.lower() in _LINKS or piece in _CJK_LINKS
            out.append(Token(kind, piece, link=link))
            continue
        glued = re.match(r"[A-Za-z][A-Za-z0-9_]*|[_\\{]", text[match.end() :])
        if glued and not match["percent"] and not _is_unit(glued[0]):
            out.append(Token("broken", piece + glued[0]))
            continue
        sign = _take_sign(out, text, match.start(), boxed=boxed)
        out.append(_number(match, sign))
    return out


def _is_unit(glued: str) -> bool:
    """A unit written onto a number. A lone capital (80M, 80K) is a power of ten, liters aside."""
    return (
        glued == "L" or (glued.lower() in _UNITS and not re.fullmatch("[A-Z]", glued)) or bool(_POWER_UNIT.match(glued))
    )


def _take_sign(out: list[Token], text: str, start: int, *, boxed: bool) -> str:
    """Takes a sign that belongs to the number at `start` off the tokens; "" where there is none."""
    if not out or out[-1].text not in ("-", "+"):
        return ""
    spaced = text[start - 1] == " "
    before = out[-2] if len(out) > 1 else None
    operand = before is not None and (before.number is not None or before.kind == "broken" or before.text in ")}%")
    if operand or (
        before is not None
        and before.kind in ("word", "other")
        and not before.link
        and (spaced or len(before.text) == 1)
    ):
        return ""
    if before is None and spaced and not boxed:
        raise Unread("a dash or a minus")
    return out.pop().text


def _number(match: re.Match[str], sign: str) -> Token:
    piece = match["number"]
    if sum(c.isdigit() for c in piece) > MAX_DIGITS:
        raise TooBig(f"a number of more than {MAX_DIGITS} digits")
    form: Form = next(f for f in ("mixed", "fraction", "scientific", "plain") if match[f])
    pair: tuple[int, int] | None = None
    places: int | None = None
    if form in ("mixed", "fraction"):
        whole, top, bottom = _parts(piece, mixed=form == "mixed")
        if bottom == 0 or top % bottom == 0 or (form == "mixed" and not 0 < top < bottom):
            return Token("broken", piece)
        value, pair = whole + Fraction(top, bottom), (top, bottom)
    elif form == "scientific":
        mantissa, power = re.split(r"[eE]| ?[*x] ?10 ?\^", piece, maxsplit=1)
        exponent = power.strip(" {}()")
        if len(exponent) > 5 or abs(int(exponent)) > MAX_EXPONENT:
            raise TooBig(f"an exponent beyond {MAX_EXPONENT}")
        value = Fraction(_plain(mantissa)) * Fraction(10) ** int(exponent)
    else:
        text = _plain(piece)
        value, places = Fraction(text), len(text.partition(".")[2])
    percent = bool(match["percent"])
    value = (-value if sign == "-" else value) / (100 if percent else 1)
    return Token(
        "number",
        piece,
        Number(value=value, text=sign.strip("+") + match[0], form=form, percent=percent, pair=pair, places=places),
    )


def _plain(text: str) -> str:
    """Without thousands separators, with a point for the decimal comma after a lone 0."""
    return text.replace(",", "." if re.fullmatch(r"0,[0-9]+", text) else "")


def _parts(piece: str, *, mixed: bool) -> tuple[int, int, int]:
    """Whole part, numerator and denominator of a fraction as spelled."""
    whole = "0"
    if "\\frac" in piece:
        head, _, tail = piece.partition("\\frac")
        whole = head.strip() or "0"
        top, bottom = (t.strip(" {}") for t in re.findall(_TEX_PART, tail))
    else:
        if mixed:
            whole, piece = piece.split(" ")
        top, bottom = piece.split("/")
    return int(_plain(whole)), int(_plain(top)), int(_plain(bottom))
