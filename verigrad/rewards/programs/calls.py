"""A test by calls: expressions go in, plain values come back on descriptor 3, and this process compares.

The program gets what it is called with and nothing else. Its output is thrown away. What came back is right iff it is
one whole frame and every value in it is what is wanted. Left out: the side in the box (in_box).
"""

from __future__ import annotations

import atexit
import os
import signal
import threading
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from verigrad import sandbox
from verigrad.records import BROKE_CHECK
from verigrad.rewards.programs import typed
from verigrad.rewards.programs.plan import Box, Plan, Settings, Unjudged
from verigrad.rewards.programs.typed import Rule, Wire

CHECK_SECONDS = 5.0
"""A checker's time for one value."""
_DRIVER = Path(__file__).with_name("in_box.py").read_text(encoding="utf-8")
_CHECKING = "verigrad.rewards.programs.checking"


@dataclass(frozen=True, kw_only=True)
class Equal:
    """The one value is this."""

    value: Wire
    rule: Rule = "exact"
    tolerance: float | None = None
    ordered: bool = True

    def fails(self, outs: list[Wire]) -> str:
        """Empty where it holds, else why not."""
        if typed.same(outs[0], self.value, rule=self.rule, tolerance=self.tolerance, ordered=self.ordered):
            return ""
        return "no plain value" if not typed.is_plain(outs[0]) else "another value"


@dataclass(frozen=True, kw_only=True)
class Holds:
    """An expression of the data's over out_0, out_1 ... is true; it runs in a killable process."""

    check: str
    names: Mapping[str, Wire] = field(default_factory=dict)
    """More values it may use."""
    outs: tuple[str, ...] = ("out_0",)
    """What it calls the values."""

    def fails(self, outs: list[Wire]) -> str:
        """Empty where it holds, else why not. A name it lacks depends on the values: `readable` saw the others."""
        if not all(typed.is_plain(out) for out in outs):
            return "no plain value"
        values = {**self.names, **dict(zip(self.outs, outs, strict=True))}
        outcome = _pool().call(f"{_CHECKING}:holds", [self.check, values], seconds=CHECK_SECONDS)
        if outcome.kind == "died":  # once more, in a fresh process
            outcome = _pool().call(f"{_CHECKING}:holds", [self.check, values], seconds=CHECK_SECONDS)
        if outcome.kind == "value":
            return "" if outcome.value is True else "the check is false"
        slow = "timed_out: " if outcome.kind == "timed_out" else ""
        return f"{BROKE_CHECK}: {slow}the check: {outcome.error[:80]}"


@dataclass(frozen=True, kw_only=True)
class Raises:
    """The call raises one of these."""

    names: tuple[str, ...]
    """Class names."""
    match: str = ""
    """A regular expression its message must hold (re.search)."""

    def meets(self, raised: list[str]) -> bool:
        """One of the classes it is, by name. A function that is not there is no ValueError nor any Exception."""
        return bool(set(raised) & set(self.names)) and (raised[0] != "NameError" or "NameError" in self.names)


@dataclass(frozen=True, kw_only=True)
class CallTest:
    """Calls in a fresh process, after what must come before them."""

    calls: tuple[str, ...]
    """Python expressions, evaluated beside the program's names."""
    want: Equal | Holds | Raises
    """What must come of them."""
    setup: str = ""
    """Statements before them."""
    iterate: bool = False
    """A value that is an iterable is run through, to at most 100,000 items."""
    visible: bool = False

    def box(self, program: Mapping[str, bytes], plan: Plan, settings: Settings) -> Box:
        """Python's driver with the calls on its stdin."""
        nonce = os.urandom(16).hex()
        return Box(
            command=(sandbox.python(), "-I", "-S", "-c", _DRIVER),
            files=program,
            stdin=ascii((nonce, self.setup, list(self.calls), self.iterate, plan.entry)).encode(),
            limits=settings.limits(plan.runs_as),
            nonce=nonce,
        )

    def judge(self, ran: sandbox.Ran, box: Box) -> str:
        """By the frame alone; see `plan.Test`."""
        frame = framed(ran, box)
        if isinstance(frame, str):
            return frame
        if "raised" in frame:
            return self._raised(frame)
        if isinstance(self.want, Raises):
            return "raised nothing"
        outs = frame.get("outs")
        if not isinstance(outs, list) or len(outs) != len(self.calls):
            return "a forged result"
        try:
            typed.check(outs)
            return self.want.fails(outs)
        except typed.Malformed as error:
            return f"a malformed result: {error}"

    def _raised(self, frame: dict[str, Wire]) -> str:
        raised, at, message = frame["raised"], frame.get("at"), frame.get("message")
        if not isinstance(raised, list) or not all(isinstance(name, str) for name in raised) or not raised:
            return "a forged result"
        want = self.want
        if isinstance(want, Raises) and at == "call" and want.meets(raised):
            if not want.match:
                return ""
            text = message if isinstance(message, str) else ""
            return Holds(check="re.search(pattern, out_0)", names={"pattern": want.match}).fails([text])
        where = {"import": "on import", "setup": "before the call", "value": "as its value was read"}.get(str(at), "")
        return f"raised {raised[0][:40]} {where}".rstrip()


def stopped(ran: sandbox.Ran, box: Box) -> str:
    """Why a run that did not end by itself is wrong; empty for one that did."""
    if ran.kind == "exited":
        return ""
    cpu = box.limits.cpu_seconds or box.limits.seconds
    if ran.kind == "killed" and ran.status in (-signal.SIGKILL, -signal.SIGXCPU) and ran.seconds >= cpu:
        return f"{BROKE_CHECK}: timed_out: more than {cpu:g} s of CPU time"
    name = {"timed_out": "timed_out", "flooded": "flooded"}.get(ran.kind, "killed")
    return f"{BROKE_CHECK}: {name}: {ran.error[:120]}"


def framed(ran: sandbox.Ran, box: Box) -> dict[str, Wire] | str:
    """The one frame of a run that ended by itself, or why there is none."""
    if why := stopped(ran, box):
        return why
    if not ran.result:
        return f"no result (exit status {ran.status})"
    lines = ran.result.split(b"\n")
    nonce, _, body = lines[0].partition(b" ")
    if nonce.decode("ascii", "replace") != box.nonce or len(lines) != 2 or lines[1]:
        return "a forged result"
    try:
        frame = typed.parse(body)
    except typed.Malformed as error:
        return f"a malformed result: {error}"
    return frame if isinstance(frame, dict) else "a forged result"


def constant(expression: str) -> Wire:
    """The value of an expression of the data's, in a killable process. Raises Unjudged."""
    outcome = _pool().call(f"{_CHECKING}:constant", [expression], seconds=CHECK_SECONDS)
    if outcome.kind != "value":
        raise Unjudged(f"cannot be computed: {expression[:40]} ({outcome.error[:60]})")
    return outcome.value


def literal(value: object) -> str:
    """A plain value as a Python expression that needs no name but set, frozenset and bytearray."""
    if isinstance(value, float) and (value != value or value in (float("inf"), float("-inf"))):
        return "(1e999-1e999)" if value != value else "1e999" if value > 0 else "-1e999"
    if isinstance(value, dict):
        return "{" + ", ".join(f"{literal(k)}: {literal(v)}" for k, v in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(literal, value)) + "]"
    if isinstance(value, tuple):
        return "(" + "".join(literal(item) + ", " for item in value) + ")"
    if isinstance(value, (set, frozenset)):
        name = "frozenset" if isinstance(value, frozenset) else "set"
        return f"{name}([" + ", ".join(map(literal, value)) + "])"
    return repr(value)


_LOCK = threading.Lock()
_POOLS: list[sandbox.Pool] = []


def _pool() -> sandbox.Pool:
    with _LOCK:
        if not _POOLS:
            _POOLS.append(sandbox.Pool(memory_bytes=2 << 30))
            atexit.register(_POOLS[0].close)
    return _POOLS[0]
