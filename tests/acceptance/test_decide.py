"""The rule: which numbers make accepted, not accepted, undecided; guards, ungraded items, sharpening, warnings."""

import dataclasses

import numpy as np
import pytest

from verigrad.acceptance import compare_best, decide, few_items, gains, judged_pairs, overall, sharpened
from verigrad.acceptance.measure import Measured
from verigrad.errors import Refused
from verigrad.records import Decision, Grade, Item, Reply, Task
from verigrad.statistics import mcnemar, paired_bootstrap, sign_flip, t_value, wilson


@dataclasses.dataclass(frozen=True, kw_only=True)
class R:
    test: str = "greedy"
    answers: int = 4
    p: float = 0.05
    gain: float = 0.0
    margin: float | None = None


def reply(right):
    status = {1: "right", 0: "wrong", None: "ungraded"}[right]
    return Reply(answer="", seed=0, tokens=1, finish="stop", grade=Grade(strict=status, lenient=status))


def item(i, before, after, sampled_before=(), sampled_after=(), family=None):
    return Item(
        task=Task.make(prompt=f"q{i}", gold=i, family=family or f"f{i}"),
        suite="s",
        greedy_before=reply(before),
        greedy_after=reply(after),
        sampled_before=tuple(map(reply, sampled_before)),
        sampled_after=tuple(map(reply, sampled_after)),
    )


def greedy_items(won, lost, kept, **options):
    pairs = [(0, 1)] * won + [(1, 0)] * lost + [(1, 1)] * kept
    return [item(i, b, a, **options) for i, (b, a) in enumerate(pairs)]


def test_greedy_is_exact_mcnemar_where_families_are_single():
    d = decide(greedy_items(8, 2, 90), R())
    boot = paired_bootstrap([1] * 8 + [-1] * 2 + [0] * 90)
    assert (d.test, d.p_value, d.gain) == ("exact McNemar", 0.109375, pytest.approx(0.06))
    assert d.interval == (boot.low, boot.high) == pytest.approx((0.0, 0.12))
    assert d.verdict == "undecided"
    assert decide(greedy_items(20, 2, 78), R()).verdict == "accepted"
    assert decide(greedy_items(2, 20, 78), R()).verdict == "not_accepted"
    assert (
        decide(greedy_items(0, 0, 100), R()).verdict == "not_accepted"
    )  # the interval is [0, 0]: its end is at the gain


def test_both_conditions_count():
    # the interval lies above 0, the test does not reach p
    five = decide(greedy_items(5, 0, 20), R())
    assert five.interval[0] > 0
    assert five.p_value == mcnemar(5, 0).exact == 0.0625
    assert five.verdict == "undecided"
    # the test reaches p, the interval does not clear the asked gain
    asked = decide(greedy_items(20, 2, 78), R(gain=0.15))
    assert asked.p_value < 0.05
    assert asked.interval[0] <= 0.15 < asked.interval[1]
    assert asked.verdict == "undecided"
    assert decide(greedy_items(20, 2, 78), R(gain=0.5)).verdict == "not_accepted"


def test_greedy_with_families_is_a_sign_flip_over_their_sums():
    items = [item(i, 0, 1, family=f"f{i // 4}") for i in range(20)] + [item(i, 1, 1, family="k") for i in range(20, 40)]
    d = decide(items, R())
    assert d.test == "sign-flip over families"
    assert d.p_value == sign_flip([4] * 5 + [0]).p_value == 0.0625
    assert d.verdict == "undecided"  # 20 gains, but only five independent ones


def test_sampled_is_the_bootstrap_over_families_of_item_means():
    items = [item(i, 0, 0, (0, 0, 1, 0), (1, 0, 1, i % 2), family=f"f{i // 2}") for i in range(40)]
    d = decide(items, R(test="sampled"))
    boot = paired_bootstrap([0.5 if i % 2 else 0.25 for i in range(40)], [f"f{i // 2}" for i in range(40)])
    assert (d.test, d.p_value, d.gain) == ("paired bootstrap over families", boot.p_value, boot.mean)
    assert d.verdict == "accepted"
    assert "sharpened: sampled rose, greedy unchanged" in d.why
    assert sharpened(items, R())


def test_no_sharpening_where_greedy_rose_too():
    items = [item(i, 0, 1, (0, 0), (1, 1)) for i in range(40)]
    d = decide(items, R(test="sampled"))
    assert d.verdict == "accepted"
    assert "sharpened" not in d.why
    assert not sharpened([item(0, 0, 0, (1, 1), (0, 0))], R())


def test_a_guard_is_held_against_its_margin():
    same = decide(greedy_items(1, 1, 198), R(margin=-0.05))
    assert same.verdict == "accepted"
    assert "against the margin" in same.test
    assert same.p_value < 0.05
    assert decide(greedy_items(0, 10, 190), R(margin=-0.02)).verdict in ("undecided", "not_accepted")
    assert decide(greedy_items(0, 60, 140), R(margin=-0.02)).verdict == "not_accepted"
    assert decide(greedy_items(3, 4, 93), R(margin=-0.02)).verdict == "undecided"


def test_a_bootstrap_over_few_families_accepts_nothing():
    def drawn(families, won=1):
        return [item(i, 0, 1, (0, 0), (won, won), family=f"f{i % families}") for i in range(60)]

    for families in (1, 9):
        d = decide(drawn(families), R(test="sampled"))
        assert d.p_value < 0.001
        assert d.verdict == "undecided"
        assert d.why.startswith("undecided: ")
        assert d.why.endswith("; fewer than 10 families are too few for a bootstrap to accept")
        assert decide(drawn(families), R(margin=-0.05)).verdict == "undecided"
    assert decide(drawn(10), R(test="sampled")).verdict == "accepted"
    assert decide(drawn(10), R(margin=-0.05)).verdict == "accepted"
    assert decide(drawn(1, won=0), R(test="sampled")).verdict == "not_accepted"
    few = [f"f{i % 9}" for i in range(60)]
    for rule in (R(test="sampled"), R(margin=-0.05)):
        said = few_items(few, rule)
        assert (
            said
            == "held-out has 60 items in 9 families: over fewer than 10 families a bootstrap can at most be undecided"
        )
    assert "at most" not in str(few_items([*few, "f9"], R(test="sampled")))


def test_ungraded_items_are_left_out_and_counted():
    items = [*greedy_items(20, 2, 78), item(900, None, 1), item(901, 0, None)]
    d = decide(items, R())
    assert d.gain == pytest.approx(0.18)
    assert "2 of 102 items could not be graded and are left out" in d.why
    assert gains(items, test="greedy").ungraded == 2
    one_draw = [item(0, 0, 0, (0, None), (1, 1)), item(1, 0, 0, (0, 0), (1, 1))]
    assert gains(one_draw, test="sampled").differences == (1.0,)
    for nothing in ([item(0, None, None)], []):
        d = decide(nothing, R())
        assert (d.verdict, d.interval, d.p_value) == ("undecided", (-1.0, 1.0), 1.0)


@pytest.mark.parametrize(
    ("rule", "key"),
    [
        (R(test="best"), "acceptance.rule.test"),
        (R(p=0.0), "acceptance.rule.p"),
        (R(p=1.0), "acceptance.rule.p"),
        (R(p=1e-4), "acceptance.rule.p"),
        (R(test="sampled"), "acceptance.rule.test"),
    ],
)
def test_refused_rules(rule, key):
    with pytest.raises(Refused) as error:
        decide(greedy_items(1, 0, 1), rule)
    assert error.value.key == key


def test_a_run_is_its_least_suite():
    def d(verdict):
        return Decision(verdict=verdict, gain=0, interval=(0, 0), p_value=1, test="t", why="w")

    suites = {"a": d("accepted"), "b": d("undecided"), "c": d("accepted")}
    assert overall(suites) == ("b", suites["b"])
    suites["d"] = d("not_accepted")
    assert overall(suites)[0] == "d"
    with pytest.raises(Refused, match="nothing was accepted"):
        overall({})


def test_against_the_base_at_its_best():
    tasks = [Task.make(prompt=f"q{i}", gold=i) for i in range(60)]

    def side(rights, draws):
        return [
            Measured(task=t, suite="s", greedy=reply(g), sampled=(reply(g),) * draws)
            for t, g in zip(tasks, rights, strict=True)
        ]

    after = side([1] * 60, 4)
    beaten = compare_best(side([0] * 60, 0), after, R(test="sampled"))  # the base's best is greedy: no draws
    assert beaten.verdict == "accepted"
    assert beaten.why.startswith("against the base at its best temperature and token limit: accepted")
    assert "sharpened" not in beaten.why
    level = compare_best(side([1] * 60, 4), after, R(test="sampled", margin=-0.02))
    assert level.verdict == "not_accepted"
    assert level.why.endswith("sharpened: no gain over that base is shown")
    assert compare_best(side([0] * 60, 4), after, R(test="greedy")).test == "exact McNemar"


def test_few_items_are_said_beforehand():
    singles = [f"f{i}" for i in range(31)]
    assert few_items(singles, R(p=0.01)) == "held-out has 31 items: p 0.01 by exact McNemar needs 8 gains and no loss"
    for p, needed in ((0.05, 6), (0.01, 8), (0.001, 11)):
        assert f"needs {needed} gains" in few_items(singles, R(p=p))
        assert mcnemar(needed, 0).exact < p <= mcnemar(needed - 1, 0).exact
    assert few_items([f"f{i}" for i in range(200)], R(p=0.01)) is None
    assert "31 items in 4 families" in few_items([f"f{i % 4}" for i in range(31)], R())
    assert "fewer than 50 families" in few_items(singles, R(test="sampled"))
    assert few_items([f"f{i}" for i in range(50)], R(test="sampled")) is None
    assert "more than the margin -0.02" in few_items(singles, R(margin=-0.02))
    assert few_items([], R(), name="sql") == "sql has no items: nothing can be accepted"


def pairs_won(*families):
    """A judge's numbers: each family given as (pairs right, pairs)."""
    won = [1.0 if i < right else -1.0 for right, of in families for i in range(of)]
    return judged_pairs(won, [0.0] * len(won), [f"f{n}" for n, (_, of) in enumerate(families) for _ in range(of)])


def test_a_judge_is_not_accepted_over_few_families():
    n = pairs_won((6, 10), (6, 10))
    assert (n.verdict, n.families, n.accuracy) == ("undecided", 2, 0.6)
    assert n.interval == wilson(1, 2)  # families alike show no spread: as many answers as families
    assert n.why.endswith("; fewer than 10 families are too few to accept")
    nine, ten = (pairs_won(*[(9, 10), (10, 10), (8, 10)] * 3, *more) for more in ((), ((9, 10),)))
    assert nine.interval[0] > 0.5
    assert (nine.verdict, ten.verdict) == ("undecided", "accepted")
    assert "too few" not in ten.why
    assert pairs_won(*[(0, 4), (1, 4)] * 3).verdict == "not_accepted"  # few families refuse as before


def test_a_judges_interval_is_students_over_families():
    shares = [(n, 10) for n in (6, 7, 4, 9, 8, 5, 6, 7, 9, 8)]
    found = pairs_won(*shares)
    means = np.array([right / of for right, of in shares])
    half = t_value(0.05, 9) * means.std(ddof=1) / np.sqrt(10)
    assert found.interval == pytest.approx((means.mean() - half, means.mean() + half))
    alike = pairs_won(*[(6, 10)] * 10)
    assert alike.interval == wilson(6, 10)
    assert alike.verdict == "undecided"
