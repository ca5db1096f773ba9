"""What a model answers on the held-out side: one greedy answer and k draws an item, with seeds of the item alone.

The same seeds before and after, so that the two differ by their weights only. Left out: who samples (a `Sampler` is
handed over), which items are held out, and what follows from the answers (decide.py).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

from verigrad.errors import DataError
from verigrad.records import Completion, Grade, Item, Reply, Request, Task, Verdict, seed

GREEDY = -1
"""Index of the greedy answer in the seed (task.key, index); draws count from 0."""

Grading = Callable[[str, Task], Grade]
TrainingVerdict = Callable[[str, Task], Verdict]


class Sampler(Protocol):
    """Whoever turns requests into completions, in the same order."""

    def sample(self, requests: Sequence[Request]) -> Sequence[Completion]:
        """One completion a request."""
        ...


@dataclass(frozen=True, kw_only=True)
class Measured:
    """One model's answers to one held-out item."""

    task: Task
    """What was asked."""
    suite: str
    """The suite that judges it."""
    greedy: Reply
    """The greedy answer."""
    sampled: tuple[Reply, ...] = ()
    """k draws."""


def measure(
    sampler: Sampler,
    tasks: Sequence[Task],
    *,
    suite: str,
    grade: Grading,
    answers: int,
    max_tokens: int,
    temperature: float = 1.0,
    stop: tuple[str, ...] = (),
    training_verdict: TrainingVerdict | None = None,
    batch: int = 64,
    progress: Callable[[int, int], None] | None = None,
) -> tuple[Measured, ...]:
    """One greedy answer and `answers` draws at `temperature` for each task, graded; items in the order of `tasks`.

    Seeds are seed("accept", task.key, index). `batch` items are sampled and graded at a time, `progress(done, all)` is
    called after each. `training_verdict` gives the disagreement rate its other side. DataError where a task occurs
    twice (its answers would count double).
    """
    keys: set[str] = set()
    for task in tasks:
        if task.key in keys:
            raise DataError(f"held-out item {task.key} occurs twice in suite {suite}: remove the duplicate row")
        keys.add(task.key)
    measured: list[Measured] = []
    for start in range(0, len(tasks), batch):
        part = tasks[start : start + batch]
        asked = [(task, index) for task in part for index in range(GREEDY, answers)]
        requests = [
            Request(
                prompt=task.prompt,
                seed=seed("accept", task.key, index),
                max_tokens=max_tokens,
                temperature=0.0 if index == GREEDY else temperature,
                stop=stop,
            )
            for task, index in asked
        ]
        completions = sampler.sample(requests)
        replies = [
            _reply(task, request, completion, grade, training_verdict)
            for (task, _), request, completion in zip(asked, requests, completions, strict=True)
        ]
        for i, task in enumerate(part):
            greedy, *sampled = replies[i * (answers + 1) : (i + 1) * (answers + 1)]
            measured.append(Measured(task=task, suite=suite, greedy=greedy, sampled=tuple(sampled)))
        if progress is not None:
            progress(len(measured), len(tasks))
    return tuple(measured)


def pair(before: Sequence[Measured], after: Sequence[Measured]) -> tuple[Item, ...]:
    """The items of two measurements of the same tasks, in the order of `after`. DataError where the tasks differ."""
    of = {m.task.key: m for m in before}
    if len(of) != len(after) or any(m.task.key not in of or m.suite != of[m.task.key].suite for m in after):
        raise DataError("before and after were not measured on the same items: measure both again")
    return tuple(
        Item(
            task=m.task,
            suite=m.suite,
            greedy_before=of[m.task.key].greedy,
            greedy_after=m.greedy,
            sampled_before=of[m.task.key].sampled,
            sampled_after=m.sampled,
        )
        for m in after
    )


def accuracy(measured: Sequence[Measured], *, test: str = "greedy") -> float:
    """Strict accuracy of graded answers, greedy or over all draws; nan where nothing was graded.

    For looks at the validation slice and for choosing the base's best temperature and token limit there.
    """
    replies = [r for m in measured for r in ((m.greedy,) if test == "greedy" else m.sampled)]
    graded = [r.grade.strict == "right" for r in replies if r.grade.strict != "ungraded"]
    return sum(graded) / len(graded) if graded else float("nan")


def _reply(
    task: Task, request: Request, completion: Completion, grade: Grading, training_verdict: TrainingVerdict | None
) -> Reply:
    return Reply(
        answer=completion.text,
        seed=request.seed,
        tokens=len(completion.token_ids),
        finish=completion.finish,
        grade=grade(completion.text, task),
        training=None if training_verdict is None else training_verdict(completion.text, task).status,
    )
