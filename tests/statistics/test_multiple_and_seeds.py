"""Holm against the closure of Bonferroni, Student and Welch against scipy."""

import itertools
import math

import numpy as np
import pytest
from scipy import stats

from verigrad.statistics import holm, seed_difference, seed_mean, t_cdf, t_value


def closed(p_values):
    """Adjusted p by closed testing with Bonferroni in every subset: what Holm's steps are a shortcut of."""
    num = len(p_values)
    subsets = [s for size in range(1, num + 1) for s in itertools.combinations(range(num), size)]
    return [max(min(1.0, len(s) * min(p_values[i] for i in s)) for s in subsets if i in s) for i in range(num)]


@pytest.mark.parametrize("seed", range(8))
def test_holm_is_the_closure_of_bonferroni(seed):
    rng = np.random.default_rng(seed)
    p_values = list(np.round(rng.random(1 + seed) ** 3, 2))
    assert holm(p_values) == pytest.approx(closed(p_values))


def test_holm_by_hand():
    assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx((0.03, 0.06, 0.06, 0.02))
    assert holm([0.2]) == (0.2,)
    assert holm([]) == ()
    for bad in (-0.1, 1.1, math.nan):
        with pytest.raises(ValueError, match="p-values lie in"):
            holm([0.1, bad])


@pytest.mark.parametrize("df", [1, 2, 3, 4, 5, 8, 31, 200])
def test_student_as_scipy_has_it(df):
    for t in (-3.0, -0.2, 0.0, 1.0, 2.5, 40.0):
        assert t_cdf(t, df) == pytest.approx(stats.t.cdf(t, df), abs=1e-12)
    for p in (0.5, 0.05, 0.01, 0.001):
        assert t_value(p, df) == pytest.approx(stats.t.ppf(1 - p / 2, df), rel=1e-9)
    with pytest.raises(ValueError, match="at least 1"):
        t_cdf(1.0, 0)


def test_a_mean_over_seeds():
    values = [0.61, 0.55, 0.66, 0.60, 0.58]
    m = seed_mean(values)
    low, high = stats.t.interval(0.95, 4, loc=np.mean(values), scale=stats.sem(values))
    assert (m.mean, m.low, m.high, m.seeds) == (pytest.approx(0.6), pytest.approx(low), pytest.approx(high), 5)
    assert m.sd == pytest.approx(np.std(values, ddof=1))
    one = seed_mean([0.4])
    assert (one.low, one.high) == (0.0, 1.0)  # one seed says nothing of another
    assert math.isnan(one.sd)
    assert seed_mean([0.0, 1.0]).high == 1.0
    with pytest.raises(ValueError, match="at least one"):
        seed_mean([])


def test_welch_where_its_degrees_of_freedom_are_whole():
    a = [0.3, 0.4, 0.5]
    b = [x + 0.2 for x in a]  # equal variances and sizes: df is 4
    d = seed_difference(a, b, p=0.05)
    theirs = stats.ttest_ind(b, a, equal_var=False)
    interval = theirs.confidence_interval(0.95)
    assert d.df == 4
    assert (d.low, d.high) == pytest.approx((interval.low, interval.high))
    assert d.p_value == pytest.approx(theirs.pvalue)


def test_welch_rounds_down_and_so_errs_wide():
    a, b = [0.3, 0.35, 0.31, 0.4], [0.5, 0.41, 0.6]
    d, theirs = seed_difference(a, b), stats.ttest_ind(b, a, equal_var=False)
    assert d.df == math.floor(theirs.df) < theirs.df
    interval = theirs.confidence_interval(0.95)
    assert d.low < interval.low
    assert d.high > interval.high
    assert d.p_value > theirs.pvalue


def test_one_run_on_a_side_counts_as_known():
    b = [0.5, 0.41, 0.6]
    d, theirs = seed_difference([0.3], b), stats.ttest_1samp(b, 0.3)
    assert d.p_value == pytest.approx(theirs.pvalue)
    interval = theirs.confidence_interval(0.95)
    assert (d.low, d.high) == pytest.approx((interval.low - 0.3, interval.high - 0.3))
    same = seed_difference([0.5, 0.5], [0.5])
    assert (same.low, same.high, same.p_value) == (0.0, 0.0, 1.0)
    with pytest.raises(ValueError, match="two seeds on one side"):
        seed_difference([0.5], [0.6])
