"""What acceptance stores and says: Grade, Reply, Item, Decision."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from verigrad.records.rollout import Finish
from verigrad.records.task import Task
from verigrad.records.verdict import Status


@dataclass(frozen=True, kw_only=True)
class Grade:
    """A grader's judgement of one answer, read strictly and leniently."""

    strict: Status
    """By the one committed answer. Decisions use this alone."""
    lenient: Status
    """By the last answer of the asked type anywhere."""
    read: str | None = None
    """What strict took as the answer; None = unread."""
    reason: str = ""
    """Why, in a few words."""


@dataclass(frozen=True, kw_only=True)
class Reply:
    """One answer of one model to a held-out item, with what was said of it."""

    answer: str
    """The model's output."""
    seed: int
    """Seed of the draw: (task.key, index), the same before and after."""
    tokens: int
    """Response tokens."""
    finish: Finish
    """stop | length."""
    grade: Grade
    """The grader's."""
    training: Status | None = None
    """The training verifier's status for the same answer, for the disagreement rate; None where there is none."""


@dataclass(frozen=True, kw_only=True)
class Item:
    """A held-out task with its answers before and after training."""

    task: Task
    """What was asked."""
    suite: str
    """The suite that judges it."""
    greedy_before: Reply
    """Greedy answer of the model the stage started from."""
    greedy_after: Reply
    """Greedy answer of the trained model."""
    sampled_before: tuple[Reply, ...] = ()
    """k draws before."""
    sampled_after: tuple[Reply, ...] = ()
    """k draws after, same seeds."""


@dataclass(frozen=True, kw_only=True)
class Decision:
    """What a suite's rule says of a trained model."""

    verdict: Literal["accepted", "not_accepted", "undecided"]
    """accepted: shown better than `gain` (a guard: than `margin`); not_accepted: shown not to be; else undecided."""
    gain: float
    """Mean paired difference after - before, in [-1, 1]."""
    interval: tuple[float, float]
    """The (1 - p) percentile interval of the paired gain, bootstrap over families."""
    p_value: float
    """Two-sided p of the rule's test."""
    test: str
    """The test by name: "exact McNemar", "sign-flip over families", "paired bootstrap over families"."""
    why: str
    """One line for a person."""
