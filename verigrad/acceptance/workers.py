"""Calls into a killable process as plain functions: a value, or Broke. Left out: the process itself (sandbox)."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from verigrad.sandbox import Worker

LOAD_SECONDS = 60.0


class Broke(Exception):
    """The call gave no value: an exception, a dead process, or the deadline (then the text starts with timed_out)."""


class Calling:
    """One function ("module:function", JSON arguments and value) in a killable process, called like a function."""

    def __init__(
        self,
        worker: Worker,
        target: str,
        *,
        seconds: float,
        folder: Path | None = None,
        load: str | None = None,
        loads: Sequence[Any] = (),
    ) -> None:
        """`seconds` is the outer deadline of one call; `load(*loads)` is called first in every new process.

        What imports cost is then not taken for the answer's doing; loading has LOAD_SECONDS.
        """
        self._worker, self._target, self._seconds, self._folder = worker, target, seconds, folder
        self._load, self._loads, self._loaded = load, loads, 0

    def __call__(self, *args: Any) -> Any:
        """The value. Raises Broke where there is none."""
        self.load()
        return self._once(self._target, args, self._seconds)

    def load(self) -> None:
        """Loads in a process that has not loaded yet. Raises Broke where that fails."""
        if self._load is not None and not (self._worker.running and self._loaded == self._worker.starts):
            self._once(self._load, self._loads, LOAD_SECONDS)
            self._loaded = self._worker.starts

    def fresh(self) -> None:
        """The next call gets a new process: what an answer left behind in the old one is gone."""
        self._worker.restart()

    def _once(self, target: str, args: Sequence[Any], seconds: float) -> Any:
        outcome = self._worker.call(target, args, seconds=seconds, folder=self._folder)
        if outcome.kind == "value":
            return outcome.value
        raise Broke(f"timed_out: {outcome.error}" if outcome.kind == "timed_out" else outcome.error)
