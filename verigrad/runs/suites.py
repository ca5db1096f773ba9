"""The suites of a stage: whose items, which grader, open and ready to judge. Left out: measuring (accepting)."""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from verigrad.acceptance import Grader, as_answer, few_items, open_grader
from verigrad.data import Split
from verigrad.errors import DataError, RecipeError, Refused
from verigrad.recipe import Data, Recipe, Suite, judged_sides, source_name
from verigrad.records import Task, Verdict
from verigrad.rewards import Rewards


@dataclass(frozen=True, kw_only=True)
class Judged:
    """A suite with its items and its grader."""

    name: str
    """Its items' source, or "held-out" where it judges several sides."""
    suite: Suite
    """The recipe's table."""
    tasks: tuple[Task, ...]
    """Held-out items, or those from elsewhere."""
    validation: tuple[Task, ...]
    """The validation slice of the sides it judges; empty for items from elsewhere."""
    grader: Grader
    """Its grader, open."""


def open_suites(
    recipe: Recipe, data: Sequence[Data], cut: Split, rewards: Rewards | None, stack: contextlib.ExitStack
) -> Iterator[Judged]:
    """The stage's suites over the held-out sides of `data`, the whole recipe's, as `cut`. Raises Refused."""
    for n, (suite, sides) in enumerate(zip(recipe.acceptance, judged_sides(recipe.acceptance, data), strict=True)):
        if sides:
            tasks = tuple(t for side in sides for t in cut.held_out[side])
            looks = tuple(t for side in sides for t in cut.validation.get(side, ()))
            name = sides[0] if len(sides) == 1 else "held-out"
        else:
            assert suite.source is not None
            name = source_name(suite.source)
            tasks, looks = cut.suites[name], ()
        if not tasks:
            raise DataError(f"acceptance: {name} has no items to judge", key=f"acceptance.{n}")
        _check_independent(recipe, suite, n)
        _check_same(rewards, suite, tasks, n)
        try:
            grader = open_grader(
                suite.grader,
                folder=recipe.folder,
                seconds=recipe.run.limits.check_seconds or 10.0,
                told=functools.partial(options_of, recipe, suite.grader),
                training_verdict=_verify(rewards, n),
                spell=functools.partial(_golds_as, recipe, rewards),
            )
        except Refused as error:
            error.key = f"acceptance.{n}.grader"
            raise
        stack.callback(grader.close)
        yield Judged(name=name, suite=suite, tasks=tasks, validation=looks, grader=grader)


def options_of(recipe: Recipe, verifier: object, task: Task) -> Mapping[str, Any]:
    """The options of the reward's verifier of that name for the source of a task; nothing where it has another."""
    parts = (part for part in recipe.reward if part.verifier == verifier and part.judges(task.source))
    return next((part.options for part in parts), {})


def suite_notes(suites: Sequence[Judged]) -> Iterator[str]:
    """Warnings for a person: few items, a grader that is not independent."""
    for judged in suites:
        families = [t.family for t in judged.tasks]
        if warning := few_items(families, judged.suite.rule, name=judged.name):
            yield warning
        if not judged.grader.independent:
            yield f"{judged.name}: NOT INDEPENDENT, graded by the training verifier itself"


def _verify(rewards: Rewards | None, n: int) -> Callable[[str, Task], Verdict]:
    if rewards is not None:
        return rewards.verify

    def nobody(answer: str, task: Task) -> Verdict:
        raise Refused(
            'acceptance.grader = "same" wants the training verifier, and the recipe has none; name a grader',
            key=f"acceptance.{n}.grader",
        )

    return nobody


def _golds_as(recipe: Recipe, rewards: Rewards | None, task: Task) -> list[str]:
    """The gold as the reward of its source is told to write it (reward.options.gold_as), or as its verifier would."""
    told = [
        part.options["gold_as"]
        for part in recipe.reward
        if part.verifier is not None and "gold_as" in part.options and part.judges(task.source)
    ]
    try:
        known = None if rewards is None else rewards.judges(task.source).gold_answer(task)
    except RecipeError:  # a source that acceptance alone has
        known = None
    return [*(str(form).replace("{gold}", as_answer(task.gold)) for form in told), *([] if known is None else [known])]


def _check_same(rewards: Rewards | None, suite: Suite, tasks: Sequence[Task], n: int) -> None:
    """A reward model is no grader of its own: its sign is no grade."""
    if suite.grader != "same" or rewards is None:
        return
    for source in sorted({task.source for task in tasks}):
        if not rewards.has_verifier(source):
            raise Refused(
                f'acceptance.grader = "same" wants a training verifier, and a reward model alone judges {source}: '
                "its sign is no grade; name a grader",
                key=f"acceptance.{n}.grader",
            )


def _check_independent(recipe: Recipe, suite: Suite, n: int) -> None:
    """The training verifier under its own name is no grader; built-in kinds share names, not code."""
    checks = [part.verifier for part in recipe.reward if part.verifier is not None]
    own = callable(suite.grader) or ":" in suite.grader
    if own and suite.grader in checks:
        raise Refused(
            'acceptance.grader is the training verifier: say grader = "same" to go on; '
            "the result will be marked not independent",
            key=f"acceptance.{n}.grader",
        )
