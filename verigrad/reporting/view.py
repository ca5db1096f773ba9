"""One run's files as one record for a page or a doctor; a run half done or half broken is read as far as it goes.

Left out: HTML (page, sections) and judgement (findings).
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from verigrad.errors import VerigradError
from verigrad.records import BROKE_CHECK, Item, Scored
from verigrad.reporting.scales import Point
from verigrad.store import RunDirectory

_LOOK = 6
"""Steps of each stage that are searched for sample answers."""


@dataclass(frozen=True, kw_only=True)
class Sample:
    """An answer to show."""

    stage: int
    """Stage, from 1."""
    step: int
    """Step it was drawn in."""
    when: str
    """early | late."""
    status: str
    """The verdict's status, or broke_check."""
    scored: Scored
    """The answer, its verdict and its reward."""


@dataclass(frozen=True, kw_only=True)
class View:
    """A run as its files tell it."""

    folder: Path
    """The run's folder."""
    status: Mapping[str, Any]
    """STATUS."""
    stages: Mapping[int, str]
    """Kind of each stage."""
    values: Mapping[str, tuple[Any, str]]
    """Every value of the recipe and its origin, by key path ("data.0.source")."""
    resolved: Mapping[str, Any]
    """resolved.json."""
    recipe: str
    """recipe.toml."""
    metrics: Sequence[Mapping[str, Any]]
    """Lines of metrics.jsonl."""
    timings: Sequence[Mapping[str, Any]]
    """Lines of timings.jsonl."""
    pilot: Any
    """pilot.json, or None."""
    acceptance: Any
    """acceptance.json, or None."""
    samples: Sequence[Sample]
    """Answers from the first and the last stored steps."""
    items: Sequence[Item]
    """Held-out items with answers before and after."""
    unread: Sequence[str]
    """What could not be read, a line each."""

    @property
    def name(self) -> str:
        """The folder's name."""
        return self.folder.resolve().name

    def value(self, key: str, default: Any = None) -> Any:
        """A recipe value by key path."""
        return self.values[key][0] if key in self.values else default

    def children(self, table: str) -> list[dict[str, Any]]:
        """The values below `table.0.`, `table.1.`, ... as one flat dict each; `table` may be "stage.0.reward"."""
        out: dict[int, dict[str, Any]] = {}
        for key, (value, _) in self.values.items():
            number, _, rest = key.removeprefix(f"{table}.").partition(".")
            if key.startswith(f"{table}.") and number.isdigit() and rest:
                out.setdefault(int(number), {})[rest] = value
        return [out[n] for n in sorted(out)]

    @property
    def staged(self) -> bool:
        """Whether the recipe has stages, whose values then stand below `stage.0.`, `stage.1.`, ..."""
        return any(key.startswith("stage.0.") for key in self.values)

    @property
    def paid(self) -> list[dict[str, Any]]:
        """The reward parts that paid, each once: those of the rl stages, without stages the recipe's."""
        if not self.staged:
            return self.children("reward")
        parts = [p for n, kind in self.stages.items() if kind == "rl" for p in self.children(f"stage.{n - 1}.reward")]
        return [part for n, part in enumerate(parts) if part not in parts[:n]]

    def series(self, metric: str) -> list[Point]:
        """(step counted through all stages, value) of a metric wherever it was measured."""
        starts = self.borders(every=True)
        return [
            (starts.get(m["stage"], 0) + m["step"], float(m[metric])) for m in self.metrics if m.get(metric) is not None
        ]

    def borders(self, *, every: bool = False) -> dict[int, int]:
        """Steps before each stage begins, by stage; without `every` only of later stages that have begun."""
        last: dict[int, int] = {}
        for m in self.metrics:
            last[m["stage"]] = max(last.get(m["stage"], 0), m["step"])
        before = dict(zip(sorted(last), itertools.accumulate([0, *(last[s] for s in sorted(last))]), strict=False))
        return before if every else {stage: n for stage, n in before.items() if n}

    def metric_names(self, prefix: str) -> list[str]:
        """Names that start with `prefix`, in order of first appearance."""
        return list(dict.fromkeys(k for m in self.metrics for k in m if k.startswith(prefix)))


def view(folder: Path | str) -> View:
    """Read a run. Raises Refused where it is no run; what else cannot be read is named in `unread`."""
    run = RunDirectory.read(folder)
    unread: list[str] = []

    def tried(read: Any, otherwise: Any) -> Any:
        try:
            return read()
        except (VerigradError, OSError, ValueError, KeyError, TypeError) as error:
            unread.append(f"{type(error).__name__}: {error}" if not isinstance(error, VerigradError) else str(error))
            return otherwise

    resolved = tried(lambda: run.read_json("resolved.json"), None)
    resolved = resolved if isinstance(resolved, dict) else {}
    return View(
        folder=run.folder,
        status=tried(run.status, {}),
        stages=run.stages(),
        values=dict(_leaves(resolved.get("values", {}))),
        resolved=resolved,
        recipe=tried(lambda: (run.folder / "recipe.toml").read_text("utf-8", errors="replace"), ""),
        metrics=[m for m in tried(run.read_metrics, []) if _is_line(m)],
        timings=[m for m in tried(run.read_timings, []) if _is_line(m)],
        pilot=tried(lambda: run.read_json("pilot.json"), None),
        acceptance=tried(lambda: run.read_json("acceptance.json"), None),
        samples=tried(lambda: list(_samples(run)), []),
        items=tried(run.read_items, []),
        unread=unread,
    )


def status_of(scored: Scored) -> str:
    """The verdict's status, with answers that broke their check apart."""
    return BROKE_CHECK if scored.verdict.reason.startswith(BROKE_CHECK) else scored.verdict.status


def _samples(run: RunDirectory, each: int = 2) -> Iterator[Sample]:
    """`each` answers of every status from the first and from the last stored steps of every stage."""
    for stage in run.stages():
        steps = [step for step in run.steps(stage) if step > 0]
        half = len(steps) // 2
        ends = {"early": steps[: min(_LOOK, half or 1)], "late": steps[::-1][: min(_LOOK, half)]}
        for when, near in ends.items():
            count: dict[str, int] = {}
            for step in near:
                for group in run.read_step(stage, step):
                    for scored in (*group.members, *group.left_out):
                        status = status_of(scored)
                        count[status] = count.get(status, 0) + 1
                        if count[status] <= each:
                            yield Sample(stage=stage, step=step, when=when, status=status, scored=scored)


def _leaves(value: Any, path: str = "") -> Iterator[tuple[str, tuple[Any, str]]]:
    """Every {"value", "origin"} below, nested or flat, by its key path."""
    if isinstance(value, Mapping) and value.keys() == {"value", "origin"}:
        yield path, (value["value"], str(value["origin"]))
    elif isinstance(value, Mapping | list):
        items = value.items() if isinstance(value, Mapping) else enumerate(value)
        for key, below in items:
            yield from _leaves(below, f"{path}.{key}" if path else str(key))


def _is_line(m: Any) -> bool:
    return isinstance(m, dict) and isinstance(m.get("stage"), int) and isinstance(m.get("step"), int)
