"""`Run`: a run's folder as Python and the command line see it once it is done. Left out: writing it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from verigrad.acceptance import lines as headline_lines
from verigrad.acceptance import off_task_lines
from verigrad.records import Item
from verigrad.store import RunDirectory


@dataclass(frozen=True, kw_only=True)
class Run:
    """A finished (or running) run, read from its files.

    >>> run = train("recipes/quickstart.toml")   # doctest: +SKIP
    >>> run.accepted, run.acceptance["verdict"]  # doctest: +SKIP
    (True, 'accepted')
    """

    folder: Path
    """runs/NAME."""

    @property
    def status(self) -> Mapping[str, Any]:
        """STATUS as last written."""
        return RunDirectory.read(self.folder).status()

    @property
    def acceptance(self) -> dict[str, Any] | None:
        """acceptance.json; None before the run has been accepted or refused."""
        directory = RunDirectory.read(self.folder)
        return dict(directory.read_json("acceptance.json")) if (self.folder / "acceptance.json").exists() else None

    @property
    def accepted(self) -> bool:
        """True iff every suite accepts."""
        acceptance = self.acceptance
        return acceptance is not None and acceptance["verdict"] == "accepted"

    @property
    def metrics(self) -> list[dict[str, Any]]:
        """metrics.jsonl, one mapping a step."""
        return RunDirectory.read(self.folder).read_metrics()

    @property
    def items(self) -> list[Item]:
        """Every held-out item with its answers before and after."""
        return RunDirectory.read(self.folder).read_items()

    @property
    def model(self) -> Path:
        """The trained model's folder, which transformers loads."""
        return self.folder / "model"

    def summary(self) -> dict[str, Any]:
        """What `train --json` prints."""
        return {
            "run": str(self.folder),
            "status": dict(self.status),
            "acceptance": self.acceptance,
            "model": str(self.model),
            "report": str(self.folder / "report.html"),
        }

    def lines(self) -> list[str]:
        """What `train` prints in the end."""
        acceptance = self.acceptance
        if acceptance is None:
            return [f"{self.folder}: {self.status.get('phase', 'unknown')}"]
        told = [line for suite in acceptance["suites"] for line in headline_lines(suite)]
        told += (
            off_task_lines(acceptance["off_task"]["before"], acceptance["off_task"]["after"])
            if acceptance.get("off_task")
            else []
        )
        told += [_stage_line(stage) for stage in acceptance.get("stages", ())]
        return [
            *told,
            f"{acceptance['verdict'].replace('_', ' ').upper()}: {acceptance['why']}",
            f"model {self.model}",
            f"report {self.folder / 'report.html'}",
        ]


def _stage_line(stage: Mapping[str, Any]) -> str:
    """What one stage of several gained or lost against where it started."""
    verdict = str(stage["verdict"]).replace("_", " ")
    return f"stage {stage['stage']} {stage['kind']}, against its start: {verdict}; {stage['why']}"
