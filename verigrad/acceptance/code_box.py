"""A program asked for many values in one box of its own, each call in a forked process; what it prints for an input.

Values come back as Python literals on descriptor 3, one line a call, and are read by ast.literal_eval within bounds.
Left out: whose program it is, what is right (graders/code.py).
"""

from __future__ import annotations

import ast
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from verigrad import sandbox

MAX_DEPTH = 60
_DRIVER = """
import os, sys
given = eval(sys.stdin.buffer.read())
null = os.open(os.devnull, os.O_RDWR)
for fd in (0, 1, 2):
    os.dup2(null, fd)
plain = (bool, int, float, str, bytes, complex, type(None))
def literal(x, depth=0):
    kind = type(x)
    if depth > 50:
        raise ValueError("too deep")
    if kind in plain:
        if kind is float and x != x:
            return "('not', 'a', 'number')"
        return repr(x).replace("inf", "1e999") if kind in (float, complex) else repr(x)
    if kind in (list, tuple, set, frozenset):
        inside = "".join(literal(i, depth + 1) + ", " for i in x)
        if kind in (set, frozenset):
            return "{'set': [" + inside + "]}"
        return "(" + inside + ")" if kind is tuple else "[" + inside + "]"
    if kind is dict or kind.__module__ == "collections" and isinstance(x, dict):
        pairs = ["(%s, %s), " % (literal(k, depth + 1), literal(v, depth + 1)) for k, v in x.items()]
        return "{'dict': [" + "".join(pairs) + "]}"
    if depth == 0 and given["iterate"] and hasattr(x, "__iter__"):
        return literal([i for _, i in zip(range(100000), x)], 1)
    raise ValueError("no plain value")
module = {"__name__": "answer"}
with open("answer.py", "rb") as file:
    source = file.read()
def asked():
    exec(compile(source, "answer.py", "exec"), module)
    name = given["entry"]
    if name in module or "." in name:
        return eval(name, module)
    return getattr(module["Solution"](), name)
for index, (args, named) in enumerate(given["calls"]):
    child = os.fork()
    if child == 0:
        try:
            line = literal(asked()(*args, **named))
        except BaseException as error:
            line = "!" + type(error).__name__[:60]
        os.write(3, ("%d %s\\n" % (index, line.replace("\\n", " "))).encode("utf-8", "backslashreplace"))
        os._exit(0)
    os.waitpid(child, 0)
os._exit(0)
"""


@dataclass(frozen=True, kw_only=True)
class Said:
    """What a program gave for a call."""

    value: Any = None
    """The value, where there is one; a set or a dict as {"set": ...} or {"dict": ...}."""
    fault: str = ""
    """Why there is none: the exception's name, or what ended the box."""


class NoBox(RuntimeError):
    """The sandbox did not start, twice."""


def values(
    source: str, entry: str, asked: Sequence[tuple[Sequence[Any], Mapping[str, Any]]], *, seconds: float, iterate: bool
) -> list[Said]:
    """What `entry` gives for each (args, kwargs), in order. Raises NoBox."""
    given = {"entry": entry, "iterate": iterate, "calls": [(list(a), dict(k)) for a, k in asked]}
    ran = box(
        [sandbox.python(), "-I", "-S", "-c", _DRIVER],
        files={"answer.py": source},
        stdin=_written(given).encode("utf-8", "surrogatepass"),
        seconds=seconds,
    )
    found: dict[int, Said] = {}
    for line in ran.result.decode("utf-8", "replace").split("\n"):
        index, _, text = line.partition(" ")
        if not (index.isdecimal() and len(index) < 7):
            continue
        twice = int(index) in found
        found[int(index)] = Said(fault="answered twice") if twice else read(text)
    late = ran.kind if ran.kind != "exited" else "no value"
    return [found.get(i, Said(fault=late)) for i in range(len(asked))]


def box(
    command: Sequence[str], *, files: Mapping[str, str], stdin: bytes = b"", seconds: float, keep: Sequence[str] = (),
    locked: Mapping[str, str] = {}, reads: Sequence[str] = (), memory_bytes: int = 1 << 30,
) -> sandbox.Ran:  # fmt: skip
    """One run; a second where the sandbox itself failed. Raises NoBox."""
    bytes_of = {name: text.encode("utf-8", "replace") for name, text in files.items()}
    for _ in range(2):
        ran = sandbox.run(
            command, files=bytes_of, stdin=stdin, keep=keep, locked=locked, reads=reads,
            limits=sandbox.Limits(seconds=seconds, memory_bytes=memory_bytes),
        )  # fmt: skip
        if ran.kind != "not_started":
            return ran
    raise NoBox(ran.error)


def read(text: str) -> Said:
    """One line of the driver's: a literal, or ! and an exception."""
    if text.startswith("!"):
        return Said(fault=text[1:61])
    try:
        value = ast.literal_eval(text)
        _deep(value, 0)
    except (ValueError, SyntaxError, TypeError, RecursionError, MemoryError):
        return Said(fault="no plain value")
    return Said(value=value)


def same(a: Any, b: Any, *, tolerance: float = 0.0, listed: bool = False) -> bool:
    """Two values agree in type and value; floats to a relative 1e-9 or the tolerance.

    `listed`: b is JSON's, which writes a tuple as a list and a set not at all.
    """
    if _real(a) and _real(b) and (type(a) is type(b) or tolerance > 0):
        if isinstance(a, int) and isinstance(b, int):
            return abs(a - b) <= tolerance
        try:
            return a == b or math.isclose(a, b, rel_tol=1e-9, abs_tol=tolerance)
        except OverflowError:
            return False
    if isinstance(a, (list, tuple)) and isinstance(b, (list, tuple)):
        if not listed and type(a) is not type(b):
            return False
        return len(a) == len(b) and all(
            same(x, y, tolerance=tolerance, listed=listed) for x, y in zip(a, b, strict=True)
        )
    if isinstance(a, dict) and isinstance(b, dict) and set(a) == set(b) and len(a) == 1:
        ((kind, x),) = a.items()
        y = b[kind]
        if kind == "set":
            return sorted(map(repr, x)) == sorted(map(repr, y))
        if kind == "dict":
            left, right = _by_key(x, listed), _by_key(y, listed)
            return set(left) == set(right) and all(
                same(left[k], right[k], tolerance=tolerance, listed=listed) for k in left
            )
    return type(a) is type(b) and not isinstance(a, (dict, list, tuple)) and bool(a == b)


def literal(value: Any) -> Any:
    """A value of this process as `values` gives it back."""
    if isinstance(value, float) and math.isnan(value):
        return ("not", "a", "number")
    if isinstance(value, dict):
        return {"dict": [(literal(k), literal(v)) for k, v in value.items()]}
    if isinstance(value, (set, frozenset)):
        return {"set": [literal(item) for item in value]}
    if isinstance(value, (list, tuple)):
        return type(value)(literal(item) for item in value)
    return value


def _by_key(pairs: Sequence[tuple[Any, Any]], listed: bool) -> dict[str, Any]:
    return {str(k) if listed and type(k) is int else repr(k) if not isinstance(k, str) else k: v for k, v in pairs}


def _real(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _deep(value: Any, depth: int) -> None:
    if depth > MAX_DEPTH:
        raise ValueError("too deep")
    if isinstance(value, dict):
        if len(value) != 1 or not isinstance(next(iter(value.values())), list):
            raise ValueError("a mapping of another form")
        value = next(iter(value.values()))
    if isinstance(value, (list, tuple)):
        for item in value:
            _deep(item, depth + 1)


def _written(given: Any) -> str:
    """repr, with numbers that have no literal written as ones that do."""
    if isinstance(given, float) and not math.isfinite(given):
        return "(1e999-1e999)" if math.isnan(given) else "1e999" if given > 0 else "-1e999"
    if isinstance(given, dict):
        return "{" + ", ".join(f"{_written(k)}: {_written(v)}" for k, v in given.items()) + "}"
    if isinstance(given, (list, tuple)):
        inside = "".join(f"{_written(item)}, " for item in given)
        return f"[{inside}]" if isinstance(given, list) else f"({inside})"
    return ascii(given)
