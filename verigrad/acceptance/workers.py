"""Calls into a killable process as plain functions: a value, or Broke. Left out: the process itself (sandbox)."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from verigrad.sandbox import Worker


class Broke(Exception):
    """The call gave no value: an exception, a dead process, or the deadline (then the text starts with timed_out)."""


def calling(worker: Worker, target: str, *, seconds: float, folder: Path | None = None) -> Callable[..., Any]:
    """`target` ("module:function", JSON arguments and value) on `worker`, with an outer deadline, as a function.

    It raises Broke. A process that hung or died is replaced by the next call.
    """

    def call(*args: Any) -> Any:
        outcome = worker.call(target, args, seconds=seconds, folder=folder)
        if outcome.kind == "value":
            return outcome.value
        raise Broke(f"timed_out: {outcome.error}" if outcome.kind == "timed_out" else outcome.error)

    return call
