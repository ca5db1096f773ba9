"""From items to a decision, by a rule fixed in the recipe before the first run (docs/design.md 7).

Left out: how answers were drawn and graded. Only strict grades count here.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal, Protocol

from verigrad.acceptance.measure import Measured, pair
from verigrad.errors import Refused
from verigrad.records import Decision, Item, Reply
from verigrad.statistics import Bootstrap, mcnemar, paired_bootstrap, sign_flip

DRAWS = 10_000
_ORDER = ("not_accepted", "undecided", "accepted")
_FEW_FAMILIES = 50
LEAST_FAMILIES = 10
"""Below this many families a bootstrap over them accepts nothing: over one its p is the smallest there is."""


class Rule(Protocol):
    """The rule table of a suite."""

    @property
    def test(self) -> str:
        """Sampled | greedy."""
        ...

    @property
    def answers(self) -> int:
        """Draws an item, for sampled."""
        ...

    @property
    def p(self) -> float:
        """Two-sided level; the interval is the (1 - p) interval."""
        ...

    @property
    def gain(self) -> float:
        """What the interval's lower end must exceed."""
        ...

    @property
    def margin(self) -> float | None:
        """A guard's bound in place of gain: -0.02 = at most two points may be lost."""
        ...


@dataclass(frozen=True, kw_only=True)
class _AgainstBest:
    """The rule against the base at its best: shown better than 0, whatever the suite asks."""

    test: str
    answers: int
    p: float
    gain: float = 0.0
    margin: float | None = None


@dataclass(frozen=True, kw_only=True)
class Gains:
    """Paired strict differences of the items that were graded on both sides."""

    differences: tuple[float, ...]
    """[N] after - before: -1, 0, 1 for greedy, difference of per-item means for sampled."""
    families: tuple[str, ...]
    """[N] the items' families."""
    ungraded: int
    """Items left out because a reply could not be judged."""


def gains(items: Sequence[Item], *, test: str) -> Gains:
    """The differences a test is about. An item with an ungraded reply among them is left out and counted."""
    differences: list[float] = []
    families: list[str] = []
    for item in items:
        before, after = _replies(item, test)
        if before and after and all(r.grade.strict != "ungraded" for r in (*before, *after)):
            differences.append(_mean(after) - _mean(before))
            families.append(item.task.family)
    return Gains(differences=tuple(differences), families=tuple(families), ungraded=len(items) - len(differences))


def decide(items: Sequence[Item], rule: Rule) -> Decision:
    """What the rule says of one suite's items.

    accepted: the test's two-sided p is below rule.p and the (1 - p) percentile interval of the paired gain lies above
    rule.gain. not_accepted: the interval lies at or below it. Else undecided. Interval: 10,000 bootstrap draws of
    families, default_rng(0). Test: greedy: exact McNemar where every family has one item, else sign-flip over family
    sums; sampled: the bootstrap itself. A guard (rule.margin) claims no gain: its p is the
    bootstrap's against the margin, and its interval is compared with the margin. Nothing graded: undecided; what only
    the bootstrap decides (sampled, a guard) is at most undecided over fewer than 10 families. Refused where rule.p is
    out of (0, 1) or too small for the draws, or a sampled rule finds no draws.
    """
    _check(rule)
    if rule.test == "sampled" and items and not any(i.sampled_after for i in items):
        raise Refused("the rule's test is sampled, but the items hold greedy answers only", key="acceptance.rule.test")
    decision = decide_gains(gains(items, test=rule.test), rule)
    if decision.verdict == "accepted" and rule.margin is None and rule.test == "sampled" and sharpened(items, rule):
        decision = replace(decision, why=f"{decision.why}; sharpened: sampled rose, greedy unchanged")
    return decision


def decide_gains(found: Gains, rule: Rule) -> Decision:
    """`decide` from the paired differences alone, whoever took them (several runs a side: versus). Raises Refused."""
    _check(rule)
    items = len(found.differences) + found.ungraded
    left_out = f"; {found.ungraded} of {items} items could not be graded and are left out" if found.ungraded else ""
    if not found.differences:
        why = f"undecided: no item was graded{left_out}"
        return Decision(verdict="undecided", gain=0.0, interval=(-1.0, 1.0), p_value=1.0, test="none", why=why)
    guard = rule.margin is not None
    bound = rule.margin if rule.margin is not None else rule.gain
    boot = paired_bootstrap(found.differences, found.families, p=rule.p, null=bound if guard else 0.0, draws=DRAWS)
    test, p_value = _test(found, boot, greedy=rule.test == "greedy", guard=guard)
    verdict: Literal["accepted", "not_accepted", "undecided"] = "undecided"
    if boot.high <= bound:
        verdict = "not_accepted"
    elif p_value < rule.p and boot.low > bound:
        verdict = "accepted"
    few = boot.families < LEAST_FAMILIES and (guard or rule.test == "sampled")
    if few and verdict == "accepted":
        verdict = "undecided"
    word = {"accepted": "accepted", "not_accepted": "not accepted", "undecided": "undecided"}[verdict]
    why = (
        f"{word}: {rule.test} gain {boot.mean:+.3f}, {100 * (1 - rule.p):g} % interval [{boot.low:+.3f}, "
        f"{boot.high:+.3f}] against {'margin' if guard else 'gain'} {bound:g}, p {p_value:.2g} by {test}, "
        f"{len(found.differences)} items in {boot.families} families{left_out}"
    )
    if few and verdict == "undecided":
        why += f"; fewer than {LEAST_FAMILIES} families are too few for a bootstrap to accept"
    return Decision(
        verdict=verdict, gain=boot.mean, interval=(boot.low, boot.high), p_value=p_value, test=test, why=why
    )


def sharpened(items: Sequence[Item], rule: Rule) -> bool:
    """Sampled answers rose and greedy did not: no greedy gain with p below rule.p by greedy's own test.

    What the model could do at its first choice is then unchanged; it only says it more often.
    """
    sampled, greedy = gains(items, test="sampled"), gains(items, test="greedy")
    if not sampled.differences or sum(sampled.differences) <= 0:
        return False
    if not greedy.differences or sum(greedy.differences) <= 0:
        return True
    return greedy_test(greedy)[1] >= rule.p


def greedy_test(found: Gains) -> tuple[str, float]:
    """Name and two-sided p of greedy's test: exact McNemar where every family has one item, else sign-flip.

    Differences that are means over several runs are no wins and losses: they take the sign-flip test too.
    """
    whole = all(d in (-1.0, 0.0, 1.0) for d in found.differences)
    if whole and len(set(found.families)) == len(found.families):
        won, lost = sum(d > 0 for d in found.differences), sum(d < 0 for d in found.differences)
        return "exact McNemar", mcnemar(won, lost).exact
    sums: dict[str, float] = {}
    for family, d in zip(found.families, found.differences, strict=True):
        sums[family] = sums.get(family, 0.0) + d
    flip = sign_flip(list(sums.values()))
    return "sign-flip over families" + ("" if flip.how == "exact" else f" ({flip.how})"), flip.p_value


def compare_best(base_best: Sequence[Measured], after: Sequence[Measured], rule: Rule) -> Decision:
    """The trained model against the base at the base's best temperature and token limit, paired by item.

    The rule's test and level against a gain of 0; where the base's best is greedy (no draws), its greedy answer stands
    for its draws. A gain that is not shown here came from the settings: the line then reads "sharpened".
    """
    best = [m if m.sampled or rule.test == "greedy" else _as_draws(m) for m in base_best]
    decision = decide(pair(best, after), _AgainstBest(test=rule.test, answers=rule.answers, p=rule.p))
    why = f"against the base at its best temperature and token limit: {decision.why.partition('; sharpened')[0]}"
    if decision.verdict != "accepted":
        why += "; sharpened: no gain over that base is shown"
    return replace(decision, why=why)


def overall(decisions: Mapping[str, Decision]) -> tuple[str, Decision]:
    """The least suite's name and decision: a run is what its least suite is. Refused without a suite."""
    if not decisions:
        raise Refused("nothing was accepted: the recipe has no [acceptance] suite", key="acceptance")
    name = min(decisions, key=lambda n: _ORDER.index(decisions[n].verdict))
    return name, decisions[name]


def few_items(families: Sequence[str], rule: Rule, *, name: str = "held-out") -> str | None:
    """A warning where the items are too few for the rule, or None. `families` [N]: one family an item.

    Greedy: the changed families, all gains, that p < rule.p needs (2 * 2^-n < p), where that is over a tenth of them.
    Sampled: fewer than 50 families, over which a percentile bootstrap is too short. Guard: one item weighs more than
    the margin. Both: fewer than 10 families, over which nothing is accepted.
    """
    items, num = len(families), len(set(families))
    if items == 0:
        return f"{name} has no items: nothing can be accepted"
    counted = f"{items} items" if num == items else f"{items} items in {num} families"
    if num < LEAST_FAMILIES and (rule.test == "sampled" or rule.margin is not None):
        return f"{name} has {counted}: over fewer than {LEAST_FAMILIES} families a bootstrap can at most be undecided"
    if rule.margin is not None and rule.margin < 0 and 1 / items > -rule.margin:
        return f"{name} has {items} items: one is {1 / items:.3f}, more than the margin {rule.margin:g} allows to lose"
    if rule.test == "greedy" and rule.margin is None:
        needed = math.floor(math.log2(2 / rule.p)) + 1
        if needed * 10 > num:
            test, unit = ("exact McNemar", "") if num == items else ("sign-flip", " of families")
            return f"{name} has {counted}: p {rule.p:g} by {test} needs {needed} gains{unit} and no loss"
    elif num < _FEW_FAMILIES:
        return f"{name} has {counted}: a bootstrap over fewer than {_FEW_FAMILIES} families gives too short an interval"
    return None


def _check(rule: Rule) -> None:
    if rule.test not in ("sampled", "greedy"):
        raise Refused(f'a rule\'s test is "sampled" or "greedy", not {rule.test!r}', key="acceptance.rule.test")
    if not 2 * 2 / (1 + DRAWS) < rule.p < 1:
        raise Refused(f"p {rule.p!r} is not one that {DRAWS:,} bootstrap draws can tell", key="acceptance.rule.p")


def _test(found: Gains, boot: Bootstrap, *, greedy: bool, guard: bool) -> tuple[str, float]:
    if greedy and not guard:
        return greedy_test(found)
    return "paired bootstrap over families" + (", against the margin" if guard else ""), boot.p_value


def _replies(item: Item, test: str) -> tuple[tuple[Reply, ...], tuple[Reply, ...]]:
    if test == "greedy":
        return (item.greedy_before,), (item.greedy_after,)
    return item.sampled_before, item.sampled_after


def _mean(replies: Sequence[Reply]) -> float:
    return sum(r.grade.strict == "right" for r in replies) / len(replies)


def _as_draws(m: Measured) -> Measured:
    return Measured(task=m.task, suite=m.suite, greedy=m.greedy, sampled=(m.greedy,))
