r"""What a bounded text says: a number, an expression, a set, a list, a point or interval, relations, a matrix, words.

One text gives one value or none (Unread). A point and an open interval are spelled alike and stay one thing here; the
gold decides. Left out: prose around an answer (sentences), and what is equal to what (comparing).
"""

from __future__ import annotations

import re
from dataclasses import replace

from verigrad.rewards.mathematics import lexing, notations, quantities, regions
from verigrad.rewards.mathematics.lexing import Token
from verigrad.rewards.mathematics.parts import CLOSE, OPEN, label_of, prepared, split, text_of, undelimited
from verigrad.rewards.mathematics.trees import (
    MAX_ITEMS,
    Based,
    Bracketed,
    Collection,
    Matrix,
    Named,
    Region,
    Relation,
    Scalar,
    Sequence,
    Text,
    TooBig,
    Unread,
    Value,
)
from verigrad.rewards.mathematics.writing import spell
from verigrad.rewards.tokens import MAX_SPAN

_SIGNS = frozenset(("=", "<", ">", "\\le", "\\ge", "\\ne", "\\approx", "\\in", "\\equiv", "\\cong"))
SPLITS = frozenset((",", ";", "\\or", "\\and"))
_BASED = re.compile(
    r"\(?(-?[0-9][0-9A-Fa-f]*(?:\.[0-9A-Fa-f]+)?|[A-F][0-9A-F]+)\)? ?_ ?(?:\{ ?\(?([0-9]{1,2})\)? ?\}|([0-9]{1,2}))"
    r"|\(?(-?[0-9A-Fa-f]+)\)? ?\x01? ?(?:in )?base[ -]?\x02? ?([0-9]{1,2})\x02?"
)


def read(text: str, *, listed: bool = False) -> Value:
    """The one value the whole text is. `listed`: commas between digits separate. Raises Unread or TooBig."""
    if len(text) > MAX_SPAN:
        raise TooBig(f"a span of more than {MAX_SPAN} characters")
    node = notations.plain(text, listed=listed)
    if node is not None:
        return quantities.whole(node)
    spelled = spell(undelimited(text)).strip()
    based = _BASED.fullmatch(spelled.rstrip(" ."))
    if based:
        return _based(based[1] or based[4], based[2] or based[3] or based[5])
    return value(prepared(lexing.tokens(spelled, listed=listed)), listed=listed)


def _based(digits: str, base: str) -> Based:
    if not base.isdigit() or len(base) > 2:
        raise Unread("a base that is none")
    number, digits = int(base), digits.upper()
    if not 2 <= number <= 36 or len(digits) > 200:
        raise Unread("a base that is none")
    if any(int(d, 36) >= number for d in digits.replace("-", "").replace(".", "")):
        raise Unread("a digit that the base does not have")
    sign = "-" if digits.startswith("-") else ""
    return Based(sign + (digits.lstrip("-0") or "0"), number)


def value(tokens: list[Token], *, listed: bool = False) -> Value:
    """The value of prepared tokens."""
    if not tokens:
        raise Unread("empty")
    if tokens[0].text == "]" and tokens[-1].text in ("[", "]"):
        return _single(tokens, listed=listed)
    parts, signs = split(tokens, SPLITS)
    if signs and (not parts[0] or not parts[-1]):
        raise Unread("a list cut off")
    parts = [p for p in parts if p]
    if len(parts) > 1 and not _one_text(tokens):
        return _several(parts, signs, listed=listed)
    tokens = parts[0] if len(parts) == 1 and signs else tokens
    sides, relations = split(tokens, _SIGNS)
    if relations:
        return _relation(sides, relations, listed=listed)
    return _single(tokens, listed=listed)


def _one_text(tokens: list[Token]) -> bool:
    return all(t.kind in ("word", "text") or t.text in ("-", ",", "'", "\\and") for t in tokens) and (
        sum(t.kind in ("word", "text") for t in tokens) < 2
    )


def _several(parts: list[list[Token]], signs: list[str], *, listed: bool) -> Value:
    if "\\or" in signs and any(s != "\\or" for s in signs):
        flat = [t for part, sign in zip(parts, [*signs, ""], strict=False) for t in (*part, Token("op", sign))]
        groups, _ = split(flat, frozenset(["\\or"]))
        groups = [[t for t in g if t.text] for g in groups]
        groups = [g[:-1] if g and g[-1].text in SPLITS else g for g in groups]
        values = [value(g, listed=listed) for g in groups if g]
        return _collected(values, union=True)
    if any(len(p) == 1 and p[0].text == "\\ldots" for p in parts) or any(p[0].text == "\\ldots" for p in parts):
        return Sequence(tuple(None if p[0].text == "\\ldots" else value(p, listed=listed) for p in parts))
    return _collected([value(p, listed=listed) for p in parts], union="\\or" in signs)


def _collected(values: list[Value], *, union: bool) -> Value:
    """Several values: a list, named values, or a region where all are inequalities."""
    values = [v for v in values if v != Text("\\Z")] or values  # k in Z
    if len(values) == 1:
        return values[0]
    if all(isinstance(v, Region) and v.label for v in values):
        out = values[0]
        for other in values[1:]:
            if not (isinstance(out, Region) and isinstance(other, Region)) or out.label != other.label:
                raise Unread("conditions on several variables")
            out = regions.union(out, other) if union else regions.intersection(out, other)
        return out
    items: list[tuple[str, Value]] = []
    label = ""
    for v in values:
        if isinstance(v, Relation) and v.label and set(v.signs) <= {"="}:
            label, inner = v.label, v.sides[-1]
        elif isinstance(v, Relation) or (isinstance(v, Region) and v.label):
            return Collection(tuple(values))
        else:
            inner = v
        if isinstance(inner, Collection) and not inner.braces:
            if inner.label and label and inner.label != label:
                label = inner.label
            items += [(inner.label or label, i) for i in inner.items]
            label = inner.label or label
        else:
            items.append((label, inner))
    if len(items) > MAX_ITEMS:
        raise TooBig(f"more than {MAX_ITEMS} members")
    labels = [name for name, _ in items if name]
    if len(labels) == len(items) and len(set(labels)) == len(items) > 1:
        return Named(tuple(items))
    if len(set(labels)) > 1:
        return Collection(tuple(values))
    return Collection(tuple(v for _, v in items), label=labels[0] if labels else "")


def _relation(sides: list[list[Token]], signs: list[str], *, listed: bool) -> Value:
    if any(not s for s in sides):
        raise Unread("a relation without a side")
    if signs == ["\\in"]:
        inner = _single(sides[1], listed=listed)
        if isinstance(inner, Bracketed) and (region := regions.of_bracketed(inner)) is not None:
            inner = region
        name = label_of(sides[0])
        if not name:
            raise Unread("what is a member is not a name")
        return replace(inner, label=name) if isinstance(inner, (Region, Collection)) else inner
    modulus = None
    if "\\equiv" in signs:
        sides[-1], modulus = _modulus(sides[-1])
    name = label_of(sides[0]) if set(signs) <= {"=", "\\approx", "\\cong"} else ""
    name = "" if signs[0] == "\\approx" and name in ("\\pi", "e") else name
    read_sides: list[Value] = []
    for i, side in enumerate(sides):
        if i == 0 and name:
            try:
                read_sides.append(_single(side, listed=listed))
            except Unread:
                read_sides.append(Text(name))
        else:
            read_sides.append(_single(side, listed=listed))
    if name and len(sides) == 2 and isinstance(read_sides[1], Collection) and not read_sides[1].braces:
        return replace(read_sides[1], label=name)
    if not {"=", "\\approx", "\\equiv", "\\cong", "\\in"} & set(signs):
        region = regions.of_relation(read_sides, signs)
        if region is not None:
            return region
    return Relation(tuple(read_sides), tuple(signs), label=name, modulus=modulus)


def _modulus(tokens: list[Token]) -> tuple[list[Token], Scalar]:
    at = next((i for i, t in enumerate(tokens) if t.text in ("\\pmod", "\\mod", "\\bmod") or t.text == "mod"), None)
    if at is None:
        raise Unread("a congruence without a modulus")
    left = tokens[:at]
    while left and left[-1].text == "(":
        left.pop()
    rest = [t for t in tokens[at + 1 :] if t.text not in "{}()"]
    return left, quantities.scalar(rest)


def _single(tokens: list[Token], *, listed: bool = False) -> Value:
    if not tokens:
        raise Unread("empty")
    for signs in (("\\cup", "U"), ("\\cap",), ("\\setminus",)):
        parts, found = split(tokens, frozenset(signs))
        if found and all(parts) and ("U" not in found or tokens[0].text in ("(", "[", "\\{")):
            return _combined([_single(p, listed=listed) for p in parts], signs[0])
    if tokens[0].text == "\\begin" or (
        tokens[0].text in ("(", "[") and len(tokens) > 1 and tokens[1].text == "\\begin"
    ):
        return _matrix(tokens)
    closing = _closed_by(tokens)
    if closing:
        inner = tokens[1:-1]
        if closing in ("\\}", "}"):
            return _braces(inner, plain=closing == "}", listed=listed)
        parts, found = split(inner, frozenset([",", ";"]))
        if found and not (tokens[0].text == "[" and all(p and p[0].text == "[" for p in parts)):
            return Bracketed(tokens[0].text, closing, tuple(value(p, listed=True) for p in parts))
        if found or (tokens[0].text == "[" and inner and inner[0].text == "["):
            return _rows([_single(p, listed=True) for p in parts])
        if closing == "]" and inner and not listed:  # a list of one is no number; inside a list, [x] only groups
            return Bracketed("[", "]", (value(inner, listed=True),))
        if closing == ")" and inner and not _one_expression(tokens):
            return value(inner, listed=listed)
    if len(tokens) == 1 and tokens[0].text in ("\\emptyset", "\\R"):
        return Collection((), braces=True) if tokens[0].text == "\\emptyset" else regions.LINE
    if tokens[0].kind == "num" and len(tokens) in (3, 5) and tokens[1].text == "_":
        return _based(tokens[0].text, tokens[2 if len(tokens) == 3 else 3].text)
    if len(tokens) == 1 and tokens[0].text in ("\\Z", "\\N", "\\Q", "\\C"):
        return Text(tokens[0].text)
    ratio, colons = split(tokens, frozenset([":"]))
    if colons and all(len(p) == 1 and p[0].kind in ("num", "id") for p in ratio):
        return Bracketed(":", ":", tuple(quantities.scalar(p) for p in ratio))
    text = text_of(tokens)
    if text is not None:
        return text
    if any(t.text == "\\ldots" for t in tokens):
        raise Unread("a value that goes on")
    return quantities.scalar_or_both(tokens)


def _one_expression(tokens: list[Token]) -> bool:
    return all(t.kind in ("num", "id", "rep", "sci") or t.text in ("(", ")", "+", "*", "/", "^") for t in tokens)


def _closed_by(tokens: list[Token]) -> str:
    """The bracket that closes the first token's, where that is the last token; else ""."""
    first, last = tokens[0].text, tokens[-1].text
    if tokens[0].kind not in ("op", "cmd") or len(tokens) < 2:
        return ""
    opens = first in OPEN and first != "\\begin"
    reversed_ = first == "]" and last in ("[", "]") and any(t.text in (",", ";") for t in tokens)
    if reversed_:
        return last
    if not opens:
        return ""
    depth = 0
    for i, token in enumerate(tokens):
        if token.kind in ("op", "cmd"):
            depth += (token.text in OPEN) - (token.text in CLOSE)
            if depth == 0:
                same_kind = last == OPEN[first] or (first in "([" and last in ")][")
                return last if i == len(tokens) - 1 and same_kind else ""
    return last if first in "([" and last == "[" and depth == 2 else ""


def _braces(inner: list[Token], *, plain: bool, listed: bool) -> Value:
    if not inner:
        return Collection((), braces=True)
    for bar in ("|", ":", "\\mid"):
        parts, found = split(inner, frozenset([bar]))
        if len(found) == 1 and all(parts):
            condition = value(parts[1], listed=listed)
            if isinstance(condition, (Region, Collection)):
                return condition
            raise Unread("a set by a condition that is not solved")
    parts, found = split(inner, frozenset([",", ";"]))
    if plain and not found:
        return value(inner, listed=listed)
    if any(p and p[0].text == "\\ldots" for p in parts):
        return Sequence(tuple(None if p[0].text == "\\ldots" else value(p, listed=True) for p in parts if p))
    return Collection(tuple(value(p, listed=True) for p in parts), braces=True)


def _combined(values: list[Value], sign: str) -> Value:
    if sign == "\\cup" and all(isinstance(v, Collection) for v in values):
        return Collection(tuple(i for v in values if isinstance(v, Collection) for i in v.items), braces=True)
    known: list[Region] = []
    for v in values:
        region = regions.of_bracketed(v) if isinstance(v, Bracketed) else v
        if isinstance(region, Collection):
            region = regions.of_points(region.items)
        if not isinstance(region, Region):
            raise Unread("a union of what is no set of numbers")
        known.append(region)
    out = known[0]
    for other in known[1:]:
        if sign == "\\cup":
            out = regions.union(out, other)
        else:
            out = regions.intersection(out, regions.complement(other) if sign == "\\setminus" else other)
    return out


def _matrix(tokens: list[Token]) -> Value:
    while tokens[0].text in ("(", "["):
        if tokens[-1].text not in (")", "]"):
            raise Unread("a matrix never closed")
        tokens = tokens[1:-1]
    name = tokens[2].text if len(tokens) > 3 and tokens[1].text == "{" else ""
    start = 4
    if tokens[2:4] and tokens[3].text != "}":
        raise Unread("no matrix")
    if name not in ("pmatrix", "bmatrix", "matrix", "array", "Bmatrix", "smallmatrix"):
        raise Unread(f"no matrix: {name[:20]}")
    if name == "array" and len(tokens) > 4 and tokens[4].text == "{":
        start = next((i for i, t in enumerate(tokens) if i > 4 and t.text == "}"), len(tokens)) + 1
    if tokens[-4].text != "\\end":
        raise Unread("a matrix never closed")
    rows, _ = split(tokens[start:-4], frozenset(["\\\\"]))
    cells = [[quantities.scalar(c) for c in split(row, frozenset(["&"]))[0]] for row in rows if row]
    return _square(cells)


def _square(cells: list[list[Scalar]]) -> Matrix:
    if not cells or len({len(r) for r in cells}) != 1 or sum(map(len, cells)) > MAX_ITEMS:
        raise Unread("rows of different lengths")
    return Matrix(tuple(tuple(r) for r in cells))


def _rows(values: list[Value]) -> Matrix:
    rows: list[list[Scalar]] = []
    for v in values:
        items = v.items if isinstance(v, Bracketed) else (v,)
        rows.append([i for i in items if isinstance(i, Scalar)])
        if len(rows[-1]) != len(items):
            raise Unread("no matrix")
    return _square(rows)
