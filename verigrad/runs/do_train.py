"""`train`: a recipe becomes a run. Left out: its phases, resuming, and what is done when it ends badly."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from pathlib import Path

from verigrad.errors import Refused
from verigrad.recipe import Recipe
from verigrad.runs.about import about, user_files
from verigrad.runs.answers import four_answers
from verigrad.runs.golds import check_golds, forget_refusal
from verigrad.runs.phases import open_model, pilot_phase, remaining_phases
from verigrad.runs.prepare import placed, prepared, read
from verigrad.runs.run import Run
from verigrad.runs.talk import Silent, Talk
from verigrad.runs.watching import watched
from verigrad.store import RunDirectory, taken

RUNS = Path("runs")
"""Where runs lie, below the folder the command is given in."""


def train(
    recipe: Recipe | str | Path,
    *,
    sets: Sequence[str] = (),
    anyway: bool = False,
    runs: Path | str = RUNS,
    talk: Talk | None = None,
) -> Run:
    """Train by a recipe (a file, or one made by `Recipe.of`), accept or refuse the result, leave a report.

    Raises Refused before anything is started, Stopped or another VerigradError while running, Interrupted after
    Ctrl-C.
    """
    talk = talk or Silent()
    whole = read(recipe, sets)
    folder = Path(runs) / whole.run.name
    forget_refusal(folder)
    if RunDirectory.exists(folder):
        raise Refused(taken(folder), key="run.name")
    with prepared(whole) as ready:
        for line in four_answers(ready):
            talk.line(line)
        ready, left_out = check_golds(ready, folder, anyway=anyway)
        forget_refusal(folder)
        for note in ready.notes:
            talk.line(f"note: {note}")
        with placed(whole):
            lm = open_model(ready, talk)
            run = RunDirectory.create(
                folder,
                recipe_text=whole.text,
                resolved=about(ready, lm, sets=sets, anyway=anyway),
                user_files=user_files(whole),
            )
        with run:
            try:
                if left_out:
                    run.write_lines("golds.jsonl", left_out)
                pilot = pilot_phase(run, ready, lm, talk)
                if pilot is not None and pilot.advice is not None:
                    if not anyway:
                        raise Refused(pilot.advice + "; --anyway goes on")
                    talk.line(f"{pilot.advice} (going on anyway)")
            except BaseException:
                # Nothing was trained: the folder would only stand in the way of the next try.
                run.close()
                shutil.rmtree(folder, ignore_errors=True)
                raise
            watched(run, lambda: remaining_phases(run, ready, lm, talk))
        return Run(folder=folder)
