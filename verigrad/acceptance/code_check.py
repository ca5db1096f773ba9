"""In a worker process: a checker's expression, trusted, over a value and its arguments. Left out: the clock."""

from __future__ import annotations

import ast
import builtins
import math
from typing import Any


def holds(check: str, out: str, args: str) -> bool:
    """Whether the data's own expression is true; `out` and `args` as literals. Raises what it raises."""
    names = {n: getattr(builtins, n) for n in dir(builtins) if not n.startswith("_")}
    for unused in ("open", "exec", "eval", "compile", "input", "breakpoint", "exit", "quit", "help"):
        names.pop(unused, None)
    value = _made(ast.literal_eval(out))
    scope: dict[str, Any] = {"__builtins__": names, "math": math, "out": value, "args": ast.literal_eval(args)}
    return bool(eval(compile(check.strip(), "check", "eval"), scope))  # noqa: S307


def _made(value: Any) -> Any:
    """Sets and dicts from their written form."""
    if isinstance(value, dict):
        ((kind, inside),) = value.items()
        if kind == "set":
            return {_made(item) for item in inside}
        return {_made(k): _made(v) for k, v in inside}
    if isinstance(value, (list, tuple)):
        return type(value)(_made(item) for item in value)
    return value
