"""Formulas a grader evaluates itself: read from SMT-LIB or Python-like text, no solver anywhere.

Infix text is parsed by Python's own parser into a tree of which only arithmetic, comparison and logic is taken;
nothing is compiled or run. Values are booleans and exact fractions. What needs a witness is looked for by solving
equations with one unknown that is linear, then by trying whole numbers near zero; what must hold for all values is
tried at many points. Left out: proofs of validity; a search that finds nothing says so.
"""

from __future__ import annotations

import ast
import itertools
import random
import re
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from typing import Any

MAX_TEXT = 8_000
MAX_TRIES = 20_000
Value = Fraction | bool
Node = Any
"""A name, a Fraction, a bool, or [operator, part, ...]."""

_WORDS = ((r"&&|∧", " and "), (r"\|\||∨", " or "), (r"¬|!(?!=)", " not "), ("≤", "<="), ("≥", ">="), ("≠|<>", "!="))
_MARKS = ((r"\^", "**"), (r"[×·]", "*"), ("÷", "/"), ("−", "-"), (r"\bmod\b", "%"), (r"\bdiv\b", "//"))
_COMPARED = {ast.Eq: "=", ast.NotEq: "distinct", ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">="}
_BINARY = {ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/", ast.FloorDiv: "div", ast.Mod: "mod", ast.Pow: "^"}
_CALLS = {"And": "and", "Or": "or", "Not": "not", "Implies": "=>", "Xor": "xor", "Distinct": "distinct", "If": "ite"}
_CALLS |= {"Abs": "abs", "abs": "abs"}
_PREFIXED = frozenset(
    (
        "and",
        "or",
        "not",
        "=>",
        "xor",
        "=",
        "distinct",
        "ite",
        "+",
        "-",
        "*",
        "/",
        "div",
        "mod",
        "abs",
        "<",
        "<=",
        ">",
        ">=",
    )
)


class Unreadable(ValueError):
    """No formula, or no value."""


def formula(text: str) -> Node:
    """The one formula of a text, in SMT-LIB where it begins with a bracket and an operator. Raises Unreadable."""
    if len(text) > MAX_TEXT:
        raise Unreadable("too long")
    text = text.strip()
    if text.startswith("("):
        try:
            node = prefix(text)
        except Unreadable:
            node = None
        if isinstance(node, list) and node and node[0] in _PREFIXED:
            return node
    return _infix(text)


def prefix(text: str) -> Node:
    """The one SMT-LIB term of a text."""
    found = script(text)
    if len(found) != 1:
        raise Unreadable("not one term")
    return found[0][1] if isinstance(found[0], list) and found[0][:1] == ["assert"] else found[0]


def script(text: str) -> list[Node]:
    """All SMT-LIB terms or commands of a text."""
    stack: list[list[Node]] = [[]]
    for token in re.findall(r"[()]|[^\s()]+", re.sub(r";[^\n]*", " ", text)):
        if token == "(":
            stack.append([])
        elif token == ")":
            if len(stack) < 2:
                raise Unreadable("brackets")
            stack[-2].append(stack.pop())
        else:
            stack[-1].append(_atom(token))
        if len(stack) > 60:
            raise Unreadable("too deep")
    if len(stack) != 1:
        raise Unreadable("brackets")
    return stack[0]


def _atom(token: str) -> Node:
    # -143 is a name by SMT-LIB's letter and a number to every solver, and to who wrote the data.
    if re.fullmatch(r"-?[0-9]{1,60}(?:\.[0-9]{1,60})?", token):
        return Fraction(token)
    return {"true": True, "false": False}.get(token, token)


def _infix(text: str) -> Node:
    if re.search(r"[\"'\\;{}\[\]@:`#]|[0-9]{60}|[0-9][A-Za-z_]|\(\s*\)", text) or text.count("(") > 200:
        raise Unreadable("no formula")
    for before, after in (*_WORDS, *_MARKS):
        text = re.sub(before, after, text)
    arrows = re.split(r"(?<![<=])(?:==>|=>|->|→)", text)
    if len(arrows) > 1 and text.count("(") == 0:
        node = _infix(arrows[-1])
        for part in reversed(arrows[:-1]):
            node = ["=>", _infix(part), node]
        return node
    text = re.sub(r"(?<![<>=!])=(?!=)", "==", text)
    try:
        tree = ast.parse(" ".join(text.split()), mode="eval")
        return _tree(tree.body, 0)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        raise Unreadable("no formula") from None


def _tree(node: ast.AST, depth: int) -> Node:
    if depth > 60:
        raise ValueError
    if isinstance(node, ast.Name):
        return {"true": True, "false": False}.get(node.id, node.id)
    if isinstance(node, ast.Constant) and isinstance(node.value, (bool, int, float)):
        return node.value if isinstance(node.value, bool) else Fraction(str(node.value))
    parts: list[Any]
    if isinstance(node, ast.BoolOp):
        return ["and" if isinstance(node.op, ast.And) else "or", *(_tree(v, depth + 1) for v in node.values)]
    if isinstance(node, ast.UnaryOp):
        word = {ast.Not: "not", ast.USub: "-", ast.UAdd: "+", ast.Invert: "not"}[type(node.op)]
        return [word, _tree(node.operand, depth + 1)]
    if isinstance(node, ast.BinOp) and type(node.op) in _BINARY:
        return [_BINARY[type(node.op)], _tree(node.left, depth + 1), _tree(node.right, depth + 1)]
    if isinstance(node, ast.Compare):
        parts = [_tree(x, depth + 1) for x in (node.left, *node.comparators)]
        return ["and", *([_COMPARED[type(op)], a, b] for op, a, b in zip(node.ops, parts, parts[1:], strict=False))]
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in _CALLS and not node.keywords:
        return [_CALLS[node.func.id], *(_tree(a, depth + 1) for a in node.args)]
    raise ValueError


def names(node: Node) -> set[str]:
    """Every name that stands as a value."""
    if isinstance(node, str):
        return {node}
    return set().union(*(names(part) for part in node[1:])) if isinstance(node, list) else set()


def logical(nodes: Sequence[Node]) -> set[str]:
    """Names that are constraints themselves or parts of and, or, not, xor, =>."""
    found, waiting = {n for n in nodes if isinstance(n, str)}, [n for n in nodes if isinstance(n, list)]
    while waiting:
        node = waiting.pop()
        if node and node[0] in ("and", "or", "not", "xor", "=>"):
            found |= {part for part in node[1:] if isinstance(part, str)}
        waiting += [part for part in node if isinstance(part, list)]
    return found


def value(node: Node, given: Mapping[str, Value]) -> Value:
    """What a formula is for these values. Raises Unreadable for an unknown name, a wrong type or a division by 0."""
    if isinstance(node, (Fraction, bool)):
        return node
    if isinstance(node, str):
        if node not in given:
            raise Unreadable(f"no value for {node[:20]}")
        return given[node]
    if not isinstance(node, list) or not node or not isinstance(node[0], str):
        raise Unreadable("no formula")
    word, parts = node[0], [value(part, given) for part in node[1:]]
    if word in ("and", "or", "not", "=>", "xor"):
        return _logic(word, parts)
    if word == "ite" and len(parts) == 3:
        return parts[1] if parts[0] else parts[2]
    if word == "=":
        return all(a == b and isinstance(a, bool) == isinstance(b, bool) for a, b in itertools.pairwise(parts))
    if word == "distinct":
        return len(set(parts)) == len(parts)
    if any(isinstance(part, bool) for part in parts) or not parts:
        raise Unreadable("a truth value in arithmetic")
    return _number(word, [Fraction(part) for part in parts])


def _logic(word: str, parts: list[Value]) -> bool:
    if not all(isinstance(part, bool) for part in parts) or not parts:
        raise Unreadable("a number in logic")
    if word == "not":
        return not parts[0]
    if word == "=>":
        return bool(parts[-1]) or not all(parts[:-1])
    if word == "xor":
        return sum(parts) % 2 == 1
    return all(parts) if word == "and" else any(parts)


def _number(word: str, parts: list[Fraction]) -> Value:
    first, rest = parts[0], parts[1:]
    if word in ("<", "<=", ">", ">="):
        test = {"<": Fraction.__lt__, "<=": Fraction.__le__, ">": Fraction.__gt__, ">=": Fraction.__ge__}[word]
        return all(test(a, b) for a, b in itertools.pairwise(parts))
    if word == "+":
        return sum(parts, Fraction(0))
    if word == "-":
        return first - sum(rest, Fraction(0)) if rest else -first
    if word == "*":
        out = first
        for part in rest:
            out *= part
        return out
    if word == "abs":
        return abs(first)
    if word == "to_real":
        return first
    if word == "^" and len(rest) == 1 and rest[0].denominator == 1 and 0 <= rest[0] <= 8:
        return Fraction(first ** int(rest[0]))
    if len(rest) != 1 or rest[0] == 0:
        raise Unreadable("a division by 0")
    if word == "/":
        return first / rest[0]
    remainder = first % abs(rest[0])  # SMT-LIB: never negative
    if word == "mod":
        return remainder
    if word == "div":
        return (first - remainder) / rest[0]
    raise Unreadable(f"an unknown operator {word[:20]}")


def witness(
    wanted: Sequence[Node], given: Mapping[str, Value], sorts: Mapping[str, str], tries: list[int] | None = None
) -> Mapping[str, Value] | None:
    """Values for the names still open under which all formulas hold; None where the search finds none."""
    tries = tries if tries is not None else [MAX_TRIES]
    tries[0] -= 1
    if tries[0] < 0:
        return None
    open_: set[str] = set()
    for node in wanted:
        free = names(node) - set(given)
        open_ |= free
        try:
            if not free and value(node, given) is not True:
                return None
        except Unreadable:
            return None
    if not open_:
        return given
    for node in wanted:
        for part in node[1:] if isinstance(node, list) and node[0] == "and" else [node]:
            free = names(part) - set(given)
            if len(free) == 1 and isinstance(part, list) and part[0] == "=" and sorts.get(min(free)) != "Bool":
                found = _linear(part, min(free), given)
                if found is not None:
                    if sorts.get(min(free)) == "Int" and found.denominator != 1:
                        return None
                    return witness(wanted, {**given, min(free): found}, sorts, tries)
    name = min(open_)
    some: Iterable[Value]
    if sorts.get(name) == "Bool":
        some = (False, True)
    else:
        some = (Fraction(sign * n) for n in range(0, 121) for sign in ((1, -1) if n else (1,)))
    for each in some:
        if (found_ := witness(wanted, {**given, name: each}, sorts, tries)) is not None:
            return found_
    return None


def _linear(node: Node, name: str, given: Mapping[str, Value]) -> Fraction | None:
    """The value that makes both sides equal, where their difference is linear in the name."""
    try:
        at = [value(["-", node[1], node[2]], {**given, name: Fraction(n)}) for n in (0, 1, 2, 5)]
    except Unreadable:
        return None
    if any(isinstance(a, bool) for a in at) or at[1] == at[0]:
        return None
    slope = Fraction(at[1]) - Fraction(at[0])
    straight = at[2] == at[0] + 2 * slope and at[3] == at[0] + 5 * slope
    return -Fraction(at[0]) / slope if straight else None


def points(nodes: Sequence[Node], sorts: Mapping[str, str], count: int = 4_000) -> list[dict[str, Value]]:
    """Values to try formulas at: near zero and near every number in them; all combinations, or a fixed sample."""
    near = {Fraction(n) for n in range(-4, 5)}
    for node in nodes:
        for number in _numbers(node):
            near |= {number - 1, number, number + 1, -number}
    axes: list[list[Value]] = []
    for sort in sorts.values():
        whole = sorted(n for n in near if n.denominator == 1)
        real = sorted(near | {n + Fraction(1, 2) for n in near})
        axes.append([False, True] if sort == "Bool" else list(whole if sort == "Int" else real))
    total = 1
    for axis in axes:
        total *= len(axis)
    if total <= count:
        return [dict(zip(sorts, choice, strict=True)) for choice in itertools.product(*axes)]
    draw = random.Random(0)
    return [{name: draw.choice(axis) for name, axis in zip(sorts, axes, strict=True)} for _ in range(count)]


def _numbers(node: Node) -> set[Fraction]:
    if isinstance(node, Fraction):
        return {node}
    return set().union(*(_numbers(part) for part in node[1:])) if isinstance(node, list) and len(node) > 1 else set()
