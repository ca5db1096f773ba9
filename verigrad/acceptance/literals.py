"""One literal number: its grammar, its exact value, and which forms a gold admits. Nothing here evaluates anything.

A literal is a sign, digits (with thousands separators in threes), a decimal part, an `e` exponent, a fraction of two
whole numbers, or a mantissa times a power of ten; with a percent sign or without. Left out on purpose: units, mixed
numbers, superscripts, sums and products: they are unevaluated or say more than a number. Length, digits and exponent
are bounded before any arithmetic.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Literal

MAX_LENGTH = 256
MAX_EXPONENT = 400

_DIGITS = r"(?:[1-9][0-9]{0,2}(?:,[0-9]{3})+(?![0-9])|[0-9]+)"
_DECIMAL = rf"(?:{_DIGITS}(?:\.[0-9]*)?|\.[0-9]+)"
_PLAIN = re.compile(rf"([+-]?)({_DECIMAL})(?:[eE]([+-]?[0-9]{{1,4}}))?")
_FRACTION = re.compile(
    r"([+-]?)(?:([0-9]+) ?/ ?([0-9]+)"
    r"|\\[dt]?frac ?(?:\{ ?(-?[0-9]+) ?\} ?\{ ?([0-9]+) ?\}|([0-9])([0-9])))"
)
_POWER = re.compile(
    rf"([+-]?)({_DECIMAL}) ?(?:\*|x|×|·|\\times|\\cdot) ?10 ?(?:\^|\*\*) ?"
    r"(?:\{ ?([+-]?[0-9]{1,4}) ?\}|([+-]?[0-9]{1,4}))"
)
_ANYWHERE = re.compile(
    r"\\[dt]?frac ?\{ ?-?[0-9]{1,250} ?\} ?\{ ?[0-9]{1,250} ?\}"
    r"|(?:[0-9]{1,3}(?:,[0-9]{3})+(?![0-9])|[0-9]+)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]{1,4}(?![0-9]))?(?: ?/ ?[0-9]+)?"
    r"|\.[0-9]+"
)
_PERCENT_AFTER = re.compile(r" ?(?:\\?%|per ?cent\b)", re.IGNORECASE)

_DIGIT = re.compile("[0-9\uff10-\uff19\u00bc-\u00be\u2153-\u215e]")
_FULL_WIDTH = {0xFF01 + i: 0x21 + i for i in range(94)}
_MINUS = dict.fromkeys(map(ord, "\u2010\u2011\u2012\u2013\u2212\ufe63"), "-")
_SPACES = dict.fromkeys(
    map(ord, "\u00a0\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u202f\u3000"), " "
)
_VULGAR = {
    ord(c): f" {v}"
    for c, v in [
        *zip("½⅓⅔¼¾⅕⅖⅗⅘", ["1/2", "1/3", "2/3", "1/4", "3/4", "1/5", "2/5", "3/5", "4/5"], strict=True),
        *zip("⅙⅚⅛⅜⅝⅞", ["1/6", "5/6", "1/8", "3/8", "5/8", "7/8"], strict=True),
    ]
}
_TABLE: dict[int, Any] = {
    **_FULL_WIDTH,
    **_MINUS,
    **_SPACES,
    **_VULGAR,
    0x2044: "/",
    0x2215: "/",
    0x3002: ". ",
    0x3001: ",",
}

_MATHS = ("$$", "$", "\\(", "\\[", "\\boxed{", "\\fbox{", "{", "(")
_PAIRS = (
    ("$$", "$$"), ("$", "$"), ("\\(", "\\)"), ("\\[", "\\]"), ("**", "**"), ("__", "__"), ("*", "*"), ("`", "`"),
    ("\\boxed{", "}"), ("\\fbox{", "}"), ("\\text{", "}"), ("\\mathrm{", "}"), ("\\mathbf{", "}"), ("\\textbf{", "}"),
    ("{", "}"), ("(", ")"), ('"', '"'), ("'", "'"), ("“", "”"),
)  # fmt: skip

Form = Literal["plain", "fraction", "power"]


@dataclass(frozen=True, kw_only=True)
class Number:
    """One literal as written."""

    text: str
    """The literal, wrappers removed."""
    value: Fraction
    """Its exact value, the percent applied."""
    form: Form
    """plain | fraction | power (mantissa times a power of ten)."""
    percent: bool
    """Written as a percent."""

    @property
    def exact(self) -> str:
        r"""The value as LaTeX that needs no rounding: "80", "-\frac{1}{2}"."""
        sign, value = "-" if self.value < 0 else "", abs(self.value)
        return (
            f"{sign}{value}" if value.denominator == 1 else f"{sign}\\frac{{{value.numerator}}}{{{value.denominator}}}"
        )


def fold(text: str) -> str:
    """Full-width forms, minus signs, spaces and vulgar fractions as ASCII; nothing that could change a value.

    Not NFKC: that reads 10² as 102 and 1½ as 11/2.
    """
    return text.translate(_TABLE)


def unwrap(text: str, *, brackets: bool = True, shout: bool = True) -> str:
    """The text without balanced wrappers ($, bold, box, quotes, brackets) and without a closing full stop or comma.

    `brackets` False keeps ( ) and { }: around an expression they may say what it is. A closing ! is dropped where it
    is an exclamation mark: not inside mathematics, not after a bracket, and nowhere where `shout` is False.
    """
    for _ in range(12):
        before = text
        text = text.strip().rstrip(".,;").strip()
        if shout and not re.search(r"\)\s*!+$", text):
            text = text.rstrip(".,;!").strip()
        for left, right in _PAIRS:
            if left in "({" and not brackets:
                continue
            inner = text[len(left) : len(text) - len(right)]
            if len(text) > len(left) + len(right) - 1 and text.startswith(left) and text.endswith(right):
                if left[-1] in "({" and not _balanced(inner, left[-1], right):
                    continue
                if left[-1] not in "({" and left in inner:
                    continue
                text, shout = inner, shout and left not in _MATHS
                break
        if text == before:
            break
    return text


def number(text: str) -> Number | None:
    r"""The one literal number that the whole text is, wrappers aside; None for anything else.

    >>> number("$80.0$.").value, number("\\frac{1}{2}").value, number("8 * 10"), number("90 or 80")
    (Fraction(80, 1), Fraction(1, 2), None, None)
    """
    if len(text) > 4 * MAX_LENGTH or not _DIGIT.search(text):
        return None
    bare = unwrap(fold(text))
    if not bare or len(bare) > MAX_LENGTH or bare[0] == "~" or "~~" in bare:
        return None
    bare = bare.replace("{,}", ",").replace("\\!", "").replace("\\,", " ").replace("\\%", "%").replace("~", " ")
    bare = re.sub(r"(?<=[0-9]) ?per ?cent$", "%", bare.strip(), flags=re.IGNORECASE)
    percent = bare.endswith("%")
    body = bare[:-1].rstrip() if percent else bare
    body = unwrap(body) if percent else body
    if body[:1] in "$€£" or (body[:1] in "+-" and body[1:2] in "$€£"):
        body = body.replace(body[1] if body[0] in "+-" else body[0], "", 1).lstrip()
    if body.startswith("\\$"):
        body = body[2:].lstrip()
    return _parse(body, percent)


def last_number(text: str, *, percents: bool, fractions: bool = True) -> Number | None:
    """The last literal anywhere in the text, by the rule for "lenient"; percents and fractions only where that says so.

    Where fractions are not read, 160/2 is two numbers and the last is 2.
    """
    text = fold(text)
    for match in reversed(list(_ANYWHERE.finditer(text))):
        start, token = match.start(), match.group()
        if start and (text[start - 1].isalpha() or text[start - 1] in "_^"):
            continue
        if not fractions:
            token = token.split("/")[-1].strip()
            token = "" if token.startswith("\\") else token
        percent = _PERCENT_AFTER.match(text, match.end()) is not None
        if len(token) > MAX_LENGTH or (percent and not percents):
            continue
        before = text[max(0, start - 40) : start]
        signed = before.endswith("-") and not re.search(r"(?:[0-9)}\]] ?|[a-zA-Z])$", before[:-1])
        found = _parse("-" + token if signed else token, percent)
        if found is not None:
            return found
    return None


def gold_number(gold: Any) -> Number | None:
    """The gold as a literal: a whole number, a finite float, or text; a GSM8K solution gives what follows its ####."""
    if isinstance(gold, bool) or gold is None:
        return None
    if isinstance(gold, int):
        return number(str(gold)) if abs(gold) < 10**MAX_LENGTH else None
    if isinstance(gold, float):
        return number(repr(gold))
    text = gold.rsplit("####", 1)[-1].strip() if isinstance(gold, str) else "!"
    return None if text.endswith("!") else number(text)


def admits(gold: Number, answer: Number) -> str:
    """Empty where the gold admits the form the answer is written in, else why not.

    A percent only where the gold is one or lies strictly between 0 and 1; a fraction only where the gold is no whole
    number (160/2 is an unevaluated 80); a product with a power of ten only where the gold is written so or is at least
    a million or below a thousandth (8 * 10^1 is an unevaluated 80).
    """
    if answer.percent and not (gold.percent or 0 < gold.value < 1):
        return "a percent where none is asked"
    if answer.form == "fraction" and gold.value.denominator == 1:
        return "an unevaluated division"
    size = abs(gold.value)
    if answer.form == "power" and gold.form != "power" and Fraction(1, 1000) <= size < 10**6:
        return "an unevaluated power"
    return ""


def _parse(body: str, percent: bool) -> Number | None:
    value: Fraction | None = None
    form: Form = "plain"
    if match := _PLAIN.fullmatch(body):
        value = _decimal(match[1], match[2], match[3] or "0")
    elif match := _POWER.fullmatch(body):
        form, value = "power", _decimal(match[1], match[2], match[3] or match[4])
    elif match := _FRACTION.fullmatch(body):
        top, bottom = next((a, b) for a, b in ((match[2], match[3]), (match[4], match[5]), (match[6], match[7])) if a)
        form = "fraction"
        if int(bottom) != 0:
            value = Fraction(int(top), int(bottom)) * (-1 if match[1] == "-" else 1)
    if value is None:
        return None
    return Number(text=body + "%" * percent, value=value / 100 if percent else value, form=form, percent=percent)


def _decimal(sign: str, digits: str, exponent: str) -> Fraction | None:
    if abs(int(exponent)) > MAX_EXPONENT:
        return None
    whole, _, part = digits.replace(",", "").partition(".")
    power = int(exponent)
    scale = Fraction(10**power) if power >= 0 else Fraction(1, 10**-power)
    value = Fraction(int(whole + part or "0"), 10 ** len(part)) * scale
    return -value if sign == "-" else value


def _balanced(inner: str, left: str, right: str) -> bool:
    depth = 0
    for c in inner:
        depth += (c == left) - (c == right)
        if depth < 0:
            return False
    return depth == 0
