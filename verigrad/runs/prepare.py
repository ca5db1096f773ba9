"""Recipe -> all a run needs before a model is loaded: data cut and checked, rewards, suites, the method.

Every refusal that needs no model happens here, so that it comes within seconds. Left out: models, sampling, training.
"""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from verigrad.acceptance import Grader, as_answer, few_items, open_grader
from verigrad.data import Order, Split, check_leaks, load, load_suite, split
from verigrad.errors import DataError, RecipeError, Refused
from verigrad.losses import Method, build, check_sizes, needs, sets_elsewhere
from verigrad.recipe import Recipe, Suite, check_built, check_paths, judged_sides, source_name, with_method_sets
from verigrad.recipe import load as load_recipe
from verigrad.records import Task
from verigrad.rewards import Rewards
from verigrad.rollouts import DrawPlan, Keep


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


@dataclass(frozen=True, kw_only=True)
class Prepared:
    """One stage, ready for a model."""

    recipe: Recipe
    """The flattened recipe of the stage."""
    whole: Recipe
    """The recipe as read."""
    method: Method
    """What the loss is."""
    split: Split
    """The data's sides."""
    order: Order
    """Which tasks a step asks."""
    rewards: Rewards
    """Who gives the reward."""
    suites: tuple[Judged, ...]
    """Who accepts."""
    notes: tuple[str, ...]
    """Warnings for a person: few items, a grader that is not independent, duplicates left out."""

    @property
    def draws(self) -> DrawPlan:
        """How answers are drawn."""
        return DrawPlan(
            run_seed=self.recipe.run.seed,
            stage=1,
            group=self.recipe.train.group,
            max_tokens=self.recipe.sampling.max_tokens,
            temperature=self.recipe.sampling.temperature,
            stop=self.recipe.sampling.stop,
            greedy=needs(self.method).greedy,
        )

    @property
    def keep(self) -> Keep:
        """Which groups stay, as the method says."""
        least = 2 if needs(self.method).group else 1
        rounds = getattr(self.method.keep, "rounds", None)
        if rounds is not None:
            return Keep(varied=True, rounds=rounds - 1, grade_at_least=least)
        return Keep(rounds=0 if least == 1 else 2, grade_at_least=least)


def read(recipe: Recipe | str | Path, sets: Sequence[str] = ()) -> Recipe:
    """The recipe a verb was given: a file, or one made in Python. Raises Refused with its place in front."""
    if isinstance(recipe, Recipe):
        if sets:
            raise Refused("--set goes with a recipe file; make the recipe with the values you want")
        return with_method_sets(recipe, sets_elsewhere)
    return load_recipe(Path(recipe), sets=sets, method_sets=sets_elsewhere)


@contextlib.contextmanager
def placed(recipe: Recipe) -> Iterator[None]:
    """Refusals that leave this block carry the place in the recipe they are about."""
    try:
        yield
    except Refused as error:
        line = recipe.refusal(error)
        if line == str(error):
            raise
        raise type(error)(line) from error


@contextlib.contextmanager
def prepared(whole: Recipe) -> Iterator[Prepared]:
    """Everything of stage 1 that needs no model; closes the checks' processes at the end. Raises Refused."""
    with contextlib.ExitStack() as stack, placed(whole):
        check_built(whole)
        check_paths(whole)
        recipe = whole.stage(1)
        method = build(recipe.loss.method, recipe.loss.axes)
        check_sizes(method, recipe.train.group)
        sources = load(recipe.data, folder=recipe.folder)
        elsewhere = [
            load_suite(s.source, recipe.data, folder=recipe.folder, key=f"acceptance.{n}.source")
            for n, s in enumerate(recipe.acceptance)
            if s.source is not None and source_name(s.source) not in {d.name for d in recipe.data}
        ]
        cut = split(sources, suites=elsewhere)
        check_leaks(cut)
        rewards = Rewards(
            recipe.reward,
            folder=recipe.folder,
            max_tokens=recipe.sampling.max_tokens,
            limits=recipe.run.limits,
            sandbox=recipe.run.sandbox,
        )
        stack.callback(rewards.close)
        rewards.check_sources(cut.train)
        suites = tuple(_judged(recipe, cut, rewards, stack))
        yield Prepared(
            recipe=recipe,
            whole=whole,
            method=method,
            split=cut,
            order=order_of(recipe, cut),
            rewards=rewards,
            suites=suites,
            notes=(*cut.notes, *(c.said for c in rewards.checks if c.signature != "task"), *_notes(suites)),
        )


def order_of(recipe: Recipe, cut: Split) -> Order:
    """The stream of training tasks of this cut."""
    weights = {d.name: d.weight for d in recipe.data}
    return Order(cut.train, prompts=recipe.train.prompts, run_seed=recipe.run.seed, stage=1, weights=weights)


def _judged(recipe: Recipe, cut: Split, rewards: Rewards, stack: contextlib.ExitStack) -> Iterator[Judged]:
    for n, (suite, sides) in enumerate(
        zip(recipe.acceptance, judged_sides(recipe.acceptance, recipe.data), strict=True)
    ):
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
        try:
            grader = open_grader(
                suite.grader,
                folder=recipe.folder,
                seconds=recipe.run.limits.check_seconds or 10.0,
                told=functools.partial(options_of, recipe, suite.grader),
                training_verdict=rewards.verify,
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


def _golds_as(recipe: Recipe, rewards: Rewards, task: Task) -> list[str]:
    """The gold as the reward of its source is told to write it (reward.options.gold_as), or as its verifier would."""
    told = [
        part.options["gold_as"]
        for part in recipe.reward
        if part.verifier is not None and "gold_as" in part.options and part.judges(task.source)
    ]
    try:
        known = rewards.judges(task.source).gold_answer(task)
    except RecipeError:  # a source that acceptance alone has
        known = None
    return [*(str(form).replace("{gold}", as_answer(task.gold)) for form in told), *([] if known is None else [known])]


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


def _notes(suites: Sequence[Judged]) -> Iterator[str]:
    for judged in suites:
        families = [t.family for t in judged.tasks]
        if warning := few_items(families, judged.suite.rule, name=judged.name):
            yield warning
        if not judged.grader.independent:
            yield f"{judged.name}: NOT INDEPENDENT, graded by the training verifier itself"
