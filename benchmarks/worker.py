"""Sides of a benchmark as processes of their own: one JSON line in, one JSON line out.

A side stays alive between rounds, so that the sides of a comparison can take turns within one command, and its peak of
resident memory is its own. Standard library only: the peers' environments run this file without the package.
"""

from __future__ import annotations

import contextlib
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
Ask = Callable[[dict[str, Any]], dict[str, Any]]


class Line:
    """A side's end: what it prints elsewhere cannot get between the answers."""

    def __init__(self) -> None:
        self._out = os.fdopen(os.dup(1), "w")
        os.dup2(2, 1)

    def ask(self) -> dict[str, Any] | None:
        """The next question; None when there will be no more."""
        line = sys.stdin.readline()
        return json.loads(line) if line.strip() else None

    def answer(self, value: dict[str, Any]) -> None:
        """Say it."""
        self._out.write(json.dumps(value) + "\n")
        self._out.flush()

    def serve(self, answer: Ask) -> None:
        """Answer until nobody asks."""
        while (question := self.ask()) is not None:
            self.answer(answer(question))


class Side:
    """The caller's end of a side."""

    def __init__(self, name: str, command: Sequence[str], *, environment: dict[str, str] | None = None) -> None:
        self.name = name
        self._log = tempfile.TemporaryFile("w+")  # noqa: SIM115 - lives as long as the process
        self._process = subprocess.Popen(
            list(command),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._log,
            text=True,
            cwd=ROOT,
            env={**os.environ, "TOKENIZERS_PARALLELISM": "false", "HF_HUB_OFFLINE": "1", **(environment or {})},
        )
        self.ready = self._read()

    def ask(self, **question: Any) -> dict[str, Any]:
        """Ask, and wait for the answer. Raises SystemExit with the end of its log where it died."""
        assert self._process.stdin is not None
        with contextlib.suppress(BrokenPipeError):
            self._process.stdin.write(json.dumps(question) + "\n")
            self._process.stdin.flush()
        return self._read()

    def close(self) -> None:
        """No more questions."""
        assert self._process.stdin is not None
        with contextlib.suppress(BrokenPipeError):
            self._process.stdin.close()
        try:
            self._process.wait(timeout=30)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        assert self._process.stdout is not None
        self._process.stdout.close()
        self._log.close()

    def _read(self) -> dict[str, Any]:
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        if not line:
            self._process.wait()
            self._log.seek(0)
            raise SystemExit(f"{self.name} died ({self._process.returncode}):\n{self._log.read()[-3000:]}")
        answer: dict[str, Any] = json.loads(line)
        return answer


@contextlib.contextmanager
def sides(started: dict[str, Callable[[], Side]]) -> Iterator[dict[str, Side]]:
    """These sides, started one after the other and ended together."""
    running: dict[str, Side] = {}
    try:
        for name, start in started.items():
            begun = time.perf_counter()
            running[name] = start()
            say(f"{name} ready in {time.perf_counter() - begun:.0f} s")
        yield running
    finally:
        for side in running.values():
            side.close()


def interleaved(running: dict[str, Side], rounds: int, **question: Any) -> dict[str, list[dict[str, Any]]]:
    """Every side's answers to the same question, `rounds` times, in turns whose order turns too."""
    answers: dict[str, list[dict[str, Any]]] = {name: [] for name in running}
    for number in range(rounds):
        for name in list(running) if number % 2 == 0 else list(running)[::-1]:
            answers[name].append(running[name].ask(round=number, **question))
            say(f"{name}: {question}, {answers[name][-1]['seconds']:.1f} s")
    return answers


def median(answers: Sequence[dict[str, Any]], key: str = "seconds") -> float:
    """Of this number of the answers."""
    return round(statistics.median(a[key] for a in answers), 3)


def say(text: str) -> None:
    """Progress, on the error stream."""
    print(f"[{time.strftime('%H:%M:%S')}] {text}", file=sys.stderr, flush=True)


def status_gb(name: str) -> float:
    """VmRSS (now) or VmHWM (at most) of this process, in GB of 10^9 bytes."""
    lines = Path("/proc/self/status").read_text().splitlines()
    (line,) = [line for line in lines if line.startswith(name + ":")]
    return round(int(line.split()[1]) * 1024 / 1e9, 3)


def forget_peak() -> None:
    """VmHWM counts from here: what was most before, the loader's as a rule, is forgotten."""
    Path("/proc/self/clear_refs").write_text("5")
