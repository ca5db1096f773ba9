r"""A gold as an answer, in the plain spellings a grader may ask for; and every gold of a suite through its grader.

What a grader says right to in none of them it cannot read: no answer to that item could be told right. Left out: what
becomes of such items (runs), and a verifier's golds (rewards).
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from verigrad.records import Grade, Task

Spell = Callable[[Task], Sequence[str]]
"""More spellings of a task's gold, tried first."""
Say = Callable[[str, Task], Grade | str]
"""answer, task -> Grade, or why there is none. Raises nothing."""

_FORMS = ("{}", "#### {}", "\\boxed{{{}}}", "<answer>{}</answer>", "The answer is {}.", "```\n{}\n```")


@dataclass(frozen=True, kw_only=True)
class Unaccepted:
    """An item whose gold its own grader does not say right to."""

    task: Task
    """The item."""
    reason: str
    """What the grader said of the gold as it stands."""


@dataclass(frozen=True, kw_only=True)
class Checked:
    """What became of the golds."""

    unaccepted: tuple[Unaccepted, ...]
    """In the order of the items."""
    seen: int
    """Items looked at: fewer than all where time was up."""


def spellings(task: Task) -> tuple[str, ...]:
    r"""The gold bare, after ####, boxed, in answer tags, in a sentence, in a code block; at last in Python's writing.

    Text stands as it is, anything else as JSON; of a mapping its "answer" too, of text with #### what follows the last.

    >>> spellings(Task.make(prompt="q", gold="80"))[:4]
    ('80', '#### 80', '\\boxed{80}', '<answer>80</answer>')
    """
    gold = task.gold
    values = [as_answer(gold)]
    if isinstance(gold, Mapping) and "answer" in gold:
        values.append(as_answer(gold["answer"]))
    if isinstance(gold, str) and "####" in gold:
        values.append(gold.rsplit("####", 1)[1].strip())
    if not isinstance(gold, (str, Mapping)):
        values.append(str(gold))
    return tuple(dict.fromkeys(form.format(value) for value in values for form in _FORMS))


def as_answer(gold: Any) -> str:
    """The gold as a model would have to write it: text as it is, anything else as JSON."""
    return gold if isinstance(gold, str) else json.dumps(gold, ensure_ascii=False, default=str)


class Probe:
    """Whether a grader says right to a task's gold in one of its spellings; the spelling that did is tried first."""

    def __init__(self, say: Say, more: Spell | None = None) -> None:
        """`more` gives spellings beside the plain ones, tried before them."""
        self._say, self._more, self._first = say, more, 0

    def __call__(self, task: Task) -> str:
        """Empty where it does, else what it said of the gold's first spelling. A check that hangs is asked once."""
        texts = [*(self._more(task) if self._more is not None else ()), *spellings(task)]
        order = sorted(range(len(texts)), key=lambda i: (i != self._first, i))
        reasons = {}
        for i in order:
            said = self._say(texts[i], task)
            if isinstance(said, Grade) and said.strict == "right":
                self._first = i
                return ""
            reasons[i] = said if isinstance(said, str) else f"{said.strict}: {said.reason}".removesuffix(": ")
            if reasons[i].startswith("timed_out"):
                break
        return reasons.get(0) or next(iter(reasons.values()))


def check_golds(unaccepted: Callable[[Task], str], tasks: Sequence[Task], *, seconds: float = float("inf")) -> Checked:
    """The items whose gold is not accepted; one without a gold is passed over. Stops after `seconds`.

    `unaccepted` is a Grader's: why the gold is none, empty where it is one.
    """
    begun, found = time.perf_counter(), list[Unaccepted]()
    for at, task in enumerate(tasks):
        if time.perf_counter() - begun > seconds:
            return Checked(unaccepted=tuple(found), seen=at)
        if task.gold is not None and (reason := unaccepted(task)):
            found.append(Unaccepted(task=task, reason=reason))
    return Checked(unaccepted=tuple(found), seen=len(tasks))
