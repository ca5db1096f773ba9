"""Acceptance around a model: measure the held-out side, decide, and put it into words; validation looks.

Left out: graders and rules (acceptance), training. Each opening of the held-out side is counted.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from verigrad.acceptance import (
    Measured,
    Sampler,
    accuracy,
    decide,
    fixed_text,
    headline,
    measure,
    measure_off_task,
    overall,
    pair,
    task_format,
    with_holm,
)
from verigrad.acceptance.headline import differs
from verigrad.acceptance.measure import TrainingVerdict
from verigrad.models import LanguageModel, text_perplexity
from verigrad.recipe import Sampling
from verigrad.records import Decision, Item
from verigrad.runs.prepare import Prepared
from verigrad.runs.suites import Judged
from verigrad.runs.talk import Talk
from verigrad.store import RunDirectory, codec


def measure_suites(ready: Prepared, sampler: Sampler, talk: Talk, *, when: str) -> list[Measured]:
    """Every suite's items, greedy and sampled, of the sampler's model as it is now."""
    measured: list[Measured] = []
    asked = sampling_of(ready)
    for judged in ready.suites:
        rule = judged.suite.rule
        talk.phase(f"{when}: {judged.name}", len(judged.tasks))
        seen = 0

        def progress(done: int, _: int) -> None:
            nonlocal seen
            talk.advance(done - seen)
            seen = done

        measured += measure(
            sampler,
            judged.tasks,
            suite=judged.name,
            grade=judged.grader.grade,
            answers=rule.answers,
            max_tokens=rule.max_tokens or asked.max_tokens,
            temperature=asked.temperature if rule.temperature is None else rule.temperature,
            stop=asked.stop,
            training_verdict=_training_verdict(ready, judged),
            progress=progress,
        )
    return measured


def sampling_of(ready: Prepared) -> Sampling:
    """How acceptance draws, the same in every stage: as the stage that leaves the run's result says."""
    return ready.whole.stage(ready.whole.result_stage).sampling


def suites_asked(ready: Prepared) -> frozenset[tuple[object, ...]]:
    """What must be equal for answers measured in one stage to stand for another's: suite, grader, draws, limits."""
    rules = [(j.name, j.grader.name, j.suite.rule) for j in ready.suites]
    return frozenset((name, grader, r.answers, r.max_tokens, r.temperature) for name, grader, r in rules)


def _training_verdict(ready: Prepared, judged: Judged) -> TrainingVerdict | None:
    """The training verifier, where it can judge the suite's items: those of sources it knows."""
    rewards = ready.rewards
    known = {data.name for data in ready.whole.data}
    judges = rewards is not None and all(
        source in known and rewards.has_verifier(source) for source in {task.source for task in judged.tasks}
    )
    return rewards.verify if rewards is not None and judges else None


def verdict_of(ready: Prepared, items: Sequence[Item], *, openings: int) -> dict[str, Any]:
    """acceptance.json: each suite's numbers and decision, and the run's: its least suite's."""
    decisions: dict[str, Decision] = {}
    suites = []
    for judged in ready.suites:
        own = [i for i in items if i.suite == judged.name]
        decision = decide(own, judged.suite.rule)
        decisions[judged.name] = decision
        numbers = headline(
            own,
            suite=judged.name,
            grader=judged.grader.name,
            independent=judged.grader.independent,
            decision=decision,
        )
        suites.append(numbers)
    name, least = overall(decisions)
    return {
        "verdict": least.verdict,
        "why": f"{name}: {least.why}",
        "independent": all(j.grader.independent for j in ready.suites),
        "openings": openings,
        "suites": with_holm(suites),
    }


OFF_TASK_TOKENS = 64
"""Most tokens of an off-task answer: enough to see a reason, or that there is none."""


def off_task(ready: Prepared, lm: LanguageModel, sampler: Sampler, talk: Talk, *, when: str) -> dict[str, Any]:
    """The off-task probe of the model as it is now: 100 questions outside the task, and a plain text's perplexity."""
    tasks = [t for judged in ready.suites for t in judged.tasks]
    talk.phase(f"{when}: off-task questions")
    most = OFF_TASK_TOKENS if lm.context is None else max(1, min(OFF_TASK_TOKENS, lm.context // 2))
    found = measure_off_task(
        sampler, carries=task_format(tasks), perplexity=text_perplexity(lm, fixed_text()), max_tokens=most
    )
    return found.as_json()


def items_of(before: Sequence[Measured], after: Sequence[Measured]) -> list[Item]:
    """The pairs of two measurements of the same items."""
    return list(pair(before, after))


def look_of(ready: Prepared, sampler: Sampler) -> tuple[int, Callable[[int], Mapping[str, float]]] | None:
    """Steps between looks and the look itself, by the suites' graders on the validation slice; None where none
    asks.
    """
    asking = [j for j in ready.suites if j.suite.every and j.validation]
    if not asking:
        return None

    def look(_: int) -> Mapping[str, float]:
        measured = [
            m
            for judged in asking
            for m in measure(
                sampler,
                judged.validation,
                suite=judged.name,
                grade=judged.grader.grade,
                answers=0,
                max_tokens=judged.suite.rule.max_tokens or sampling_of(ready).max_tokens,
                stop=sampling_of(ready).stop,
                training_verdict=_training_verdict(ready, judged),
            )
        ]
        replies = [m.greedy for m in measured]
        both = [d for r in replies if (d := differs(r)) is not None]
        right = accuracy(measured)
        out = {"validation/disagree": sum(both) / len(both)} if both else {}
        return out if right != right else {**out, "validation/right": right}

    return min(j.suite.every for j in asking), look


def write_measured(run: RunDirectory, name: str, measured: Sequence[Measured]) -> None:
    """Store one measurement as lines, so that a resumed run need not open the held-out side again."""
    run.write_lines(
        name,
        [
            {
                "task": codec.task(m.task),
                "suite": m.suite,
                "greedy": codec.reply(m.greedy),
                "sampled": [codec.reply(r) for r in m.sampled],
            }
            for m in measured
        ],
    )


def read_measured(run: RunDirectory, name: str) -> list[Measured]:
    """What `write_measured` stored; [] where there is nothing."""
    return [
        Measured(
            task=codec.to_task(v["task"]),
            suite=v["suite"],
            greedy=codec.to_reply(v["greedy"]),
            sampled=tuple(codec.to_reply(r) for r in v["sampled"]),
        )
        for v in run.read_lines(name)
    ]
