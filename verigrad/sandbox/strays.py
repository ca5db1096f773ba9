"""Processes a call left behind in sessions of their own: found by a mark in their environment, and ended.

For our own and the user's code (level 1), which has no reason to hide: a program that means to is for a box, whose
keeper finds it whatever it does. Linux; elsewhere only the call's own process group is ended.
"""

from __future__ import annotations

import contextlib
import os
import signal
import time

NAME = "VERIGRAD_WORKER"
_ROUNDS = 20


def end(mark: str) -> None:
    """Kills every process whose environment has `mark`, and those they start meanwhile."""
    for _ in range(_ROUNDS):
        if not (found := _marked(f"{NAME}={mark}".encode())):
            return
        for pid in found:
            with contextlib.suppress(OSError):
                os.kill(pid, signal.SIGKILL)
        time.sleep(0.002)


def _marked(words: bytes) -> list[int]:
    found = []
    with contextlib.suppress(OSError):
        for name in os.listdir("/proc"):
            if name.isdigit():  # a dead one that nobody has reaped yet has no environment any more
                with contextlib.suppress(OSError), open(f"/proc/{name}/environ", "rb") as file:
                    if words in file.read().split(b"\0"):
                        found.append(int(name))
    return found
