"""Assertions read for acceptance: the plain ones with their values, of the others only what the function is asked.

Left out: what another assertion means. A reference solution says what is right there, up to what the assertion visibly
forgives: an order (set, sorted, assertCountEqual) or a small difference (isclose, approx, abs, assertAlmostEqual).
"""

from __future__ import annotations

import ast
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

NEAR = 1e-6
_ORDERS = ("set", "sorted", "Counter", "assertCountEqual", "frozenset", "assertSetEqual")
_NEARS = ("isclose", "approx", "abs", "round", "allclose", "assertAlmostEqual")
_UNREAD = (ValueError, TypeError, SyntaxError, RecursionError, MemoryError)


@dataclass(frozen=True, kw_only=True)
class Asserted:
    """What the assertions of a gold say."""

    plain: tuple[tuple[list[Any], Any], ...]
    """(arguments, value) of each entry(literals) == literal."""
    others: int
    """Assertions of another form."""
    inputs: tuple[list[Any], ...]
    """Arguments of the calls in those."""
    tolerance: float
    """Differences they forgive."""
    any_order: bool
    """They forgive an order."""


def asserted(gold: Mapping[str, Any]) -> Asserted:
    """The assertions of a gold's sources; one that is no Python counts as another form."""
    plain: list[tuple[list[Any], Any]] = []
    inputs: list[list[Any]] = []
    others, called = 0, set[str]()
    names = (gold["entry"], "candidate")
    for source in gold["tests"]:
        try:
            nodes = list(ast.walk(ast.parse(source.strip())))
        except _UNREAD:
            others += 1
            continue
        for node in nodes:
            sides = _sides(node)
            if sides is None:
                continue
            pair = _pair(sides, names)
            if pair is not None:
                plain.append(pair)
                continue
            others += 1
            for inner in ast.walk(node):
                if isinstance(inner, ast.Call):
                    called.add(ast.unparse(inner.func).rsplit(".", 1)[-1])
                    if (args := _args(inner, names)) is not None:
                        inputs.append(args)
    return Asserted(
        plain=tuple(plain),
        others=others,
        inputs=tuple(inputs),
        tolerance=NEAR if called & set(_NEARS) else 0.0,
        any_order=bool(called & set(_ORDERS)),
    )


def _sides(node: ast.AST) -> list[ast.expr] | None:
    """Both sides of an equation that is asserted, [] for another assertion, None for no assertion."""
    if isinstance(node, ast.Assert):
        test = node.test
        if isinstance(test, ast.Constant):
            return None
        equal = isinstance(test, ast.Compare) and len(test.ops) == 1 and isinstance(test.ops[0], ast.Eq)
        return [test.left, test.comparators[0]] if equal and isinstance(test, ast.Compare) else []
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr.startswith("assert"):
        return list(node.args[:2]) if node.func.attr == "assertEqual" else []
    return None


def _pair(sides: list[ast.expr], names: tuple[str, ...]) -> tuple[list[Any], Any] | None:
    if len(sides) != 2 or not isinstance(sides[0], ast.Call) or (args := _args(sides[0], names)) is None:
        return None
    try:
        return args, ast.literal_eval(sides[1])
    except _UNREAD:
        return None


def _args(call: ast.Call, names: tuple[str, ...]) -> list[Any] | None:
    """Literal arguments of a call of the function."""
    if not isinstance(call.func, ast.Name) or call.func.id not in names or call.keywords:
        return None
    try:
        return [ast.literal_eval(a) for a in call.args]
    except _UNREAD:
        return None
