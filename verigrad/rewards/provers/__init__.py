"""Provers, one a file, found by its name: the `type` of a formal gold.

Such a module gives `split(statement) -> Goal` (raises Unread), `screen(text, goal) -> str` (why a proof is refused
without running anything, empty where it is not), `missing() -> str` (what to install) and `prove(text, goal, ...) ->
Proved`. It opens with an accepted and a refused proof.
"""

from __future__ import annotations

import importlib
import pkgutil
import re
from dataclasses import dataclass
from typing import Literal, Protocol, cast

from verigrad.rewards import proof_text
from verigrad.rewards.tokens import Unread
from verigrad.sandbox import Ran


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


@dataclass(frozen=True, kw_only=True)
class Spelling:
    """How a language writes a statement."""

    wanted: str
    """What a statement looks like, for the refusal."""
    theorem: str
    """Pattern of the word and the name, the name its first group."""
    ending: str
    """Pattern of what may stand behind the formula and is passed over."""
    more: str
    """Pattern of a proof or a second sentence, which a statement has not."""
    every: str
    """For all: {} for binders and formula."""


def goal_of(statement: str, comments: proof_text.Comments, spelling: Spelling) -> Goal:
    """The last theorem of a statement, and what stands before it. Raises Unread."""
    bare = proof_text.stripped(statement, comments)
    found = list(re.finditer(spelling.theorem, bare or ""))
    if bare is None or not found:
        raise Unread(f"want a statement: {spelling.wanted}")
    last = found[-1]
    rest = re.sub(spelling.ending, "", bare[last.end() :].rstrip())
    if re.search(spelling.more, rest):
        raise Unread("more than a statement")
    binders, formula = proof_text.cut(rest)
    if not formula:
        raise Unread(f"want a statement: {spelling.wanted}")
    return Goal(
        name=last[1],
        header=proof_text.one_blank(last[1] + rest if not rest[:1].isspace() else last[1] + " " + rest),
        type=spelling.every.format(binders, formula) if binders else formula,
        preamble=bare[: last.start()].strip(),
    )


def fault(ran: Ran, what: str, said: str) -> Proved | None:
    """What a box that did not end well means, `said` by the program in it; None where it did."""
    if ran.kind == "not_started":
        return Proved(kind="ours", reason=ran.error, level=ran.level)
    if ran.kind != "exited":
        return Proved(kind="broke", reason=f"{ran.kind}: {what}: {ran.error}", level=ran.level)
    return None if ran.status == 0 else Proved(kind="refused", reason=f"{what}: {said}", level=ran.level)


def names() -> tuple[str, ...]:
    """All provers."""
    return tuple(sorted(m.name for m in pkgutil.iter_modules(__path__)))


def find(name: str) -> Prover:
    """The module of that prover. KeyError for a name that is none."""
    if name not in names():
        raise KeyError(name)
    return cast(Prover, importlib.import_module(f"{__name__}.{name}"))
