"""Tricks, by what they play on. A file put here is found by its name and gives `TRICKS`; nothing else needs to know it.

Where each was seen: docs/audit.md. Left out: rows (made, or the recipe's), the shipped cases.
"""

from __future__ import annotations

import functools
import importlib
import pkgutil

from verigrad.rewards.audit.records import Trick


@functools.cache
def all_tricks() -> tuple[Trick, ...]:
    """Every trick, by file and in the file's order."""
    files = sorted(m.name for m in pkgutil.iter_modules(__path__))
    return tuple(trick for name in files for trick in importlib.import_module(f"{__name__}.{name}").TRICKS)
