"""Verdicts for a person: disagreements first, else chosen by a hash. Left out: the writing."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from verigrad.acceptance.headline import differs
from verigrad.records import Item, seed


def spot_check(items: Sequence[Item], count: int) -> list[dict[str, Any]]:
    """`count` judged answers as plain dicts for spotcheck.jsonl, none twice, the same for the same items.

    Answers on which grader and training verifier differ come first; within each kind by seed("spot_check", key, side,
    index), which knows neither answer nor verdict. `person` is left None for whoever looks.
    """
    rows: list[tuple[bool, int, dict[str, Any]]] = []
    for item in items:
        named = [("before", -1, item.greedy_before), ("after", -1, item.greedy_after)]
        named += [("before", i, r) for i, r in enumerate(item.sampled_before)]
        named += [("after", i, r) for i, r in enumerate(item.sampled_after)]
        for side, index, reply in named:
            row = {
                "suite": item.suite,
                "key": item.task.key,
                "side": side,
                "draw": "greedy" if index < 0 else index,
                "prompt": [dict(m) for m in item.task.prompt],
                "gold": item.task.gold,
                "answer": reply.answer,
                "strict": reply.grade.strict,
                "lenient": reply.grade.lenient,
                "read": reply.grade.read,
                "reason": reply.grade.reason,
                "training": reply.training,
                "disagree": differs(reply) is True,
                "person": None,
            }
            rows.append((not row["disagree"], seed("spot_check", item.task.key, side, index), row))
    rows.sort(key=lambda r: (r[0], r[1], r[2]["suite"]))
    return [row for _, _, row in rows[:count]]
