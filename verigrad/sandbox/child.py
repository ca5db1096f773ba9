"""The process behind a Worker: reads a request, calls the function, writes one frame back. Started by a Worker.

Private pipes carry requests and results; whatever the function prints goes to another. Level 1: own process, own
session, memory and file-size limits, no core dumps. The clock that counts is the parent's; the alarm set here only
ends a call whose parent died. Left out: what is called (the request names it), and any trust in the result.
"""

from __future__ import annotations

import contextlib
import importlib
import json
import os
import signal
import struct
import sys
from typing import Any

HEADER = struct.Struct(">Q")


def main() -> None:
    """Serves requests from fd argv[1], answers on fd argv[2], until the requests end."""
    requests, results = int(sys.argv[1]), int(sys.argv[2])
    memory, cap = int(sys.argv[3]), int(sys.argv[4])
    os.set_inheritable(requests, False)
    os.set_inheritable(results, False)
    _limit(memory)
    me = os.getpid()
    _send(results, b'{"value": "ready"}')
    while request := _receive(requests):
        signal.signal(signal.SIGALRM, signal.SIG_DFL)
        signal.setitimer(signal.ITIMER_REAL, request["seconds"] * 1.5 + 5)
        reply = _answer(request, cap)
        if os.getpid() != me:  # a process the function forked and that came back here must not answer
            os._exit(0)
        signal.setitimer(signal.ITIMER_REAL, 0)
        for stream in (sys.stdout, sys.stderr):
            with contextlib.suppress(Exception):
                stream.flush()
        _send(results, reply)


def load(module: str) -> None:
    """Imports a module, so that the call that needs it is not charged for that."""
    importlib.import_module(module)


def _answer(request: dict[str, Any], cap: int) -> bytes:
    """{"value": ...} or {"error": "one line"}, at most `cap` bytes."""
    try:
        for entry in reversed(request["path"]):
            if entry not in sys.path:
                sys.path.insert(0, entry)
        if request["folder"] is not None:
            os.chdir(request["folder"])
        module, _, name = request["target"].partition(":")
        function: Any = importlib.import_module(module)
        for part in name.split("."):
            function = getattr(function, part)
        value = function(*request["args"])
    except BaseException as error:
        text = f"{type(error).__name__}: {_one_line(error)}"
        return json.dumps({"error": text[:2000]}).encode()
    try:
        frame = json.dumps({"value": value}).encode()
    except BaseException as error:
        return json.dumps({"error": f"returned no plain value: {_one_line(error)}"[:2000]}).encode()
    if len(frame) > cap:
        return json.dumps({"error": f"returned {len(frame)} bytes, more than {cap}"}).encode()
    return frame


def _one_line(error: BaseException) -> str:
    try:
        return " ".join(str(error).split())[:1000]
    except BaseException:
        return "?"


def _limit(memory: int) -> None:
    try:
        import resource
    except ImportError:  # no limits to set on this system
        return
    for what, bound in ((resource.RLIMIT_CORE, 0), (resource.RLIMIT_AS, memory), (resource.RLIMIT_FSIZE, 1 << 30)):
        try:
            _, hard = resource.getrlimit(what)
            soft = bound if hard == resource.RLIM_INFINITY else min(bound, hard)
            resource.setrlimit(what, (soft, hard))
        except (ValueError, OSError):
            continue


def _receive(fd: int) -> dict[str, Any] | None:
    header = _read(fd, HEADER.size)
    if header is None:
        return None
    body = _read(fd, HEADER.unpack(header)[0])
    return None if body is None else json.loads(body)


def _read(fd: int, size: int) -> bytes | None:
    parts = bytearray()
    while len(parts) < size:
        piece = os.read(fd, min(1 << 20, size - len(parts)))
        if not piece:
            return None
        parts += piece
    return bytes(parts)


def _send(fd: int, body: bytes) -> None:
    data = memoryview(HEADER.pack(len(body)) + body)
    while data:
        data = data[os.write(fd, data) :]
