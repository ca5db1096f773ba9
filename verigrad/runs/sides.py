"""What stands on either side of a comparison: runs with their stored answers, their rules, and how they differ.

Left out: measuring anything, and the comparison itself (do_compare, acceptance).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from verigrad.acceptance import Measured
from verigrad.errors import Refused
from verigrad.recipe import source_name
from verigrad.store import RunDirectory

Answers = Mapping[str, Mapping[str, Measured]]
"""One model's answers: suite -> task key -> answers."""
BEFORE = "before"
"""As A: what the runs of B started from."""
_MATTERS = ("model.dtype", "model.template", "sampling", "acceptance", "data")
"""Settings under which two runs' answers are not the same question put in the same way."""
_OWN = ("run.name", "run.seed", "run.log", "run.limits", "run.workers")
"""What training seeds of one recipe may differ in."""


@dataclass(frozen=True, kw_only=True)
class StoredRule:
    """A suite's rule as resolved.json has it."""

    test: str = "sampled"
    """Sampled | greedy."""
    answers: int = 4
    """Draws an item."""
    p: float = 0.05
    """Two-sided level."""
    gain: float = 0.0
    """What the interval's lower end must exceed."""
    margin: float | None = None
    """A guard's bound in place of gain."""


@dataclass(frozen=True, kw_only=True)
class StoredRun:
    """A run's held-out answers and settings."""

    name: str
    """As given."""
    before: Answers
    """Answers of the model it started from."""
    after: Answers
    """Answers of its trained model."""
    settings: Mapping[str, Any]
    """Key path -> value of everything its recipe says."""
    rules: Mapping[str, StoredRule]
    """Each suite's rule, by the suite's name."""


def names(side: str | Path | Sequence[str | Path]) -> tuple[str, ...]:
    """The runs or models of one side: a path, several separated by commas, or a sequence. Raises Refused."""
    if isinstance(side, Path) or (isinstance(side, str) and Path(side).exists()):
        return (str(side),)
    found = tuple(str(s) for s in side) if not isinstance(side, str) else tuple(s.strip() for s in side.split(","))
    if not found or not all(found):
        raise Refused(f"{side!r} names no run: give a folder, or several separated by commas")
    if len({place(name) for name in found}) < len(found):
        raise Refused(f"{', '.join(found)}: a run stands twice on one side, and would count double")
    return found


def place(name: str) -> str:
    """Which folder a name means, whatever way it is written; a name that is no folder is itself."""
    return str(Path(name).resolve()) if Path(name).exists() else name


def trained(name: str) -> bool:
    """Whether a name is a run or a model inside one: another training seed would have given another."""
    folder = Path(name).resolve()
    return Path(name).exists() and any(RunDirectory.exists(f) for f in (folder, *folder.parents))


def stored(name: str) -> StoredRun:
    """A run's stored answers. Raises Refused where it is no run, or has no accepted or refused result yet."""
    folder = Path(name)
    if not folder.exists():
        raise Refused(f"{name} is not there; runs are folders such as runs/quickstart (for models, say --recipe R)")
    if not RunDirectory.exists(folder):
        raise Refused(f"{name} is no run: say --recipe R, whose suites then judge both sides afresh")
    run = RunDirectory.read(folder)
    items = run.read_items()
    if not items:
        phase = run.status().get("phase", "unknown")
        raise Refused(f"{name} has no held-out answers yet (it is in phase {phase}): finish it, or say --recipe R")
    before: dict[str, dict[str, Measured]] = {}
    after: dict[str, dict[str, Measured]] = {}
    for i in items:
        before.setdefault(i.suite, {})[i.task.key] = Measured(
            task=i.task, suite=i.suite, greedy=i.greedy_before, sampled=i.sampled_before
        )
        after.setdefault(i.suite, {})[i.task.key] = Measured(
            task=i.task, suite=i.suite, greedy=i.greedy_after, sampled=i.sampled_after
        )
    values = run.read_json("resolved.json")["values"]
    return StoredRun(name=name, before=before, after=after, settings=dict(_leaves(values)), rules=_rules(values))


def differences(a: Sequence[StoredRun], b: Sequence[StoredRun]) -> list[str]:
    """Notes for a person: settings that differ between the sides, and within a side beyond the training seed."""
    notes = []
    for side, runs in (("A", a), ("B", b)):
        for run in runs[1:]:
            if other := [k for k in _changed(runs[0], run) if not k.startswith(_OWN)]:
                notes.append(f"{side}: {run.name} differs from {runs[0].name} in more than its seed: {_some(other)}")
    stages = [len({k.split(".")[1] for k in run.settings if k.startswith("stage.")}) for run in (a[0], b[0])]
    if stages[0] != stages[1]:
        notes.append(f"they have {stages[0] or 1} and {stages[1] or 1} stages")
    other = [k for k in _changed(a[0], b[0]) if _inside(k).startswith(_MATTERS)]
    if other := [k for k in other if stages[0] == stages[1] or not k.startswith("stage.")]:
        notes.append(f"the two were asked or judged differently: {_some(other, a[0].settings, b[0].settings)}")
    if "model.path" in _changed(a[0], b[0]):
        start = [run.settings.get("model.path") for run in (a[0], b[0])]
        notes.append(f"they start from different models: {start[0]} and {start[1]}")
    return notes


def _changed(a: StoredRun, b: StoredRun) -> list[str]:
    keys = [*a.settings, *(k for k in b.settings if k not in a.settings)]
    return [k for k in keys if a.settings.get(k) != b.settings.get(k)]


def _inside(key: str) -> str:
    words = [w for w in key.split(".") if not w.isdigit()]
    return ".".join(words[1:] if words[0] == "stage" else words)


def _some(keys: Sequence[str], a: Mapping[str, Any] | None = None, b: Mapping[str, Any] | None = None) -> str:
    told = [k if a is None or b is None else f"{k} {a.get(k)!r} and {b.get(k)!r}" for k in keys[:4]]
    return ", ".join(told) + (f", and {len(keys) - 4} more" if len(keys) > 4 else "")


def _leaves(tree: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    """Key path and value of every leaf {"value": ..., "origin": ...} of resolved.json."""
    if isinstance(tree, Mapping) and set(tree) == {"value", "origin"}:
        yield path, tree["value"]
    elif isinstance(tree, Mapping):
        for key, below in tree.items():
            yield from _leaves(below, f"{path}.{key}" if path else str(key))
    elif isinstance(tree, list):
        for n, below in enumerate(tree):
            yield from _leaves(below, f"{path}.{n}")


def _rules(values: Mapping[str, Any]) -> dict[str, StoredRule]:
    """Each suite's rule: of the last stage that leaves a policy (stored items are its), else the recipe's."""
    stages = [s for s in values.get("stage", []) if _value(s, "kind") != "reward_model" and s.get("acceptance")]
    tables = stages[-1]["acceptance"] if stages else values.get("acceptance", [])
    sides = [
        source_name(source)
        for d in _tables(values.get("data", []))
        if isinstance(source := _value(d, "source"), str)
        and (isinstance(held := _value(d, "held_out"), str) or (held or 0) > 0)
    ]
    rules: dict[str, StoredRule] = {}
    for suite in _tables(tables):
        source = _value(suite, "source")
        name = source_name(source) if isinstance(source, str) else sides[0] if len(sides) == 1 else "held-out"
        said = {k: _value(suite.get("rule", {}), k) for k in ("test", "answers", "p", "gain", "margin")}
        rules.setdefault(name, StoredRule(**{k: v for k, v in said.items() if v is not None}))
    return rules


def _tables(value: Any) -> list[Mapping[str, Any]]:
    return list(value) if isinstance(value, list) else [value]


def _value(table: Mapping[str, Any], key: str) -> Any:
    leaf = table.get(key)
    return leaf.get("value") if isinstance(leaf, Mapping) else leaf
