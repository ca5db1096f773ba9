"""Manner pairs: the same right answer twice, read by verifier and grader alike, on questions of their own."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from verigrad.acceptance import graders
from verigrad.acceptance.task_format import bare
from verigrad.data import check_leaks, demonstrations, load_source, pairs, split
from verigrad.data.builtin import find
from verigrad.data.use import Use
from verigrad.rewards import kind

ASKED_ELSEWHERE = ("arithmetic", "arithmetic_new", "times_table", "times_table_new")


def answers():
    manner = [(p.task, text) for p in pairs(tasks("manner_pairs", "preference")) for text in (p.chosen, p.rejected)]
    return manner + [(d.task, d.answer) for d in demonstrations(tasks("manner_demos", "sft"))]


def tasks(name, of_kind):
    return load_source(name, use=Use(kind=of_kind)).tasks


def test_every_answer_is_right_for_verifier_and_grader():
    assert len(answers()) == 3 * 360
    for task, text in answers():
        assert kind("number").verify(text, task).status == "right", text
        assert graders.module("number").grade(text, task).strict == "right", text


def test_the_way_shown_adds_up():
    """Every "A and B make C", "A less B is C" and "A times B is C" of the sentences holds."""
    words = {"and": int.__add__, "less": int.__sub__, "times": int.__mul__}
    seen = 0
    for _, text in answers():
        for a, word, b, c in re.findall(r"(\d+) (and|less|times) (\d+) (?:make|is) (\d+)", text):
            assert words[word](int(a), int(b)) == int(c), text
            seen += 1
    assert seen > 500


def test_the_better_answer_explains_and_the_worse_is_the_bare_number():
    found = pairs(tasks("manner_pairs", "preference"))
    assert len(found) == 360
    for pair in found:
        assert pair.rejected == str(pair.task.gold)
        assert not bare(pair.chosen)
        assert pair.chosen.endswith(f", so the answer is {pair.task.gold}.")
        assert len(pair.chosen) < 100


@pytest.mark.parametrize("name", ["manner_pairs", "manner_demos"])
@pytest.mark.parametrize("other", [*ASKED_ELSEWHERE, "manner_pairs", "manner_demos"])
def test_no_question_is_one_of_another_source(name, other):
    families = [row["family"] for row in find(name).rows()]
    assert len(set(families)) == len(families) == 360
    if name != other:
        assert not set(families) & {row["family"] for row in find(other).rows()}


def test_trained_on_whole_beside_what_is_held_out_elsewhere():
    manner = load_source("manner_pairs", use=Use(kind="preference"))
    check_leaks(
        split([manner, replace(load_source("arithmetic"), held_out=0.2)], suites=[load_source("arithmetic_new")])
    )
