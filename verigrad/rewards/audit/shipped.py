"""The shipped cases as attacks: answers from public reports, each with what a person wrote down as right.

`cases.jsonl` beside this file is a copy of the test-suite's, kept equal by a test.
"""

from __future__ import annotations

import functools
import json
from collections.abc import Collection, Mapping
from importlib.resources import files
from typing import Any

from verigrad.records import Task
from verigrad.rewards.audit.records import Attack, Claim, Row

TRICK = "shipped cases"
ABOUT = "fails on an input of a public report"
_NOT_COLUMNS = ("id", "kind", "completion", "truth", "expected", "why", "note", "problem", "source", "env")


def shipped(kinds: Collection[str], *, own: bool) -> list[Attack]:
    """The cases of these kinds. `own`: for a function of the user's, which gets a choice's label as its gold, and whose
    word on a gold that cannot be read is nobody's to judge.
    """
    claims: dict[Any, Claim] = {True: "right", False: "wrong", "error": "open" if own else "wrong"}
    return [
        Attack(
            trick=TRICK,
            answer=case["completion"],
            row=Row(kind=case["kind"], task=_task(case, own=own), right=()),
            claim=claims[case["expected"]],
            by_hand=True,
            label=case["id"],
        )
        for case in cases()
        if case["kind"] in kinds
    ]


@functools.cache
def cases() -> tuple[Mapping[str, Any], ...]:
    """All of them, in the file's order."""
    text = (files("verigrad.rewards.audit") / "cases.jsonl").read_text(encoding="utf-8")
    return tuple(json.loads(line) for line in text.splitlines() if line)


def _task(case: Mapping[str, Any], *, own: bool) -> Task:
    gold, columns = case["truth"], {k: v for k, v in case.items() if k not in _NOT_COLUMNS}
    if own and isinstance(gold, Mapping) and {"answer", "choices"} == set(gold):
        gold, columns = gold["answer"], {**columns, "choices": gold["choices"]}
    return Task.make(prompt=str(case.get("problem", "")), gold=gold, columns=columns, source="cases")
