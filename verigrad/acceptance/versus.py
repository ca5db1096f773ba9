"""Two models, or two sets of training seeds, on the same items of one suite: numbers of both sides and a decision.

Left out: where the answers come from (runs), the rule itself (decide).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from verigrad.acceptance.curves import interval_of, pass_gains
from verigrad.acceptance.decide import Gains, Rule, decide, decide_gains
from verigrad.acceptance.headline import P, holm_says, plain_decision
from verigrad.acceptance.measure import Measured, pair
from verigrad.errors import Refused
from verigrad.records import Decision, Reply
from verigrad.statistics import seed_difference, seed_mean

Answers = Mapping[str, Measured]
"""One run's answers to one suite's items, by task key."""
_WORDS = {"accepted": "better", "not_accepted": "not better", "undecided": "undecided"}
_GUARD = {"accepted": "not worse", "not_accepted": "worse than the margin allows", "undecided": "undecided"}


def versus(
    a: Sequence[Answers], b: Sequence[Answers], rule: Rule, *, suite: str, fixed: frozenset[str] = frozenset()
) -> dict[str, Any]:
    """B against A on the items that every run of both sides answered, by the suite's rule, as a dict of JSON values.

    a, b: the answers of each side's training seeds; usually one. An item's number is the mean over a side's runs of its
    strict grade (greedy) or of the mean over its draws (sampled); items of a family are resampled together; an item
    with an ungraded reply in any run is left out and counted. With one run a side the decision is `decide`'s. With
    several, the interval over items takes these runs as given, so the interval over seeds (Welch's, of each run's mean
    over the same items) must agree: where the one says yes or no and the other does not, it is undecided. `fixed`: the
    sides ("a", "b") whose one run is a model as it is, which no seed changes. One trained run against several has no
    interval over seeds, as its own spread is unknown: it is undecided.

    Keys: suite, items, families, not_shared (items some run lacks), decision, word, greedy and sampled -> {a, b}, each
    strict, strict_interval (clustered by family), lenient, unread, truncated, mean_tokens, runs (strict of each run);
    pass_gain (one run a side); seeds: None, or a and b (mean, sd, interval) and difference (or None). Refused where no
    item is shared.
    """
    everyone = [*a, *b]
    shared = [key for key in everyone[-1] if all(key in run for run in everyone)]
    if not shared:
        raise Refused(f"{suite}: the two share no item: they were not measured on the same held-out side")
    families = [everyone[-1][key].task.family for key in shared]
    single = len(a) == len(b) == 1
    out: dict[str, Any] = {
        "suite": suite,
        "items": len(shared),
        "families": len(set(families)),
        "not_shared": len({key for run in everyone for key in run}) - len(shared),
        "interval_p": P,
    }
    for kind in ("greedy", "sampled"):
        out[kind] = {name: _side(runs, shared, families, kind) for name, runs in (("a", a), ("b", b))}
    seeds = None
    if single:
        items = pair([a[0][key] for key in shared], [b[0][key] for key in shared])
        decision = decide(items, rule)
        out["pass_gain"] = pass_gains(items, p=P)
    else:
        found = _gains(a, b, shared, rule.test)
        decision = decide_gains(found, rule)
        if found.differences:
            alone = [n for n, runs in (("a", a), ("b", b)) if len(runs) == 1 and n not in fixed]
            seeds = _seeds(a, b, shared, rule, known=not alone)
            if alone:
                decision = _one_seed(decision, alone[0].upper())
            else:
                decision = _agreed(decision, rule, seeds["difference"]["interval"])
    word = _word(decision, rule)
    decision = replace(decision, why=f"{word}: {decision.why.partition(': ')[2]}")
    return {**out, "seeds": seeds, "word": word, "decision": plain_decision(decision)}


def versus_lines(numbers: Mapping[str, Any]) -> list[str]:
    """One suite's comparison for a person, A -> B."""
    out = [f"{numbers['suite']}: {numbers['items']} shared items in {numbers['families']} families"]
    if numbers["not_shared"]:
        out[0] += f" ({numbers['not_shared']} that only some runs have are left out)"
    for kind in ("greedy", "sampled"):
        a, b = numbers[kind]["a"], numbers[kind]["b"]
        if a["strict"] is None or b["strict"] is None:
            continue
        low, high = b["strict_interval"]
        parts = [f"strict {a['strict']:.3f} -> {b['strict']:.3f} [{low:.3f}, {high:.3f}]"]
        parts += [f"{word} {a[word]:.3f} -> {b[word]:.3f}" for word in ("lenient", "unread", "truncated")]
        parts.append(f"tokens {a['mean_tokens']:.1f} -> {b['mean_tokens']:.1f}")
        out.append(f"  {kind:<8}" + ", ".join(parts))
    gain = numbers.get("pass_gain") or {}
    if len(gain) > 1:
        told = [f"{k}: {g['gain']:+.3f} [{g['interval'][0]:+.3f}, {g['interval'][1]:+.3f}]" for k, g in gain.items()]
        out.append("  pass@k gain  " + ", ".join(told))
    if numbers["seeds"] is not None:
        for name in ("a", "b"):
            s = numbers["seeds"][name]
            low, high = s["interval"]
            spread = f", sd {s['sd']:.3f}, interval over seeds [{low:.3f}, {high:.3f}]" if s["seeds"] > 1 else ""
            count = f"{s['seeds']} run{'s' * (s['seeds'] > 1)}"
            out.append(f"  {name.upper()}: {count}, strict mean {s['mean']:.3f}{spread}")
    out.append(f"  {numbers['decision']['why']}")
    if holm_says(numbers):
        out.append(f"  p adjusted for the suites compared (Holm; decides nothing): {numbers['holm']:.2g}")
    return out


def _replies(m: Measured, kind: str) -> tuple[Reply, ...]:
    return (m.greedy,) if kind == "greedy" else m.sampled


def _strict(m: Measured, kind: str) -> float | None:
    """Mean strict grade of one run's replies to one item; None where one was not graded or there is none."""
    replies = _replies(m, kind)
    if not replies or any(r.grade.strict == "ungraded" for r in replies):
        return None
    return sum(r.grade.strict == "right" for r in replies) / len(replies)


def _side(runs: Sequence[Answers], shared: Sequence[str], families: Sequence[str], kind: str) -> dict[str, Any]:
    """One side's numbers over the shared items it has graded in every run."""
    rows = [([_strict(run[key], kind) for run in runs], f) for key, f in zip(shared, families, strict=True)]
    kept = [([v for v in values if v is not None], f) for values, f in rows if None not in values]
    replies = [r for run in runs for key in shared for r in _replies(run[key], kind)]
    graded = [r for r in replies if r.grade.strict != "ungraded"]
    means = [sum(values) / len(values) for values, _ in kept]
    return {
        "strict": sum(means) / len(means) if means else None,
        "strict_interval": interval_of(means, [f for _, f in kept], p=P),
        "lenient": _share([r.grade.lenient == "right" for r in graded]),
        "unread": _share([r.grade.strict == "unreadable" for r in graded]),
        "truncated": _share([r.finish == "length" for r in replies]),
        "mean_tokens": sum(r.tokens for r in replies) / len(replies) if replies else None,
        "count": len(replies),
        "ungraded": len(replies) - len(graded),
        "runs": [sum(values[n] for values, _ in kept) / len(kept) for n in range(len(runs))] if kept else [],
    }


def _kept(a: Sequence[Answers], b: Sequence[Answers], shared: Sequence[str], test: str) -> list[str]:
    return [key for key in shared if all(_strict(run[key], test) is not None for run in (*a, *b))]


def _mean(runs: Sequence[Answers], key: str, test: str) -> float:
    return sum(_strict(run[key], test) or 0.0 for run in runs) / len(runs)


def _gains(a: Sequence[Answers], b: Sequence[Answers], shared: Sequence[str], test: str) -> Gains:
    kept = _kept(a, b, shared, test)
    return Gains(
        differences=tuple(_mean(b, key, test) - _mean(a, key, test) for key in kept),
        families=tuple(b[0][key].task.family for key in kept),
        ungraded=len(shared) - len(kept),
    )


def _seeds(
    a: Sequence[Answers], b: Sequence[Answers], shared: Sequence[str], rule: Rule, *, known: bool
) -> dict[str, Any]:
    """Each run's mean over the items graded in every run, and what they say of another seed, at the rule's level.

    known: each side has several runs or is fixed; else no difference over seeds is told.
    """
    kept = _kept(a, b, shared, rule.test)
    means = [[sum(_mean([run], key, rule.test) for key in kept) / len(kept) for run in side] for side in (a, b)]
    out: dict[str, Any] = {}
    for name, values in zip(("a", "b"), means, strict=True):
        m = seed_mean(values, p=rule.p)
        sd = m.sd if m.seeds > 1 else None
        out[name] = {"seeds": m.seeds, "runs": values, "mean": m.mean, "sd": sd, "interval": [m.low, m.high]}
    out["difference"] = None
    if known:
        d = seed_difference(*means, p=rule.p)
        out["difference"] = {"gain": d.difference, "interval": [d.low, d.high], "p_value": d.p_value, "df": d.df}
    return {"p": rule.p, **out}


def _one_seed(decision: Decision, side: str) -> Decision:
    """Undecided: the interval over items takes the runs as given, and one run's spread over seeds is not known."""
    why = f"{decision.why}; {side} is one trained run, which says nothing of other seeds: give it several, or each one"
    return replace(decision, verdict="undecided", why=why)


def _agreed(decision: Decision, rule: Rule, over_seeds: Sequence[float]) -> Decision:
    """The decision over items, undecided where the interval over seeds does not say the same."""
    bound = rule.margin if rule.margin is not None else rule.gain
    low, high = over_seeds
    interval = f"{100 * (1 - rule.p):g} % interval over seeds [{low:+.3f}, {high:+.3f}]"
    if (decision.verdict == "accepted" and not low > bound) or (
        decision.verdict == "not_accepted" and not high <= bound
    ):
        why = f"{decision.why}; {interval}: these runs differ so, other seeds may not"
        return replace(decision, verdict="undecided", why=why)
    return replace(decision, why=f"{decision.why}; {interval}")


def _word(decision: Decision, rule: Rule) -> str:
    if rule.margin is not None:
        return _GUARD[decision.verdict]
    if decision.verdict == "not_accepted" and decision.interval[1] < 0 and decision.p_value < rule.p:
        return "worse"
    return _WORDS[decision.verdict]


def _share(values: Sequence[bool]) -> float | None:
    return sum(values) / len(values) if values else None
