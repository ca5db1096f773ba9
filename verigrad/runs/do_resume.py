"""`resume`: go on with a run from its own files. Left out: the phases."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from verigrad.errors import Refused
from verigrad.losses import sets_elsewhere
from verigrad.recipe import Recipe, parse
from verigrad.runs.about import about, checks_record, data_record, user_files
from verigrad.runs.answers import four_answers
from verigrad.runs.golds import check_golds
from verigrad.runs.phases import finish, open_model, pilot_phase, remaining_phases, sampler_of
from verigrad.runs.prepare import Prepared, placed, prepared, read
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
            talk.line(note)
        resolved = run.read_json("resolved.json")
        whole = read(recipe) if recipe is not None else recipe_of(run.folder, resolved, sets)
        _may_go_on(resolved["values"], whole)
        again = _goes_on_after_its_end(run, whole, resolved["values"])
        if _decided(run) and not again:
            if run.status().get("phase") == "done" and (run.folder / "report.html").exists():
                more = 2 * (whole.stage(1).train.steps or 1)
                raise Refused(f"{run.folder} is done: --set train.steps={more} goes on")
            finish(run)
            return Run(folder=run.folder)
        with prepared(whole) as ready:
            for line in four_answers(ready):
                talk.line(line)
            ready, left_out = check_golds(ready, run.folder, anyway=bool(resolved["anyway"]))
            _same_checks(run, ready, resolved)
            with placed(whole):
                sampler = sampler_of(ready, open_model(ready, talk), talk)
            if again:
                _reopen(run)
            run.write_json(
                "resolved.json", about(ready, sampler, sets=[*resolved["sets"], *sets], anyway=resolved["anyway"])
            )
            if left_out:
                run.write_lines("golds.jsonl", left_out)
            pilot_phase(run, ready, sampler, talk, anyway=bool(resolved["anyway"]))
            watched(run, lambda: remaining_phases(run, ready, sampler, talk))
        return Run(folder=run.folder)


def recipe_of(folder: Path, resolved: Mapping[str, Any], sets: Sequence[str]) -> Recipe:
    """The run's own recipe with the changes a resumed run may have."""
    if resolved["recipe"] == "python":
        raise Refused(f"{folder} was started from Python: resume it there, resume(folder, recipe=...)")
    base = Path(str(resolved["folder"]))
    text = (folder / "recipe.toml").read_text(encoding="utf-8")
    return parse(
        text,
        file=str(resolved["recipe"]),
        folder=base,
        sets=[*resolved["sets"], *sets],
        method_sets=sets_elsewhere,
    )


def _may_go_on(then: Mapping[str, Any], whole: Recipe) -> None:
    """Refuse whatever would make two runs of one: any value that changed, but for steps upwards and a few more."""
    before = dict(_values(then))
    now = dict(_values(json.loads(json.dumps(whole.resolved()))))
    keys = [*before, *(k for k in now if k not in before)]
    changed = [k for k in keys if before.get(k) != now.get(k) and not _may_change(k)]
    if changed:  # a method changes keys elsewhere too: the one somebody wrote says more
        key = next((k for k in changed if k in now and whole.origin(k) == "--set"), changed[0])
        raise Refused(
            f"--resume may change {', '.join(_MAY_CHANGE)} alone: {key} was {before.get(key)!r}, is {now.get(key)!r}"
        )
    for key, value in now.items():
        was = before.get(key)
        if key.endswith("train.steps") and was is not None and (value is None or value < was):
            raise Refused(f"--resume may raise {key}, not lower it: {was} -> {value}", key=key)


def _may_change(key: str) -> bool:
    words = [w for w in key.split(".") if not w.isdigit()]
    inside = ".".join(words[1:] if words[0] == "stage" else words)
    return inside.startswith(("run.limits", "run.log")) or inside in ("train.steps", "acceptance.every")


def _values(tree: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    """Key path and value of every leaf {"value": ..., "origin": ...}."""
    if isinstance(tree, Mapping) and set(tree) == {"value", "origin"}:
        yield path, tree["value"]
    elif isinstance(tree, Mapping):
        for key, below in tree.items():
            yield from _values(below, f"{path}.{key}" if path else key)
    elif isinstance(tree, list):
        for n, below in enumerate(tree):
            yield from _values(below, f"{path}.{n}")


def _same_checks(run: RunDirectory, ready: Prepared, resolved: Mapping[str, Any]) -> None:
    """Refuse to go on under a changed check or other data: stored verdicts and new ones would be two rewards."""
    for name, path in user_files(ready.whole).items():
        kept = run.folder / "user" / name
        if kept.exists() and kept.read_bytes() != path.read_bytes():
            raise Refused(f"{path} has changed since {run.folder} began (its copy: {kept}); a new run, or put it back")
    for was, now in zip(resolved["checks"], checks_record(ready), strict=True):
        if was["sha256"] != now["sha256"]:
            raise Refused(f"{now['file']} has changed since {run.folder} began; a new run, or put it back")
    for name, record in data_record(ready).items():
        if resolved["data"].get(name) != record:
            raise Refused(f"{name}: the data has changed since {run.folder} began; a new run, or put it back")


def _decided(run: RunDirectory) -> bool:
    return (run.folder / "acceptance.json").exists() and (run.folder / "model").exists()


def _goes_on_after_its_end(run: RunDirectory, whole: Recipe, then: Mapping[str, Any]) -> bool:
    """Whether a run that has its model is to train on: more steps than it did, asked for now or never reached."""
    if not (run.folder / "model").exists():
        return False
    steps, done = whole.stage(1).train.steps or 0, max(run.checkpoints(1), default=0)
    changed = dict(_values(then)) != dict(_values(json.loads(json.dumps(whole.resolved()))))
    return steps > done and (changed or _decided(run))


def _reopen(run: RunDirectory) -> None:
    """Take away what a run's end wrote; the model goes first, so that a kill in between is no end either."""
    for name in ("model", "acceptance.json", "items.jsonl.zst", "spotcheck.jsonl", "report.html"):
        run.remove(name)
