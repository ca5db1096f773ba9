"""`resume`: go on with a run from its own files. Left out: the phases."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from verigrad.errors import Refused
from verigrad.recipe import Recipe, parse
from verigrad.runs.about import about, checks_record, data_record, user_files
from verigrad.runs.answers import four_answers
from verigrad.runs.logs import check_trackers
from verigrad.runs.loss_of import method_sets
from verigrad.runs.phases import finish, model_place, pilot_phase, remaining_phases
from verigrad.runs.policy import check_adapters, open_model, policy_of
from verigrad.runs.prepare import Prepared, placed, read
from verigrad.runs.run import Run
from verigrad.runs.talk import Silent, Talk
from verigrad.runs.turns import Turns
from verigrad.runs.watching import watched
from verigrad.store import RunDirectory

_MAY_CHANGE = ("train.steps", "train.epochs", "run.limits", "run.log", "acceptance.every")


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
                raise Refused(f"{run.folder} is done: --set {_more(whole)} goes on")
            finish(run)
            return Run(folder=run.folder)
        with placed(whole):
            check_trackers(whole.run)
        with Turns(whole, run.folder, runs=run.folder.parent) as turns:
            for line in four_answers(turns.face):
                talk.line(line)
            left_out = turns.check_golds(anyway=bool(resolved["anyway"]))
            _same_checks(run, turns.stages, resolved)
            first = turns(1)
            with placed(whole):
                lm = open_model(first, talk)
                check_adapters(whole, lm)
                policy = policy_of(first, lm, talk)
            if again:
                _reopen(run, whole)
            changed = [*resolved["sets"], *sets]
            run.write_json(
                "resolved.json",
                about(turns.face, turns.stages, policy.sampler, sets=changed, anyway=resolved["anyway"]),
            )
            if left_out:
                run.write_lines("golds.jsonl", left_out)
            pilot_phase(run, first, policy, talk, anyway=bool(resolved["anyway"]))
            watched(run, lambda: remaining_phases(run, turns, policy, talk))
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
        method_sets=method_sets,
    )


def _may_go_on(then: Mapping[str, Any], whole: Recipe) -> None:
    """Refuse whatever would make two runs of one: any value that changed, but for steps upwards and a few more."""
    before = dict(_values(then))
    now = _now(whole)
    keys = [*before, *(k for k in now if k not in before)]
    changed = [k for k in keys if before.get(k) != now.get(k) and not _may_change(k)]
    if changed:  # a method changes keys elsewhere too: the one somebody wrote says more
        key = next((k for k in changed if k in now and whole.origin(k) == "--set"), changed[0])
        raise Refused(
            f"--resume may change {', '.join(_MAY_CHANGE)} alone: {key} was {before.get(key)!r}, is {now.get(key)!r}"
        )
    for key, value in now.items():
        was = before.get(key)
        if key.endswith(("train.steps", "train.epochs")) and was is not None and (value is None or value < was):
            raise Refused(f"--resume may raise {key}, not lower it: {was} -> {value}", key=key)


def _may_change(key: str) -> bool:
    words = [w for w in key.split(".") if not w.isdigit()]
    inside = ".".join(words[1:] if words[0] == "stage" else words)
    return inside.startswith(("run.limits", "run.log")) or inside in ("train.steps", "train.epochs", "acceptance.every")


def _now(whole: Recipe) -> dict[str, Any]:
    """Every value of the recipe by its key path, as resolved.json would have it."""
    return dict(_values(json.loads(json.dumps(whole.resolved()))))


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


def _same_checks(run: RunDirectory, stages: Sequence[Prepared], resolved: Mapping[str, Any]) -> None:
    """Refuse to go on under a changed check or other data: stored verdicts and new ones would be two rewards."""
    for name, path in user_files(stages[0].whole).items():
        kept = run.folder / "user" / name
        if kept.exists() and kept.read_bytes() != path.read_bytes():
            raise Refused(f"{path} has changed since {run.folder} began (its copy: {kept}); a new run, or put it back")
    for was, now in zip(resolved["checks"], checks_record(stages), strict=False):
        if was["sha256"] != now["sha256"]:
            raise Refused(f"{now['file']} has changed since {run.folder} began; a new run, or put it back")
    for name, record in data_record(stages).items():
        if resolved["data"].get(name) != record:
            raise Refused(f"{name}: the data has changed since {run.folder} began; a new run, or put it back")


def _decided(run: RunDirectory) -> bool:
    return (run.folder / "acceptance.json").exists() and (run.folder / "model").exists()


def _goes_on_after_its_end(run: RunDirectory, whole: Recipe, then: Mapping[str, Any]) -> bool:
    """Whether a run whose last stage has its model is to train that stage on: more than it did, asked for now or never
    reached. Raises Refused where more is asked of a stage that others have followed.
    """
    raised = _raised(whole, then)
    for stage in whole.stages[:-1]:
        if stage.number in raised and (run.folder / model_place(whole, stage.number)).exists():
            raise Refused(
                f"stage {stage.number} of {run.folder} is done and stage {stage.number + 1} began from it: "
                "only the last stage may be given more; a new run"
            )
    last = whole.stages[-1].number
    if not (run.folder / model_place(whole, last)).exists():
        return False
    steps, done = whole.stage(last).train.steps, max(run.checkpoints(last), default=0)
    if steps is None:
        return last in raised
    changed = dict(_values(then)) != _now(whole)
    return steps > done and (changed or _decided(run))


def _raised(whole: Recipe, then: Mapping[str, Any]) -> set[int]:
    """Stages that are given more steps or epochs than the run was started with."""
    before, now = dict(_values(then)), _now(whole)
    raised = set()
    for n, stage in enumerate(whole.stages):
        at = f"stage.{n}." if whole.flat else ""
        for unit in ("steps", "epochs"):
            was, value = before.get(f"{at}train.{unit}"), now.get(f"{at}train.{unit}")
            if was is not None and value is not None and value > was:
                raised.add(stage.number)
    return raised


def _more(whole: Recipe) -> str:
    """What a done run may be given more of: its last stage's steps or epochs."""
    last = whole.stage(whole.stages[-1].number)
    at = f"stage.{last.stages[0].number}." if whole.flat else ""
    if last.train.steps is None:
        return f"{at}train.epochs={2 * (last.train.epochs or 1)}"
    return f"{at}train.steps={2 * last.train.steps}"


def _reopen(run: RunDirectory, whole: Recipe) -> None:
    """Take away what a run's end wrote of its last stage; the model goes first, so that a kill in between is no end."""
    last = whole.stages[-1]
    place = model_place(whole, last.number)
    adapter = str(Path(place).with_name("adapter"))
    of_stage = (f"{last.name}/after.jsonl", f"{last.name}/pairs.json")
    for name in (place, adapter, *of_stage, "acceptance.json", "items.jsonl.zst", "spotcheck.jsonl", "report.html"):
        run.remove(name)
