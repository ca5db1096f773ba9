"""What the audit is made of: rows, attacks on them, tricks that build attacks, and what the audited check said.

Left out: who judges an attack (`judging`), what follows from it (`findings`).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Literal

from verigrad.records import Task

Claim = Literal["wrong", "right", "open"]
"""What an attack's construction says of it: not the gold, the gold in honest words, or nothing."""
Fault = Literal["", "exception", "hang", "died", "no score", "not a number", "non-finite", "out of range"]
"""How a check failed to give a score in [0, 1]; empty where it gave one."""


@dataclass(frozen=True, kw_only=True)
class Row:
    """One task with what is known to be right for it.

    >>> row = Row(kind="number", task=Task.make(prompt="8 * 10?", gold=80), right=("80",), others=("81",))
    >>> row.gold, row.other
    ('80', '81')
    """

    kind: str
    """The verifier's kind its gold is of; "" where no kind reads it."""
    task: Task
    """The task."""
    right: tuple[str, ...]
    """Honest answers, the plainest first; empty where none is known."""
    others: tuple[str, ...] = ()
    """Answers that are right for other rows, whose golds differ from this one's."""

    @property
    def gold(self) -> str:
        """The plainest honest answer; "" where none is known."""
        return self.right[0] if self.right else ""

    @property
    def other(self) -> str:
        """One answer that is wrong here and right elsewhere; "" where there is none."""
        return self.others[0] if self.others else ""

    @property
    def question(self) -> str:
        """The last thing the user said."""
        asked = [m["content"] for m in self.task.prompt if m["role"] == "user"]
        return asked[-1] if asked else ""


@dataclass(frozen=True, kw_only=True)
class Attack:
    """One answer put to the check.

    `by_hand`: a person wrote down what is right for it (the shipped cases), so no grader is asked.
    """

    trick: str
    """Name of the trick it came from."""
    answer: str
    """The model's whole output, as it would be."""
    row: Row
    """What it answers."""
    claim: Claim
    """wrong | right | open."""
    by_hand: bool = False
    """A shipped case, whose claim stands by itself."""
    label: str = ""
    """The shipped case's id; "" for a built attack."""


@dataclass(frozen=True, kw_only=True)
class Trick:
    """One way to be paid for nothing. A new one is a new record in a file of `tricks`; nothing else knows it."""

    name: str
    """Two or three words, as the report prints them."""
    about: str
    """One line: what a check that falls for it does wrong."""
    build: Callable[[Row], Iterable[str]]
    """The answers it makes of a row."""
    kinds: tuple[str, ...] = ()
    """Kinds whose rows it applies to; empty: all."""
    claim: Claim = "wrong"
    """What its answers are by construction."""
    rows: int | None = None
    """Most rows it is tried on, where one more teaches nothing and costs much; None: all."""

    def attacks(self, row: Row) -> list[Attack]:
        """Its attacks on the row; one that says the same words as an honest answer is left out."""
        if self.kinds and row.kind not in self.kinds:
            return []
        taken = {words(right) for right in row.right} if self.claim == "wrong" else set[tuple[str, ...]]()
        answers = dict.fromkeys(a for a in self.build(row) if words(a) not in taken)
        return [Attack(trick=self.name, answer=answer, row=row, claim=self.claim) for answer in answers]


@dataclass(frozen=True, kw_only=True)
class Said:
    """What the audited check said of one answer."""

    score: float | None
    """As it was given, also out of range; None where none was."""
    reason: str = ""
    """A few words of a verdict, or the fault in one line."""
    fault: Fault = ""
    """How it failed to give a score in [0, 1]."""
    seconds: float = 0.0
    """Wall time of the call."""


Grade = Literal["right", "wrong", "unreadable", "ungraded"]
Grading = Callable[[str, Task], Grade]
"""An independent grader's strict status for an answer; handed over by `runs`."""


_NEUTRAL = frozenset(("the", "a", "an", "is", "it", "so", "answer", "final", "boxed", "fbox", "text", "therefore"))


def words(text: str) -> tuple[str, ...]:
    r"""What the text says, case-folded: its numbers, words and operators without the words that only present them.

    >>> words("The answer is \\boxed{80}.") == words("80")
    True
    """
    said = re.findall(r"[0-9]+(?:\.[0-9]+)?|[^\W\d_]+|[^\W_]|[-+*/%^=<>!~]", text[:5_000].casefold())
    return tuple(w for w in said if w not in _NEUTRAL) or tuple(said)
