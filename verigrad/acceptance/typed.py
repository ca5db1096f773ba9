r"""What type of mathematical value a bounded text is, by its outermost signs: how a grader knows what is asked.

number, words, set, list, bracket (point, interval), matrix, equation, inequality, base, expression. Two texts of types
that cannot agree are never compared: what compares expressions drops brackets, units and bases. Left out: values.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Literal

from verigrad.acceptance.literals import Number, fold, number, unwrap

Type = Literal[
    "number", "words", "set", "list", "bracket", "matrix", "equation", "inequality", "base", "congruence", "expression"
]
MAX_PARTS = 50

_UNIT = re.compile(
    r"(.*?[0-9)}\]])\s*\\?\s*(?:\\(?:text|mathrm|mbox)\s?\{\s*([^{}]*?)\s*\}(?:\^\{?([23])\}?)?"
    r"|((?:[a-zA-Z]{2,}|[mgshlL](?![a-z]))(?:[ /][a-zA-Z]+){0,3})(?:\^\{?([23])\}?)?)\.?",
    re.DOTALL,
)
_DEGREE = re.compile(r"(.*?)\s*(?:\^\s?\{?\s?\\circ\s?\}?|°|\bdegrees?)\s*", re.DOTALL)
_COUNTS = re.compile(
    r"\b(?:k|hundred|thousand|million|billion|trillion|dozen|score|hundreds|thousands|millions|percent|or|and|not|is|plus"
    r"|minus|times|squared|cubed|factorial|half|below|mod|over|pi|so|too|we)\b",
    re.IGNORECASE,
)
_NAMES = {
    "centimeter": "cm", "centimetre": "cm", "meter": "m", "metre": "m", "kilometer": "km", "kilometre": "km",
    "millimeter": "mm", "gram": "g", "kilogram": "kg", "second": "s", "sec": "s", "minute": "min", "hour": "h",
    "hr": "h",
    "liter": "l", "litre": "l", "inch": "in", "inche": "in", "feet": "ft", "foot": "ft", "dollar": "$", "usd": "$",
    "buck": "$", "euro": "€", "pound": "£",
}  # fmt: skip
_GROUP = re.compile(r"(?<=[0-9])(?:,\\! ?|\\[,;:! ]|\{,\})(?=[0-9]{3}(?![0-9]))")
_SPACED = re.compile(r"[+-]?[1-9][0-9]{0,2}(?: [0-9]{3}){1,9}(?:\.[0-9]+)?")
_RELATION = re.compile(r"<|>|\\(?:leq?|geq?|lt|gt|neq?|leqslant|geqslant)(?![a-zA-Z])|[≤≥≠]|\\in(?![a-zA-Z])|∈")
_CURRENCY = re.compile(r"^(-?)\s*(?:\\?\$|([€£¥₹]))\s?(?=[0-9.])")


@dataclass(frozen=True, kw_only=True)
class Typed:
    """One text and what it is."""

    text: str
    """Without wrappers, name and unit."""
    type: Type
    """See the module."""
    parts: tuple[str, ...] = field(default=())
    """Members of a set, a list, a bracket; the two sides of an equation."""
    ends: str = ""
    """A bracket's two signs."""
    name: str = ""
    """What stands before "=", without spaces, where it is only a name."""
    unit: str = ""
    """The unit stated: "cm", "$", "%" aside (a number's own)."""
    number: Number | None = None
    """The literal, where it is one."""


def typed(text: str, *, question: bool = False) -> Typed | None:
    """What the text is; None where it is empty or no one thing. `question` lets words be an answer."""
    bare = _GROUP.sub(",", fold(text))
    bare = unwrap(re.sub(r"\\[,;:!]", " ", bare), brackets=False, shout=False)
    bare = re.sub(r"\\(?:left|right|displaystyle|!|,|;|:)(?![a-zA-Z])", " ", bare)
    bare = unwrap(bare.replace("\\$", "$" if bare.startswith("\\$") else "\\$"), brackets=False, shout=False).strip()
    if not bare or len(bare) > 500 or "?" in bare:
        return None
    bare = re.sub(r"^\(([^(),;]+)\)$", r"\1", _spelled(bare))  # one thing in brackets: (180°), (5 cm)
    bare = re.sub(r"^\{([^{},;]+(?:\^\s?\\circ|°)\s?)\}$", r"\1", bare)  # TeX's own: {180^\circ} is no set
    name, bare = _named(bare)
    if name is None:
        return None
    return _plain_type(bare, name, question=question)


_SIGNS = str.maketrans(
    {"π": "\\pi ", "∞": "\\infty ", "≤": "\\le ", "≥": "\\ge ", "≠": "\\ne ", "∪": "\\cup ", "∈": "\\in ", "±": "\\pm ",
     "⟨": "\\langle ", "⟩": "\\rangle "}
)  # fmt: skip
_RAISED = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻", "0123456789-")


def _spelled(text: str) -> str:
    """Sloppy and plain spellings as the LaTeX that math_verify reads: root(3), sqrt(3), pi, -2 3/4."""
    if _SPACED.fullmatch(text):
        return text.replace(" ", "")
    text = re.sub(r"\\[dtc]frac", r"\\frac", text)
    text = re.sub(r"\\math(?:rm|it|bf)\s?\{\s?([A-Za-z])\s?\}", r"\1", text)
    text = re.sub(r"(?<=[0-9}])\s?(?:\\text\s?\{\s*)?(?:percentage|percent|pct)\b\s*\}?$", r"\\%", text)
    text = re.sub("[⁰¹²³⁴⁵⁶⁷⁸⁹⁻]+", lambda m: "^{" + m[0].translate(_RAISED) + "}", text)
    text = re.sub(r"√\s?([0-9]+|[a-z])", r"\\sqrt{\1}", text).replace("**", "^").translate(_SIGNS)
    text = re.sub(r"^\{([^{}]*,[^{}]*)\}$", r"\\{\1\\}", text)
    text = re.sub(r"^[a-zA-Z] ?\\in(?![a-z])\s*", "", text)
    text = re.sub(r"\\?sqrt\s?\(([^()]*)\)", r"\\sqrt{\1}", text)
    text = re.sub(r"(?<![a-zA-Z\\])pi(?![a-zA-Z])", r"\\pi", text)
    text = re.sub(r"^([+-]?[0-9]{1,9})\s?\\frac\{([0-9]{1,9})\}\{([0-9]{1,9})\}$", r"\1 \2/\3", text)
    if mixed := re.fullmatch(r"([+-]?)([0-9]{1,9})\s([0-9]{1,9})/([0-9]{1,9})", text):
        whole, top, bottom = (int(mixed[i]) for i in (2, 3, 4))
        return f"{mixed[1]}{whole * bottom + top}/{bottom}" if 0 < top < bottom else text
    return re.sub(r"^([+-]?)0,([0-9]+)$", r"\g<1>0.\2", text)


def _plain_type(bare: str, name: str, *, question: bool) -> Typed | None:
    if not bare.endswith("!") and (literal := number(bare)) is not None:
        money = _CURRENCY.match(bare)
        return Typed(
            text=literal.text, type="number", name=name, number=literal, unit=(money[2] or "$") if money else ""
        )
    if "\\begin" in bare:
        return Typed(text=bare, type="matrix", name=name)
    if "\\equiv" in bare or "\\pmod" in bare:
        return Typed(text=bare, type="congruence", name=name)
    pieces = split(bare)
    if len(pieces) > 1:
        names = {m[1] if (m := re.match(r"([a-zA-Z])\s?=", p)) else "" for p in pieces} - {""}
        cut = pieces if len(names) > 1 else [re.sub(r"^[a-zA-Z]\s?=\s?", "", p).strip() for p in pieces]
        return Typed(text=bare, type="list", parts=tuple(cut), name=name)
    if "=" in bare and not re.search(r"[<>!]=", bare):
        if re.search(r"[A-Za-z]{3,}", re.sub(r"\\[a-zA-Z]+", " ", bare)):
            return None
        sides = bare.split("=")
        return Typed(text=bare, type="equation", parts=tuple(sides)) if len(sides) == 2 else None
    if _RELATION.search(bare) and not name:
        return Typed(text=bare, type="inequality")
    if re.fullmatch(r"\(?[0-9][0-9A-Fa-f]*\)?_\s?\{?\s?[0-9]{1,2}\s?\}?", bare):
        return Typed(text=re.sub(r"[(){}\s]", "", bare).upper(), type="base", name=name)
    if bare.startswith("\\{") and bare.endswith("\\}") and "\\cup" not in bare:
        return Typed(text=bare, type="set", parts=tuple(split(bare[2:-2])), name=name)
    if bare[:1] in "([" and bare[-1:] in ")]" and len(split(bare[1:-1])) > 1 and "\\cup" not in bare:
        return Typed(text=bare, type="bracket", parts=tuple(split(bare[1:-1])), ends=bare[0] + bare[-1], name=name)
    return _quantity(bare, name, question=question)


def _quantity(bare: str, name: str, *, question: bool) -> Typed | None:
    """An expression, with its unit or degree sign set apart; words alone where words may be an answer."""
    if (degree := _DEGREE.fullmatch(bare)) and degree[1]:
        return Typed(text=degree[1], type="expression", name=name, unit="degree", number=number(degree[1]))
    if (money := _CURRENCY.match(bare)) is not None:
        inner = number(money[1] + bare[money.end() :])
        unit = money[2] or "$"
        return Typed(text=inner.text, type="number", name=name, number=inner, unit=unit) if inner is not None else None
    match = _UNIT.fullmatch(bare)
    if match is not None and not re.search(r"[a-zA-Z]{3,}", re.sub(r"\\[a-zA-Z]+", "", match[1])):
        words = (match[2] if match[2] is not None else match[4]).strip()
        power = match[3] or match[5] or ""
        literal = number(match[1])
        if words and not _COUNTS.search(words) and (literal is not None or match[2] is not None):
            kind: Type = "number" if literal is not None else "expression"
            return Typed(text=match[1], type=kind, name=name, unit=unit_name(words, power), number=literal)
    words = re.sub(r"\\(?:text|textbf|mathrm|mbox)\s?\{\s*([^{}]*?)\s*\}", r"\1", bare).strip("() .\"'")
    if re.fullmatch(r"[A-Za-z\u4e00-\u9fff][A-Za-z\u4e00-\u9fff' -]*", words) and (len(words) > 1 or bare != words):
        ok = question or "\\text" in bare
        return Typed(text=" ".join(words.casefold().split()), type="words", name=name) if ok else None
    if re.search(r"[A-Za-z]{3,}", re.sub(r"\\[a-zA-Z]+|\b(?:sin|cos|tan|log|sqrt|exp|abs)\b", " ", bare)):
        return None
    return Typed(text=bare, type="expression", name=name)


def unit_name(words: str, power: str) -> str:
    """One name for a unit's spellings."""
    parts = [w.removesuffix("s") if len(w) > 3 else w for w in words.casefold().split()]
    if parts and parts[0] in ("square", "sq", "cubic") and len(parts) > 1:
        power = "3" if parts[0] == "cubic" else "2"
        parts = parts[1:]
    return " ".join(_NAMES.get(p, p) for p in parts) + power


def split(text: str) -> list[str]:
    """At commas, semicolons, "or" and "and" outside brackets; a comma before three digits joins them."""
    text = re.sub(r"\\text\s?\{\s*,?\s*(or|and)\s*\}", r" \1 ", text)
    out, depth, start, i = [], 0, 0, 0
    while i < len(text):
        c = text[i]
        depth += (c in "([{") - (c in ")]}")
        join = re.match(r"\s(?:or|and)\s|\\(?:lor|vee|land)(?![a-zA-Z])", text[i:]) if depth == 0 else None
        grouped = c == "," and re.match(r",[0-9]{3}(?![0-9])", text[i:]) and text[i - 1 : i].isdigit()
        if depth == 0 and (join or c == ";" or (c == "," and not grouped)):
            out.append(text[start:i])
            i += len(join[0]) if join else 1
            start = i
            continue
        i += 1
    out.append(text[start:])
    return [p.strip() for p in out if p.strip()][: MAX_PARTS + 1]


def _named(bare: str) -> tuple[str | None, str]:
    """What stands before the first "=" where it is a name, and the rest; None where a chain says two things."""
    left, sign, right = bare.partition("=")
    name = re.sub(r"\s+|\\text\s?\{([^{}]*)\}", r"\1", left)
    if not sign or not re.fullmatch(
        r"(?:[A-Za-z]|\\(?:angle|alpha|beta|gamma|theta|lambda|phi|mu|triangle|overline)\{?|[A-Z]{1,4})"
        r"[A-Za-z}]{0,30}(?:_\{?[A-Za-z0-9]{1,3}\}?)?'?(?:\([A-Za-z0-9,]{1,12}\))?|\([a-z](?:,[a-z])+\)",
        name,
    ):
        return "", bare
    if re.fullmatch(r"[a-z]{2}", name):
        return "", bare
    if split(bare)[1:] and "=" in right:
        return "", bare
    return name, right.strip()
