"""`accept`: put a model, or a run's, against the model the recipe starts from. Left out: training."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from verigrad.acceptance import lines as headline_lines
from verigrad.acceptance import off_task_numbers
from verigrad.errors import Refused
from verigrad.models import load as load_model
from verigrad.recipe import Recipe
from verigrad.records import Item
from verigrad.runs.accepting import items_of, measure_suites, off_task, verdict_of
from verigrad.runs.answers import four_answers
from verigrad.runs.do_resume import recipe_of
from verigrad.runs.golds import check_golds
from verigrad.runs.policy import model_path, open_model, sampler_of
from verigrad.runs.prepare import placed, prepared, read
from verigrad.runs.talk import Silent, Talk
from verigrad.store import RunDirectory


@dataclass(frozen=True, kw_only=True)
class Acceptance:
    """What the suites say of a model."""

    numbers: dict[str, Any]
    """As acceptance.json."""
    items: tuple[Item, ...]
    """Every item with its answers before and after."""

    @property
    def accepted(self) -> bool:
        """True iff every suite accepts."""
        return bool(self.numbers["verdict"] == "accepted")

    def as_json(self) -> dict[str, Any]:
        """The numbers."""
        return self.numbers

    def lines(self) -> list[str]:
        """For a person."""
        told = [line for suite in self.numbers["suites"] for line in headline_lines(suite)]
        return [*told, f"{self.numbers['verdict'].replace('_', ' ').upper()}: {self.numbers['why']}"]


def accept(
    model: str | Path,
    *,
    recipe: Recipe | str | Path | None = None,
    sets: Sequence[str] = (),
    talk: Talk | None = None,
) -> Acceptance:
    """Measure `model` against the recipe's own model on the held-out side and decide by the recipe's rule.

    `model`: a run's folder (its model/ is judged; without `recipe` by the run's own), or a model as model.path takes
    it. Writes nothing: every call opens the held-out side again, which is not counted anywhere.
    """
    talk = talk or Silent()
    folder = Path(model)
    is_run = RunDirectory.exists(folder)
    if recipe is None:
        if not is_run:
            raise Refused(f"{model} is no run: say --recipe, whose suites judge it")
        recipe = recipe_of(folder, RunDirectory.read(folder).read_json("resolved.json"), ())
    path = model_path(model)
    whole = read(recipe, sets)
    with prepared(whole, run=folder if is_run else None) as ready:
        if not ready.suites:
            raise Refused("the recipe trains a reward model alone: it has no suite that judges a policy")
        for line in four_answers(ready):
            talk.line(line)
        ready, _ = check_golds(ready, folder if is_run else Path("runs") / whole.run.name, anyway=True)
        for note in ready.notes:
            talk.line(f"note: {note}")
        with placed(whole):
            base = open_model(ready, talk)
        sampler = sampler_of(ready, base, talk)
        before = measure_suites(ready, sampler, talk, when="before")
        probes = {"before": off_task(ready, base, sampler, talk, when="before")}
        tables = ready.recipe.model
        trained = load_model(
            path, dtype=tables.dtype, device=tables.device, template=tables.template, folder=whole.folder
        )
        sampler = sampler_of(ready, trained, Silent())
        after = measure_suites(ready, sampler, talk, when="after")
        probes["after"] = off_task(ready, trained, sampler, talk, when="after")
        items = items_of(before, after)
        probe = off_task_numbers(probes["before"], probes["after"])
        numbers = {**verdict_of(ready, items, openings=2), "off_task": probe}
        return Acceptance(numbers=numbers, items=tuple(items))
