"""From a short text to exactly one number literal, as an exact rational, or a reason why not.

A literal is an integer, a decimal, a fraction of two integers, a mixed number, one of these in scientific notation, each
with an optional sign, currency sign and percent. An expression ("8 * 10", "8/2", "2^10") is not a literal. Sizes are
bounded before any arithmetic. Left out: where in an answer to look (extract), and comparing with the gold (number).
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal as OneOf

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

    >>> parse("2 3/4").value
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


_INT = r"(?:[1-9][0-9]{0,2}(?:,[0-9]{3})+(?![0-9]|,[0-9])|[0-9]+)"
_DECIMAL = rf"(?:0,[0-9]+(?![0-9]|,[0-9])|{_INT}(?:\.[0-9]+)?|\.[0-9]+)"
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
_UNITS = frozenset("cm mm km m kg g mg l ml lb lbs ft oz mph kph kmh hr hrs min mins h s".split())
_LINKS = frozenset("is are was be equals equal gives give makes make gets get leaves leave yields becomes totals".split())
_CJK_LINKS = frozenset("是为於于得")
_OPERATIONS = frozenset("plus minus times multiplied divided over mod".split())
_AFTER = frozenset("hundred hundreds thousand thousands million millions billion billions trillion trillions dozen dozens k".split())
_POSTFIX = frozenset("squared cubed factorial".split())
_NEGATIONS = frozenset("not never neither nor than least most isn't aren't wasn't or either between".split())
_QUESTION = frozenset("what how which compute calculate find solve evaluate simplify determine".split())
_CJK_TIMES = frozenset("百千万亿")
_SPACES = str.maketrans({c: " " for c in "\t\u00a0\u2002\u2003\u2007\u3000\u2028\u2029"})
_MARKS = str.maketrans(
    {"−": "-", "–": "-", "‐": "-", "‑": "-", "‒": "-", "﹣": "-", "⁄": "/", "∕": "/", "×": "*", "·": "*", "⋅": "*", "∗": "*"}
    | {"，": ",", "。": ".", "：": ":", "；": ";", "、": ",", "—": ";", "’": "'"}
    | {chr(0xFF01 + i): chr(0x21 + i) for i in range(94)}
    | dict.fromkeys("\u200b\u200c\u200d\u2060\ufeff\u00ad", "")
)
_VULGAR = {"½": "1/2", "⅓": "1/3", "⅔": "2/3", "¼": "1/4", "¾": "3/4", "⅕": "1/5", "⅖": "2/5", "⅗": "3/5", "⅘": "4/5"} | {
    "⅙": "1/6", "⅚": "5/6", "⅛": "1/8", "⅜": "3/8", "⅝": "5/8", "⅞": "7/8", "⅐": "1/7", "⅑": "1/9", "⅒": "1/10"
}  # fmt: skip
_RAISED = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻⁺", "0123456789-+")
_LOWERED = str.maketrans("₀₁₂₃₄₅₆₇₈₉", "0123456789")


def normalise(text: str) -> str:
    """One spelling for what is written in several: widths, minus signs, spaces, LaTeX dressing, currency signs."""
    text = re.sub(r"(?<=[0-9])(?:[\u2009\u202f]|\\[,!;:]|\{,\})(?=[0-9]{3}(?![0-9]))", ",", text)
    text = text.translate(_SPACES).replace("\u2009", " ").replace("\u202f", " ")
    text = re.sub("[" + "".join(_VULGAR) + "]", lambda m: " " + _VULGAR[m[0]] + " ", text)
    text = re.sub("[⁰¹²³⁴⁵⁶⁷⁸⁹⁻⁺]+", lambda m: "^{" + m[0].translate(_RAISED) + "}", text)
    text = re.sub("[₀-₉]+", lambda m: "_" + m[0].translate(_LOWERED), text)
    text = text.translate(_MARKS)
    text = re.sub(r"<<[^<>\n]{0,200}>>", "", text)
    text = re.sub(r"\\(?:[dtc]frac)(?![A-Za-z])", r"\\frac", text)
    text = re.sub(r"\\(?:left|right|displaystyle|boxed|fbox)(?![A-Za-z])", "", text)
    for _ in range(3):
        text = re.sub(r"\\(?:text|textbf|mathrm|mathbf|mbox|textit|emph) ?\{([^{}]*)\}", r" \1 ", text)
    text = re.sub(r"\^ ?(?:\\circ(?![A-Za-z])|\{ ?\\circ ?\})", "°", text)
    text = re.sub(r"\\(?:times|cdot|ast)(?![A-Za-z])", " * ", text)
    text = re.sub(r"\\div(?![A-Za-z])", " ÷ ", text)
    text = re.sub(r"\\approx(?![A-Za-z])", " ≈ ", text)
    text = re.sub(r"\\(?:quad|qquad)(?![A-Za-z])|\\[,;:! ()\[\]]|~", " ", text)
    text = text.replace("\\%", "%").replace("\\$", "$")
    text = re.sub(r"(?<=[0-9)]) ?\*\* ?(?=[0-9(])", "^", text)
    text = re.sub(r"([-+]) ?[$€£¥₹]+ ?(?=[0-9.])", r"\1", text)
    text = re.sub(r"[$€£¥₹`]|\*{2,3}", " ", text)
    return re.sub(r"\s+", " ", text).strip()


def parse(text: str) -> Number:
    """The number this text is, and nothing beside it. Raises Unread or TooBig.

    >>> parse(r"\\frac{3}{4}").value, parse("1,640").value, parse("42.5%").value
    (Fraction(3, 4), Fraction(1640, 1), Fraction(17, 40))
    """
    tokens = _tokens(text, boxed=True)
    numbers = [t for t in tokens if t.number]
    rest = [t for t in tokens if not t.number and t.text not in "().{}[]"]
    if len(numbers) != 1 or rest or numbers[0].number is None:
        raise Unread("not one number literal")
    return numbers[0].number


def commit(span: str, *, boxed: bool = False) -> Number:
    """The one number this span commits itself to.

    Exactly one literal, words around it allowed, or an equation (`=` or "is", "equals", "makes" ...) whose last right
    side holds exactly one literal: "8 * 10 = 80" commits 80. Raises Unread for none, several, a hedge, a negation, a
    question, an expression, a cut end; TooBig beyond our limits. `boxed`: the span is marked as the answer (a box, a
    tag), so that a lone minus is a minus and "!" is a factorial.

    >>> commit("That makes 64, counting the spare.").value
    Fraction(64, 1)
    """
    tokens = _tokens(span, boxed=boxed)
    while tokens and tokens[-1].kind == "mark" and tokens[-1].text in (".", ";", ",", '"', "'", ":") + (() if boxed else ("!",)):
        tokens.pop()
    if not any(t.number or t.kind == "broken" for t in tokens):
        raise Unread("no number")
    if tokens[-1].kind in ("operator", "equal"):
        raise Unread("cut off after an operator")
    if not boxed and (tokens[-1].text == "?" or (tokens[0].text.lower() in _QUESTION)):
        raise Unread("a question, not an answer")
    segments: list[list[_Token]] = [[]]
    for i, token in enumerate(tokens):
        if token.link and any(t.number or t.kind == "broken" for t in tokens[i + 1 :][:64]):
            segments.append([])
        else:
            segments[-1].append(token)
    final = _single(segments[-1], boxed=boxed)
    for place, segment in enumerate(segments[:-1]):
        _agrees(segment, final, first=place == 0)
    return final


@dataclass(frozen=True)
class _Token:
    kind: str
    text: str
    number: Number | None = None
    link: bool = False


def _single(tokens: list[_Token], *, boxed: bool) -> Number:
    """The one number among the tokens of a right side."""
    found: Number | None = None
    for i, token in enumerate(tokens):
        word = token.text.lower()
        after = tokens[i + 1] if i + 1 < len(tokens) else None
        if token.kind == "broken":
            raise Unread(f"not a number literal: {token.text[:40]}")
        if token.number:
            if found:
                raise Unread("several numbers")
            found = token.number
            if after and (after.text.lower() in _AFTER | _POSTFIX or after.text in _CJK_TIMES):
                raise Unread(f"not a number literal: {token.text} {after.text}")
        elif word in _NEGATIONS:
            raise Unread(f"hedged or negated ({word})")
        elif (token.kind == "operator" or word in _OPERATIONS) and _operates(token, after):
            raise Unread("an expression, not a number")
        elif token.kind == "command" or token.text in "√π∞∑∫_^" or (boxed and token.text in "!;"):
            raise Unread(f"not a number literal: {token.text}")
    if not found:
        raise Unread("no number")
    return found


def _operates(token: _Token, after: _Token | None) -> bool:
    """An operator, not a dash: what follows can be an operand."""
    if token.text in "^±<>≤≥≠" or after is None:
        return True
    one_letter = after.kind == "word" and len(after.text) == 1
    return bool(after.number) or one_letter or after.kind in ("command", "broken") or after.text in ("(", "{", "by")


def _agrees(tokens: list[_Token], final: Number, *, first: bool) -> None:
    """Raises Unread where an earlier side of an equation offers another answer."""
    numbers = [t.number for t in tokens if t.number]
    if not numbers:
        return
    words = {t.text.lower() for t in tokens}
    if words & {"or", "either"}:
        raise Unread("hedged (or)")
    if first:
        if len(tokens) == len(numbers) == 1 and numbers[0].value != final.value:
            raise Unread("several numbers")
        return
    if words & {",", ";", "and"}:
        raise Unread("several answers")
    operates = any(t.kind == "operator" or t.text.lower() in _OPERATIONS for t in tokens)
    if len(numbers) == 1 and not operates and numbers[0].value != final.value:
        raise Unread("several numbers")


def _tokens(text: str, *, boxed: bool) -> list[_Token]:
    if len(text) > MAX_SPAN:
        raise TooBig(f"a span of more than {MAX_SPAN} characters")
    text = re.sub(r"\b[Nn]egative (?=[0-9.])", "-", normalise(text))
    out: list[_Token] = []
    for match in _TOKEN.finditer(text):
        kind = match.lastgroup or ""
        piece = match[0]
        if not match["number"]:
            kind = "command" if match["command"] else kind
            link = kind == "equal" or piece.lower() in _LINKS or piece in _CJK_LINKS
            out.append(_Token(kind, piece, link=link))
            continue
        glued = re.match(r"[A-Za-z]+|[_\\{]", text[match.end() :])
        if glued and not match["percent"] and glued[0].lower() not in _UNITS:
            out.append(_Token("broken", piece + glued[0]))
            continue
        sign = _take_sign(out, text, match.start(), boxed=boxed)
        out.append(_number(match, sign))
    return out


def _take_sign(out: list[_Token], text: str, start: int, *, boxed: bool) -> str:
    """Takes a sign that belongs to the number at `start` off the tokens; "" where there is none."""
    if not out or out[-1].text not in ("-", "+"):
        return ""
    spaced = text[start - 1] == " "
    before = out[-2] if len(out) > 1 else None
    operand = before is not None and (before.number is not None or before.kind == "broken" or before.text in ")}%")
    if operand or (before is not None and before.kind in ("word", "other") and not before.link and (spaced or len(before.text) == 1)):
        return ""
    if before is None and spaced and not boxed:
        raise Unread("a dash or a minus")
    return out.pop().text


def _number(match: re.Match[str], sign: str) -> _Token:
    piece = match["number"]
    if sum(c.isdigit() for c in piece) > MAX_DIGITS:
        raise TooBig(f"a number of more than {MAX_DIGITS} digits")
    form: Form = next(f for f in ("mixed", "fraction", "scientific", "plain") if match[f])
    pair: tuple[int, int] | None = None
    places: int | None = None
    if form in ("mixed", "fraction"):
        whole, top, bottom = _parts(piece, mixed=form == "mixed")
        if bottom == 0 or top % bottom == 0 or (form == "mixed" and not 0 < top < bottom):
            return _Token("broken", piece)
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
    return _Token(
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
