"""The order of tasks: a pure function of (run seed, stage, step)."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from verigrad.data import Order, shares
from verigrad.errors import RecipeError
from verigrad.records import Task


def tasks(name, count):
    return tuple(Task.make(prompt=f"{name} {i}", source=name) for i in range(count))


SOURCES = st.dictionaries(st.sampled_from("abcd"), st.integers(1, 40), min_size=1).map(
    lambda sizes: {name: tasks(name, size) for name, size in sizes.items()}
)
WEIGHT = st.sampled_from([None, 0.5, 1, 3])


@settings(max_examples=40, deadline=None)
@given(SOURCES, st.fixed_dictionaries(dict.fromkeys("abcd", WEIGHT)), st.integers(1, 16), st.integers(0, 9))
def test_steps_are_whole_fair_and_without_repeats(sources, weights, prompts, run_seed):
    order = Order(sources, prompts=prompts, run_seed=run_seed, stage=1, weights=weights)
    seen = Counter()
    for step in range(1, 31):
        drawn = order.tasks(step)
        assert len(drawn) == prompts
        of_source, of_key = Counter(t.source for t in drawn), Counter(t.key for t in drawn)
        for task in drawn:
            assert of_key[task.key] == 1 or of_source[task.source] > len(sources[task.source])
        seen.update(t.key for t in drawn)
    for name, all_tasks in sources.items():
        times = [seen[t.key] for t in all_tasks]
        assert max(times) - min(times) <= 1
        assert abs(sum(times) - 30 * prompts * order.shares[name]) <= 1 + Fraction(len(sources), 2)


@settings(max_examples=40, deadline=None)
@given(SOURCES, st.integers(1, 16), st.integers(1, 120), st.integers(1, 4))
def test_a_step_can_be_entered_anywhere(sources, prompts, step, round_):
    walked, fresh = (Order(sources, prompts=prompts, run_seed=3, stage=2) for _ in range(2))
    for earlier in range(1, step):
        walked.tasks(earlier)
        walked.more(earlier, 1, 1)
    assert walked.tasks(step) == fresh.tasks(step)
    assert walked.more(step, round_, prompts) == fresh.more(step, round_, prompts)
    assert walked.tasks(1) == fresh.tasks(1)


def test_seed_and_stage_change_the_order_and_nothing_else():
    sources = {"a": tasks("a", 50)}
    orders = [Order(sources, prompts=50, run_seed=s, stage=g) for s, g in ((0, 1), (1, 1), (0, 2))]
    firsts = [tuple(t.key for t in o.tasks(1)) for o in orders]
    assert len(set(firsts)) == 3
    assert len({frozenset(f) for f in firsts}) == 1
    assert orders[0].tasks(1) != orders[0].tasks(2)


def test_an_epoch_has_every_task_once():
    order = Order({"a": tasks("a", 60)}, prompts=6, run_seed=0, stage=1)
    for epoch in range(4):
        assert len({t.key for step in range(1, 11) for t in order.tasks(10 * epoch + step)}) == 60
    assert [order.epoch("a", step) for step in (1, 10, 11, 21)] == [0, 0, 1, 2]


def test_the_order_does_not_depend_on_the_file_s_order():
    all_tasks = tasks("a", 30)
    one, other = (Order({"a": t}, prompts=7, run_seed=0, stage=1) for t in (all_tasks, all_tasks[::-1]))
    assert one.tasks(9) == other.tasks(9)


def test_refills_are_new_to_the_step_and_to_each_other():
    order = Order({"a": tasks("a", 40), "b": tasks("b", 40)}, prompts=8, run_seed=0, stage=1)
    for step in (1, 2, 77):
        drawn = [*order.tasks(step), *(t for r in (1, 2, 3) for t in order.more(step, r, 5))]
        assert len({t.key for t in drawn}) == 23
    assert {t.key for t in order.more(1, 1, 8)} != {t.key for t in order.more(2, 1, 8)}


def test_a_source_smaller_than_its_refills_comes_again():
    order = Order({"a": tasks("a", 5)}, prompts=4, run_seed=0, stage=1)
    first = {t.key for t in order.tasks(1)}
    assert {t.key for t in order.more(1, 1, 4)}.isdisjoint(first)
    whole = Order({"a": tasks("a", 4)}, prompts=4, run_seed=0, stage=1)
    assert {t.key for t in whole.more(1, 1, 4)} == {t.key for t in whole.tasks(1)}


@pytest.mark.parametrize(
    ("sizes", "weights", "wanted"),
    [
        ({"a": 30, "b": 10}, {}, {"a": Fraction(3, 4), "b": Fraction(1, 4)}),
        ({"a": 30, "b": 10}, {"a": 1, "b": 1}, {"a": Fraction(1, 2), "b": Fraction(1, 2)}),
        ({"a": 30, "b": 10}, {"a": 3, "b": None}, {"a": Fraction(3, 4), "b": Fraction(1, 4)}),
        ({"a": 30}, {"a": 0.1}, {"a": Fraction(1)}),
    ],
)
def test_shares(sizes, weights, wanted):
    assert shares(sizes, weights) == wanted


def test_every_step_has_its_share_of_each_source():
    sources = {"a": tasks("a", 1000), "b": tasks("b", 1000)}
    order = Order(sources, prompts=8, run_seed=0, stage=1, weights={"a": 3, "b": 1})
    assert all(Counter(t.source for t in order.tasks(s)) == {"a": 6, "b": 2} for s in range(1, 200))


@pytest.mark.parametrize(("sources", "prompts"), [({}, 4), ({"a": ()}, 4), ({"a": tasks("a", 1)}, 0)])
def test_nothing_to_draw_from_is_refused(sources, prompts):
    with pytest.raises(RecipeError, match="nothing to draw from"):
        Order(sources, prompts=prompts, run_seed=0, stage=1)
