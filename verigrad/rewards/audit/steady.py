"""Whether the same answer gets the same score: twice, from a fresh process, in another order, in other company.

Left out: what a score should be (`judging`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from verigrad.rewards.audit.records import Said
from verigrad.rewards.audit.targets import Pairs, Target

Unsteady = Literal["random score", "depends on the order", "depends on the company"]


@dataclass(frozen=True, kw_only=True)
class Wobble:
    """One answer that was given two scores."""

    name: Unsteady
    """What the two calls differed in."""
    answer: str
    """The answer."""
    scores: tuple[float | None, float | None]
    """Before and after."""
    of: int
    """Answers scored both ways."""
    differ: int
    """Answers whose two scores differ."""


def wobbles(target: Target, pairs: Pairs) -> list[Wobble]:
    """At most one of each sort. A random score is told from a remembered one by a second fresh process.

    Answers on which the target fails (a fault) are the findings' business and are left out.
    """
    first = _fresh(target, pairs)
    kept = [i for i, said in enumerate(first) if not said.fault]
    if not kept:
        return []
    pairs, first = [pairs[i] for i in kept], [first[i] for i in kept]
    once_more = _fresh(target, pairs)
    if found := _differ("random score", pairs, first, once_more):
        return [found]
    target.score(pairs)
    after = target.score(pairs)
    backwards = list(reversed(_fresh(target, list(reversed(pairs)))))
    found = _differ("depends on the order", pairs, first, after) or _differ(
        "depends on the order", pairs, first, backwards
    )
    out = [found] if found else []
    if target.batched:
        target.afresh()
        found = next(
            filter(None, (_differ("depends on the company", pairs, first, c) for c in _companies(target, pairs))), None
        )
        out += [found] if found else []
    return out


def _companies(target: Target, pairs: Pairs) -> Iterator[list[Said]]:
    """The scores in one call, backwards in one call, two by two, and with the same answer once more beside it."""
    yield target.together(pairs)
    yield list(reversed(target.together(list(reversed(pairs)))))
    yield [said for i in range(0, len(pairs), 2) for said in target.together(pairs[i : i + 2])]
    yield [target.together([pair, pair])[0] for pair in pairs]


def _fresh(target: Target, pairs: Pairs) -> list[Said]:
    target.afresh()
    return target.score(pairs)


def _differ(name: Unsteady, pairs: Pairs, a: Sequence[Said], b: Sequence[Said]) -> Wobble | None:
    at = [i for i in range(len(pairs)) if a[i].score != b[i].score]
    if not at:
        return None
    i = at[0]
    return Wobble(name=name, answer=pairs[i][0], scores=(a[i].score, b[i].score), of=len(pairs), differ=len(at))
