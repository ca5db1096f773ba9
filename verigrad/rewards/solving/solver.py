"""Questions to z3 in killable processes, with the rule of whose fault an `unknown` is.

Satisfiable or not is said only where z3 says so. `unknown`, a timeout or a death on the answer's own formula is the
answer's (`broke_check`) where the gold passes the same check, and nobody's (ungraded) where it does not.
"""

from __future__ import annotations

import functools
from typing import Any

from verigrad.rewards.killable import Killable, Said
from verigrad.rewards.solving.terms import Term, write
from verigrad.rewards.tokens import Unread

_HOME = "verigrad.rewards.solving.z3_process"
GOLD_SECONDS = 10.0
"""For a gold's own constraints, once."""
_SLACK = 2.0
"""Seconds the outer clock gives z3 to stop by itself."""


class GoldFault(Exception):
    """The gold cannot be solved or read: nobody could be judged."""


class Broke(Exception):
    """The killable process gave no value, or the solver said unknown on this answer."""

    def __init__(self, said: Said) -> None:
        super().__init__(said.fault)
        self.said = said


def status(gold: str, more: Term | None, *, probe: tuple[str, Term | None, str], seconds: float) -> str:
    """`sat` or `unsat` of the gold's script with one more assertion.

    `probe`: script, assertion and the status they must have. Raises Broke, GoldFault (z3 cannot read the script) or
    Unread (it cannot read the assertion).
    """
    text = "" if more is None else f"(assert {write(more)})"
    known, asserted, wanted = probe
    args = [gold, text, seconds]
    probing = [known, "" if asserted is None else f"(assert {write(asserted)})", seconds]
    said = processes().ask(
        f"{_HOME}:solve", args, probe=probing, passes=lambda v: v.get("status") == wanted, seconds=seconds + _SLACK
    )
    if said.fault:
        raise Broke(said)
    if "gold" in said.value:
        raise GoldFault(said.value["gold"])
    if "bad" in said.value:
        raise Unread(f"z3 cannot read it: {said.value['bad']}")
    found: str = said.value["status"]
    if found in ("sat", "unsat"):
        return found
    probed = processes().ask(f"{_HOME}:solve", probing, probe=probing, seconds=seconds + _SLACK)
    ours = probed.fault != "" or probed.value.get("status") != wanted
    raise Broke(Said(fault=f"the solver says unknown ({said.value['why']})"[:200], ours=ours))


def unsolved(gold: str) -> str:
    """Why z3 cannot satisfy the gold's script by itself; empty where it can. Remembered, but for faults of ours."""
    try:
        found = _alone(gold, GOLD_SECONDS)
    except Broke as broke:
        return str(broke)
    return "" if found == "sat" else f"the constraints by themselves: {found}"


@functools.lru_cache(maxsize=16_384)
def _alone(gold: str, seconds: float) -> str:
    said = processes().ask(f"{_HOME}:solve", [gold, "", seconds], probe=["", "", seconds], seconds=seconds + _SLACK)
    if said.fault:
        raise Broke(said)
    return str(said.value.get("status") or said.value.get("gold"))


def model(gold: str, seconds: float) -> dict[str, str] | None:
    """One model of the gold's script; None where z3 gives none."""
    said = processes().ask(f"{_HOME}:model", [gold, seconds], probe=["", seconds], seconds=seconds + _SLACK)
    found: dict[str, Any] = {} if said.fault else said.value
    return found.get("values")


@functools.cache
def processes() -> Killable:
    """The room's solver processes."""
    return Killable(memory_bytes=2 << 30)
