"""Built-in sources, one file each, found by listing this package. Leaves out how rows become tasks.

A built-in source is a module here with
    NAME      what `data.source` says
    __doc__   whose first line says what it is, and which shows an item
    rows()    its rows in a fixed order: dicts with `prompt`, `gold`, `family` (what a split keeps together) and
              whatever columns a template of the user may show
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any, Protocol


class Builtin(Protocol):
    """The interface of a built-in source's module."""

    NAME: str

    def rows(self) -> Sequence[Mapping[str, Any]]:
        """The rows, the same at every call."""


@cache
def _all() -> dict[str, Builtin]:
    found = {}
    for info in pkgutil.iter_modules(__path__):
        module: Any = importlib.import_module(f"{__name__}.{info.name}")
        found[module.NAME] = module
    return found


def names() -> list[str]:
    """Names of the built-in sources, sorted."""
    return sorted(_all())


def find(name: str) -> Builtin:
    """The built-in source of that name. KeyError where there is none."""
    return _all()[name]


def list_builtin() -> list[tuple[str, str, int]]:
    """(name, one line, number of items) of each built-in source, sorted by name."""
    return [(name, _first_line(find(name)), len(find(name).rows())) for name in names()]


def _first_line(module: Builtin) -> str:
    return (module.__doc__ or "").strip().partition("\n")[0]
