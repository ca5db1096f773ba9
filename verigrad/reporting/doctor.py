"""doctor: without an argument this machine, with a run what its metrics say of its health.

Left out: how it is found out (machine, findings).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from verigrad.errors import NotYet
from verigrad.reporting.findings import FEWEST, Finding, findings
from verigrad.reporting.machine import Check, machine
from verigrad.reporting.view import view


@dataclass(frozen=True, kw_only=True)
class MachineReport:
    """What doctor says of this machine."""

    checks: Sequence[Check]
    """Every check in order."""

    @property
    def healthy(self) -> bool:
        """Whether nothing is missing that every run needs."""
        return all(c.state != "bad" for c in self.checks)

    def as_json(self) -> dict[str, Any]:
        """For --json."""
        return {"healthy": self.healthy, "checks": [asdict(c) for c in self.checks]}

    def lines(self) -> list[str]:
        """For a person."""
        words = {"ok": "ok", "missing": "--", "bad": "NO"}
        width = max(len(c.name) for c in self.checks)
        return [
            f"{words[c.state]}  {c.name:<{width}}  {c.found}" + (f"  ({c.advice})" if c.advice else "")
            for c in self.checks
        ]


@dataclass(frozen=True, kw_only=True)
class RunReport:
    """What doctor says of a run."""

    name: str
    """The run's folder."""
    steps: int
    """Lines of metrics read."""
    found: Sequence[Finding]
    """Findings in order."""
    unread: Sequence[str]
    """What could not be read."""

    @property
    def healthy(self) -> bool:
        """Whether there is no finding."""
        return not self.found

    def as_json(self) -> dict[str, Any]:
        """For --json."""
        return {
            "run": self.name,
            "steps": self.steps,
            "healthy": self.healthy,
            "findings": [asdict(f) for f in self.found],
            "unread": list(self.unread),
        }

    def lines(self) -> list[str]:
        """For a person: a finding and what to try, or that nothing was found."""
        out = [f"could not be read: {u}" for u in self.unread]
        stages = len({f.stage for f in self.found}) > 1
        for f in self.found:
            out.append(f"{f'stage {f.stage}: ' if stages else ''}{f.name.replace('_', ' ')}: {f.says}")
            out.append(f"  try: {f.advice}")
        if self.steps < FEWEST:
            out.append(f"{self.name}: {self.steps} steps are too few to judge (from {FEWEST} on)")
        elif not self.found:
            out.append(f"{self.name}: no finding in {self.steps} steps")
        return out


def doctor(run: Path | str | None = None) -> MachineReport | RunReport:
    """This machine, or the findings of a run (also one still running). Raises Refused where the path is no run."""
    if run is None:
        return MachineReport(checks=machine())
    if Path(run).is_file():
        raise NotYet(f"{run} is a file: doctor reads run folders; other trainers' logs are not built in this version")
    v = view(run)
    return RunReport(name=str(run), steps=len(v.metrics), found=findings(v.metrics), unread=v.unread)
