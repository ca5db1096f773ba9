"""One writer a run: LOCK holds pid, start time of that process and host.

A pid alone is not enough (pids are used again), and an flock held for a run's whole life would live on in workers
that outlive a killed trainer. So a lock is alive iff a process with that pid and that start time is; the judging
and taking happen under a short flock on the folder. Left out: readers, who need no lock.
"""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import socket
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from verigrad.errors import Refused
from verigrad.store import files


def take(folder: Path) -> str | None:
    """Take the run's LOCK. Returns a note when a dead process's lock was taken over; raises Refused on a live one."""
    path = folder / "LOCK"
    with _alone(folder):
        other = _read(path)
        note = None
        if other is not None:
            pid, host = other.get("pid"), other.get("host")
            if host != socket.gethostname():
                raise Refused(
                    f"{folder} is locked by process {pid} on {host}, which cannot be asked from here; "
                    f"if it is dead, delete {path}"
                )
            alive = isinstance(pid, int) and started(pid) is not None and started(pid) == other.get("started")
            if alive and pid == os.getpid():
                raise Refused(f"{folder} is already open in this process; close it first")
            if alive:
                raise Refused(f"{folder} is being written by process {pid}; wait for it, or stop it (kill -INT {pid})")
            note = f"{folder}: took over the lock of process {pid}, which is dead"
        files.write_bytes(path, content())
        return note


def content() -> bytes:
    """What this process writes into a LOCK."""
    mine = {"pid": os.getpid(), "started": started(os.getpid()), "host": socket.gethostname()}
    return (json.dumps(mine) + "\n").encode()


def release(folder: Path) -> None:
    """Give the lock back if it is this process's."""
    with contextlib.suppress(OSError), _alone(folder):
        other = _read(folder / "LOCK")
        if other is not None and other.get("pid") == os.getpid():
            (folder / "LOCK").unlink()


def started(pid: int) -> str | None:
    """When a live process started, in the host's own words (Linux: boot id and clock ticks); None for a dead one."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text()
        state, *rest = stat[stat.rindex(")") + 2 :].split()
        boot = Path("/proc/sys/kernel/random/boot_id").read_text().strip()
        return None if state in ("Z", "X") else f"{boot} {rest[18]}"
    except (FileNotFoundError, ProcessLookupError):
        if Path("/proc/self/stat").exists():
            return None
    done = subprocess.run(["ps", "-o", "lstart=", "-p", str(pid)], capture_output=True, text=True, check=False)
    return done.stdout.strip() or None


def _read(path: Path) -> dict[str, Any] | None:
    try:
        value = json.loads(path.read_text())
    except FileNotFoundError:
        return None
    except ValueError:
        return {"pid": None, "host": socket.gethostname()}
    return value if isinstance(value, dict) else {"pid": None, "host": socket.gethostname()}


@contextlib.contextmanager
def _alone(folder: Path) -> Iterator[None]:
    handle = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        os.close(handle)
