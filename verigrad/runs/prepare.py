"""What a verb has in hand before any model is loaded: one stage's method, data, rewards and suites, all checked.

A stage that reads what an earlier one leaves (`run:.`, `model = "stage:1"`) is prepared when its turn comes. Left out:
suites (suites), golds (golds), models, sampling, training.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from verigrad.data import (
    Order,
    Split,
    check_leaks,
    demonstrations,
    labelled,
    pairs,
)
from verigrad.errors import Refused
from verigrad.losses import Method, PreferenceMethod, check_sizes, needs
from verigrad.recipe import Kind, Recipe, Reward, check_built, check_paths, with_method_sets
from verigrad.recipe import load as load_recipe
from verigrad.records import Task
from verigrad.rewards import Rewards
from verigrad.rollouts import DrawPlan, Keep
from verigrad.runs.loss_of import center_of, method_of, method_sets, preference_of
from verigrad.runs.stage_data import StageData
from verigrad.runs.suites import Judged, open_suites, suite_notes

RUNS = Path("runs")
"""Where runs lie, below the folder the command is given in."""


@dataclass(frozen=True, kw_only=True)
class Prepared:
    """One stage, ready for a model."""

    recipe: Recipe
    """The flattened recipe of the stage."""
    whole: Recipe
    """The recipe as read."""
    number: int
    """The stage, from 1."""
    loss: Method | PreferenceMethod | float | None
    """What the loss is: a method (rl, preference), the centring coefficient (reward_model); None for sft."""
    split: Split
    """The data's sides: its own to train on, the whole recipe's held out."""
    held_pairs: tuple[Any, ...]
    """What a reward model is accepted on: the held-out side where its data is the whole recipe's, else its validation
    slice; none for other kinds."""
    order: Order | None
    """Which tasks a step asks; None for what is no rl stage."""
    examples: tuple[Any, ...]
    """Pairs, labelled answers or demonstrations to train on; none for rl."""
    rewards: Rewards | None
    """Who gives the reward; None where the recipe has no reward and needs none."""
    suites: tuple[Judged, ...]
    """Who accepts."""
    notes: tuple[str, ...]
    """Warnings for a person: few items, a grader that is not independent, duplicates left out."""

    @property
    def kind(self) -> Kind:
        """What the stage does."""
        return self.recipe.stages[0].kind

    @property
    def method(self) -> Method:
        """The policy-gradient method of an rl stage."""
        assert isinstance(self.loss, Method), "only an rl stage has a method"
        return self.loss

    @property
    def draws(self) -> DrawPlan:
        """How answers are drawn."""
        return DrawPlan(
            run_seed=self.recipe.run.seed,
            stage=self.number,
            group=self.recipe.train.group,
            max_tokens=self.recipe.sampling.max_tokens,
            temperature=self.recipe.sampling.temperature,
            stop=self.recipe.sampling.stop,
            greedy=needs(self.method).greedy,
        )

    @property
    def keep(self) -> Keep:
        """Which groups stay, as the method says."""
        asked = needs(self.method)
        least = 2 if asked.group else 1
        rounds = getattr(self.method.keep, "rounds", None)
        if rounds is not None:
            return Keep(varied=True, rounds=rounds - 1, grade_at_least=least, process=asked.process)
        return Keep(rounds=0 if least == 1 else 2, grade_at_least=least, process=asked.process)


def read(recipe: Recipe | str | Path, sets: Sequence[str] = ()) -> Recipe:
    """The recipe a verb was given: a file, or one made in Python. Raises Refused with its place in front."""
    if isinstance(recipe, Recipe):
        if sets:
            raise Refused("--set goes with a recipe file; make the recipe with the values you want")
        return with_method_sets(recipe, method_sets)
    return load_recipe(Path(recipe), sets=sets, method_sets=method_sets)


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


def waits(stage: Recipe) -> bool:
    """Whether this flattened stage reads what an earlier stage of the same run leaves."""
    rl = stage.stages[0].kind == "rl"  # the others pay nobody
    models = [part.model for part in stage.reward if part.model is not None and rl]
    return any(d.source == "run:." for d in stage.data) or any(m.startswith("stage:") for m in models)


def face(whole: Recipe) -> int:
    """The stage a verb without training looks at: the first rl stage, else the last that has a policy, else the
    last.
    """
    return next((s.number for s in whole.stages if s.kind == "rl"), whole.result_stage)


@contextlib.contextmanager
def prepared(
    whole: Recipe, number: int | None = None, *, run: Path | None = None, runs: Path = RUNS
) -> Iterator[Prepared]:
    """Everything of a stage that needs no model; closes the checks' processes at the end. Raises Refused.

    `number`: the stage, None for its `face`. `run`: this run's own folder, once it has one; `runs`: where others lie.
    """
    number = face(whole) if number is None else number
    with contextlib.ExitStack() as stack, placed(whole), _keys_of(whole, number):
        check_built(whole)
        check_paths(whole)
        recipe = whole.stage(number)
        kind = recipe.stages[0].kind
        loss = _loss(recipe, whole, number)
        if isinstance(loss, Method):
            check_sizes(loss, recipe.train.group)
        sides = StageData(
            recipe, whole, run=run, runs=runs, unpaired=isinstance(loss, PreferenceMethod) and not loss.paired
        )
        cut, held = sides.cut, sides.held
        check_leaks(cut)
        rewards = _rewards(recipe, whole, kind, run, stack)
        if rewards is not None and kind == "rl":
            for name in cut.train:
                rewards.judges(name)
        suites = () if kind == "reward_model" else tuple(open_suites(recipe, whole.data, held, rewards, stack))
        signatures = () if rewards is None else (c.said for c in rewards.checks if c.signature != "task")
        yield Prepared(
            recipe=recipe,
            whole=whole,
            number=number,
            loss=loss,
            split=cut,
            held_pairs=pairs([t for tasks in sides.apart.values() for t in tasks]) if kind == "reward_model" else (),
            order=order_of(recipe, cut) if kind == "rl" else None,
            examples=_examples(kind, loss, cut),
            rewards=rewards,
            suites=suites,
            notes=(*cut.notes, *signatures, *suite_notes(suites)),
        )


def order_of(recipe: Recipe, cut: Split) -> Order:
    """The stream of training tasks of this cut."""
    weights = {d.name: d.weight for d in recipe.data}
    number = recipe.stages[0].number
    return Order(cut.train, prompts=recipe.train.prompts, run_seed=recipe.run.seed, stage=number, weights=weights)


@contextlib.contextmanager
def _keys_of(whole: Recipe, number: int) -> Iterator[None]:
    """A refusal's key as the whole recipe has it: "stage.2.loss.link" for "loss.link" of its second stage."""
    try:
        yield
    except Refused as error:
        if whole.flat and error.key and not error.key.startswith(("stage.", "acceptance", "run")):
            error.key = f"stage.{number}.{error.key}"
        raise


def _loss(recipe: Recipe, whole: Recipe, number: int) -> Method | PreferenceMethod | float | None:
    kind = recipe.stages[0].kind
    own = _own_loss(recipe, whole, number)
    if kind == "rl":
        return method_of(recipe, own)
    if kind == "preference":
        return preference_of(recipe, own)
    if kind == "reward_model":
        return center_of(recipe, own)
    if own:
        raise Refused(
            "an sft stage has one loss, the likelihood of the completion: take [stage.loss] out",
            key=f"loss.{next(iter(own))}",
        )
    return None


def check_loss(whole: Recipe, number: int) -> None:
    """Refuse a loss that a stage cannot have before its turn comes."""
    with placed(whole), _keys_of(whole, number):
        recipe = whole.stage(number)
        loss = _loss(recipe, whole, number)
        if isinstance(loss, Method):
            check_sizes(loss, recipe.train.group)


def _own_loss(recipe: Recipe, whole: Recipe, number: int) -> Mapping[str, Any]:
    """What the stage itself says of its loss, by its table or by --set; without stages all that is said."""
    said: Mapping[str, Any] = recipe.document.value.get("loss", {})
    others = {s.kind for s in whole.stages} - {recipe.stages[0].kind}
    if not whole.flat or not others & {"rl", "preference", "reward_model"}:
        return said  # what stands above the stages can be for nobody else
    table = whole.document.value["stage"][number - 1].get("loss", {})

    def set_here(key: str) -> bool:
        return recipe.document.origin(("loss", key)) == "--set" != whole.document.origin(("loss", key))

    return {k: v for k, v in said.items() if k in table or set_here(k)}


def _rewards(
    recipe: Recipe, whole: Recipe, kind: Kind, run: Path | None, stack: contextlib.ExitStack
) -> Rewards | None:
    names = {d.name for each in (recipe, whole) for d in each.data}
    # A part may be for sources that only another stage has.
    parts = [_with_model(part, run) for part in recipe.reward if part.on is None or names & set(part.on)]
    if kind != "rl":  # only what judges beside acceptance: no judge is loaded to look on
        parts = [part for part in parts if part.verifier is not None]
        if not parts:
            return None
    elif run is None and waits(recipe):
        parts = [part for part in parts if part.model is None or not part.model.startswith("stage:")]
        if not any(part.verifier is not None for part in parts):
            return None
    rewards = Rewards(
        parts,
        folder=recipe.folder,
        max_tokens=recipe.sampling.max_tokens,
        limits=recipe.run.limits,
        sandbox=recipe.run.sandbox,
        device=recipe.model.device,
    )
    stack.callback(rewards.close)
    return rewards


def _with_model(part: Reward, run: Path | None) -> Reward:
    """`model = "stage:1"` as the folder where that stage of this run left its model."""
    if run is None or part.model is None or not part.model.startswith("stage:"):
        return part
    number = int(part.model.removeprefix("stage:"))
    return part.model_copy(update={"model": str((run / f"{number:02d}_reward_model" / "model").resolve())})


def _examples(kind: Kind, loss: object, cut: Split) -> tuple[Any, ...]:
    tasks: list[Task] = [t for of_source in cut.train.values() for t in of_source]
    if kind == "rl":
        return ()
    if kind == "sft":
        return demonstrations(tasks)
    unpaired = isinstance(loss, PreferenceMethod) and not loss.paired
    return labelled(tasks) if unpaired else pairs(tasks)
