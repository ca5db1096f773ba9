"""The values an answer gives to a gold's constants: "x = 6", "x = 6, y = 4", "6", "(define-fun x () Int 6)".

Every number is exact (3/4, 2.5). What the answer also says is not passed over: a name that is none of the constants,
two values for one name, words between values leave nothing to read. Left out: whether the values are right.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from fractions import Fraction

from verigrad.records import Task
from verigrad.rewards import context, extract
from verigrad.rewards.solving import terms
from verigrad.rewards.solving.terms import Term
from verigrad.rewards.spans import committed_text
from verigrad.rewards.spelling import normalise
from verigrad.rewards.tokens import TooBig, Unread
from verigrad.rewards.verifiers import number

Value = Fraction | bool
MAX_VALUES = 500
MAX_DIGITS = 60

_NUMBER = rf"[-−]?[0-9]{{1,{MAX_DIGITS}}}(?:[./][0-9]{{1,{MAX_DIGITS}}})?"
_VALUE = rf"(?:{_NUMBER}|true|false|True|False)"
_PAIR = re.compile(rf"[\s*•\"'`$-]*([^\W\d]\w{{0,60}})[\s\"'`*]*(?::=|==|=|:|\bis\b)[\s*\"'`]*({_VALUE})[\s.*\"'`$]*")
_LEAD = re.compile(
    r"[A-Za-z ,'’*]{0,80}(?:\bis|\bare|\bhave|\bget|\bso|\bthus|\btherefore|\bhence|:)[\s:*$]*$", re.IGNORECASE
)


def committed(answer: str, sorts: Mapping[str, str], *, ask: str = "", task: Task | None = None) -> dict[str, Value]:
    """Values by name. With `ask` a bare number is its value. Raises Unread or TooBig."""
    text = committed_text(answer)
    if re.search(rf"[0-9]{{{MAX_DIGITS + 1}}}", text):
        raise TooBig(f"a number of more than {MAX_DIGITS} digits")
    if text.startswith("(") or re.match(r"(?:s\s+)?sat\s*\n?\s*\(", text):
        return _of_model(text[text.index("(") :], sorts)
    if text.startswith("{"):
        return _known(_of_json(text), sorts)
    pairs = _pairs(text, sorts)
    if pairs is None:
        pairs = _pairs(_last_line(text), sorts) if "\n" in text else None
    if pairs is not None:
        return _known(pairs, sorts)
    if not ask:
        raise Unread("no values")
    if (bare := re.fullmatch(rf"\s*({_VALUE})\s*\.?", text)) is not None:
        return {ask: _value(bare[1])}
    return {ask: _spoken(answer, text, sorts, ask, task)}


def term(value: Value, sort: str) -> Term:
    """The value in SMT-LIB. Raises Unread where the sort has no such value."""
    if isinstance(value, bool) != (sort == "Bool"):
        raise Unread(f"no value of {sort}")
    if isinstance(value, bool):
        return "true" if value else "false"
    if sort.startswith("(_ BitVec"):
        width = int(sort.rstrip(")").split()[-1])
        if value.denominator != 1 or not 0 <= value < 2**width or width > 256:
            raise Unread(f"no value of {sort}")
        return "#b" + format(int(value), f"0{width}b")
    if sort not in ("Int", "Real"):
        raise Unread(f"a constant of {sort}")
    if sort == "Int" and value.denominator != 1:
        raise Unread("no whole number")
    return terms.numeral(str(value), real=sort == "Real")


def _spoken(answer: str, text: str, sorts: Mapping[str, str], ask: str, task: Task | None) -> Fraction:
    """One number in a sentence, by the rules of the kind `number`; every "name = number" of it is the asked name's."""
    said = number.read(answer, task if task is not None else Task.make(prompt="?"))
    for name, given in re.findall(
        rf"(?<!\w)([^\W\d]\w{{0,60}})\s*(?:==?|\bis\b)\s*({_NUMBER})(?![\w.]*[0-9])", text[-4000:]
    ):
        if name in sorts and name != ask:
            raise Unread(f"speaks of {name} too")
        if name == ask and _value(given) != said.value:
            raise Unread(f"two values for {ask}")
    return said.value


def _pairs(text: str, sorts: Mapping[str, str]) -> list[tuple[str, str]] | None:
    """Every piece of the text is name = value, a few leading words aside; None where that is not so."""
    pieces = [p for p in re.split(r"[,;\n]|\band\b|\\\\|\\quad", text) if p.strip(" .$*")]
    if not 1 <= len(pieces) <= MAX_VALUES or any(len(p) > 300 for p in pieces):
        return None
    out: list[tuple[str, str]] = []
    for i, piece in enumerate(pieces):
        match = _PAIR.fullmatch(piece)
        if match is None and i == 0 and (last := list(re.finditer(r"(?<!\w)[^\W\d]\w{0,60}\s*(?::=|==?)", piece))):
            lead, rest = piece[: last[-1].start()], piece[last[-1].start() :]
            if _LEAD.fullmatch(lead) and not context.denied(normalise(lead) + " "):
                match = _PAIR.fullmatch(rest)
        if match is None:
            return None
        out.append((match[1], match[2]))
    return out


def _last_line(text: str) -> str:
    return extract.last_sentence(text, whole_line=True)


def _known(pairs: list[tuple[str, str]], sorts: Mapping[str, str]) -> dict[str, Value]:
    out: dict[str, Value] = {}
    for name, given in pairs:
        if name not in sorts:
            raise Unread(f"no constant {name[:30]!r}")
        value = _value(given)
        if sorts[name] == "Bool" and not isinstance(value, bool) and value in (0, 1):
            value = value == 1
        if out.setdefault(name, value) != value:
            raise Unread(f"two values for {name}")
    return out


def _value(text: str) -> Value:
    text = text.replace("−", "-").strip()
    if text.lower() in ("true", "false"):
        return text.lower() == "true"
    try:
        value = Fraction(text)
    except (ValueError, ZeroDivisionError):
        raise Unread(f"no value {text[:20]!r}") from None
    if "/" in text and value.denominator == 1:
        raise Unread("an unevaluated division")
    return value


def _of_json(text: str) -> list[tuple[str, str]]:
    try:
        pairs = json.loads(text, object_pairs_hook=lambda pairs: pairs, parse_float=str, parse_int=str)
    except (ValueError, RecursionError):
        raise Unread("no values") from None
    if not isinstance(pairs, list) or not all(
        isinstance(p, tuple) and isinstance(p[1], (str, bool)) and re.fullmatch(_VALUE, str(p[1])) for p in pairs
    ):
        raise Unread("no values")
    return [(name, str(value)) for name, value in pairs]


def _of_model(text: str, sorts: Mapping[str, str]) -> dict[str, Value]:
    """A solver's model: define-fun without arguments, or ((x 6) (y 4))."""
    found = terms.read(text)
    while len(found) == 1 and isinstance(found[0], tuple) and (not found[0] or not isinstance(found[0][0], str)):
        found = list(found[0])
    if len(found) == 1 and isinstance(found[0], tuple) and found[0] and found[0][0] == "model":
        found = list(found[0][1:])
    out: dict[str, Value] = {}
    for part in found:
        if isinstance(part, str) or not all(isinstance(x, (str, tuple)) for x in part):
            raise Unread("no model")
        if len(part) == 5 and part[0] == "define-fun" and part[2] == ():
            name, value = part[1], part[4]
        elif len(part) == 2:
            name, value = part
        elif len(part) == 3 and part[0] == "=":
            name, value = part[1], part[2]
        else:
            raise Unread("no model")
        if not isinstance(name, str) or name not in sorts:
            raise Unread(f"no constant {terms.write(name)[:30]!r}")
        number_ = _of_term(value)
        if out.setdefault(name, number_) != number_:
            raise Unread(f"two values for {name}")
    if not out or len(out) > MAX_VALUES:
        raise Unread("no model")
    return out


def _of_term(value: Term) -> Value:
    if isinstance(value, str):
        if re.fullmatch(r"#b[01]{1,256}|#x[0-9a-fA-F]{1,64}", value):
            return Fraction(int(value[2:], 2 if value[1] == "b" else 16))
        if re.fullmatch(_VALUE, value):
            return _value(value)
    elif len(value) == 2 and value[0] == "-":
        inner = _of_term(value[1])
        if not isinstance(inner, bool):
            return -inner
    elif len(value) == 3 and value[0] == "/":
        top, bottom = _of_term(value[1]), _of_term(value[2])
        if not isinstance(top, bool) and not isinstance(bottom, bool) and bottom:
            return top / bottom
    raise Unread(f"no value {terms.write(value)[:20]!r}")
