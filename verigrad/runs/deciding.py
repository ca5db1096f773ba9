"""acceptance.json: what each stage gains and loses against where it started and against the first model.

Left out: measuring (accepting), the rule (acceptance).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from verigrad.acceptance import off_task_numbers
from verigrad.records import Item
from verigrad.runs.accepting import verdict_of
from verigrad.runs.prepare import Prepared
from verigrad.store import RunDirectory


def decided(run: RunDirectory, ready: Prepared, items: Sequence[Item], stages: list[dict[str, Any]]) -> dict[str, Any]:
    """The run's decision: its last policy against the first model, by that stage's suites; stages beside it.

    Without a policy the run is what its reward model is.
    """
    openings = len(run.read_lines("openings.jsonl"))
    if not items:
        last = stages[-1]
        whole = {
            "verdict": last["verdict"],
            "why": last["why"],
            "independent": True,
            "openings": openings,
            "suites": [],
        }
        return {**whole, "stages": stages}
    numbers = verdict_of(ready, items, openings=openings)
    probes = run.read_json("off_task.json")
    after = f"{ready.recipe.stages[0].name}/after.jsonl"
    numbers["off_task"] = off_task_numbers(probes["before.jsonl"], probes[after])
    return numbers if len(ready.whole.stages) == 1 else {**numbers, "stages": stages}


def stage_decided(
    run: RunDirectory, ready: Prepared, *, against_start: Sequence[Item], against_first: Sequence[Item]
) -> dict[str, Any]:
    """One stage of several: its suites against where it started and, where they differ, against the first model."""
    openings = len(run.read_lines("openings.jsonl"))
    mine = verdict_of(ready, against_start, openings=openings)
    probes = run.read_json("off_task.json")
    name = ready.recipe.stages[0].name
    before = _probe_before(ready, probes)
    out: dict[str, Any] = {
        "stage": ready.number,
        "kind": ready.kind,
        "verdict": mine["verdict"],
        "why": mine["why"],
        "suites": mine["suites"],
        "off_task": off_task_numbers(probes[before], probes[f"{name}/after.jsonl"]),
    }
    suites = {i.suite for i in against_first}
    if suites == {j.name for j in ready.suites}:
        first = verdict_of(ready, against_first, openings=openings)
        out["against_first"] = {"verdict": first["verdict"], "why": first["why"], "suites": first["suites"]}
    return out


def _probe_before(ready: Prepared, probes: Mapping[str, Any]) -> str:
    """The probe taken where the stage started: its own, else the last of the policies before it, else the first."""
    earlier = [s.name for s in ready.whole.stages if s.number < ready.number]
    names = [f"{ready.recipe.stages[0].name}/before.jsonl", *(f"{name}/after.jsonl" for name in reversed(earlier))]
    return next((name for name in names if name in probes), "before.jsonl")
