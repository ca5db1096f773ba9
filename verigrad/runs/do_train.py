"""`train`: a recipe becomes a run. Left out: its phases, resuming, and what is done when it ends badly."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from verigrad.errors import Refused
from verigrad.recipe import Recipe
from verigrad.runs.about import about, given_sources, user_files
from verigrad.runs.answers import four_answers
from verigrad.runs.golds import check_golds, forget_refusal
from verigrad.runs.phases import open_model, pilot_phase, remaining_phases, sampler_of
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
    _must_be_free(folder)
    with prepared(whole) as ready:
        for line in four_answers(ready):
            talk.line(line)
        ready, left_out = check_golds(ready, folder, anyway=anyway)
        forget_refusal(folder)
        for note in ready.notes:
            talk.line(f"note: {note}")
        with placed(whole):
            sampler = sampler_of(ready, open_model(ready, talk), talk)
            run = RunDirectory.create(
                folder,
                recipe_text=whole.text,
                resolved=about(ready, sampler, sets=sets, anyway=anyway),
                user_files=user_files(whole),
            )
        with run:
            for name, source in given_sources(ready).items():
                run.write_text(f"user/{name}", source)
            if left_out:
                run.write_lines("golds.jsonl", left_out)
            pilot_phase(run, ready, sampler, talk, anyway=anyway)
            watched(run, lambda: remaining_phases(run, ready, sampler, talk))
        return Run(folder=folder)


def _must_be_free(folder: Path) -> None:
    """Refuse a taken or unwritable place before the data is read and the golds are checked, not after."""
    if folder.is_file() or (folder.is_dir() and any(folder.iterdir())):
        raise Refused(taken(folder), key="run.name")
    above = next(p for p in folder.absolute().parents if p.exists())
    if not above.is_dir():
        raise Refused(f"cannot create {folder}: {above} is a file; a file stands where a folder should be")
    if not os.access(above, os.W_OK | os.X_OK):
        raise Refused(f"cannot create {folder}: {above} is not writable; choose a folder you may write to")
