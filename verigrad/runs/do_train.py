"""`train`: a recipe becomes a run. Left out: its phases, resuming, and what is done when it ends badly."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from verigrad.errors import Refused
from verigrad.recipe import Recipe
from verigrad.runs.about import about, given_sources, user_files
from verigrad.runs.answers import four_answers
from verigrad.runs.golds import forget_refusal
from verigrad.runs.logs import check_trackers
from verigrad.runs.phases import pilot_phase, remaining_phases
from verigrad.runs.policy import check_adapters, open_model, policy_of
from verigrad.runs.prepare import RUNS, placed, read
from verigrad.runs.run import Run
from verigrad.runs.talk import Silent, Talk
from verigrad.runs.turns import Turns
from verigrad.runs.watching import watched
from verigrad.store import RunDirectory, taken


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
    with placed(whole):
        check_trackers(whole.run)
    with Turns(whole, folder, runs=Path(runs)) as turns:
        ready = turns.face
        for line in four_answers(ready):
            talk.line(line)
        left_out = turns.check_golds(anyway=anyway)
        ready = turns.face
        forget_refusal(folder)
        for note in dict.fromkeys(note for stage in turns.stages for note in stage.notes):
            talk.line(f"note: {note}")
        with placed(whole):
            first = turns(1)
            lm = open_model(first, talk)
            check_adapters(whole, lm)
            policy = policy_of(first, lm, talk)
            run = RunDirectory.create(
                folder,
                recipe_text=whole.text,
                resolved=about(ready, turns.stages, policy.sampler, sets=sets, anyway=anyway),
                stages=[s.kind for s in whole.stages],
                user_files=user_files(whole),
            )
        with run:
            for name, source in given_sources(turns.stages).items():
                run.write_text(f"user/{name}", source)
            if left_out:
                run.write_lines("golds.jsonl", left_out)
            pilot_phase(run, first, policy, talk, anyway=anyway)
            watched(run, lambda: remaining_phases(run, turns, policy, talk))
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
