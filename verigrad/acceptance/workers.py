"""Calls into a killable process as plain functions: a value, or Broke. Left out: the process itself (sandbox)."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from verigrad.sandbox import Worker


class Broke(Exception):
    """The call gave no value: an exception, a dead process, or the deadline (then the text starts with timed_out)."""


@dataclass(frozen=True, kw_only=True)
class Calling:
    """One function ("module:function", JSON arguments and value) in a killable process, called like a function."""

    worker: Worker
    """The process; it is replaced after it hung or died."""
    target: str
    """module:function."""
    seconds: float
    """Outer deadline of one call; a new process has its start on top."""
    folder: Path | None = None
    """Working directory of the call."""

    def __call__(self, *args: Any) -> Any:
        """The value. Raises Broke where there is none."""
        outcome = self.worker.call(self.target, args, seconds=self.seconds, folder=self.folder)
        if outcome.kind == "value":
            return outcome.value
        raise Broke(f"timed_out: {outcome.error}" if outcome.kind == "timed_out" else outcome.error)

    def fresh(self) -> None:
        """The next call gets a new process: what an answer left behind in the old one is gone."""
        self.worker.restart()
