"""Two bounded strings compared by math_verify in a killable process, one for all calls, replaced when it breaks.

A break is retried once in a fresh process beside a probe, the gold compared with itself: what breaks while the probe
passes is the answer's doing (wrong, broke_check); where the probe fails too nothing was judged. Left out: reading.
"""

from __future__ import annotations

import functools
from collections.abc import Callable

from verigrad.acceptance.workers import Broke, Calling
from verigrad.records import BROKE_CHECK, Status
from verigrad.sandbox import Worker

SECONDS = 10.0
"""Outer deadline of one comparison."""

Call = Callable[[str, str], str]


def equal(
    gold: str, answer: str, *, call: Call | None = None, fresh: Callable[[], None] | None = None
) -> tuple[Status, str]:
    """Status and reason of `answer` against `gold`.

    `call` compares once and raises Broke, `fresh` gives it a new process (default: the one process of this module).
    """
    call, fresh = call or _compared, fresh or _process().fresh
    try:
        return _status(call(gold, answer))
    except Broke:
        fresh()
    try:
        probe = call(gold, gold)
    except Broke as broke:
        probe = f"broke: {broke}"
    try:
        return _status(call(gold, answer))
    except Broke as broke:
        if probe != "equal":
            return "ungraded", f"the comparison fails on the gold itself ({probe})"
        return "wrong", f"{BROKE_CHECK}: {broke}"


def proportional(gold: str, answer: str) -> tuple[Status, str]:
    """Status and reason of one equation against another: the same up to a factor."""
    return equal(gold, answer, call=_scaled, fresh=_equations().fresh)


def rounded(gold: str, decimal: str) -> tuple[Status, str]:
    """Status and reason of a plain decimal against an exact gold: ten digits, correctly rounded or cut off."""
    return equal(gold, decimal, call=_cut, fresh=_decimals().fresh)


def _status(said: str) -> tuple[Status, str]:
    if said == "gold":
        return "ungraded", "math_verify cannot read the gold"
    if said == "answer":
        return "wrong", "math_verify cannot read the answer"
    return ("right", "") if said == "equal" else ("wrong", "")


@functools.lru_cache(maxsize=100_000)
def _compared(gold: str, answer: str) -> str:
    # what broke is not remembered: the cache holds values only
    return str(_process()(gold, answer))


@functools.lru_cache(maxsize=20_000)
def _scaled(gold: str, answer: str) -> str:
    return str(_equations()(gold, answer))


@functools.cache
def _equations() -> Calling:
    here = "verigrad.acceptance.math_worker"
    return Calling(Worker(), f"{here}:proportional", seconds=SECONDS, load=f"{here}:equal", loads=("1", "1"))


@functools.lru_cache(maxsize=20_000)
def _cut(gold: str, decimal: str) -> str:
    # the probe of `equal` puts the gold against itself: it is no decimal, and is compared as an expression then
    return str(_decimals()(gold, decimal)) if decimal != gold else str(_process()(gold, gold))


@functools.cache
def _decimals() -> Calling:
    here = "verigrad.acceptance.math_worker"
    return Calling(Worker(), f"{here}:rounded", seconds=SECONDS, load=f"{here}:equal", loads=("1", "1"))


@functools.cache
def _process() -> Calling:
    here = "verigrad.acceptance.math_worker"
    return Calling(Worker(), f"{here}:equal", seconds=SECONDS, load=f"{here}:equal", loads=("1", "1"))
