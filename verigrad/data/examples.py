"""Tasks read for a loop without sampling, as its examples: pairs, labelled answers, demonstrations.

    load(tables, kind="preference") -> split -> check_leaks -> pairs(cut.train["ours"])

Until then they stay tasks whose answers are columns, so that the split by family, the leak check and the order are
those of every other source. Left out: which rows become such tasks (shapes, mined).
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from verigrad.data.text import one_line
from verigrad.errors import DataError
from verigrad.records import Demonstration, Labelled, Pair, Task


def pairs(tasks: Iterable[Task]) -> tuple[Pair, ...]:
    """The pairs of tasks loaded with kind "preference" or "reward_model". DataError for one that holds none.

    >>> columns = {"chosen": "It is 12.", "rejected": "12"}
    >>> pairs([Task.make(prompt="What is 7 + 5?", columns=columns)])[0].rejected
    '12'
    """
    return tuple(
        Pair(
            task=task,
            chosen=_column(task, "chosen", "pair"),
            rejected=_column(task, "rejected", "pair"),
            margin=float(task.columns.get("margin", 0.0)),
        )
        for task in tasks
    )


def labelled(tasks: Iterable[Task]) -> tuple[Labelled, ...]:
    """The labelled answers of tasks loaded with labelled=True. DataError for one that holds none.

    >>> labelled([Task.make(prompt="What is 7 + 5?", columns={"completion": "13", "label": False})])[0].good
    False
    """
    return tuple(
        Labelled(
            task=task,
            answer=_column(task, "completion", "labelled answer"),
            good=bool(_column(task, "label", "labelled answer")),
        )
        for task in tasks
    )


def demonstrations(tasks: Iterable[Task]) -> tuple[Demonstration, ...]:
    """The demonstrations of tasks loaded with kind "sft". DataError for one that holds none.

    >>> demonstrations([Task.make(prompt="What is 7 + 5?", columns={"completion": "12"})])[0].answer
    '12'
    """
    return tuple(Demonstration(task=task, answer=_column(task, "completion", "demonstration")) for task in tasks)


def _column(task: Task, name: str, what: str) -> Any:
    if name not in task.columns:
        asked = one_line(task.prompt[-1]["content"], 40)
        raise DataError(f'{task.source}: the task "{asked}" holds no {what}: no column {name}; load its source as such')
    return task.columns[name]
