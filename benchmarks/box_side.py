"""Prints, as JSON, the seconds of what level 2 does in the process that becomes the program; one thread."""

from __future__ import annotations

import json
import os
import statistics
import tempfile
import time
from collections.abc import Callable
from typing import Any

from verigrad.sandbox import kernel, landlock, layers, seccomp


def main() -> None:
    """Each step nine times, in a child of its own: none of them can be undone."""
    with tempfile.TemporaryDirectory() as folder:
        steps: dict[str, Callable[[], Any]] = {
            "a fork": lambda: None,
            "Landlock": lambda: landlock.restrict([*layers.SYSTEM, *layers.ETC], [folder]),
            "seccomp": lambda: seccomp.install(seccomp.program()),
            "capabilities": kernel.drop_capabilities,
        }
        print(json.dumps({name: statistics.median(_in_child(work) for _ in range(9)) for name, work in steps.items()}))


def _in_child(work: Callable[[], Any]) -> float:
    begun = time.perf_counter()
    told, tell = os.pipe()
    child = os.fork()
    if child == 0:
        inner = time.perf_counter()
        work()
        os.write(tell, repr(time.perf_counter() - inner).encode())
        os._exit(0)
    os.waitpid(child, 0)
    whole = time.perf_counter() - begun
    os.close(tell)
    said = float(os.read(told, 100))
    os.close(told)
    return said if said > 1e-5 else whole  # of a fork that does nothing: the fork


if __name__ == "__main__":
    main()
