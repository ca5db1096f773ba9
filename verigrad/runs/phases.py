"""The phases of a run, each of which leaves a file that says it is done.

pilot.json, before.jsonl, then for every stage its checkpoints, its model and after.jsonl, and acceptance.json: a
resumed run skips what is there, so that a run killed anywhere ends where the undisturbed one does. Left out: starting,
resuming and ending badly (train, resume, watching); what a stage does (stage_rl, stage_offline); what is decided
(deciding).
"""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from verigrad.acceptance import Measured, spot_check
from verigrad.errors import Refused
from verigrad.models import save, save_adapter
from verigrad.recipe import Recipe
from verigrad.records import Item
from verigrad.reporting import report
from verigrad.runs.about import card
from verigrad.runs.accepting import items_of, measure_suites, off_task, read_measured, suites_asked, write_measured
from verigrad.runs.deciding import decided, stage_decided
from verigrad.runs.piloting import run_pilot
from verigrad.runs.policy import Policy, open_model, policy_of, with_adapters
from verigrad.runs.prepare import Prepared, waits
from verigrad.runs.stage_offline import run_preference, run_reward_model, run_sft
from verigrad.runs.stage_rl import run_rl
from verigrad.runs.talk import Silent, Talk
from verigrad.runs.turns import Turns
from verigrad.store import RunDirectory
from verigrad.training import Ended

_POLICY = {"rl": run_rl, "sft": run_sft, "preference": run_preference}


def pilot_phase(run: RunDirectory, ready: Prepared, policy: Policy, talk: Talk, *, anyway: bool) -> None:
    """The pilot of a run that begins with an rl stage, unless it is done. Raises Refused where there is nothing to
    learn from.

    Whatever ends it takes the folder along: nothing was trained, and it would stand in the way of the next try.
    """
    if ready.number != 1 or ready.kind != "rl" or (run.folder / "before.jsonl").exists():
        return
    try:
        if not (run.folder / "pilot.json").exists():
            run.set_status("pilot", stage=1, step=0)
            pilot = run_pilot(ready, policy.sampler, talk)
            run.write_json("pilot.json", pilot.as_json())
            for line in pilot.lines()[:3]:
                talk.line(line)
        advice = run.read_json("pilot.json")["advice"]
        if advice is not None:
            if not anyway:
                raise Refused(f"{advice}; --anyway goes on")
            talk.line(f"{advice} (going on anyway)")
    except BaseException:
        run.close()
        shutil.rmtree(run.folder, ignore_errors=True)
        raise


def remaining_phases(run: RunDirectory, turn_of: Turns, policy: Policy, talk: Talk) -> None:
    """All phases after the pilot, each skipped where its file is there. `policy` is the recipe's own model."""
    whole = turn_of(1).whole
    first = start = None
    asked_first = asked_start = frozenset[tuple[object, ...]]()
    comparable = True
    stages: list[dict[str, Any]] = []
    items: list[Item] = []
    for stage in whole.stages:
        late = waits(whole.stage(stage.number))
        ready = turn_of(stage.number)
        if late:  # what is prepared when its turn comes has not been told yet
            for note in ready.notes:
                talk.line(f"note: {note}")
            if turn_of.left_out:
                run.write_lines("golds.jsonl", turn_of.left_out)
        place = model_place(whole, stage.number)
        if ready.kind == "reward_model":
            stages.append(_judge(run, ready, policy, place, talk))
            continue
        if first is None:
            first = start = _opened(run, ready, policy, "before.jsonl", talk, when="before")
            asked_first = suites_asked(ready)
        elif suites_asked(ready) != asked_start:
            start = _opened(run, ready, policy, f"{stage.name}/before.jsonl", talk, when=f"before stage {stage.number}")
        assert start is not None
        if not (run.folder / place).exists():
            policy = _train(run, ready, policy, place, talk)
        else:
            policy = _reopened(run, ready, place)
        run.set_status("accepting", stage=stage.number)
        after = _opened(run, ready, policy, f"{stage.name}/after.jsonl", talk, when=_after(ready))
        comparable = suites_asked(ready) <= asked_first
        items = items_of(_of_suites(first if comparable else start, after), after)
        if len(whole.stages) > 1:
            from_start = items_of(_of_suites(start, after), after)
            stages.append(
                stage_decided(run, ready, against_start=from_start, against_first=items if comparable else ())
            )
        start, asked_start = after, suites_asked(ready)
    last = turn_of(whole.result_stage)
    acceptance = decided(run, last, items, stages)
    if len(whole.stages) > 1 and first is not None:
        acceptance["against"] = "the first model" if comparable else f"where stage {last.number} started"
    if first is not None:
        run.write_items(items)
        _spot_check(run, last, items)
    run.write_text("model/README.md", card(last, acceptance))
    run.write_json("acceptance.json", acceptance)
    finish(run)


def finish(run: RunDirectory) -> None:
    """What stands after acceptance.json: the status and the page."""
    run.set_status("done", decision=run.read_json("acceptance.json")["verdict"])
    run.write_text("report.html", report([run.folder]))


def model_place(whole: Recipe, number: int) -> str:
    """Where a stage leaves its model: model/ where the run's result is its, else in the stage's own folder."""
    return "model" if number == whole.result_stage else f"{whole.stages[number - 1].name}/model"


def _after(ready: Prepared) -> str:
    return "after" if len(ready.whole.stages) == 1 else f"after stage {ready.number}"


def _opened(
    run: RunDirectory, ready: Prepared, policy: Policy, name: str, talk: Talk, *, when: str
) -> Sequence[Measured]:
    """The held-out side and the off-task questions, measured once; the opening is on record before it happens."""
    if not (run.folder / name).exists():
        if when == "before":
            run.set_status("accepting", stage=ready.number, step=0)
        run.write_lines("openings.jsonl", [*run.read_lines("openings.jsonl"), {"when": when}])
        measured = measure_suites(ready, policy.sampler, talk, when=when)
        probe = off_task(ready, policy.lm, policy.sampler, talk, when=when)
        run.write_json("off_task.json", {**(run.read_json("off_task.json") or {}), name: probe})
        write_measured(run, name, measured)
    return read_measured(run, name)


def _of_suites(before: Sequence[Measured], after: Sequence[Measured]) -> list[Measured]:
    """Of a measurement what the other one has too: suites of its own a stage shares with no other."""
    keys = {(m.suite, m.task.key) for m in after}
    return [m for m in before if (m.suite, m.task.key) in keys]


def _train(run: RunDirectory, ready: Prepared, policy: Policy, place: str, talk: Talk) -> Policy:
    """The stage, from its last checkpoint, and its model with the weights it ends with."""
    trained = with_adapters(ready, policy, talk)
    ended: Ended = _POLICY[ready.kind](run, ready, trained, talk)
    best = f"; best on validation: step {ended.best}" if ended.best else ""
    talk.line(f"trained: {ended.why}{best}")
    adapted = ready.recipe.model.lora is not None
    if adapted:
        with run.staged("adapter" if place == "model" else str(Path(place).with_name("adapter"))) as folder:
            save_adapter(trained.lm, folder)
    with run.staged(place) as folder:
        save(trained.lm, folder, card(ready, None))
    # With adapters what is judged is what is shipped: the merged weights, as a resumed run would find them.
    several = len(ready.whole.stages) > 1
    return _reopened(run, ready, place) if adapted or several else trained


def _reopened(run: RunDirectory, ready: Prepared, place: str) -> Policy:
    return policy_of(ready, open_model(ready, Silent(), run.folder / place), Silent())


def _judge(run: RunDirectory, ready: Prepared, policy: Policy, place: str, talk: Talk) -> dict[str, Any]:
    """A reward model's stage and its numbers on held-out pairs."""
    name = f"{ready.recipe.stages[0].name}/pairs.json"
    if not (run.folder / name).exists() or not (run.folder / place).exists():
        numbers = run_reward_model(run, ready, policy.lm, Path(place), talk)
        run.write_json(name, numbers.as_json())
        talk.line(f"stage {ready.number}: {numbers.why}")
    found = run.read_json(name)
    return {"stage": ready.number, "kind": ready.kind, "verdict": found["verdict"], "why": found["why"], "pairs": found}


def _spot_check(run: RunDirectory, ready: Prepared, items: Sequence[Item]) -> None:
    rows = [
        row
        for judged in ready.suites
        if judged.suite.spot_check
        for row in spot_check([i for i in items if i.suite == judged.name], judged.suite.spot_check)
    ]
    if rows:
        run.write_lines("spotcheck.jsonl", rows)
