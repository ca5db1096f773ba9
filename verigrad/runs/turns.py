"""The stages of a run, each prepared as early as can be: at the start, or when what it reads is there.

Left out: what preparing means (prepare), running a stage (phases).
"""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType
from typing import Self

from verigrad.errors import Refused, Stopped
from verigrad.recipe import Recipe
from verigrad.runs.golds import check_golds, without_items
from verigrad.runs.prepare import Prepared, check_loss, face, placed, prepared, waits


class Turns:
    """A run's stages by their number. State: those prepared, and their checks' processes, which `with` ends."""

    def __init__(self, whole: Recipe, folder: Path, *, runs: Path) -> None:
        """Prepares every stage that waits for no other, so that bad input is refused before anything starts.

        `folder`: the run's own, which need not exist yet; `runs`: where others lie.
        """
        self.whole = whole
        self._folder, self._runs = folder, runs
        self._stack = contextlib.ExitStack()
        self._ready: dict[int, Prepared] = {}
        self._anyway = False
        self._bad: set[str] = set()
        self.left_out: list[dict[str, str]] = []
        """Rows that no stage uses: their golds are not what their verifier or grader takes (`golds.check_golds`)."""
        try:
            for stage in whole.stages:
                if waits(whole.stage(stage.number)):
                    check_loss(whole, stage.number)
                else:
                    self._ready[stage.number] = self._stack.enter_context(prepared(whole, stage.number, runs=runs))
            first = whole.stages[0].number
            if first not in self._ready:
                line = "the first stage reads what a stage before it leaves, and there is none"
                with placed(whole):
                    raise Refused(line, key="stage.1.data.0.source" if whole.flat else "data.0.source")
        except BaseException:
            self._stack.close()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        # Through the stages' own blocks, where a refusal gets its place in the recipe.
        self._stack.__exit__(kind, error, at)

    def __call__(self, number: int) -> Prepared:
        """The stage, prepared now if it was not. Raises Stopped where what it reads does not serve."""
        if number not in self._ready:
            try:
                opened = prepared(self.whole, number, run=self._folder, runs=self._runs)
                ready = self._stack.enter_context(opened)
                ready, rows = check_golds(ready, self._folder, anyway=self._anyway)
            except Refused as error:
                raise Stopped(str(error)) from error
            self._left_out(rows)
            self._ready[number] = without_items(ready, self._bad)
        return self._ready[number]

    @property
    def stages(self) -> tuple[Prepared, ...]:
        """Those prepared so far, in order."""
        return tuple(self._ready[n] for n in sorted(self._ready))

    @property
    def face(self) -> Prepared:
        """The stage that speaks for the run: `prepare.face`, or the first that is prepared."""
        return self._ready.get(face(self.whole)) or self.stages[0]

    def check_golds(self, *, anyway: bool) -> list[dict[str, str]]:
        """Every gold of the stages at hand through its verifier and grader; see `golds.check_golds`."""
        self._anyway = anyway
        judged: set[str] = set()
        for number, ready in self._ready.items():
            names = {j.name for j in ready.suites}
            again = names <= judged and ready.recipe.acceptance == self.whole.acceptance
            if again and ready.kind != "rl":
                continue
            self._ready[number], rows = check_golds(ready, self._folder, anyway=anyway)
            self._left_out(rows)
            judged |= names
        self._ready = {number: without_items(ready, self._bad) for number, ready in self._ready.items()}
        return self.left_out

    def _left_out(self, rows: Sequence[dict[str, str]]) -> None:
        """What one stage leaves out no stage is judged by: before and after must be the same items."""
        self.left_out += [row for row in rows if row not in self.left_out]
        self._bad |= {row["key"] for row in rows}
