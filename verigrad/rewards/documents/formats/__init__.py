"""One document format a file, found by listing this package.

Such a module gives `FENCES` (info strings of its code blocks), `BARE` (it may stand between lines of prose without a
block), `SLOW` (its reader runs in a killable process), `read(text)` (raises Malformed or TooBig) and `write(value)`.
"""

from __future__ import annotations

import importlib
import pkgutil
from typing import Any, Protocol, cast


class Format(Protocol):
    """What a module in this package gives."""

    FENCES: frozenset[str]
    BARE: bool
    SLOW: bool

    def read(self, text: str) -> Any:
        """The value of a text that is nothing else."""
        ...

    def write(self, value: Any) -> str:
        """The value as a text."""
        ...


def names() -> tuple[str, ...]:
    """Names of all formats."""
    return tuple(sorted(m.name for m in pkgutil.iter_modules(__path__)))


def find(name: str) -> Format:
    """The module of that format. KeyError for a name that is none."""
    if name not in names():
        raise KeyError(name)
    return cast(Format, importlib.import_module(f"{__name__}.{name}"))
