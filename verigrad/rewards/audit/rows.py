"""Rows from tasks: which kind reads the gold, how honest people write it, what is right for other rows.

Left out: rows made up for a kind (`made`).
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from verigrad.records import Task
from verigrad.rewards.audit.records import Row, words
from verigrad.rewards.audit.tricks.choices import labels
from verigrad.rewards.verifiers import kind as kind_module
from verigrad.rewards.verifiers import kinds

FORMS = (
    *("{}", "The answer is {}.", "\\boxed{{{}}}", "#### {}", "<answer>{}</answer>", "Answer: {}", "{}\n"),
    *(
        "<think>Let me see.</think>\n{}",
        "**{}**",
        "The answer is \\boxed{{{}}}.",
        "<think>Hm.</think>\n<answer>{}</answer>",
    ),
)
"""How models are taught to give an answer of a few words; "{}" stands for it."""
WORDED = ("number", "math", "choice", "blank", "")
"""Kinds whose answers are a few words."""
_READ = ("number", "choice", "code", "schema", "logic", "formal")
"""Kinds that are asked, in this order, whether they can read a gold whose kind nobody stated: those that do not read
any text as theirs."""
OTHERS = 8


def spellings(gold: str) -> tuple[str, ...]:
    r"""A gold of a few words in all forms, the plainest first.

    >>> spellings("80")[:3]
    ('80', 'The answer is 80.', '\\boxed{80}')
    """
    return tuple(form.format(gold) for form in FORMS)


def row_of(task: Task, *, kind: str = "", options: Mapping[str, Any] | None = None, gold_as: str = "{gold}") -> Row:
    """The task as a row of this kind; without one, of the kind that reads its gold.

    `options`: the kind's; `gold_as`: how the recipe says a gold is written as an answer, which is then right too.
    """
    kind = kind or read_by(task)
    plain = _plain_gold(task, kind, options or {})
    if plain is None:
        return Row(kind=kind, task=task, right=())
    told = () if gold_as == "{gold}" else (gold_as.replace("{gold}", plain),)
    worded = kind in WORDED and len(plain) < 200
    return Row(kind=kind, task=task, right=tuple(dict.fromkeys((plain, *told, *(spellings(plain) if worded else ())))))


def read_by(task: Task) -> str:
    """The first kind that can read the gold; "" where none can."""
    there = kinds()
    for name in _READ:
        if name in there and kind_module(name).check_gold(task) is None:
            return name
    return ""


def with_others(rows: Sequence[Row]) -> list[Row]:
    """The rows, each with its other choices where it has some, else with answers that are right for rows of its kind
    with another gold.
    """
    out = []
    for at, row in enumerate(rows):
        own = {words(right) for right in row.right}
        wrong = [label for label in labels(row) if row.gold and not {label.casefold()} & set(words(row.gold))]
        around = [*rows[at + 1 :], *rows[:at]]
        others = wrong or [
            r.gold for r in around if r.kind == row.kind and r.gold and _text(r.task.gold) != _text(row.task.gold)
        ]
        out.append(replace(row, others=tuple(dict.fromkeys(o for o in others if words(o) not in own))[:OTHERS]))
    return out


def _plain_gold(task: Task, kind: str, options: Mapping[str, Any]) -> str | None:
    """The gold as its kind writes it, else as it stands."""
    if kind:
        try:
            return kind_module(kind).gold_answer(task, **options)
        except Exception:  # each kind has its own words for a gold it cannot read; the row then has no right answer
            return None
    return None if task.gold is None else _text(task.gold)


def _text(gold: Any) -> str:
    return gold if isinstance(gold, str) else json.dumps(gold, ensure_ascii=False, sort_keys=True, default=str)
