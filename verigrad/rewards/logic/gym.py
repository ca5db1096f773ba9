r"""Items of reasoning-gym, by the review in `solving.gym_names`: by a puzzle here, or exactly, or not at all.

Right, for {"task": "chain_sum", "answer": "12"}: "12", "The answer is 12.", "\boxed{12}"; for {"task":
"spell_backward", "answer": "olleh"}: "olleh"; for countdown, the sudokus, cryptarithm, tower_of_hanoi,
prime_factorization and puzzle24 any solution.
Refused: "11 or 12", a text with more than the answer in it; and every answer to a task that is not judged here is
ungraded.

The gold holds `task` (the gym's name), `answer` (the oracle) and `metadata`. Exactly means: a number as a number, JSON
as a value, a single word in either case, any other text word for word, blanks at line ends aside.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Mapping
from typing import Any

from verigrad.records import Task
from verigrad.rewards import logic
from verigrad.rewards.logic import Judged
from verigrad.rewards.solving import gym_names
from verigrad.rewards.spans import committed_text, inner
from verigrad.rewards.tokens import Unread
from verigrad.rewards.verifiers import number


def check(truth: Mapping[str, Any]) -> str:
    """Why this gold cannot be read, or why the task is not judged here."""
    if why := gym_names.refused(truth.get("task")):
        return why
    if truth["task"] in gym_names.OWN:
        try:
            own = gym_names.OWN[truth["task"]](truth.get("metadata") or {})
        except (KeyError, TypeError) as error:
            return f"metadata without {error}"
        return logic.find(own["type"]).check(own)
    return "" if isinstance(truth.get("answer"), (str, int)) and str(truth["answer"]).strip() else "want an answer"


def judge(answer: str, truth: Mapping[str, Any], *, task: Task, seconds: float) -> Judged:
    """Whether the answer solves the item."""
    if truth["task"] in gym_names.OWN:
        own = gym_names.OWN[truth["task"]](truth["metadata"])
        return logic.find(own["type"]).judge(answer, own, task=task, seconds=seconds)
    gold = str(truth["answer"])
    if re.fullmatch(r"\s*-?[0-9]+(?:\.[0-9]+)?\s*", gold):
        said = number.read(answer, task)
        return Judged(ok=said.value == number.read_gold(gold).value, read=said.text, reason="another number")
    text = committed_text(answer, limit=100_000)
    return Judged(ok=_same(gold, text) or _same(inner(gold), text), read=text, reason="not the answer word for word")


def example(truth: Mapping[str, Any]) -> str | None:
    """The oracle; for a puzzle here, one that it accepts."""
    if truth["task"] not in gym_names.OWN:
        return f"<answer>{truth['answer']}</answer>"
    own = gym_names.OWN[truth["task"]](truth["metadata"])
    puzzle, answer = logic.find(own["type"]), truth.get("answer")
    if isinstance(answer, str):
        try:
            if puzzle.judge(answer, own, task=Task.make(prompt="?"), seconds=1.0).ok:
                return answer
        except Unread:
            pass
    return puzzle.example(own)


def _same(gold: str, text: str) -> bool:
    if _plain(gold) == _plain(text):
        return True
    if re.fullmatch(r"\s*\w+\s*", gold):
        return _plain(gold).casefold() == _plain(text.rstrip(".!")).casefold()
    try:
        a, b = json.loads(gold), json.loads(text) if len(text) < 50_000 and text.count("[") < 5_000 else None
    except (ValueError, RecursionError):
        return False
    return isinstance(a, (list, dict)) and json.dumps(a, sort_keys=True) == json.dumps(b, sort_keys=True)


def _plain(text: str) -> str:
    lines = unicodedata.normalize("NFC", text.strip()).split("\n")
    return "\n".join(" ".join(line.split()) for line in lines)
