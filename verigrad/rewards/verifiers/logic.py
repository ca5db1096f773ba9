r"""`logic`: puzzles and formulas whose answers are checked, never compared with one solution where there are several.

Right, for {"type": "countdown", "numbers": [3, 7, 3], "target": 24}: "3 * 7 + 3", "\boxed{7 \times 3 + 3}".
Refused: "49/2" for a target of 24, "3*7+3" where 3 is there once, "open('/tmp/x','w')" (nothing is ever evaluated).

The gold is a mapping whose `type` is a file of `rewards/logic`: countdown, cryptarithm, gym, hanoi, mini_sudoku,
one_of, prime_factorization, sat, sat_assignment, smt, smt_equivalent, smt_model, smt_valid, sudoku; each says what
else it holds. Formulas are judged by z3 in killable processes with a memory limit: its `unknown` or silence on the
answer's own formula is wrong (broke_check) where the gold passes the same check. Left out: partial credit.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from verigrad.records import BROKE_CHECK, Task, Verdict, right, ungraded, unreadable, wrong
from verigrad.rewards import logic
from verigrad.rewards.killable import shown
from verigrad.rewards.options import Option
from verigrad.rewards.solving.solver import Broke, GoldFault
from verigrad.rewards.tokens import TooBig, Unread

RULE = "logic"
OPTIONS: Mapping[str, Option] = {
    "type": Option(default="", type=str, meaning="the puzzle, where the gold does not say it"),
    "seconds": Option(default=5.0, type=float, meaning="a formula not solved by then breaks the check"),
}


def verify(answer: str, task: Task, *, type: str = "", seconds: float = 5.0) -> Verdict:
    """The verdict on the one answer the text commits itself to."""
    truth = _truth(task, type)
    if isinstance(truth, str):
        return ungraded(f"gold: {truth}", rule=RULE)
    try:
        judged = logic.find(truth["type"]).judge(answer, truth, task=task, seconds=seconds)
    except Unread as error:
        return unreadable(str(error), rule=RULE)
    except TooBig as error:
        return wrong(rule=RULE, reason=f"{BROKE_CHECK}: {error}")
    except Broke as broke:
        return broke.said.verdict(RULE)
    except GoldFault as error:
        return ungraded(f"gold: {error}", rule=RULE)
    read = shown(judged.read)
    return right(read, rule=RULE) if judged.ok else wrong(read, rule=RULE, reason=judged.reason)


def check_gold(task: Task, *, type: str = "", seconds: float = 5.0) -> str | None:
    """Why this task's gold cannot be read; None where it can."""
    truth = _truth(task, type)
    return truth if isinstance(truth, str) else None


def gold_answer(task: Task, *, type: str = "", seconds: float = 5.0) -> str | None:
    """The answer that must be right for this task; None where none is known. Raises Unread."""
    truth = _truth(task, type)
    if isinstance(truth, str):
        raise Unread(truth)
    return logic.find(truth["type"]).example(truth)


def _truth(task: Task, given: str) -> dict[str, Any] | str:
    """The gold with its type, or why it cannot be read."""
    gold = task.gold
    if isinstance(gold, str) and gold.lstrip().startswith("{"):
        try:
            gold = json.loads(gold)
        except (ValueError, RecursionError):
            return "a text that is no JSON"
    if not isinstance(gold, Mapping):
        if not given:
            return "want a mapping with a type"
        gold = {"answer": gold}
    truth = {**gold, "type": gold.get("type", given)}
    if truth["type"] not in logic.names():
        return f"no puzzle {str(truth['type'])[:40]!r}: want {', '.join(logic.names())}"
    return logic.find(truth["type"]).check(truth) or truth
