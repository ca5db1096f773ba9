"""run(): a program nobody trusts, in a box. The clock, the byte caps and the deadlines on the pipes are held here.

Any thread may call, many at once. Linux only. Left out: what the box is made of (layers), which levels there are
(probing).
"""

from __future__ import annotations

import contextlib
import dataclasses
import json
import os
import selectors
import socket
import time
from collections.abc import Mapping, Sequence
from typing import Any

from verigrad.sandbox import interpreter, probing
from verigrad.sandbox.launchers import launcher
from verigrad.sandbox.records import Limits, Ran

START_SECONDS = 60.0
"""From the order to the program's start, and from its end to the report: a busy machine, not the program."""
DRAIN_SECONDS = 5.0
"""For what is left in the pipes when everything that could write to them has ended."""
_DEFAULT = Limits()
_LOST = "its keeper was lost"


def run(
    command: Sequence[str],
    *,
    files: Mapping[str, bytes | str] = {},
    stdin: bytes = b"",
    limits: Limits = _DEFAULT,
    level: int | None = None,
    keep: Sequence[str] = (),
    locked: Mapping[str, bytes | str] = {},
    reads: Sequence[str] = (),
) -> Ran:
    r"""Runs `command` in a fresh box and ends everything it started before returning.

    Inside: the working directory is a writable folder with `files` and, over them, `locked` (read-only there); an
    empty temporary folder; no network; of the host only the system's programs and libraries, the interpreter that
    `python()` names, and the folders in `reads`, all read-only. Descriptor 3 is open for the result. Names in `files`
    may have folders. `keep` names the files to read back. `level` None: the best this host gives.

    Never raises for what the program does. Raises Refused where `level` is not to be had here.

    >>> from verigrad.sandbox import python
    >>> run([python(), "-I", "-S", "-c", "print(1 + 1)"]).stdout
    b'2\n'
    """
    level = probing.chosen(level)
    return at(level, command, files=files, stdin=stdin, limits=limits, keep=keep, locked=locked, reads=reads)


def at(
    level: int,
    command: Sequence[str],
    *,
    files: Mapping[str, bytes | str] = {},
    stdin: bytes = b"",
    limits: Limits = _DEFAULT,
    keep: Sequence[str] = (),
    locked: Mapping[str, bytes | str] = {},
    reads: Sequence[str] = (),
) -> Ran:
    """run() at a level that nobody has checked yet: how levels are probed."""
    for name in (*files, *locked, *keep):
        if not plain(name):
            return _unfit(level, f"not a file name inside the box: {name!r:.80}")
    if (clash := _clash({*files, *locked})) is not None:
        return _unfit(level, f"both a file and a folder: {clash!r:.80}")
    words = [_bytes(word) for word in command]
    if not words or any(b"\0" in word for word in words):
        return _unfit(level, "the command is empty or has a null character in it")
    contents = {f"f/{n}": _bytes(b) for n, b in files.items() if n not in locked}
    contents |= {f"l/{n}": _bytes(b) for n, b in locked.items()}
    order = {
        "command": [word.decode("latin-1") for word in words],
        "limits": dataclasses.asdict(limits),
        "keep": list(keep),
        "locked": list(locked),
        "reads": [*interpreter.interpreter_folders(), *map(str, reads)],
        "sizes": [[name, len(body)] for name, body in contents.items()],
    }
    body = b"".join([json.dumps(order).encode(), b"\n", *contents.values()])
    ran = _attempt(level, body, stdin, limits)
    # A launcher or keeper that was killed from outside: the program cannot do that.
    return _attempt(level, body, stdin, limits) if ran.kind == "not_started" and ran.error == _LOST else ran


def _attempt(level: int, body: bytes, stdin: bytes, limits: Limits) -> Ran:
    pipes = [os.pipe() for _ in range(4)]
    control, theirs = socket.socketpair()
    ours = [pipes[0][1], *(r for r, _ in pipes[1:])]
    try:
        try:
            launcher(level).start([pipes[0][0], *(w for _, w in pipes[1:]), theirs.fileno()])
        except OSError as error:
            return Ran(kind="not_started", error=f"the launcher: {error}")
        finally:
            theirs.close()
            for fd in (pipes[0][0], *(w for _, w in pipes[1:])):
                os.close(fd)
        ran = _Watch(ours, control, stdin, body, limits, level).run()
        if ran.error == _LOST:
            launcher(level).sweep()
        return ran
    finally:
        control.close()
        for fd in ours:
            os.close(fd)


def _unfit(level: int, error: str) -> Ran:
    """What no box can be made of. Names and arguments may be the answer's: that is its doing, never "not_started"."""
    return Ran(kind="exited", status=127, level=level, error=error)


def _clash(names: set[str]) -> str | None:
    for name in names:
        parts = name.split("/")
        for depth in range(1, len(parts)):
            if (folder := "/".join(parts[:depth])) in names:
                return folder
    return None


def plain(name: str) -> bool:
    """A file name inside the box: relative, no way up, nothing odd.

    >>> plain("tests/test_a.py"), plain("../a"), plain("/a"), plain("")
    (True, False, False, False)
    """
    parts = name.split("/")
    return len(name.encode("utf-8", "replace")) < 1000 and all(
        p not in ("", ".", "..") and len(p.encode("utf-8", "replace")) < 250 and "\0" not in p for p in parts
    )


def _bytes(body: bytes | str) -> bytes:
    return body.encode("utf-8", "surrogatepass") if isinstance(body, str) else bytes(body)


class _Watch:
    """One run from outside: feeds it, reads it, stops it."""

    def __init__(
        self, fds: list[int], control: socket.socket, stdin: bytes, order: bytes, limits: Limits, level: int
    ) -> None:
        self._ours = fds
        self._stdin, *self._outs = fds
        self._control, self._limits, self._level = control, limits, level
        self._to_send = {self._stdin: memoryview(stdin), control.fileno(): memoryview(order)}
        self._got = {fd: bytearray() for fd in self._outs}
        self._said = bytearray()
        self._begun = 0.0
        self._stopped = ""
        self._reported = False
        self._deadline = time.perf_counter() + START_SECONDS
        for fd in (*fds, control.fileno()):
            os.set_blocking(fd, False)

    def run(self) -> Ran:
        """Until the keeper has reported and every pipe is drained, or the keeper itself is lost."""
        with selectors.DefaultSelector() as selector:
            selector.register(self._control.fileno(), selectors.EVENT_READ | selectors.EVENT_WRITE)
            selector.register(self._stdin, selectors.EVENT_WRITE)
            for fd in self._outs:
                selector.register(fd, selectors.EVENT_READ)
            while selector.get_map():
                left = self._deadline - time.perf_counter()
                if left <= 0:
                    if self._stopped or self._reported or not self._begun:
                        break
                    self._stop("timed_out")
                    continue
                for key, events in selector.select(left):
                    if events & selectors.EVENT_WRITE:
                        self._feed(selector, key.fd)
                    if events & selectors.EVENT_READ:
                        self._take(selector, key.fd)
        return self._outcome()

    def _take(self, selector: selectors.BaseSelector, fd: int) -> None:
        piece = _read(fd)
        if piece is None:
            return
        now = time.perf_counter()
        if fd in self._got:
            got, cap = self._got[fd], self._limits.output_bytes
            if len(got) + len(piece) > cap and not self._stopped:
                self._stop("flooded")
            got += piece[: cap - len(got)]
        else:
            self._said += piece
            if not self._begun and self._said[:1] == b"s":
                self._begun = now
                self._deadline = now + self._limits.seconds
            if len(self._said) > 1:
                self._reported = True
                self._deadline = now + START_SECONDS
        if piece == b"":
            selector.unregister(fd)
            if fd == self._control.fileno():  # nothing of the box is left to write, or the keeper was lost
                self._reported = True
                self._deadline = now + DRAIN_SECONDS

    def _feed(self, selector: selectors.BaseSelector, fd: int) -> None:
        left = self._to_send[fd]
        try:
            left = left[os.write(fd, left[: 1 << 16]) :] if left else left
        except BlockingIOError:
            return
        except OSError:  # the program reads no more, or the keeper is gone
            left = left[len(left) :]
        self._to_send[fd] = left
        if left:
            return
        if fd == self._stdin:
            selector.unregister(fd)
            self._ours.remove(fd)  # the caller closes what is left: twice would close another thread's
            os.close(fd)
        else:
            selector.modify(fd, selectors.EVENT_READ)

    def _stop(self, why: str) -> None:
        """Tells the keeper to end the box."""
        self._stopped = why
        self._deadline = time.perf_counter() + START_SECONDS
        with contextlib.suppress(OSError):
            self._control.send(b"k")

    def _outcome(self) -> Ran:
        seconds = time.perf_counter() - self._begun if self._begun else 0.0
        head, kept = self._report()
        if not self._begun:
            said = self._got[self._outs[1]].decode("utf-8", "replace")[-200:]
            error = " ".join(f"{head.get('failed', _LOST)} {said}".split())[:300]
            return Ran(kind="not_started", error=error, seconds=seconds)
        out, err, result = (bytes(self._got[fd]) for fd in self._outs)
        kind, status, error = _kind(self._stopped, head, self._limits, self._level)
        return Ran(
            kind=kind, status=status, error=error, stdout=out, stderr=err, result=result, files=kept,
            level=self._level, seconds=seconds,
        )  # fmt: skip

    def _report(self) -> tuple[dict[str, Any], dict[str, bytes]]:
        said = bytes(self._said)
        line, _, rest = said[1 if said[:1] == b"s" else 0 :].partition(b"\n")
        try:
            head = json.loads(line)
        except ValueError:
            return {}, {}
        kept, at = {}, 0
        for name, size in head["sizes"]:
            kept[name] = rest[at : at + size]
            at += size
        return head, kept


def _kind(stopped: str, head: dict[str, Any], limits: Limits, level: int) -> tuple[Any, int | None, str]:
    status = head.get("status")
    if stopped == "timed_out":
        return "timed_out", None, f"still running after {limits.seconds:g} s"
    if stopped == "flooded":
        return "flooded", None, f"wrote more than {limits.output_bytes} bytes"
    if "status" not in head:  # after the start: it may be the program that cost us the keeper
        return "killed", None, " ".join(str(head.get("failed", _LOST)).split())[:300]
    if head["changed"]:
        return "killed", status, f"changed a file it may only read: {head['changed'][0]}"
    if head["too_much"]:
        return "killed", status, f"used too much {head['too_much']}"
    if status is None:
        return "killed", None, "ended from outside"
    if level == 3 and 128 < status <= 192:  # how bubblewrap says that a signal ended the program
        status = 128 - status
    if head["no_program"]:
        return "exited", 127, "the program cannot be started"
    if status < 0:
        return "killed", status, f"ended by signal {-status}"
    return "exited", status, ""


def _read(fd: int) -> bytes | None:
    try:
        return os.read(fd, 1 << 16)
    except BlockingIOError:
        return None
    except OSError:
        return b""
