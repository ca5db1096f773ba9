"""`resume`: go on with a run from its own files. Left out: the phases."""

from __future__ import annotations

import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from verigrad.errors import Refused
from verigrad.losses import sets_elsewhere
from verigrad.recipe import Recipe, parse
from verigrad.runs.about import about, user_files
from verigrad.runs.golds import check_golds
from verigrad.runs.phases import open_model, pilot_phase, remaining_phases
from verigrad.runs.prepare import Prepared, placed, prepared
from verigrad.runs.run import Run
from verigrad.runs.talk import Silent, Talk
from verigrad.runs.watching import watched
from verigrad.store import RunDirectory

_MAY_CHANGE = ("train.steps", "run.limits", "run.log", "acceptance.every")


def resume(
    folder: str | Path, *, recipe: Recipe | None = None, sets: Sequence[str] = (), talk: Talk | None = None
) -> Run:
    """Go on with a run. Only steps (upwards), limits, log and acceptance.every may change.

    `recipe`: the same recipe again, for a run that was started from Python with functions in it.
    """
    talk = talk or Silent()
    with RunDirectory.open(folder) as run:
        for note in run.notes:
            talk.line(f"{run.folder}: {note}")
        resolved = run.read_json("resolved.json")
        whole = recipe or recipe_of(run.folder, resolved, sets)
        _reopen(run, whole)
        with prepared(whole) as ready:
            ready, _ = check_golds(ready, run.folder, anyway=bool(resolved["anyway"]))
            _same_checks(run, ready)
            with placed(whole):
                lm = open_model(ready, talk)
            run.write_json(
                "resolved.json", about(ready, lm, sets=[*resolved["sets"], *sets], anyway=resolved["anyway"])
            )

            def work() -> None:
                pilot_phase(run, ready, lm, talk)
                remaining_phases(run, ready, lm, talk)

            watched(run, work)
        return Run(folder=run.folder)


def recipe_of(folder: Path, resolved: Mapping[str, Any], sets: Sequence[str]) -> Recipe:
    """The run's own recipe with the changes a resumed run may have."""
    if resolved["recipe"] == "python":
        raise Refused(f"{folder} was started from Python: resume it there, resume(folder, recipe=...)")
    for item in sets:
        if not item.startswith(_MAY_CHANGE) and not item.split("=")[0].rstrip().endswith(".every"):
            raise Refused(f"--resume takes {', '.join(_MAY_CHANGE)} in --set alone, not {item.split('=')[0]}")
    base = Path(str(resolved["folder"]))
    text = (folder / "recipe.toml").read_text(encoding="utf-8")
    earlier = list(resolved["sets"])
    before = parse(text, file=str(resolved["recipe"]), folder=base, sets=earlier, method_sets=sets_elsewhere)
    whole = parse(text, file=str(resolved["recipe"]), folder=base, sets=[*earlier, *sets], method_sets=sets_elsewhere)
    then, now = before.stage(1).train.steps, whole.stage(1).train.steps
    if then is not None and now is not None and now < then:
        raise Refused(f"--resume may raise train.steps, not lower it: {then} -> {now}")
    return whole


def _same_checks(run: RunDirectory, ready: Prepared) -> None:
    """Refuse to go on under a changed check: stored verdicts and new ones would be two rewards."""
    for name, path in user_files(ready.whole).items():
        kept = run.folder / "user" / name
        if kept.exists() and kept.read_bytes() != path.read_bytes():
            raise Refused(f"{path} has changed since {run.folder} began (its copy: {kept}); a new run, or put it back")


def _reopen(run: RunDirectory, whole: Recipe) -> None:
    """A done run goes on only with more steps; what its end wrote is then no longer true."""
    if not (run.folder / "acceptance.json").exists():
        return
    done = run.checkpoints(1)[-1]
    if (whole.stage(1).train.steps or 0) <= done:
        raise Refused(f"{run.folder} is done ({done} steps): --set train.steps={2 * done} goes on")
    for name in ("acceptance.json", "items.jsonl.zst", "spotcheck.jsonl", "report.html"):
        (run.folder / name).unlink(missing_ok=True)
    shutil.rmtree(run.folder / "model", ignore_errors=True)
