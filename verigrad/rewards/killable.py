"""A question put to a killable process, and whose fault it is when no answer comes.

What breaks (an exception, a dead process, the outer clock) is asked again in a fresh process beside a probe that must
pass. The probe passes: the fault is the answer's. It does not: nobody could have been judged. Left out: what the
question is, and the process itself (sandbox).
"""

from __future__ import annotations

import atexit
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from verigrad.records import BROKE_CHECK, Verdict, ungraded, wrong
from verigrad.sandbox import Outcome, Pool, Worker

MEMORY_BYTES = 3 << 30
"""Address space of one process."""
MAX_READ = 200
"""Characters of `Verdict.read`."""


@dataclass(frozen=True, kw_only=True)
class Said:
    """What came back."""

    value: Any = None
    """The function's value, where there is one."""
    fault: str = ""
    """Why there is none, in one line; empty where there is one."""
    ours: bool = False
    """The probe failed too: no answer's fault."""

    def verdict(self, rule: str) -> Verdict:
        """The verdict a fault means."""
        if self.ours:
            return ungraded(self.fault, rule=rule)
        return wrong(rule=rule, reason=f"{BROKE_CHECK}: {self.fault}")


class Killable:
    """Processes for one room's questions, started on the first and ended with the program. Any thread may ask."""

    def __init__(self, *, memory_bytes: int = MEMORY_BYTES) -> None:
        """Starts nothing."""
        self._pool = Pool(memory_bytes=memory_bytes)
        atexit.register(self._pool.close)

    def ask(
        self,
        target: str,
        args: Sequence[Any],
        *,
        probe: Sequence[Any],
        passes: Callable[[Any], bool] = lambda value: True,
        seconds: float,
    ) -> Said:
        """The value of `module:function` on `args`, by the rule above; `passes` judges the probe's value."""

        def work(worker: Worker) -> Said:
            first = worker.call(target, args, seconds=seconds)
            if first.kind == "value":
                return Said(value=first.value)
            worker.restart()
            probed = worker.call(target, probe, seconds=seconds)
            if probed.kind != "value" or not passes(probed.value):
                return Said(fault=f"{_fault(first)}; the probe: {_fault(probed) or 'not right'}"[:300], ours=True)
            again = worker.call(target, args, seconds=seconds)
            if again.kind == "value":
                return Said(value=again.value)
            return Said(fault=_fault(again)[:300])

        return self._pool.use(work)


def shown(value: Any) -> str:
    """At most MAX_READ characters of what was taken as the answer, on one line."""
    text = " ".join(str(value)[: 4 * MAX_READ].split())
    return text if len(text) <= MAX_READ else text[: MAX_READ - 3] + "..."


def _fault(outcome: Outcome) -> str:
    return f"timed_out: {outcome.error}" if outcome.kind == "timed_out" else outcome.error
