"""doctor: without an argument this machine, with a run what its metrics say of its health.

Left out: how it is found out (machine, findings).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
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
    stages: Mapping[int, tuple[str, int]]
    """Kind and steps of each stage that has begun, from 1."""
    found: Sequence[Finding]
    """Findings in order."""
    unread: Sequence[str]
    """What could not be read."""
    error: str = ""
    """Last line of error.txt, "" where there is none."""
    ended: bool = False
    """Whether that error is what ended the run: nobody has resumed it since."""

    @property
    def healthy(self) -> bool:
        """Whether there is no finding, and no error ended it."""
        return not self.found and not self.ended

    def as_json(self) -> dict[str, Any]:
        """For --json."""
        return {
            "run": self.name,
            "steps": self.steps,
            "stages": [{"stage": n, "kind": kind, "steps": steps} for n, (kind, steps) in self.stages.items()],
            "error": self.error or None,
            "healthy": self.healthy,
            "findings": [asdict(f) for f in self.found],
            "unread": list(self.unread),
        }

    def lines(self) -> list[str]:
        """For a person: a finding and what to try, or that nothing was found."""
        out = [f"could not be read: {u}" for u in self.unread]
        if self.error:
            when = "it ended with" if self.ended else "an earlier try ended with"
            out.append(f"{self.name}: {when} {self.error} (error.txt)")
        several = len(self.stages) > 1
        for f in self.found:
            out.append(f"{f'stage {f.stage}: ' if several else ''}{f.name.replace('_', ' ')}: {f.says}")
            out.append(f"  try: {f.advice}")
        long = sum(steps for _, steps in self.stages.values() if steps >= FEWEST)
        for n, (kind, steps) in self.stages.items():
            if steps < FEWEST:
                which = f"stage {n} {kind}, " if several else ""
                out.append(f"{self.name}: {which}{steps} steps are too few to judge (from {FEWEST} on)")
        if long and not self.found:
            out.append(f"{self.name}: no finding in {long} steps")
        elif not self.stages:
            out.append(f"{self.name}: 0 steps are too few to judge (from {FEWEST} on)")
        return out


def doctor(run: Path | str | None = None) -> MachineReport | RunReport:
    """This machine, or the findings of a run (also one still running). Raises Refused where the path is no run."""
    if run is None:
        return MachineReport(checks=machine())
    if Path(run).is_file():
        raise NotYet(f"{run} is a file: doctor reads run folders; other trainers' logs are not built in this version")
    v = view(run)
    counted = {n: sum(m["stage"] == n for m in v.metrics) for n in sorted({m["stage"] for m in v.metrics})}
    return RunReport(
        name=str(run),
        steps=len(v.metrics),
        stages={n: (v.stages.get(n, ""), steps) for n, steps in counted.items()},
        found=findings(v.metrics),
        unread=v.unread,
        error=_error(v.folder / "error.txt"),
        ended=(v.folder / "error.txt").exists() and v.status.get("phase") in ("failed", "stopped"),
    )


def _error(path: Path) -> str:
    """The last line of a traceback: what went wrong, cut to 300 characters."""
    try:
        lines = path.read_text("utf-8", errors="replace").strip().splitlines()
    except OSError:
        return ""
    return " ".join(lines[-1].split())[:300] if lines else ""
