"""pass@k over k: values by enumeration of the draws, clustered intervals, the paired gain."""

import itertools

import numpy as np
import pytest

from verigrad.acceptance import headline, lines, pass_gains
from verigrad.acceptance.curves import interval_of, passes
from verigrad.records import Grade, Item, Reply, Task
from verigrad.statistics import mean_interval, paired_bootstrap, wilson


def reply(right):
    status = {1: "right", 0: "wrong", None: "ungraded"}[right]
    return Reply(answer="", seed=0, tokens=1, finish="stop", grade=Grade(strict=status, lenient=status))


def draws(*rows):
    return [[reply(r) for r in row] for row in rows]


def enumerated(row, k):
    """Share of the k-subsets of the draws in which one is right, and in which all are."""
    chosen = list(itertools.combinations(row, k))
    return np.mean([max(c) for c in chosen]), np.mean([min(c) for c in chosen])


ROWS = ([1, 0, 0, 0, 0, 0], [1, 1, 0, 0, 1, 0], [0] * 6, [1] * 6, [0, 0, 0, 1, 0, 1])
FAMILIES = ["x", "x", "y", "z", "z"]


def test_curves_are_the_enumerated_ones_with_clustered_intervals():
    found = passes(draws(*ROWS), FAMILIES, p=0.05)
    assert list(found["pass_at_k"]) == ["1", "2", "4", "6"]
    for k in (1, 2, 4, 6):
        any_, all_ = zip(*(enumerated(row, k) for row in ROWS), strict=True)
        assert found["pass_at_k"][str(k)] == pytest.approx(np.mean(any_))
        assert found["pass_hat_k"][str(k)] == pytest.approx(np.mean(all_))
        m = mean_interval(any_, FAMILIES)
        assert found["pass_at_k_interval"][str(k)] == pytest.approx([m.low, m.high])


def test_an_item_with_an_ungraded_draw_is_in_no_curve():
    found = passes(draws([1, None], [0, 1], [0, 0]), ["a", "b", "c"], p=0.05)
    assert found["pass_at_k"] == {"1": 0.25, "2": 0.5}


def test_intervals_without_spread_are_wilsons():
    assert interval_of([1.0] * 6, list("aabbcc"), p=0.05) == list(wilson(3, 3))
    assert interval_of([0.0] * 4, list("abcd"), p=0.05) == list(wilson(0, 4))
    assert interval_of([0.0, 1.0, 1.0], list("abc"), p=0.05) == list(wilson(2, 3))
    assert interval_of([], [], p=0.05) is None


def items(before, after):
    return [
        Item(
            task=Task.make(prompt=f"q{i}", gold=i, family=f"f{i}"),
            suite="s",
            greedy_before=reply(0),
            greedy_after=reply(0),
            sampled_before=tuple(map(reply, b)),
            sampled_after=tuple(map(reply, a)),
        )
        for i, (b, a) in enumerate(zip(before, after, strict=True))
    ]


def test_a_model_that_only_says_it_more_often_gains_at_1_and_loses_at_k():
    before = [[1, 0, 0, 0]] * 30 + [[0, 1, 0, 0]] * 10
    after = [[1, 1, 1, 1]] * 30 + [[0, 0, 0, 0]] * 10
    found = pass_gains(items(before, after), p=0.05)
    assert found["1"]["gain"] == pytest.approx(0.75 - 0.25)
    assert found["4"]["gain"] == pytest.approx(-0.25)
    boot = paired_bootstrap([0.0] * 30 + [-1.0] * 10)
    assert found["4"]["interval"] == [boot.low, boot.high]
    assert found["1"]["interval"][0] > 0 > found["4"]["interval"][1]
    told = lines(headline(items(before, after), suite="s", grader="number", independent=True))
    assert "  pass@k  1: 0.250 -> 0.750, 2: 0.500 -> 0.750, 4: 1.000 -> 0.750" in told
