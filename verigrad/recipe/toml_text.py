"""Nested Python tables as TOML text: what a run keeps of a recipe written in Python. Left out: layout."""

from __future__ import annotations

import datetime
import json
import re
from collections.abc import Iterable, Mapping
from typing import Any

_BARE = re.compile(r"[A-Za-z0-9_-]+\Z")


def toml_text(tables: Mapping[str, Any]) -> str:
    """TOML of tables of tables; functions as "module:name", keys that hold None left out.

    >>> print(toml_text({"train": {"lr": 1e-6, "schedule": {"name": "cosine"}}, "reward": [{"verifier": "number"}]}))
    [train]
    lr = 1e-06
    schedule = { name = "cosine" }
    <BLANKLINE>
    [[reward]]
    verifier = "number"
    <BLANKLINE>
    """
    scalars = {k: v for k, v in tables.items() if not _is_table(v) and not _is_tables(v)}
    lines = list(_pairs(scalars))
    for name, value in tables.items():
        if _is_table(value):
            lines += _table(f"[{_key(name)}]", value, f"{_key(name)}")
        elif _is_tables(value):
            for row in value:
                lines += _table(f"[[{_key(name)}]]", row, f"{_key(name)}")
    return "\n".join(lines) + "\n" if lines else ""


def _table(header: str, value: Mapping[str, Any], prefix: str) -> list[str]:
    """A stage's own tables get headers of their own; below that everything is inline."""
    deep = {k: v for k, v in value.items() if prefix == "stage" and (_is_table(v) or _is_tables(v))}
    lines = [header, *_pairs({k: v for k, v in value.items() if k not in deep}), ""]
    for name, inner in deep.items():
        rows = inner if _is_tables(inner) else [inner]
        left, right = ("[[", "]]") if _is_tables(inner) else ("[", "]")
        for row in rows:
            lines += [f"{left}{prefix}.{_key(name)}{right}", *_pairs(row), ""]
    return lines


def _pairs(value: Mapping[str, Any]) -> Iterable[str]:
    return (f"{_key(k)} = {_value(v)}" for k, v in value.items() if v is not None)


def _is_table(value: Any) -> bool:
    return isinstance(value, Mapping)


def _is_tables(value: Any) -> bool:
    return isinstance(value, list | tuple) and len(value) > 0 and all(isinstance(v, Mapping) for v in value)


def _key(key: str) -> str:
    return key if _BARE.match(key) else _text(key)


def _text(value: str) -> str:
    """JSON's escapes are TOML's, but for DEL, which TOML wants escaped, and surrogate pairs, which it does not know."""
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")


def _value(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return _text(value)
    if isinstance(value, int | float):
        return repr(value)
    if isinstance(value, datetime.date | datetime.time):
        return value.isoformat()
    if isinstance(value, Mapping):
        inner = ", ".join(_pairs(value))
        return f"{{ {inner} }}" if inner else "{}"
    if isinstance(value, list | tuple):
        return f"[{', '.join(_value(v) for v in value)}]"
    return _text(function_name(value)) if callable(value) else _text(str(value))


def function_name(function: Any) -> str:
    """A function as "module:name"."""
    return f"{getattr(function, '__module__', '?')}:{getattr(function, '__qualname__', type(function).__name__)}"
