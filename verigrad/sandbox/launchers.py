"""The launcher processes of this program: one per level, started on first use and again after a fork or a death.

Left out: what a launcher does (launcher).
"""

from __future__ import annotations

import atexit
import contextlib
import json
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from verigrad.sandbox import folders, interpreter

START_SECONDS = 60.0
_ROOT = str(Path(__file__).resolve().parents[2])
_CODE = "import sys; sys.path.insert(0, {root!r}); from verigrad.sandbox.launcher import main; main()"


class Launcher:
    """A running launcher. `start` may be called from any thread."""

    def __init__(self, level: int) -> None:
        self.owner = os.getpid()
        self.base = tempfile.mkdtemp(prefix="verigrad-box-")
        os.chmod(self.base, 0o711)
        self._door, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        settings = {
            "level": level,
            "base": self.base,
            "owner": self.owner,
            "own_users": os.geteuid() == 0 and (level == 2 or interpreter.open_to_all()),
            "reachable": interpreter.open_to_all() and interpreter.reachable(),
            **(_bubblewrap() if level == 3 else {}),
        }
        command = [sys.executable, "-I", "-S", "-c", _CODE.format(root=_ROOT)]
        self._process = subprocess.Popen(
            [*command, str(theirs.fileno()), json.dumps(settings)],
            pass_fds=(theirs.fileno(),),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
            cwd="/",
            env={"PATH": "/usr/local/bin:/usr/bin:/bin", "LANG": "C.UTF-8"},
        )
        theirs.close()
        self._door.settimeout(START_SECONDS)
        said = self._door.recv(4096)
        if not said:
            self.close()
            raise OSError("it ended while starting")
        self.process = self._process.pid
        """Its number."""

    def start(self, fds: Sequence[int]) -> None:
        """Hands over the five descriptors of one run. Raises OSError where the launcher is gone."""
        socket.send_fds(self._door, [b"run"], list(fds))

    def sweep(self) -> None:
        """Ends what a lost keeper left."""
        self._door.send(b"sweep")

    def close(self) -> None:
        """Ends it; boxes still running end with their callers."""
        self._door.close()
        if os.getpid() != self.owner:
            return
        self._process.kill()
        self._process.wait()
        with contextlib.suppress(OSError):
            for name in os.listdir(self.base):
                folders.remove(os.path.join(self.base, name))
        with contextlib.suppress(OSError):
            os.rmdir(self.base)


def _bubblewrap() -> dict[str, Any]:
    """Where it is, and whether it is 0.8 or newer, which can forbid namespaces inside its own (seccomp does so too)."""
    path = shutil.which("bwrap") or ""
    said = subprocess.run([path, "--help"], capture_output=True, text=True, check=False).stdout if path else ""
    return {"bwrap": path, "disable_userns": "--disable-userns" in said}


class _Restarting:
    """A launcher that is replaced when it has died."""

    def __init__(self, level: int) -> None:
        self._level, self._lock = level, threading.Lock()
        self._running: Launcher | None = None

    def start(self, fds: Sequence[int]) -> None:
        """Hands over one run. Raises OSError where none can be started."""
        with self._lock:
            if self._running is not None and self._running.owner == os.getpid():
                try:
                    self._running.start(fds)
                    return
                except (BrokenPipeError, ConnectionError):
                    self._running.close()
            self._running = Launcher(self._level)
            self._running.start(fds)

    def sweep(self) -> None:
        """Ends what a lost keeper left, where its launcher still is."""
        with self._lock, contextlib.suppress(OSError):
            if self._running is not None and self._running.owner == os.getpid():
                self._running.sweep()

    @property
    def base(self) -> str:
        """The folder its boxes lie in; at level 3 it looks empty from here."""
        return self._running.base if self._running is not None else ""

    @property
    def process(self) -> int:
        """Its process number; 0 before the first run."""
        return self._running.process if self._running is not None else 0

    def close(self) -> None:
        with self._lock:
            if self._running is not None and self._running.owner == os.getpid():
                self._running.close()
            self._running = None


_ALL = {2: _Restarting(2), 3: _Restarting(3)}


def launcher(level: int) -> _Restarting:
    """The launcher of a level."""
    return _ALL[level]


@atexit.register
def close() -> None:
    """Ends all launchers; the next run starts them again."""
    for one in _ALL.values():
        one.close()


def _after_fork() -> None:  # a lock some other thread held stays held in a child
    for level in list(_ALL):
        _ALL[level] = _Restarting(level)


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)
