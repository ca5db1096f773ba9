"""What ends a run besides its end: Ctrl-C, errors, and what is written about them. Left out: the work."""

from __future__ import annotations

import contextlib
import signal
import threading
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TypeVar

from verigrad.errors import Interrupted, VerigradError
from verigrad.runs.talk import Talk
from verigrad.store import RunDirectory

T = TypeVar("T")


@contextmanager
def asked_to_stop(talk: Talk) -> Iterator[Callable[[], bool]]:
    """A first Ctrl-C asks; a second one leaves at once (the last checkpoint stays). Only the main thread hears it."""
    asked = threading.Event()
    if threading.current_thread() is not threading.main_thread():
        yield asked.is_set
        return
    before = signal.getsignal(signal.SIGINT)

    def hear(*_: object) -> None:
        asked.set()
        signal.signal(signal.SIGINT, before)
        with contextlib.suppress(RuntimeError):  # it may have come in the middle of another line
            talk.line("stopping after this step; Ctrl-C again leaves at once")

    signal.signal(signal.SIGINT, hear)
    try:
        yield asked.is_set
    finally:
        signal.signal(signal.SIGINT, before)


def watched(run: RunDirectory, work: Callable[[], T]) -> T:
    """Do the work; whatever ends it is written into the run, and says which checkpoint is the last good one."""
    try:
        return work()
    except Interrupted:
        run.set_status("interrupted")
        raise
    except KeyboardInterrupt:
        run.set_status("interrupted")
        raise Interrupted(f"interrupted: train --resume {run.folder} goes on from {_last_good(run)}") from None
    except Exception as error:
        with contextlib.suppress(VerigradError):  # a full disk: the error itself is still told
            run.write_error(traceback.format_exc())
            run.set_status("stopped" if isinstance(error, VerigradError) else "failed")
        where = f"{run.folder}: last good is {_last_good(run)}; traceback in {run.folder / 'error.txt'}"
        if isinstance(error, VerigradError):
            raise type(error)(f"{error} ({where})") from error
        raise VerigradError(f"{type(error).__name__}: {' '.join(str(error).split())[:300]} ({where})") from error


def _last_good(run: RunDirectory) -> str:
    steps = run.checkpoints(1)
    return f"the checkpoint of step {steps[-1]}" if steps else "the start: no checkpoint yet"
