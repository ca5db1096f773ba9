"""Whether two expressions are equal, asked of sympy in a killable process; callable from any thread.

Trees go out node by node as plain lists, never as text. A break is retried once in a fresh process beside a probe, the
gold against itself: what breaks while the probe passes is the answer's doing. Left out: what runs there (proving).
"""

from __future__ import annotations

import functools
from typing import Any

from verigrad.rewards.mathematics.trees import Node
from verigrad.sandbox import Pool, Worker

SECONDS = 5.0
"""Outer deadline of one question; the process is killed beyond it."""
_MEMORY = 2 << 30
_TARGET = "verigrad.rewards.mathematics.proving:equal"
_WARM = ["sym", [], "x", ""]


class Broke(Exception):
    """No reply to this answer although the gold passes the same check: the answer's doing."""


class Fault(Exception):
    """No reply to the gold either: nothing was judged."""


def prove(gold: Node, answer: Node) -> bool:
    """Proven equal; False: refuted, or not to be proven. Raises Broke or Fault."""
    return _asked(gold, answer)


@functools.lru_cache(maxsize=20_000)
def _asked(gold: Node, answer: Node) -> bool:
    # what broke raises and so is not remembered
    return _pool().use(lambda worker: _on(worker, _plain(gold), _plain(answer)))


def _on(worker: Worker, gold: list[Any], answer: list[Any]) -> bool:
    if not worker.running:
        worker.call(_TARGET, [_WARM, _WARM], seconds=30.0)  # sympy's import is nobody's doing
    first = worker.call(_TARGET, [gold, answer], seconds=SECONDS)
    if first.kind == "value":
        return bool(first.value)
    worker.restart()
    worker.call(_TARGET, [_WARM, _WARM], seconds=30.0)
    probe = worker.call(_TARGET, [gold, gold], seconds=SECONDS)
    again = worker.call(_TARGET, [gold, answer], seconds=SECONDS)
    if again.kind == "value":
        return bool(again.value)
    if probe.kind == "value" and probe.value is True:
        raise Broke(f"timed_out: {again.error}" if again.kind == "timed_out" else again.error)
    raise Fault(f"the gold breaks the comparison too: {probe.error}"[:300])


def _plain(node: Node) -> list[Any]:
    value = node.value if node.value is None else str(node.value)
    return [node.op, [_plain(a) for a in node.args], value, ""]


@functools.cache
def _pool() -> Pool:
    return Pool(memory_bytes=_MEMORY)
