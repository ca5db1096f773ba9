"""Two sides on the same items: one run each, several seeds, ungraded replies, items that only some runs have."""

import dataclasses

import numpy as np
import pytest

from verigrad.acceptance import Measured, decide, pair, versus, versus_lines, with_holm
from verigrad.errors import Refused
from verigrad.records import Grade, Reply, Task
from verigrad.statistics import paired_bootstrap, seed_difference, sign_flip


@dataclasses.dataclass(frozen=True, kw_only=True)
class R:
    test: str = "greedy"
    answers: int = 2
    p: float = 0.05
    gain: float = 0.0
    margin: float | None = None


def reply(right):
    status = {1: "right", 0: "wrong", None: "ungraded"}[right]
    return Reply(answer="", seed=0, tokens=3, finish="stop", grade=Grade(strict=status, lenient=status))


def run(greedy, sampled=None, *, families=None):
    """One run's answers: greedy [N] of 1, 0, None; sampled [N] of lists."""
    out = {}
    for i, right in enumerate(greedy):
        task = Task.make(prompt=f"q{i}", gold=i, family=families[i] if families else f"f{i}")
        draws = () if sampled is None else tuple(map(reply, sampled[i]))
        out[task.key] = Measured(task=task, suite="s", greedy=reply(right), sampled=draws)
    return out


def test_one_run_a_side_is_the_suites_own_decision():
    a, b = run([0] * 20 + [1] * 80), run([1] * 20 + [1] * 78 + [0] * 2)
    numbers = versus([a], [b], R(), suite="s")
    own = decide(pair(list(a.values()), list(b.values())), R())
    assert own.verdict == "accepted"
    assert numbers["decision"]["verdict"] == own.verdict
    assert numbers["decision"]["p_value"] == own.p_value
    assert numbers["decision"]["why"] == "better" + own.why.removeprefix("accepted")
    assert numbers["word"] == "better"
    assert numbers["seeds"] is None
    assert versus([b], [a], R(), suite="s")["word"] == "worse"
    assert versus([a], [a], R(), suite="s")["word"] == "not better"
    assert versus([a], [a], R(margin=-0.05), suite="s")["word"] == "not worse"
    assert versus([b], [a], R(margin=-0.05), suite="s")["word"] == "worse than the margin allows"


def test_only_shared_items_count():
    a, b = run([0] * 12), run([1] * 20)
    numbers = versus([a], [b], R(), suite="s")
    assert (numbers["items"], numbers["not_shared"]) == (12, 8)
    assert "(8 that only some runs have are left out)" in versus_lines(numbers)[0]
    with pytest.raises(Refused, match="share no item"):
        versus([{k: m for k, m in b.items() if k not in a}], [a], R(), suite="s")


def seeds_of(rates, num=60, seed=0):
    """Runs whose greedy answers are right at these rates, item by item."""
    rng = np.random.default_rng(seed)
    return [run((rng.random(num) < rate).astype(int).tolist()) for rate in rates]


def test_several_seeds_are_averaged_by_item_and_both_intervals_must_agree():
    a, b = seeds_of([0.3, 0.32, 0.28]), seeds_of([0.8, 0.78, 0.83], seed=1)
    numbers = versus(a, b, R(), suite="s")
    mean = [np.mean([[m.greedy.grade.strict == "right" for m in r.values()] for r in side], axis=0) for side in (a, b)]
    d = mean[1] - mean[0]
    boot, flip = paired_bootstrap(d), sign_flip(d)
    assert numbers["decision"]["gain"] == pytest.approx(d.mean())
    assert numbers["decision"]["interval"] == pytest.approx([boot.low, boot.high])
    assert numbers["decision"]["p_value"] == flip.p_value
    each = [[np.mean([m.greedy.grade.strict == "right" for m in r.values()]) for r in side] for side in (a, b)]
    over = seed_difference(*each)
    assert numbers["seeds"]["difference"]["interval"] == pytest.approx([over.low, over.high])
    assert numbers["seeds"]["b"]["runs"] == pytest.approx(each[1]) == numbers["greedy"]["b"]["runs"]
    assert numbers["word"] == "better"
    assert "3 runs, strict mean" in "\n".join(versus_lines(numbers))


def test_items_say_yes_and_seeds_do_not():
    a, b = seeds_of([0.3, 0.3]), seeds_of([0.3, 0.95], seed=1)  # one seed of two gained all of it
    numbers = versus(a, b, R(), suite="s")
    assert numbers["decision"]["interval"][0] > 0
    assert numbers["seeds"]["difference"]["interval"][0] < 0
    assert numbers["word"] == "undecided"
    assert "these runs differ so, other seeds may not" in numbers["decision"]["why"]


def test_one_trained_run_against_several_is_undecided_and_a_fixed_model_is_not():
    a, b = seeds_of([0.3]), seeds_of([0.8, 0.78, 0.83], seed=1)
    numbers = versus(a, b, R(), suite="s")
    assert numbers["decision"]["interval"][0] > 0
    assert (numbers["word"], numbers["seeds"]["difference"]) == ("undecided", None)
    assert numbers["decision"]["why"].startswith("undecided: greedy gain ")
    assert "; A is one trained run, which says nothing of other seeds" in versus_lines(numbers)[-1]
    assert versus(b, a, R(), suite="s")["word"] == "undecided"
    known = versus(a, b, R(), suite="s", fixed=frozenset("a"))
    assert known["word"] == "better"
    (mean,) = known["seeds"]["a"]["runs"]
    over = seed_difference([mean], known["seeds"]["b"]["runs"])
    assert known["seeds"]["difference"]["interval"] == pytest.approx([over.low, over.high])


def test_sampled_takes_means_over_draws_and_ungraded_items_are_counted():
    a = [run([0, 0, 0], [[0, 1], [0, 0], [1, None]])]
    b = [run([1, 1, 1], [[1, 1], [0, 1], [1, 1]])]
    numbers = versus(a, b, R(test="sampled"), suite="s")
    assert numbers["decision"]["gain"] == pytest.approx(0.5)
    assert "1 of 3 items could not be graded" in numbers["decision"]["why"]
    assert numbers["sampled"]["a"]["strict"] == pytest.approx(0.25)
    assert numbers["sampled"]["a"]["ungraded"] == 1
    assert numbers["pass_gain"]["2"]["gain"] == pytest.approx((0 + 1) / 2)
    assert numbers["word"] == "undecided"  # three families are too few


def test_nothing_graded_is_undecided():
    for a, b in (([run([None])], [run([1])]), (seeds_of([0.5], 3), [run([None] * 3), run([1] * 3)])):
        numbers = versus(a, b, R(), suite="s")
        assert numbers["word"] == "undecided"
        assert versus_lines(numbers)[-1].strip().startswith("undecided: no item was graded")


def test_families_are_resampled_together():
    families = [f"f{i // 6}" for i in range(60)]
    a, b = run([0] * 60, families=families), run([1, 0] * 30, families=families)
    numbers = versus([a], [b], R(), suite="s")
    assert numbers["families"] == 10
    assert numbers["decision"]["test"] == "sign-flip over families"


def test_holm_stands_beside_the_raw_p():
    a, b = run([0] * 8 + [1] * 92), run([1] * 8 + [1] * 90 + [0] * 2)
    one, two = versus([a], [b], R(), suite="s"), versus([a], [a], R(), suite="t")
    both = with_holm([one, two, {"suite": "u", "decision": None}])
    assert [s["holm"] for s in both] == [pytest.approx(2 * 0.109375), 1.0, None]
    assert one["decision"]["p_value"] == 0.109375  # as it was
    assert any("Holm; decides nothing" in line for line in versus_lines(both[0]))
    assert not any("Holm" in line for line in versus_lines(with_holm([one])[0]))  # alone it says nothing new
