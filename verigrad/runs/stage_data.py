"""A stage's data: what it is trained on, what it must not touch, and what it is judged by.

Left out: reading and splitting (data), suites (suites), everything else of a stage (prepare).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from verigrad.data import Source, Split, load, load_suite, split, without_leaks
from verigrad.recipe import Kind, Recipe


class StageData:
    """A stage's data. `cut`: what it is trained on, with the held-out sides it must not touch; `held`: the whole
    recipe's cut, read once in one way for all stages, so that their items are the same; `apart`: by source, what the
    stage's own reading keeps from training.
    """

    def __init__(self, recipe: Recipe, whole: Recipe, *, run: Path | None, runs: Path, unpaired: bool) -> None:
        kind, number = recipe.stages[0].kind, recipe.stages[0].number

        def read_as(of: Recipe, kind: Kind, *, labelled: bool) -> tuple[Source, ...]:
            return load(of.data, folder=of.folder, kind=kind, labelled=labelled, runs=runs, here=run, before=number)

        names = {d.name for d in whole.data}
        elsewhere = [
            load_suite(s.source, whole.data, folder=recipe.folder, key=f"acceptance.{n}.source")
            for n, s in enumerate(recipe.acceptance if kind != "reward_model" else ())
            if s.source is not None and s.source not in names
        ]
        inherit = [s.kind for s in whole.stages if not own_data(whole, s.number)]
        as_read: Kind = "rl" if "rl" in inherit or not inherit else inherit[0]
        if whole.data:
            self.held = split(read_as(whole, as_read, labelled=False), suites=elsewhere)
        else:
            self.held = Split(train={}, validation={}, held_out={}, suites={s.name: s.tasks for s in elsewhere},
                              places=_of(elsewhere))  # fmt: skip
        own = own_data(whole, number)
        if not own and kind == as_read and not unpaired:
            self.cut = self.held
            self.apart = self.cut.held_out if any(self.cut.held_out.values()) else self.cut.validation
            return
        trained = split(read_as(recipe, kind, labelled=unpaired))
        inherited = trained.held_out if not own and any(trained.held_out.values()) else trained.validation
        kept = {k: v for k, v in self.held.places.items() if k[0] in ("held_out", "suite")}
        cut = replace(
            trained,
            held_out=self.held.held_out,
            suites=self.held.suites,
            places={**trained.places, **kept},
            notes=tuple(dict.fromkeys((*trained.notes, *self.held.notes))),
        )
        if own:
            cut = _without_questions_of_others(cut, self.held)
            inherited = cut.validation
        self.cut, self.apart = cut, inherited


def own_data(whole: Recipe, number: int) -> bool:
    """Whether the stage has [[stage.data]] of its own."""
    return bool(whole.flat) and "data" in whole.document.value["stage"][number - 1]


def _without_questions_of_others(cut: Split, held: Split) -> Split:
    """A stage's own data without rows that ask what is held out, or looked at to choose the best step."""
    looked = {("held_out", key): place for (side, key), place in held.places.items() if side == "validation"}
    names = [*held.held_out, *(n for n in held.validation if n not in held.held_out)]
    guarded = {n: (*held.held_out.get(n, ()), *held.validation.get(n, ())) for n in names}
    clean, gone = without_leaks(replace(cut, held_out=guarded, places={**looked, **cut.places}))
    notes = cut.notes
    if gone:
        notes += (
            f"{', '.join(cut.train)}: {gone} rows ask questions that are held out or looked at, and are left out",
        )
    return replace(cut, train=clean.train, validation=clean.validation, notes=notes)


def _of(suites: Sequence[Source]) -> Mapping[tuple[str, str], str]:
    return {("suite", t.key): p for s in suites for t, p in zip(s.tasks, s.places, strict=True)}
