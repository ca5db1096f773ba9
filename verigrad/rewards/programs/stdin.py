"""A test by standard input: the program is run as a script, what it prints is compared, its exit status must be 0."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from verigrad import sandbox
from verigrad.rewards.programs import printed
from verigrad.rewards.programs.calls import stopped
from verigrad.rewards.programs.plan import Box, Plan, Settings

_DRIVER = Path(__file__).with_name("in_box_main.py").read_text(encoding="utf-8")


@dataclass(frozen=True, kw_only=True)
class StdinTest:
    """One run of the program."""

    given: str
    """Its standard input."""
    out: str
    """What it must print; never sent along."""
    tolerance: float | None = None
    """Numbers may differ by that much."""
    visible: bool = False

    def box(self, program: Mapping[str, bytes], plan: Plan, settings: Settings) -> Box:
        """The language's command, or the recipe's."""
        python = (sandbox.python(), "-I", "-S", "-c", _DRIVER)
        return Box(
            command=settings.command or plan.runs_as.run or python,
            files=program,
            stdin=self.given.encode("utf-8", "surrogatepass"),
            limits=settings.limits(plan.runs_as),
        )

    def judge(self, ran: sandbox.Ran, box: Box) -> str:
        """By what was printed, once it ended well; see `plan.Test`."""
        if why := stopped(ran, box):
            return why
        if ran.status != 0:
            last = ran.stderr.decode("utf-8", "replace").strip().rsplit("\n", 1)[-1]
            return f"exit status {ran.status}: {last[:80]}".rstrip(": ")
        return "" if printed.same(ran.stdout, self.out, tolerance=self.tolerance) else "another output"
