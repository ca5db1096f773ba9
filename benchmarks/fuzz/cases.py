"""What is fuzzed: every kind that `verifiers` lists, with golds and pieces of the shipped cases as a start.

A kind that runs programs (`PROGRAMS`) has its golds read, and what it would run where it says so (`committed`). A case
fails where a verdict is no Verdict, an exception leaves the kind, an answer makes its own grading ungraded, or its time
is over the limit. Left out: whether verdicts are right (tests).
"""

from __future__ import annotations

import contextlib
import json
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from verigrad.records import Task, Verdict
from verigrad.rewards import verifiers
from verigrad.rewards.tokens import TooBig, Unread

CASES = Path(__file__).resolve().parents[2] / "tests/cases/verifier_cases.jsonl"
SECONDS = 2.0
"""Limit of one case read in this process."""
WORKER_SECONDS = 20.0
"""Limit of one case that may start and ask a killable process, whose own limits are 5 to 10 s a question."""
ASKS = frozenset(("math", "schema", "logic", "pattern", "code"))

__all__ = ["CASES", "Seed", "check", "kinds", "limit", "seeds"]


@dataclass(frozen=True)
class Seed:
    """Where a case starts from."""

    kind: str
    gold: Any
    answer: str


def kinds() -> tuple[str, ...]:
    """Every kind there is."""
    return verifiers.kinds()


def seeds() -> list[Seed]:
    """The shipped cases, and for kinds without one a word and a number."""
    found = [
        Seed(case["kind"], case["truth"], case["completion"])
        for case in map(json.loads, CASES.read_text(encoding="utf-8").splitlines())
        if case["kind"] in kinds()
    ]
    seen = {seed.kind for seed in found}
    return found + [Seed(kind, gold, "80") for kind in kinds() if kind not in seen for gold in (80, "80", "animal")]


def limit(kind: str) -> float:
    """Seconds a case of this kind may take."""
    return WORKER_SECONDS if kind in ASKS else SECONDS


def check(seed: Seed) -> Iterator[str]:
    """What is wrong with the verdict on this case; nothing where all is well."""
    module = verifiers.kind(seed.kind)
    task = Task.make(prompt="Fuzzed.", gold=seed.gold, columns={"choices": "ABCD"})
    begun = time.perf_counter()
    try:
        reason = module.check_gold(task)
        verdict = None if getattr(module, "PROGRAMS", False) else module.verify(seed.answer, task)
        if verdict is None and reason is None and hasattr(module, "committed"):
            with contextlib.suppress(Unread, TooBig):
                module.committed(seed.answer, task)
    except Exception as error:
        yield f"{type(error).__name__}: {error}"[:300]
        return
    took = time.perf_counter() - begun
    if took > limit(seed.kind):
        yield f"{took:.1f} s, more than {limit(seed.kind)}"
    if verdict is None:
        return
    if not isinstance(verdict, Verdict):
        yield f"no verdict: {type(verdict).__name__}"
    elif (verdict.status == "ungraded") and reason is None:
        yield f"ungraded though the gold is read: {verdict.reason}"[:300]
    elif verdict.read is not None and len(verdict.read) > 2_000:
        yield f"{len(verdict.read)} characters of what was read"
