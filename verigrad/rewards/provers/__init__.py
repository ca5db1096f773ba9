"""Provers, one a file, found by its name: the `type` of a formal gold.

Such a module gives `split(statement) -> Goal` (raises Unread), `screen(text, goal) -> str` (why a proof is refused
without running anything, empty where it is not), `missing() -> str` (what to install) and `prove(text, goal, ...) ->
Proved`. It opens with an accepted and a refused proof.
"""

from __future__ import annotations

import importlib
import pkgutil
from dataclasses import dataclass
from typing import Literal, Protocol, cast


@dataclass(frozen=True, kw_only=True)
class Goal:
    """A statement to be proved.

    >>> Goal(name="goal", header="goal : 1 = 1", type="1 = 1").name
    'goal'
    """

    name: str
    """The theorem's."""
    header: str
    """Name, binders and type, blanks made one: what a proof must repeat word for word."""
    type: str
    """The statement with its binders as one formula."""
    preamble: str = ""
    """What stands before the theorem: imports and definitions."""
    allow_native: bool = False
    """Computation outside the kernel counts."""
    allowed_axioms: tuple[str, ...] = ()
    """Beside what the prover's module allows by itself."""


@dataclass(frozen=True, kw_only=True)
class Proved:
    """What became of a proof."""

    kind: Literal["proved", "refused", "broke", "gold", "ours"]
    """refused: the prover or its checker says no; broke: it ran into a limit; gold: the statement itself does not
    compile; ours: the sandbox did not start."""
    reason: str = ""
    """Why, in one line."""
    level: int = 0
    """Isolation of the boxes."""


class Prover(Protocol):
    """What a module in this package gives."""

    def split(self, statement: str) -> Goal:
        """The statement in parts."""
        ...

    def screen(self, text: str, goal: Goal) -> str:
        """Why the proof is refused before anything runs."""
        ...

    def missing(self) -> str:
        """What to install; empty where nothing is missing."""
        ...

    def prove(self, text: str, goal: Goal, *, seconds: float, level: int | None) -> Proved:
        """Compiles and checks in boxes."""
        ...


def names() -> tuple[str, ...]:
    """All provers."""
    return tuple(sorted(m.name for m in pkgutil.iter_modules(__path__)))


def find(name: str) -> Prover:
    """The module of that prover. KeyError for a name that is none."""
    if name not in names():
        raise KeyError(name)
    return cast(Prover, importlib.import_module(f"{__name__}.{name}"))
