"""A suite's numbers for acceptance.json, and the lines a person reads. Left out: the decision itself (decide.py)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from verigrad.records import Decision, Item, Reply
from verigrad.statistics import mean_interval, pass_at_k, pass_hat_k, wilson

P = 0.05
"""Level of the plain intervals here; the decision's interval has the rule's."""


def headline(
    items: Sequence[Item],
    *,
    suite: str,
    grader: str,
    independent: bool,
    decision: Decision | None = None,
    against_best: Decision | None = None,
) -> dict[str, Any]:
    """One suite's numbers as a plain dict of JSON values (nan is None).

    Keys: suite, grader, independent, items, families, greedy and sampled -> {before, after}, each with count, ungraded,
    strict, strict_interval, lenient, lenient_interval, unread, truncated, mean_tokens, disagreement, compared; sampled
    also pass_at_k and pass_hat_k by k; interval_p; decision; against_best. Shares are of graded answers (truncated and
    mean_tokens of all); an interval is Wilson's where every family has one
    answer (or all answers are alike: over families), else clustered by family.
    """
    sides = {"before": ([i.greedy_before for i in items], [list(i.sampled_before) for i in items]),
             "after": ([i.greedy_after for i in items], [list(i.sampled_after) for i in items])}  # fmt: skip
    families = [i.task.family for i in items]
    return {
        "suite": suite,
        "grader": grader,
        "independent": independent,
        "items": len(items),
        "families": len(set(families)),
        "interval_p": P,
        "greedy": {side: _numbers([[r] for r in greedy], families) for side, (greedy, _) in sides.items()},
        "sampled": {side: {**_numbers(draws, families), **_passes(draws)} for side, (_, draws) in sides.items()},
        "decision": None if decision is None else _plain(decision),
        "against_best": None if against_best is None else _plain(against_best),
    }


def lines(numbers: dict[str, Any]) -> list[str]:
    """The headline for a person: strict, lenient, unread, truncated, disagreement, before -> after; the decision."""
    mark = "" if numbers["independent"] else ", NOT INDEPENDENT: the training verifier itself"
    out = [
        f"{numbers['suite']}: {numbers['items']} items in {numbers['families']} families, "
        f"grader {numbers['grader']}{mark}"
    ]
    for kind in ("greedy", "sampled"):
        before, after = numbers[kind]["before"], numbers[kind]["after"]
        if not after["count"]:
            continue
        parts = [
            f"strict {_share(before, 'strict')} -> {_share(after, 'strict')} {_interval(after, 'strict')}",
            *(
                f"{word} {_share(before, word)} -> {_share(after, word)}"
                for word in ("lenient", "unread", "truncated", "disagreement")
            ),
        ]
        if after["ungraded"] or before["ungraded"]:
            parts.append(f"ungraded {before['ungraded']} -> {after['ungraded']} answers, in no share")
        out.append(f"  {kind:<8}" + ", ".join(parts))
    for key in ("decision", "against_best"):
        if numbers[key] is not None:
            out.append(f"  {numbers[key]['why']}")
    return out


def differs(reply: Reply) -> bool | None:
    """Whether grader and training verifier differ on right / not right; None where one of them did not judge."""
    if reply.training is None or "ungraded" in (reply.training, reply.grade.strict):
        return None
    return (reply.training == "right") != (reply.grade.strict == "right")


def _numbers(draws: Sequence[Sequence[Reply]], families: Sequence[str]) -> dict[str, Any]:
    replies = [(r, f) for item, f in zip(draws, families, strict=True) for r in item]
    graded = [(r, f) for r, f in replies if r.grade.strict != "ungraded"]
    compared = [d for r, _ in replies if (d := differs(r)) is not None]
    strict = [r.grade.strict == "right" for r, _ in graded]
    lenient = [r.grade.lenient == "right" for r, _ in graded]
    clusters = [f for _, f in graded]
    return {
        "count": len(replies),
        "ungraded": len(replies) - len(graded),
        "strict": _ratio(strict),
        "strict_interval": _bounds(strict, clusters),
        "lenient": _ratio(lenient),
        "lenient_interval": _bounds(lenient, clusters),
        "unread": _ratio([r.grade.strict == "unreadable" for r, _ in graded]),
        "truncated": _ratio([r.finish == "length" for r, _ in replies]),
        "mean_tokens": sum(r.tokens for r, _ in replies) / len(replies) if replies else None,
        "disagreement": _ratio(compared),
        "compared": len(compared),
    }


def _passes(draws: Sequence[Sequence[Reply]]) -> dict[str, dict[str, float]]:
    counts = []
    for item in draws:
        graded = [r.grade.strict == "right" for r in item if r.grade.strict != "ungraded"]
        if graded and len(graded) == len(item):
            counts.append((len(graded), sum(graded)))
    most = min((n for n, _ in counts), default=0)
    ks = sorted({2**i for i in range(20) if 2**i <= most} | ({most} if most else set()))
    return {
        "pass_at_k": {str(k): sum(pass_at_k(n, c, k) for n, c in counts) / len(counts) for k in ks},
        "pass_hat_k": {str(k): sum(pass_hat_k(n, c, k) for n, c in counts) / len(counts) for k in ks},
    }


def _bounds(values: Sequence[bool], clusters: Sequence[str]) -> list[float] | None:
    if not values:
        return None
    num = len(set(clusters))
    if num == len(clusters):
        return list(wilson(sum(values), num, p=P))
    if len(set(values)) == 1:  # no spread to cluster: as many independent answers as families, no more
        return list(wilson(num if values[0] else 0, num, p=P))
    mean = mean_interval([float(v) for v in values], clusters, p=P)
    return [mean.low, mean.high]


def _ratio(values: Sequence[bool]) -> float | None:
    return sum(values) / len(values) if values else None


def _plain(decision: Decision) -> dict[str, Any]:
    return {
        "verdict": decision.verdict,
        "gain": decision.gain if math.isfinite(decision.gain) else None,
        "interval": list(decision.interval),
        "p_value": decision.p_value,
        "test": decision.test,
        "why": decision.why,
    }


def _share(side: dict[str, Any], word: str) -> str:
    return "-" if side[word] is None else f"{side[word]:.3f}"


def _interval(side: dict[str, Any], word: str) -> str:
    bounds = side[f"{word}_interval"]
    return "" if bounds is None else f"[{bounds[0]:.3f}, {bounds[1]:.3f}]"
