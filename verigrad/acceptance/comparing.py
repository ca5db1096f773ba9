"""Two bounded strings compared by math_verify in a killable process, one for all calls, replaced when it breaks.

A break is retried once in a fresh process beside a probe, the gold compared with itself: what breaks while the probe
passes is the answer's doing (wrong, broke_check); where the probe fails too nothing was judged. Left out: reading.
"""

from __future__ import annotations

import functools
from collections.abc import Callable

from verigrad.acceptance.workers import Broke, calling
from verigrad.records import BROKE_CHECK, Status
from verigrad.sandbox import Worker

SECONDS = 10.0
"""Outer deadline of one comparison; a new process has its start on top."""

Call = Callable[[str, str], str]


def equal(gold: str, answer: str, *, call: Call | None = None) -> tuple[Status, str]:
    """Status and reason of `answer` against `gold`; `call` compares once and raises Broke (default: the process)."""
    call = call or _process()
    for attempt in (1, 2):
        try:
            return _status(call(gold, answer))
        except Broke as broke:
            reason = str(broke)
        try:
            probe = call(gold, gold)
        except Broke as broke:
            probe = f"broke: {broke}"
        if probe != "equal" and attempt == 2:
            return "ungraded", f"the comparison fails on the gold itself ({probe})"
    return "wrong", f"{BROKE_CHECK}: {reason}"


def _status(said: str) -> tuple[Status, str]:
    if said == "gold":
        return "ungraded", "math_verify cannot read the gold"
    if said == "answer":
        return "wrong", "math_verify cannot read the answer"
    return ("right", "") if said == "equal" else ("wrong", "")


@functools.cache
def _process() -> Call:
    return calling(Worker(), "verigrad.acceptance.math_worker:equal", seconds=SECONDS)
