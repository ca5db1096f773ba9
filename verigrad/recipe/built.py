"""What the grammar has and this version has not: refused in one line that says what to use instead."""

from __future__ import annotations

from verigrad.errors import NotYet
from verigrad.recipe.document import one_line
from verigrad.recipe.recipe import Recipe


def check_built(recipe: Recipe) -> None:
    """Raise NotYet, with its key, for the first thing, in the stages too, that this version cannot run."""
    for each in (recipe, *recipe.flat):
        at = f"stage.{each.stages[0].number}." if each is not recipe else ""
        if each.sampling.engine != "local":
            raise _not_yet(f"{at}sampling.engine", each.sampling.engine, 'engine = "local"')
        if each.model.lora is not None and each.model.lora.dropout:
            key = f"{at}model.lora.dropout"
            raise NotYet("model.lora.dropout is not in this version yet; leave it out, or dropout = 0", key=key)
        if each.run.workers.kind != "inline":
            raise _not_yet(f"{at}run.workers", each.run.workers.kind, 'workers = "inline"')


def _not_yet(key: str, value: str, instead: str) -> NotYet:
    parts = key.split(".")
    name = ".".join(parts[2:] if parts[0] == "stage" else parts)
    return NotYet(one_line(f'{name} = "{value}" is not in this version yet; use {instead}'), key=key)
