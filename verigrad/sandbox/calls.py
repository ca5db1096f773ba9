"""Several workers at once, one call in a fresh process, and what level of isolation that is."""

from __future__ import annotations

import os
import queue
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, TypeVar

from verigrad.sandbox.worker import MEMORY_BYTES, Outcome, Worker

T = TypeVar("T")
R = TypeVar("R")


def call(target: str, args: Sequence[Any], *, seconds: float, folder: Path | None = None) -> Outcome:
    """Calls `module:function` once in a fresh process that is ended afterwards; see Worker.call.

    >>> call("math:hypot", [3, 4], seconds=5).value
    5.0
    """
    worker = Worker()
    try:
        return worker.call(target, args, seconds=seconds, folder=folder)
    finally:
        worker.close()


class Pool:
    """Workers for many calls. Each piece of work holds one worker for itself; threads wait for a free one."""

    def __init__(self, size: int | None = None, *, memory_bytes: int = MEMORY_BYTES) -> None:
        """`size` None: the cores this process may use, at most 8."""
        self.size = size or max(1, min(8, cores()))
        self._workers = [Worker(memory_bytes=memory_bytes) for _ in range(self.size)]
        self._free: queue.LifoQueue[Worker] = queue.LifoQueue()
        for worker in self._workers:
            self._free.put(worker)

    def call(self, target: str, args: Sequence[Any], *, seconds: float, folder: Path | None = None) -> Outcome:
        """One call on a free worker; see Worker.call."""
        return self.use(lambda worker: worker.call(target, args, seconds=seconds, folder=folder))

    def use(self, work: Callable[[Worker], R]) -> R:
        """Hands a free worker to `work`, alone, and takes it back."""
        worker = self._free.get()
        try:
            return work(worker)
        finally:
            self._free.put(worker)

    def map(self, work: Callable[[Worker, T], R], items: Iterable[T]) -> list[R]:
        """`work(worker, item)` for every item, `size` at a time, results in order."""
        items = list(items)
        if not items:
            return []
        with ThreadPoolExecutor(max_workers=min(self.size, len(items))) as threads:
            return list(threads.map(lambda item: self.use(lambda worker: work(worker, item)), items))

    def close(self) -> None:
        """Ends every process; the pool may be used again and then starts new ones."""
        for worker in self._workers:
            worker.close()

    def __enter__(self) -> Pool:
        """The pool itself; `with` closes it."""
        return self

    def __exit__(self, *_: object) -> None:
        """Closes it."""
        self.close()


def level() -> int:
    """The isolation `call` gives here: 1, an own process with limits. Higher levels belong to `run`."""
    return 1


def cores() -> int:
    """The cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
