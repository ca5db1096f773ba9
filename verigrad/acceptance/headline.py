"""A suite's numbers for acceptance.json, and the lines a person reads. Left out: the decision itself (decide.py)."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from verigrad.acceptance.curves import interval_of, pass_gains, passes
from verigrad.records import Decision, Item, Reply
from verigrad.statistics import holm

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
    also pass_at_k and pass_hat_k by k, each with its _interval; pass_gain by k (`pass_gains`); interval_p; decision;
    against_best. Shares are of graded answers (truncated and mean_tokens of all); an interval is Wilson's where every
    family has one answer (or all answers are alike: over families), else clustered by family.
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
        "sampled": {
            side: {**_numbers(draws, families), **passes(draws, families, p=P)} for side, (_, draws) in sides.items()
        },
        "pass_gain": pass_gains(items, p=P),
        "decision": None if decision is None else plain_decision(decision),
        "against_best": None if against_best is None else plain_decision(against_best),
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
    out += _curve(numbers)
    for key in ("decision", "against_best"):
        if numbers[key] is not None:
            out.append(f"  {numbers[key]['why']}")
    if holm_says(numbers):
        out.append(f"  p adjusted for the suites of this run (Holm; decides nothing): {numbers['holm']:.2g}")
    return out


def _curve(numbers: dict[str, Any]) -> list[str]:
    """pass@k before -> after, where more than one draw was made."""
    before, after = numbers["sampled"]["before"], numbers["sampled"]["after"]
    shown = [k for k in after.get("pass_at_k", {}) if k in before.get("pass_at_k", {})]
    if len(shown) < 2:
        return []
    parts = [f"{k}: {before['pass_at_k'][k]:.3f} -> {after['pass_at_k'][k]:.3f}" for k in shown]
    return ["  pass@k  " + ", ".join(parts)]


def holm_says(numbers: Mapping[str, Any]) -> bool:
    """Whether a suite's adjusted p says more than its raw one: it was tested beside others."""
    return numbers.get("holm") is not None and numbers["holm"] != numbers["decision"]["p_value"]


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
        "strict_interval": interval_of([float(v) for v in strict], clusters, p=P),
        "lenient": _ratio(lenient),
        "lenient_interval": interval_of([float(v) for v in lenient], clusters, p=P),
        "unread": _ratio([r.grade.strict == "unreadable" for r, _ in graded]),
        "truncated": _ratio([r.finish == "length" for r, _ in replies]),
        "mean_tokens": sum(r.tokens for r, _ in replies) / len(replies) if replies else None,
        "disagreement": _ratio(compared),
        "compared": len(compared),
    }


def with_holm(suites: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """The suites' numbers, each with `holm`: its decision's p adjusted for how many suites were tested; None without.

    It stands beside the raw p and decides nothing. A run is what its least suite is, so it is accepted only where every
    suite is, and that needs no adjustment (an intersection-union test, Berger 1982). Holm is for who reads one suite
    among several as a finding of its own.
    """
    tested = [n for n, s in enumerate(suites) if s["decision"] is not None]
    adjusted = dict(zip(tested, holm([suites[n]["decision"]["p_value"] for n in tested]), strict=True))
    return [{**s, "holm": adjusted.get(n)} for n, s in enumerate(suites)]


def _ratio(values: Sequence[bool]) -> float | None:
    return sum(values) / len(values) if values else None


def plain_decision(decision: Decision) -> dict[str, Any]:
    """A decision as JSON values."""
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
