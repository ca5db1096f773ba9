"""Rows made up for an audit without a recipe: a file a kind, found by its name, giving `rows() -> list[Row]`.

Plain tasks of many shapes, the same ones every time. Left out: attacks on them (tricks).
"""

from __future__ import annotations

import importlib
import pkgutil

from verigrad.rewards.audit.records import Row


def made_kinds() -> tuple[str, ...]:
    """The kinds there are rows for."""
    return tuple(sorted(m.name for m in pkgutil.iter_modules(__path__)))


def made_rows(kind: str, most: int) -> list[Row]:
    """At most so many rows of the kind; [] for one there are none of."""
    if kind not in made_kinds():
        return []
    rows: list[Row] = importlib.import_module(f"{__name__}.{kind}").rows()
    return rows[:most]
