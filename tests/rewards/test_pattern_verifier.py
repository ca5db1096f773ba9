"""The pattern verifier: which text is matched, both engines mean the same, nothing hangs."""

import contextlib
import importlib.util
import re
import time
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from verigrad.records import Task
from verigrad.rewards import examples, regular
from verigrad.rewards.verifiers import pattern

_spec = importlib.util.spec_from_file_location("structured_answers", Path(__file__).with_name("structured_answers.py"))
table = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(table)
FITS = {"R": ("right",), "N": ("wrong", "unreadable"), "B": ("wrong",), "E": ("ungraded",)}


@pytest.mark.parametrize("i", range(len(table.PATTERN)))
def test_siblings(i):
    gold, answer, wanted = table.PATTERN[i]
    got = pattern.verify(answer, Task.make(prompt="q", gold=gold), seconds=1.0 if wanted == "B" else 30.0)
    assert got.status in FITS[wanted], (answer[:80], got)
    assert got.reason.startswith("broke_check") == (wanted == "B"), got


@pytest.mark.parametrize("text", ["a\n", "a", "b\na", "$a", "\na", ""])
@pytest.mark.parametrize("form", ["^a$", "a$", "[$]a", "\\$a", "[]$]a", "(?m)^a$", "a|b$", "[^]$]a"])
def test_both_engines_mean_the_same(form, text):
    compiled = regular.linear(form)
    slow = regular._slow(form, False)
    for how in ("full", "search"):
        assert regular.matches(compiled, text, how) == regular.matches(slow, text, how), (form, text, how)


@pytest.mark.parametrize(
    "form",
    [
        table.DATE,
        "(ab)\\1",
        "(?:x|y){3,}z?",
        "[^a-z]+",
        "\\w{3}\\s\\d\\D",
        "^start.*end$",
        "(?i:ab)c",
        "a{0}b",
        "(?=a)a",
    ],
)
def test_a_gold_is_checked_by_an_example(form):
    task = Task.make(prompt="q", gold=form)
    assert pattern.check_gold(task) is None
    assert pattern.verify(pattern.gold_answer(task), task).correct


def test_an_example_of_the_data_wins():
    task = Task.make(prompt="q", gold={"pattern": "(?=b)[ab]", "example": "b"})
    assert pattern.gold_answer(task) == "<answer>b</answer>"
    assert pattern.verify(pattern.gold_answer(task), task).correct


def test_time_grows_with_the_text_and_no_faster():
    for form in ("(a+)+b", "(a|a)*b", "(.*a){20}"):
        task = Task.make(prompt="q", gold=form)
        begun = time.perf_counter()
        assert not pattern.verify("a" * 90_000 + "c", task).correct
        assert time.perf_counter() - begun < 5


@settings(max_examples=150, deadline=None)
@given(st.text(alphabet="ab()[]*+?|\\$^.{}12,\n", max_size=14), st.text(alphabet="ab1\n$", max_size=8))
def test_any_pattern_is_refused_or_means_what_re_says(form, text):
    if regular.refused(form):
        return
    compiled = regular.linear(form)
    if compiled is None:
        return
    try:
        own = regular._slow(form, False)
    except re.error:
        return
    # RE2 and re differ on the value of an empty repetition inside a group, never on plain classes and literals
    if not re.search(r"[*+?}][*+?{]|\(\)|\\[^\w$^.]|\\[a-zA-Z0-9]|\{,|\^|\$|\|[*+?)|]|\([*+?|)]", form):
        assert regular.matches(compiled, text, "full") == (own.fullmatch(text) is not None)


@settings(max_examples=100, deadline=None)
@given(st.text(max_size=60))
def test_no_answer_raises(text):
    assert pattern.verify(text, Task.make(prompt="q", gold="[a-z]+")).status != "ungraded"


@settings(max_examples=100, deadline=None)
@given(st.text(alphabet="ab()[]*+?|\\$^.{}12,-", max_size=14))
def test_an_example_is_made_or_refused(form):
    with contextlib.suppress(examples.NoExample):
        assert isinstance(examples.of_pattern(form), str)
