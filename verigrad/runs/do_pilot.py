"""`pilot`: the signal check as a verb of its own; trains nothing, writes nothing but a refused golds list."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from verigrad.errors import Refused
from verigrad.recipe import Recipe
from verigrad.runs.answers import four_answers
from verigrad.runs.golds import check_golds, forget_refusal
from verigrad.runs.piloting import Pilot, run_pilot
from verigrad.runs.policy import open_model, sampler_of
from verigrad.runs.prepare import RUNS, placed, prepared, read
from verigrad.runs.talk import Silent, Talk


def pilot(
    recipe: Recipe | str | Path,
    *,
    sets: Sequence[str] = (),
    anyway: bool = False,
    runs: Path | str = RUNS,
    talk: Talk | None = None,
) -> Pilot:
    """Sample, verify, check the golds, and show what groups would teach. Raises Refused."""
    talk = talk or Silent()
    whole = read(recipe, sets)
    folder = Path(runs) / whole.run.name
    with prepared(whole, runs=Path(runs)) as ready:
        if ready.kind != "rl":
            raise Refused("a pilot draws and judges answers for an rl stage, and the recipe has none")
        if ready.rewards is None:
            raise Refused("this rl stage is judged by what an earlier stage trains: train runs its pilot in its turn")
        for line in four_answers(ready):
            talk.line(line)
        ready, _ = check_golds(ready, folder, anyway=anyway)
        forget_refusal(folder)
        for note in ready.notes:
            talk.line(f"note: {note}")
        with placed(whole):
            lm = open_model(ready, talk)
        return run_pilot(ready, sampler_of(ready, lm, talk), talk)
