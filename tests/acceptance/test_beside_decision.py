"""The page's parts beside the decision: the pass@k curve, Holm's p, the off-task table."""

import json

import pytest

from tests.reporting.made_run import make
from verigrad.acceptance import measure_off_task, off_task_numbers, with_holm
from verigrad.reporting import report
from verigrad.reporting.beside import holm_words, off_task_block, pass_curve
from verigrad.reporting.charts import Line, lines
from verigrad.sampling import Scripted


def probe(answer, perplexity):
    found = measure_off_task(
        Scripted(lambda r: answer), carries=lambda t: "#" in t, perplexity=perplexity, max_tokens=99
    )
    return found.as_json()


@pytest.fixture(scope="module")
def page(tmp_path_factory):
    folder = make(tmp_path_factory.mktemp("runs") / "quick", steps=8, of=8)
    numbers = json.loads((folder / "acceptance.json").read_text())
    numbers["suites"] = with_holm(numbers["suites"])
    before, after = probe("It is so since the sun sets early.", 20.0), probe("#### 7", 25.0)
    numbers["off_task"] = off_task_numbers(before, after)
    (folder / "acceptance.json").write_text(json.dumps(numbers))
    return numbers, report([folder])


def test_the_page_shows_all_three(page):
    numbers, html = page
    assert html.count("pass@k: at least one of k draws is right</figcaption>") == 2  # two suites
    assert "adjusted for the suites of this run (Holm)" in html
    assert "Off the task" in html
    assert "carry the task's format" in html or "carry the task&#x27;s format" in html
    assert "× 1.25" in html
    assert ".each." not in html
    assert "off_task.before" not in html
    gain = numbers["suites"][0]["pass_gain"]["2"]["gain"]
    assert f"At k = 2, after minus before: {gain * 100:+.1f} points" in html


def test_the_table_of_the_probe(page):
    block = off_task_block(page[0])
    assert "<td>+100.0 [+100.0, +100.0], p " in block
    assert "<td>20</td><td>25</td><td>× 1.25</td>" in block
    assert off_task_block({"verdict": "accepted"}) == off_task_block(None) == ""
    bare = {"off_task": {k: v for k, v in page[0]["off_task"].items() if k != "change"}}
    assert "<td>20</td><td>25</td><td>–</td>" in off_task_block(bare)  # without the paired change


def test_the_curve_has_bands_and_counts_k(page):
    suite = page[0]["suites"][0]
    curve = pass_curve(suite)
    assert curve.count('class="area band') == 2
    assert "<title>k = 2: before " in curve
    one = {**suite, "sampled": {side: {"pass_at_k": {"1": 0.5}} for side in ("before", "after")}}
    assert pass_curve(one) == pass_curve({"suite": "x"}) == ""


def test_holm_is_said_where_it_says_more():
    suite = {"holm": 0.04, "decision": {"p_value": 0.02}}
    assert "0.04 adjusted" in holm_words(suite)
    assert holm_words({**suite, "holm": 0.02}) == holm_words({**suite, "holm": None}) == holm_words({}) == ""


def test_a_band_is_inside_the_axis():
    chart = lines("x", [Line(name="a", points=[(1, 0.5), (2, 0.6)], band=[(1, -1.0, 0.6), (2, 0.5, 3.0)])])
    assert ">3<" in chart
    assert ">-1<" in chart


def test_what_each_stage_gained_is_one_table_and_the_run_stays_one_decision():
    from verigrad.reporting.stages import stages_block
    from verigrad.reporting.verdicts import suites

    suite = {
        "suite": "sums",
        "greedy": {"before": {"strict": 0.25}, "after": {"strict": 0.75}},
        "decision": {"verdict": "accepted", "gain": 0.5, "interval": [0.25, 0.625]},
    }
    probe = {"before": {"format": 0.5, "refusing": 0.25}, "after": {"format": 0.125, "refusing": 0.0}}
    stages = [
        {"stage": 1, "kind": "reward_model", "verdict": "accepted", "why": "<b>sure</b>",
         "pairs": {"accuracy": 0.875, "pairs": 40, "calibration_error": 0.0625}},
        {"stage": 2, "kind": "rl", "verdict": "undecided", "why": "few", "suites": [suite], "off_task": probe,
         "against_first": {"verdict": "not_accepted", "suites": [suite]}},
    ]  # fmt: skip
    acceptance = {"verdict": "accepted", "suites": [suite], "stages": stages}
    page = stages_block(acceptance)
    for shown in (
        "87.5%",
        "40 held-out pairs",
        "25.0% greedy",
        "75.0% greedy",
        "+50.0 [+25.0, +62.5] points",
        "-37.5",
        "&lt;b&gt;sure",
    ):
        assert shown in page, shown
    assert page.index("undecided") < page.index("not accepted")
    judge, policy = page.split("<tbody>")[1].split("2 rl", 1)
    assert "against 0.5" in judge
    assert "against its start" not in judge
    assert "against its start" in policy
    assert suites(acceptance) == [suite]
    assert stages_block({"suites": [suite]}) == ""
    for broken in ({"stages": 3}, {"stages": [None, {}, {"suites": [4], "pairs": {"accuracy": "x"}}]}, None):
        stages_block(broken)


def test_before_and_after_are_of_the_answers_the_decision_is_about():
    from verigrad.reporting.stages import stages_block

    suite = {
        "suite": "sums",
        "greedy": {"before": {"strict": 0.25}, "after": {"strict": 0.75}},
        "sampled": {"before": {"strict": 0.375, "count": 40}, "after": {"strict": 0.5, "count": 40}},
        "decision": {"verdict": "accepted", "gain": 0.125, "why": "accepted: sampled gain +0.125"},
    }
    block = stages_block({"stages": [{"stage": 1, "kind": "rl", "verdict": "accepted", "suites": [suite]}]})
    assert "<td>37.5% sampled</td><td>50.0% sampled</td><td>+12.5 points</td>" in block
    suite["decision"]["why"] = "accepted: greedy gain +0.500"
    block = stages_block({"stages": [{"stage": 1, "kind": "rl", "verdict": "accepted", "suites": [suite]}]})
    assert "<td>25.0% greedy</td><td>75.0% greedy</td>" in block
