"""Mined from a run's stored rollouts: pairs, labelled answers, demonstrations, or its questions. No answer is invented.

`run:NAME` reads every rl stage of runs/NAME, `run:.` the latest rl stage of the run that is going on. The rule:

  1. An answer counts if the verifier judged it, it ended by itself and says something: ungraded answers, answers cut at
     max_tokens, empty ones and the greedy answer of ReMax are never used.
  2. Within a group, equal answers (but for blanks around them) are one; a text judged both right and wrong is left out.
  3. Good is `right`; bad is `wrong` or `unreadable`. Partial credit stays bad.
  4. Pairs: the first right answer of a group with its first bad one, the second with the second, in the order of
     attempts, until one side runs out. So no answer stands in two pairs of its group, and an easy question gives no
     more pairs than it has mistakes.
  5. Labelled: each such answer. Demonstrations: each right one (rejection-sampling fine-tuning, arXiv:2308.01825).
  6. What comes up in several groups is taken once. Order: stage, step, group, attempt.

Prompt, gold, family and columns are the task's as it was trained on, so the split knows them again; a table's prompt,
system, columns and split_by do not apply. Left out: hard negatives, pairs of two right answers, margins.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from verigrad.data.use import Use
from verigrad.errors import DataError, Refused, nearest
from verigrad.records import Group, Task
from verigrad.store import RunDirectory


@dataclass(frozen=True, kw_only=True)
class Mined:
    """What a run gave."""

    tasks: tuple[Task, ...]
    """Tasks with the mined answers as columns, each once."""
    places: tuple[str, ...]
    """"run:sql, stage 1, step 3" of each."""
    notes: tuple[str, ...]
    """How many came from how many groups."""


def mined(source: str, use: Use, *, key: str = "data.source") -> Mined:
    """What `source` ("run:NAME" or "run:.") gives for `use`. DataError where it is no run or gives nothing."""
    name = source.removeprefix("run:")
    run = _run(source, name, use, key)
    stages = [stage for stage, kind in sorted(run.stages().items()) if kind == "rl" and run.steps(stage)]
    if name == "." and use.before is not None:  # a resumed run may have rollouts of later stages already
        stages = [stage for stage in stages if stage < use.before]
    if not stages:
        before = "; an rl stage comes before it, or name another run" if name == "." else ""
        raise DataError(f'{key} = "{source}": {run.folder} has no stored rollouts to mine{before}', key=key)
    found: dict[str, tuple[Task, str]] = {}
    groups = 0
    for stage in stages[-1:] if name == "." else stages:
        for step in run.steps(stage):
            for group in run.read_step(stage, step):
                groups += 1
                for columns in _columns(group, use):
                    task = _task(group.task, columns, name)
                    found.setdefault(task.key, (task, f"{source}, stage {stage}, step {step}"))
    if not found:
        raise DataError(f'{key} = "{source}": {_nothing(use)} in {groups} groups of {run.folder}', key=key)
    return Mined(
        tasks=tuple(task for task, _ in found.values()),
        places=tuple(place for _, place in found.values()),
        notes=(f"{source}: {len(found)} {_WHAT[use.wants]} from {groups} groups of stored answers",),
    )


_WHAT = {
    "questions": "questions",
    "demonstrations": "right answers",
    "labels": "labelled answers",
    "pairs": "pairs of a right and a wrong answer",
}


def _run(source: str, name: str, use: Use, key: str) -> RunDirectory:
    if name == ".":
        if use.here is None or not RunDirectory.exists(use.here):
            raise DataError(f'{key} = "run:.": this run has no rollouts yet; an rl stage comes before it', key=key)
        return RunDirectory.read(use.here)
    try:
        return RunDirectory.read(use.runs / name)
    except Refused as error:
        others = [path.name for path in use.runs.iterdir() if RunDirectory.exists(path)] if use.runs.is_dir() else []
        raise DataError(f'{key} = "{source}": {error}{nearest(name, others)}', key=key) from None


def answers(group: Group) -> tuple[list[str], list[str]]:
    """(good, bad) texts of a group by rules 1 to 3, in the order of attempts."""
    good: dict[str, str] = {}
    bad: dict[str, str] = {}
    for scored in group.members:
        text = scored.rollout.answer
        if scored.verdict.status == "ungraded" or scored.rollout.finish == "length" or not text.strip():
            continue
        (good if scored.verdict.correct else bad).setdefault(text.strip(), text)
    both = good.keys() & bad.keys()
    return [t for s, t in good.items() if s not in both], [t for s, t in bad.items() if s not in both]


def _columns(group: Group, use: Use) -> Iterator[dict[str, Any]]:
    """The columns of each task that a group gives."""
    if use.wants == "questions":
        yield {}
        return
    good, bad = answers(group)
    if use.wants == "pairs":
        yield from ({"chosen": chosen, "rejected": rejected} for chosen, rejected in zip(good, bad, strict=False))
    elif use.wants == "labels":
        yield from ({"completion": text, "label": True} for text in good)
        yield from ({"completion": text, "label": False} for text in bad)
    else:
        yield from ({"completion": text} for text in good)


def _task(task: Task, columns: dict[str, Any], source: str) -> Task:
    return Task.make(
        prompt=task.prompt,
        gold=task.gold,
        family=task.family,
        columns={**task.columns, **columns},
        source=source,
    )


def _nothing(use: Use) -> str:
    if use.wants == "pairs":
        return "nothing to pair: no group has both a right and a wrong answer that ended by itself"
    return f"no {_WHAT[use.wants]} that were judged and ended by themselves (answers cut at max_tokens do not count)"
