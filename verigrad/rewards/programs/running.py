"""All tests of a plan on one program: each in a fresh box, in an order nobody can tell, until one fails.

The order is drawn from the task's key. A box that the sandbox could not start is tried once more beside a program
known to be good. Left out: what a test is (plan), isolation (sandbox).
"""

from __future__ import annotations

import random
import threading
from collections.abc import Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass

from verigrad import sandbox
from verigrad.records import BROKE_CHECK, seed
from verigrad.rewards.programs.plan import Box, Plan, Settings, Test, Unjudged


class NoSandbox(Unjudged):
    """The sandbox did not start, for a program known to be good either."""


@dataclass(frozen=True, kw_only=True)
class Passed:
    """What became of the tests."""

    failed: str = ""
    """Why the first test that failed did; empty where all passed."""
    hidden: bool = False
    """It was a hidden test, and every visible one passes."""
    ran: int = 0
    """Tests that were run."""
    level: int = 0
    """The lowest isolation any of them ran at."""


def run(plan: Plan, program: Mapping[str, bytes], settings: Settings, *, key: str, level: int | None) -> Passed:
    """The tests of `plan` on the program's files. Raises Unjudged where nobody could have been judged."""
    order = list(plan.tests)
    random.Random(seed("code", key)).shuffle(order)
    failed, levels = _until_one_fails(order, plan, program, settings, level)
    hidden = False
    if failed is not None:
        shown = [test for test in plan.tests if test.visible]
        if shown and not failed[0].visible:
            seen, more = _until_one_fails(shown, plan, program, settings, level)
            hidden, levels = seen is None, levels + more
    return Passed(
        failed="" if failed is None else failed[1], hidden=hidden, ran=len(levels), level=min(levels, default=0)
    )


def in_box(box: Box, level: int | None) -> sandbox.Ran:
    """One run; again, beside a probe, where the sandbox itself failed. Raises NoSandbox where the probe fails too."""
    ran = _once(box, level)
    if ran.kind != "not_started":
        return ran
    probe = _once(Box(command=(sandbox.python(), "-I", "-S", "-c", "print(6 * 7)"), limits=sandbox.Limits()), level)
    if not (probe.ok and probe.stdout == b"42\n"):
        raise NoSandbox(f"the sandbox does not start: {ran.error[:120]}")
    return _once(box, level)


def compiled(
    plan: Plan, program: Mapping[str, bytes], settings: Settings, *, level: int | None
) -> tuple[Mapping[str, bytes], str, int]:
    """The files to run, why they do not compile (or nothing), and the isolation: a box of its own for the compiler."""
    language = plan.runs_as
    command = settings.compile or (() if settings.command else language.compile)
    if not command or not plan.builds:
        return program, "", 0
    makes = language.makes or "program"
    limits = settings.limits(language, seconds=max(settings.seconds, 20.0))
    ran = in_box(Box(command=tuple(command), files=program, keep=(makes,), limits=limits), level)
    made = ran.files.get(makes)
    if ran.kind != "exited":
        return program, f"{BROKE_CHECK}: {ran.kind}: the compiler: {ran.error[:80]}", ran.level
    if ran.status != 0 or not made:
        return program, "does not compile", ran.level
    return {**program, makes: made}, "", ran.level


def _until_one_fails(
    tests: Sequence[Test], plan: Plan, program: Mapping[str, bytes], settings: Settings, level: int | None
) -> tuple[tuple[Test, str] | None, list[int]]:
    """The first of these, in this order, that failed, with its reason; and the levels of those that ran."""
    stop = threading.Event()

    def one(test: Test) -> tuple[str, int] | None:
        if stop.is_set():
            return None
        box = test.box(program, plan, settings)
        ran = in_box(box, level)
        why = f"{BROKE_CHECK}: {ran.error[:120]}" if ran.kind == "not_started" else test.judge(ran, box)
        if why:
            stop.set()
        return why, ran.level

    if len(tests) == 1:
        results = [one(tests[0])]
    else:
        waiting: list[Future[tuple[str, int] | None]] = [_threads().submit(one, test) for test in tests]
        try:
            results = [future.result() for future in waiting]
        finally:
            stop.set()
    done = [(test, *result) for test, result in zip(tests, results, strict=True) if result is not None]
    first = next(((test, why) for test, why, _ in done if why), None)
    return first, [ran_at for *_, ran_at in done]


def _once(box: Box, level: int | None) -> sandbox.Ran:
    with _SLOTS:
        return sandbox.run(
            box.command,
            files=box.files,
            locked=box.locked,
            stdin=box.stdin,
            limits=box.limits,
            keep=box.keep,
            reads=box.reads,
            level=level,
        )


_SLOTS = threading.BoundedSemaphore(sandbox.cores())
"""Boxes at once: a test that waits for a core must not lose its time to another."""
_LOCK = threading.Lock()
_POOL: list[ThreadPoolExecutor] = []


def _threads() -> ThreadPoolExecutor:
    with _LOCK:
        if not _POOL:
            _POOL.append(ThreadPoolExecutor(max_workers=sandbox.cores(), thread_name_prefix="programs"))
    return _POOL[0]
