"""Whether constraints can be satisfied: the answer says sat or unsat.

Right, for {"status": "unsat"}: "unsat", "The answer is unsatisfiable.", "It is not satisfiable."
Refused: "sat", "sat or unsat", "unknown", "maybe unsat", "I used a solver".

The gold holds `status` ("sat" or "unsat").
"""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterator, Mapping
from typing import Any

from verigrad.records import Task
from verigrad.rewards import extract
from verigrad.rewards.logic import Judged
from verigrad.rewards.spans import inner
from verigrad.rewards.tokens import MAX_SPAN, Unread

_UNSAT = r"unsat(?:isfiable)?|not satisfiable|not sat|inconsistent|contradictory"
_SAT = r"sat(?:isfiable)?|consistent"
_SAYS = re.compile(
    rf"(?:(?:it|this|so it|the (?:formula|problem|system|set|instance|constraints?|clauses)|result|status|verdict)"
    rf"(?: (?:is|are)|:) )?(?:(?P<unsat>{_UNSAT})|(?P<sat>{_SAT}))"
)


def check(truth: Mapping[str, Any]) -> str:
    """Why this gold cannot be read."""
    return "" if str(truth.get("status")).lower() in ("sat", "unsat") else 'status wants "sat" or "unsat"'


def judge(answer: str, truth: Mapping[str, Any], *, task: Task, seconds: float) -> Judged:
    """Whether the one status the answer commits itself to is the gold's."""
    text = extract.visible(answer)
    said = extract.committed(text, lambda span, boxed: _status(span), _status, lambda a, b: a == b)
    if not extract.marks(text) and {said} != {said, *_each(text)}:
        raise Unread("both sat and unsat")
    return Judged(ok=said == str(truth["status"]).lower(), read=said, reason="the other status")


def example(truth: Mapping[str, Any]) -> str | None:
    """The status."""
    return str(truth["status"]).lower()


def _each(text: str) -> Iterator[str]:
    """What each sentence says that says nothing else."""
    for sentence in re.split(r"[.!](?:\s+|$)|\n", text[-MAX_SPAN:]):
        with contextlib.suppress(Unread):
            yield _status(sentence)


def _status(span: str) -> str:
    text = " ".join(inner(span).lower().strip(" .!`*\"'").split())
    text = re.sub(r"^(?:so|thus|hence|therefore)\b,? ", "", text).replace("thus ", "")
    match = _SAYS.fullmatch(text)
    if match is None:
        raise Unread("neither sat nor unsat")
    return "unsat" if match["unsat"] else "sat"
