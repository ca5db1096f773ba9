"""What the grammar has and this version has not: refused in one line that says what to use instead."""

from __future__ import annotations

from verigrad.errors import NotYet
from verigrad.recipe.document import one_line
from verigrad.recipe.recipe import Recipe
from verigrad.recipe.tables import PREFERENCE_AXES
from verigrad.recipe.words import Check

_PREFIXES = {"run:": "a file.jsonl"}


def check_built(recipe: Recipe) -> None:
    """Raise NotYet, with its key, for the first thing, in the stages too, that this version cannot run."""
    for stage in recipe.stages:
        if stage.kind != "rl":
            raise _not_yet(f"stage.{stage.number}.kind", stage.kind, 'kind = "rl", or no [[stage]] at all')
    for each in (recipe, *recipe.flat):
        at = f"stage.{each.stages[0].number}." if each is not recipe else ""
        _check_machine(each, at)
        _check_rewards(each, at)
        for n, data in enumerate(each.data):
            _check_source(data.source, f"{at}data.{n}.source", "data.source")
            if isinstance(data.held_out, str):
                _check_source(data.held_out, f"{at}data.{n}.held_out", "data.held_out")
        for n, suite in enumerate(each.acceptance):
            if suite.source is not None:
                _check_source(suite.source, f"{at}acceptance.{n}.source", "acceptance.source")
    for name in recipe.run.log:
        if name != "tensorboard":
            raise _not_yet("run.log", name, 'log = "tensorboard"')


def _check_machine(recipe: Recipe, at: str) -> None:
    if recipe.sampling.engine != "local":
        raise _not_yet(f"{at}sampling.engine", recipe.sampling.engine, 'engine = "local"')
    if recipe.run.workers.kind != "inline":
        raise _not_yet(f"{at}run.workers", recipe.run.workers.kind, 'workers = "inline"')
    if recipe.model.lora is not None:
        text = f"model.lora = {recipe.model.lora.rank} is not in this version yet; use lora = 0 (all weights)"
        raise NotYet(text, key=f"{at}model.lora")


def _check_rewards(recipe: Recipe, at: str) -> None:
    for n, part in enumerate(recipe.reward):
        if part.model is not None:
            raise _not_yet(f"{at}reward.{n}.model", part.model, "reward.verifier", shown="reward.model")
    for axis in PREFERENCE_AXES:
        if axis in recipe.loss.axes:
            text = f"loss.{axis} belongs to preference losses, which are not in this version yet; take it out"
            raise NotYet(text, key=f"{at}loss.{axis}")


def _check_source(source: str | Check, key: str, shown: str) -> None:
    if not isinstance(source, str):
        return
    for prefix, instead in _PREFIXES.items():
        if source.startswith(prefix):
            raise _not_yet(key, source, instead, shown=shown)


def _not_yet(key: str, value: str, instead: str, *, shown: str = "") -> NotYet:
    parts = key.split(".")
    name = shown or ".".join(parts[2:] if parts[0] == "stage" and parts[2] != "kind" else parts)
    return NotYet(one_line(f'{name} = "{value}" is not in this version yet; use {instead}'), key=key)
