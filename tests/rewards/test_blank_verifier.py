"""The blank verifier and its grader on golds x answers, alternatives, golds that are none, and any text."""

import importlib.util
import time
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from verigrad.records import Task
from verigrad.rewards.verifiers import blank

_spec = importlib.util.spec_from_file_location("blank_cases", Path(__file__).with_name("blank_cases.py"))
cases = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(cases)
STATUS = {"R": ("right",), "W": ("wrong",), "U": ("unreadable",), "N": ("wrong", "unreadable")}


def verdict(answer, gold, **options):
    return blank.verify(answer, Task.make(prompt="Fill in.", gold=gold), **options)


@pytest.mark.parametrize(("status", "gold", "answer"), cases.rows())
def test_cases(status, gold, answer):
    got = verdict(answer, gold)
    assert got.status in STATUS[status], got


def test_any_of_the_alternatives_is_right_and_no_other():
    gold = ["crimson", "navy"]
    assert verdict("Navy", gold).status == "right"
    assert verdict("crimson", gold).status == "right"
    assert verdict("crimson, navy", gold).status == "wrong"
    assert verdict("teal", gold).status == "wrong"
    asked = Task.make(prompt="", gold=gold)
    assert blank.verify(blank.gold_answer(asked), asked).status == "right"


def test_case_counts_only_where_the_option_says_so():
    assert verdict("SILVER", "silver").status == "right"
    assert verdict("SILVER", "silver", case=True).status == "wrong"
    assert verdict("silver", "silver", case=True).status == "right"


@pytest.mark.parametrize("gold", [None, [], "", [""], " ", True, {"a": 1}, 3.5, ["a", None], ["x"] * 2000, "."])
def test_a_gold_that_is_no_text_is_ungraded(gold):
    asked = Task.make(prompt="", gold=gold)
    got = blank.verify("x", asked)
    if gold == ".":
        assert got.status == "wrong"
    else:
        assert got.status == "ungraded"
        assert blank.check_gold(asked)


@pytest.mark.parametrize(
    "answer", ["silver " * 60_000, "is " * 100_000, "<answer>" * 40_000, "silver\n" * 50_000, "*" * 390_000]
)
def test_hostile_answers_return_quickly(answer):
    begun = time.perf_counter()
    assert verdict(answer, "gold").status in ("wrong", "unreadable")
    assert time.perf_counter() - begun < 2.0


def test_a_span_beyond_our_limit_is_the_answers_fault():
    assert verdict("<answer>" + "a" * 5000 + "</answer>", "gold").reason.startswith("broke_check")


@settings(max_examples=200, deadline=5000)
@given(st.text(max_size=60), st.text(max_size=20))
def test_any_text_is_judged_and_a_readable_gold_passes(answer, gold):
    asked = Task.make(prompt="", gold=gold)
    got = blank.verify(answer, asked)
    assert (got.status == "ungraded") == (blank.check_gold(asked) is not None)
    word = "q" + "".join(c for c in gold if c.isalnum()) + "z"
    asked = Task.make(prompt="", gold=word)
    assert blank.verify(word, asked).status == "right"
    assert blank.verify(word + "z", asked).status == "wrong"
