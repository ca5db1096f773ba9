"""A reward model as a judge: what `model = "folder"` of a [[reward]] pays, in this process and in batches.

It reads texts by its own tokenizer and template, so it need not be of the policy's family. The only file of this room
that imports models, and only where a recipe names one. Left out: training it (training.reward_model), the sum of
parts (compose).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path

from verigrad.errors import Refused
from verigrad.models import Scorer, load_scorer, score_texts
from verigrad.records import Task, Verdict, right, ungraded, wrong

RULE = "judge"


class RewardModel:
    """A scorer that pays its score. Where no program judges a source it is its verifier too: the judge's sign.

    That verdict says what the judge thinks (a score above 0), not what is true: it exists so that groups, metrics and
    DAPO's filter have one, and is never compared with a grader's.
    """

    name = RULE
    at_once = 1

    def __init__(self, scorer: Scorer) -> None:
        self.scorer = scorer

    @classmethod
    def load(cls, path: str, *, folder: Path, device: str, key: str) -> RewardModel:
        """The judge in that folder, seen from the recipe's. Raises Refused with `key`, one line."""
        try:
            return cls(load_scorer(path, device=device, folder=folder))
        except Refused as error:
            error.key = key
            raise

    def scores(self, asked: Sequence[tuple[str, Task]]) -> list[float]:
        """The score of each answer to its task, in order."""
        found = score_texts(self.scorer, [(task.prompt, answer) for answer, task in asked])
        return [float(score) for score in found]

    def verify(self, answer: str, task: Task) -> Verdict:
        """The judge's sign on one answer."""
        return sign(self.scores([(answer, task)])[0])

    def verify_all(self, pairs: Sequence[tuple[str, Task]]) -> list[Verdict]:
        """The same of many, in order."""
        return [sign(score) for score in self.scores(pairs)]

    def verify_golds(self, tasks: Sequence[Task]) -> list[Verdict | None]:
        """None each: a judge knows no gold."""
        return [None for _ in tasks]

    def gold_answer(self, task: Task) -> str | None:
        """None: a judge knows no gold."""
        return None


def sign(score: float) -> Verdict:
    """Right iff the score is above 0; ungraded where it is no number, which weights cause and no answer."""
    if not math.isfinite(score):
        return ungraded(f"the judge's score is {score}", rule=RULE)
    return (right if score > 0 else wrong)(rule=RULE, reason=f"score {score:.3f}")
