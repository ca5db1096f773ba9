"""Puzzles whose answers are checked, one type a file; a file put here is found by its name, the gold's `type`.

Such a module gives `check(truth) -> str` (why this gold cannot be read, empty where it can), `judge(answer, truth,
task, seconds) -> Judged` (raises Unread for no single committed answer, TooBig beyond a limit, solver.Broke, GoldFault)
and `example(truth) -> str | None` (an answer that must be right). It opens with an accepted and a refused answer.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol, cast

from verigrad.records import Task


@dataclass(frozen=True, kw_only=True)
class Judged:
    """What a puzzle says of a readable answer."""

    ok: bool
    """It solves the puzzle."""
    read: str
    """What was taken as the answer."""
    reason: str = ""
    """Why not, in a few words."""


class Puzzle(Protocol):
    """What a module in this package gives."""

    def check(self, truth: Mapping[str, Any]) -> str:
        """Why the gold cannot be read."""
        ...

    def judge(self, answer: str, truth: Mapping[str, Any], *, task: Task, seconds: float) -> Judged:
        """Whether the answer solves it."""
        ...

    def example(self, truth: Mapping[str, Any]) -> str | None:
        """A right answer."""
        ...


def names() -> tuple[str, ...]:
    """All types."""
    return tuple(sorted(m.name for m in pkgutil.iter_modules(__path__)))


def find(name: str) -> Puzzle:
    """The module of that type. KeyError for a name that is none."""
    if name not in names():
        raise KeyError(name)
    return cast(Puzzle, importlib.import_module(f"{__name__}.{name}"))
