"""Which answers are drawn: tasks of a step -> requests with their seeds -> rollouts.

The seed of a draw is `seed("draw", run seed, stage, step, task.key, attempt)`; attempts of one task count on through
refills and repeats within a step, so that no answer is ever drawn twice. Left out: judging.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from verigrad.records import Completion, Draw, Request, Rollout, Task, seed

GREEDY = -1
"""The attempt number of the greedy answer."""


@dataclass(frozen=True, kw_only=True)
class DrawPlan:
    """How answers are drawn in one stage."""

    run_seed: int
    """`run.seed`."""
    stage: int
    """From 1."""
    group: int
    """G, answers a prompt."""
    max_tokens: int
    """Most response tokens."""
    temperature: float
    """Of the sampled answers."""
    stop: tuple[str, ...] = ()
    """Texts that end an answer."""
    greedy: bool = False
    """One greedy answer beside each group (ReMax)."""


def requests_for(
    plan: DrawPlan, tasks: Sequence[Task], *, step: int, drawn: Mapping[str, int]
) -> tuple[list[tuple[Task, Draw]], list[Request]]:
    """The draws of one round, G (and a greedy one) for each task in order, and their requests.

    `drawn` says how many attempts each task key has already had in this step.
    """
    count = dict(drawn)
    draws: list[tuple[Task, Draw]] = []
    for task in tasks:
        first = count.get(task.key, 0)
        count[task.key] = first + plan.group
        for attempt in [*range(first, first + plan.group), *([GREEDY] if plan.greedy else [])]:
            value = seed("draw", plan.run_seed, plan.stage, step, task.key, attempt)
            draws.append((task, Draw(stage=plan.stage, step=step, attempt=attempt, seed=value)))
    requests = [
        Request(
            prompt=task.prompt,
            seed=draw.seed,
            max_tokens=plan.max_tokens,
            temperature=0.0 if draw.attempt == GREEDY else plan.temperature,
            stop=plan.stop,
        )
        for task, draw in draws
    ]
    return draws, requests


def rollouts_from(draws: Sequence[tuple[Task, Draw]], completions: Sequence[Completion]) -> list[Rollout]:
    """Each draw with what came back for it, in order. Every token of a completion was chosen by the policy."""
    return [
        Rollout(
            task=task,
            draw=draw,
            answer=c.text,
            prompt_ids=c.prompt_ids,
            token_ids=c.token_ids,
            chosen=np.ones(len(c.token_ids), dtype=bool),
            logp=c.logp,
            finish=c.finish,
            version=c.version,
        )
        for (task, draw), c in zip(draws, completions, strict=True)
    ]
