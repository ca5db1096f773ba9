"""One persistent process that calls functions by name and is killed, group and all, when it does not answer in time.

The time limit, the byte cap and the deadline on the pipes are held here, outside the process. Results are plain JSON
values. The trainer has threads, so the process is started afresh (`python -m`), never forked. Left out: several
workers at once (calls).
"""

from __future__ import annotations

import contextlib
import json
import os
import secrets
import selectors
import signal
import subprocess
import sys
import threading
import time
import weakref
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

from verigrad.errors import VerigradError
from verigrad.sandbox import strays
from verigrad.sandbox.child import HEADER

RESULT_BYTES = 1 << 20
LOG_BYTES = 8 << 10
REQUEST_BYTES = 64 << 20
MEMORY_BYTES = 8 << 30
START_SECONDS = 30.0
_POLL = 0.05
_LOAD = "verigrad.sandbox.child:load"


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """What became of one call.

    >>> Outcome(kind="value", value=3).value
    3
    """

    kind: Literal["value", "raised", "timed_out", "died"]
    """value: it returned; raised: an exception, or nothing plain came back; timed_out: killed by the clock; died: the
    process ended (exit, crash, killed for memory) without an answer."""
    value: Any = None
    """The plain value it returned."""
    error: str = ""
    """One line: what was raised, or how it died."""
    log: str = ""
    """The last of what it printed."""
    seconds: float = 0.0
    """Wall time of the call."""


class Worker:
    """A process that serves calls one at a time, started on the first and again after every death.

    Any thread may call; calls of several threads wait for each other. `close` (or the end of the program) kills it.
    """

    def __init__(self, *, memory_bytes: int = MEMORY_BYTES) -> None:
        self.starts = 0
        """How often a process was started: what was loaded before the last start is gone."""
        self._imported: set[str] = set()
        self._memory = memory_bytes
        self._lock = threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None
        self._fds: tuple[int, int, int] = (-1, -1, -1)
        self._finalizer: weakref.finalize[Any, Any] | None = None

    def call(self, target: str, args: Sequence[Any], *, seconds: float, folder: Path | None = None) -> Outcome:
        """Calls `module:function` with JSON arguments. Never raises for what the function does.

        `seconds` is the call's alone: importing the module, the first time, may take START_SECONDS more.
        """
        with self._lock:
            if not self.running:
                self._stop()
                self._start()
            begun = time.perf_counter()
            module = target.partition(":")[0]
            try:
                if module not in self._imported:
                    outcome = self._exchange(_request(_LOAD, [module], START_SECONDS, folder), START_SECONDS)
                    self._imported.add(module)
                    begun = time.perf_counter()
                    if outcome.kind in ("timed_out", "died"):
                        self._stop()
                        return outcome
                body = _request(target, args, seconds, folder)
                if len(body) > REQUEST_BYTES:
                    text = f"the arguments are {len(body)} bytes, more than {REQUEST_BYTES}"
                    return Outcome(kind="raised", error=text)
                outcome = self._exchange(body, seconds)
            except BaseException:
                self._stop()
                raise
            if outcome.kind in ("timed_out", "died"):
                self._stop()
            return replace(outcome, seconds=time.perf_counter() - begun)

    def restart(self) -> None:
        """Ends the process; the next call starts a fresh one."""
        with self._lock:
            self._stop()

    def close(self) -> None:
        """Ends the process and closes its pipes."""
        self.restart()

    def _start(self) -> None:
        request_r, request_w = os.pipe()
        result_r, result_w = os.pipe()
        log_r, log_w = os.pipe()
        command = [
            sys.executable,
            "-c",
            "from verigrad.sandbox.child import main; main()",
            str(request_r),
            str(result_w),
        ]
        command += [str(self._memory), str(RESULT_BYTES)]
        root = str(Path(__file__).resolve().parents[2])
        env = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, [root, os.environ.get("PYTHONPATH", "")]))}
        env["PYTHONUNBUFFERED"] = "1"
        env[strays.NAME] = mark = secrets.token_hex(8)
        try:
            self._process = subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                stdout=log_w,
                stderr=log_w,
                pass_fds=(request_r, result_w),
                start_new_session=True,
                env=env,
            )
        except BaseException:
            for fd in (request_w, result_r, log_r):
                os.close(fd)
            raise
        finally:
            for fd in (request_r, result_w, log_w):
                os.close(fd)
        self._fds = (request_w, result_r, log_r)
        for fd in self._fds:
            os.set_blocking(fd, False)
        self.starts += 1
        self._imported.clear()
        self._finalizer = weakref.finalize(self, _end, self._process, self._fds, os.getpid(), mark)
        if self._exchange(b"", START_SECONDS).kind != "value":
            self._stop()
            raise VerigradError(f"the sandbox's process did not start: {sys.executable} -c ...")

    def _stop(self) -> None:
        if self._finalizer is not None:
            self._finalizer()
        self._process, self._finalizer = None, None

    @property
    def running(self) -> bool:
        """A process is there and alive."""
        return self._process is not None and _ended(self._process) is None

    def _exchange(self, body: bytes, seconds: float) -> Outcome:
        """Sends the request (none: waits for the first frame) and waits for its frame, draining what is printed."""
        request_w, result_r, log_r = self._fds
        process = self._process
        assert process is not None
        pending = memoryview(HEADER.pack(len(body)) + body if body else b"")
        got, log = bytearray(), bytearray()
        deadline = time.perf_counter() + seconds
        with selectors.DefaultSelector() as selector:
            if pending:
                selector.register(request_w, selectors.EVENT_WRITE)
            selector.register(result_r, selectors.EVENT_READ)
            selector.register(log_r, selectors.EVENT_READ)
            while True:
                left = deadline - time.perf_counter()
                if left <= 0:
                    return Outcome(kind="timed_out", error=f"no answer in {seconds:g} s", log=_text(log))
                status = _ended(process)
                for key, _ in selector.select(min(left, _POLL) if status is None else 0):
                    if key.fd == request_w:
                        pending = _write(request_w, pending)
                        if not pending:
                            selector.unregister(request_w)
                        continue
                    piece = _read(key.fd)
                    if piece == b"":
                        selector.unregister(key.fd)
                    elif key.fd == result_r:
                        got += piece or b""
                    else:
                        log = (log + (piece or b""))[-LOG_BYTES:]
                if (reply := _frame(got)) is not None:
                    return _outcome(reply, log)
                if status is not None:
                    return Outcome(kind="died", error=_death(status), log=_text(log))


def _request(target: str, args: Sequence[Any], seconds: float, folder: Path | None) -> bytes:
    request = {
        "target": target,
        "args": list(args),
        "seconds": seconds,
        "folder": None if folder is None else str(folder.absolute()),  # the child is elsewhere after a call
        "path": [entry for entry in sys.path if entry],
    }
    return json.dumps(request, default=_plain).encode()


def _outcome(reply: Any, log: bytearray) -> Outcome:
    if isinstance(reply, dict) and "value" in reply:
        return Outcome(kind="value", value=reply["value"], log=_text(log))
    return Outcome(kind="raised", error=str(reply.get("error") if isinstance(reply, dict) else reply), log=_text(log))


def _frame(got: bytearray) -> Any:
    """The reply once it is whole, else None."""
    if len(got) < HEADER.size:
        return None
    size = HEADER.unpack(got[: HEADER.size])[0]
    if size > RESULT_BYTES + (1 << 12):
        return {"error": "the result pipe was written to by something else"}
    if len(got) < HEADER.size + size:
        return None
    try:
        return json.loads(bytes(got[HEADER.size : HEADER.size + size]))
    except ValueError:
        return {"error": "the result pipe was written to by something else"}


def _read(fd: int) -> bytes | None:
    try:
        return os.read(fd, 1 << 16)
    except BlockingIOError:
        return None


def _write(fd: int, data: memoryview) -> memoryview:
    try:
        return data[os.write(fd, data[: 1 << 16]) :]
    except BlockingIOError:
        return data
    except BrokenPipeError:  # the process died: its exit status says how
        return data[len(data) :]


def _text(log: bytearray) -> str:
    return bytes(log).decode("utf-8", "replace")


def _death(status: int) -> str:
    if status < 0:
        with contextlib.suppress(ValueError):
            return f"the process was ended by {signal.Signals(-status).name}"
    return f"the process exited with status {status}"


def _ended(process: subprocess.Popen[bytes]) -> int | None:
    """Its exit status (minus the signal) once it has ended, without reaping it: until then its group is its own."""
    if process.returncode is not None or not hasattr(os, "waitid"):
        return process.poll()
    try:
        about = os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT)
    except ChildProcessError:  # someone else in this program waited for it
        return process.poll()
    if about is None:
        return None
    return about.si_status if about.si_code == os.CLD_EXITED else -about.si_status


def _end(process: subprocess.Popen[bytes], fds: tuple[int, int, int], owner: int, mark: str) -> None:
    """Kills the process group and what left it, waits, closes the pipes. Safe to run at the end of the program."""
    if os.getpid() != owner:  # a fork of the program that ends must not take its parent's workers along
        return
    if process.returncode is None:  # a reaped process's number may be somebody else's by now
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
    strays.end(mark)
    with contextlib.suppress(Exception):
        process.wait(timeout=10)
    for fd in fds:
        with contextlib.suppress(OSError):
            os.close(fd)


def _plain(value: Any) -> Any:
    """What JSON has no word for: arrays become lists, everything else its text."""
    return value.tolist() if hasattr(value, "tolist") else str(value)
