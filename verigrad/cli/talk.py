"""How a verb's talk looks: progress by phase on a terminal, plain lines elsewhere; always on stderr.

`NO_COLOR` is respected (by rich). Left out: what is said (runs).
"""

from __future__ import annotations

import sys
import time
from types import TracebackType
from typing import TYPE_CHECKING, Self

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID

PLAIN_SECONDS = 10.0
"""Least seconds between two plain progress lines of one phase."""


class Terminal:
    """`runs.Talk` on stderr; a context manager, so that a progress bar is closed before an error is printed."""

    def __init__(self) -> None:
        self._bar: Progress | None = None
        self._task: TaskID | None = None
        self._phase = ""
        self._total: int | None = None
        self._done = 0
        self._last = 0.0
        if sys.stderr.isatty():
            from rich.console import Console
            from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

            self._bar = Progress(
                TextColumn("{task.description:<22}"),
                BarColumn(bar_width=24),
                MofNCompleteColumn(),
                TimeElapsedColumn(),
                TextColumn("{task.fields[note]}"),
                console=Console(stderr=True),
            )

    def __enter__(self) -> Self:
        if self._bar:
            self._bar.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        if self._bar:
            self._bar.stop()

    def phase(self, name: str, total: int | None = None) -> None:
        """See runs.Talk."""
        self._phase, self._total, self._done, self._last = name, total, 0, 0.0
        if self._bar:
            self._task = self._bar.add_task(name, total=total, note="")
        else:
            print(name + (f" (0/{total})" if total else ""), file=sys.stderr, flush=True)

    def advance(self, done: int, note: str = "") -> None:
        """See runs.Talk."""
        self._done += done
        if self._bar and self._task is not None:
            self._bar.update(self._task, advance=done, note=note)
            return
        now = time.monotonic()
        if now - self._last >= PLAIN_SECONDS or self._done == self._total:
            self._last = now
            count = f"{self._done}/{self._total}" if self._total else str(self._done)
            print(f"  {self._phase} {count} {note}".rstrip(), file=sys.stderr, flush=True)

    def line(self, text: str) -> None:
        """See runs.Talk."""
        if self._bar:
            self._bar.console.print(text, markup=False, highlight=False, soft_wrap=True)
        else:
            print(text, file=sys.stderr, flush=True)
