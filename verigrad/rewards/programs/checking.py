"""In a worker process: expressions of the data's own (a checker's `check`, an assertion's rest) over plain values.

They are trusted; the values they see came out of a box and are plain. Left out: the clock (sandbox.Pool).
"""

from __future__ import annotations

import ast
import builtins
import collections
import functools
import itertools
import math
import operator
import re
import statistics
import string
import symtable
from collections import Counter
from typing import Any

from verigrad.rewards.programs import typed

NAMES = (
    *("abs", "all", "any", "bin", "bool", "bytearray", "bytes", "chr", "complex", "dict", "divmod", "enumerate"),
    *("filter", "float", "format", "frozenset", "hex", "int", "isinstance", "iter", "len", "list", "map", "max", "min"),
    *("next", "oct", "ord", "pow", "range", "repr", "reversed", "round", "set", "slice", "sorted", "str", "sum"),
    *("tuple", "type", "zip", "ascii", "callable", "hash", "issubclass"),
    *("True", "False", "None"),
)
MODULES = {
    "math": math,
    "re": re,
    "string": string,
    "itertools": itertools,
    "collections": collections,
    "functools": functools,
    "operator": operator,
    "statistics": statistics,
}


def holds(check: str, names: dict[str, typed.Wire]) -> bool:
    """Whether the expression is true of these values. Raises what it raises."""
    return bool(_evaluated(check, {name: typed.value(wire) for name, wire in names.items()}))


def constant(expression: str) -> typed.Wire:
    """The value of an expression without a candidate in it, iterables as lists. Raises what it raises."""
    made = _evaluated(expression, {})
    if not isinstance(made, (str, bytes, bytearray, list, tuple, dict, set, frozenset)) and hasattr(made, "__iter__"):
        made = list(itertools.islice(made, 100_001))
    return typed.wire(made)


def known() -> frozenset[str]:
    """Names an expression may use beside its values."""
    return frozenset({*NAMES, *MODULES, *_HELPERS})


def readable(check: str, names: frozenset[str]) -> str | None:
    """Why the expression cannot be used; None where it can."""
    text = check.strip()
    try:
        tree, table = ast.parse(text, mode="eval"), symtable.symtable(text, "check", "eval")
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        return f"no expression: {str(error)[:80]}"
    for name in sorted(_asked(table) - names - known()):
        return f"an unknown name, {name}"
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and node.attr.startswith("_"):
            return f"a private attribute, {node.attr}"
        if isinstance(node, (ast.Await, ast.Yield, ast.YieldFrom)) or getattr(node, "is_async", False):
            return "no expression: it awaits or yields"
    return None


def _asked(table: symtable.SymbolTable) -> set[str]:
    """Names that it looks up outside itself, at any depth, and binds nowhere; `:=` in a comprehension binds there."""
    tables = [table]
    for one in tables:
        tables += one.get_children()
    outside = [s for one in tables for s in one.get_symbols() if one is table or s.is_global()]
    bound = {s.get_name() for s in outside if s.is_assigned()}
    return {s.get_name() for s in outside if s.is_referenced()} - bound


def _evaluated(expression: str, values: dict[str, Any]) -> Any:
    names = {**{name: getattr(builtins, name) for name in NAMES if hasattr(builtins, name)}}
    scope = {"__builtins__": names, **MODULES, **_HELPERS, **values}
    return eval(compile(expression.strip(), "check", "eval"), scope)  # noqa: S307


class _Approx:
    def __init__(self, wanted: Any, relative: float | None, absolute: float | None) -> None:
        self.wanted, self.relative, self.absolute = wanted, relative, absolute

    def __eq__(self, other: object) -> bool:
        if isinstance(self.wanted, (list, tuple)):
            return (
                type(other) is type(self.wanted)
                and len(other) == len(self.wanted)
                and all(approx(b, self.relative, self.absolute) == a for a, b in zip(other, self.wanted, strict=True))
            )
        if isinstance(self.wanted, dict):
            return (
                isinstance(other, dict)
                and set(other) == set(self.wanted)
                and all(approx(v, self.relative, self.absolute) == other[k] for k, v in self.wanted.items())
            )
        if isinstance(other, bool) or not isinstance(other, (int, float)):
            return bool(other == self.wanted)
        absolute = 1e-12 if self.absolute is None else self.absolute
        relative = (0.0 if self.absolute is not None else 1e-6) if self.relative is None else self.relative
        return bool(other == self.wanted) or abs(other - self.wanted) <= max(absolute, relative * abs(self.wanted))

    __hash__ = None  # type: ignore[assignment]


def approx(wanted: Any, rel: float | None = None, abs: float | None = None, nan_ok: bool = False) -> Any:
    """pytest.approx, for numbers, lists, tuples and dicts of them."""
    return _Approx(wanted, rel, abs)


def almost(a: Any, b: Any, places: int | None = None, msg: Any = None, delta: Any = None) -> bool:
    """assertAlmostEqual: equal, or the difference rounds to 0 at `places` (7), or is at most `delta`."""
    if a == b:
        return True
    return bool(abs(a - b) <= delta) if delta is not None else round(abs(a - b), 7 if places is None else places) == 0


def counted(a: Any, b: Any) -> bool:
    """assertCountEqual: the same items as often, in any order."""
    try:
        return Counter(a) == Counter(b)
    except TypeError:
        left = list(b)
        for item in a:
            if item not in left:
                return False
            left.remove(item)
        return not left


_HELPERS = {"approx": approx, "almost": almost, "counted": counted, "Counter": Counter}
