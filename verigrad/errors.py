"""One tree of errors, each with the exit status it ends a command with.

    VerigradError            3  failed while running
    ├── Refused              2  refused before starting: one line that says what to change
    │   ├── RecipeError      2  the recipe cannot be read or does not fit
    │   ├── DataError        2  a row, a column or a source is not as the recipe says
    │   └── NotYet           2  the grammar has it, this version does not
    ├── Stopped              3  a run ended itself (NaN, too many ungraded answers, a limit)
    └── Interrupted        130  Ctrl-C: saved and left

Left out: verdicts. A verifier never raises to say "wrong"; see records.verdict.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable


class VerigradError(Exception):
    """Base of every error this package raises on purpose. Its text is one line for a person."""

    exit_status = 3


class Refused(VerigradError):
    """Bad input, found before any work. `key` is the recipe's key path it concerns, if any ("loss.clip.high")."""

    exit_status = 2

    def __init__(self, message: str, *, key: str | None = None) -> None:
        super().__init__(message)
        self.key = key


class RecipeError(Refused):
    """The recipe itself is wrong: unknown key, wrong type, missing table, tables that do not fit."""


class DataError(Refused):
    """The data is not what the recipe says: names file, line or column."""


class NotYet(Refused):
    """Valid by the grammar, not built in this version."""


class Stopped(VerigradError):
    """A run that ended itself while running."""


class Interrupted(VerigradError):
    """Ctrl-C, after the state was saved."""

    exit_status = 130


def nearest(name: str, known: Iterable[str]) -> str:
    """`"; did you mean rows_match?"`, or the list of what exists when nothing is near. Empty when nothing exists."""
    known = sorted(known)
    close = difflib.get_close_matches(name, known, n=3, cutoff=0.6)
    if close:
        # Letters in another order are the likeliest slip: gpro is grpo, not gspo.
        swapped = [other for other in close if sorted(other) == sorted(name)]
        return f"; did you mean {(swapped or close)[0]}?"
    return f"; there is {', '.join(known)}" if known else ""
