"""The word lists: no word of two kinds, no family on two sides, nothing shared by the two suites, balance and sizes."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from itertools import combinations

import pytest

from verigrad.data import check_leaks, split
from verigrad.data.builtin import word_kinds, word_kinds_new
from verigrad.data.sources import load_source

HELD_OUT = 0.33


def words(rows):
    return [row["word"].casefold() for row in rows]


@pytest.mark.parametrize("module", [word_kinds, word_kinds_new])
def test_no_word_stands_twice_whatever_its_kind(module):
    assert [word for word, n in Counter(words(module.rows())).items() if n > 1] == []


@pytest.mark.parametrize(("module", "a_kind"), [(word_kinds, 148), (word_kinds_new, 30)])
def test_kinds_are_equally_many(module, a_kind):
    assert Counter(row["gold"] for row in module.rows()) == dict.fromkeys(word_kinds.KINDS, a_kind)


def test_no_new_name_has_a_word_of_the_first_list():
    known = {part.rstrip("s") for word in words(word_kinds.rows()) for part in word.split()}
    assert [w for w in words(word_kinds_new.rows()) if known & {part.rstrip("s") for part in w.split()}] == []


@pytest.mark.parametrize("module", [word_kinds, word_kinds_new])
def test_no_example_is_a_question(module):
    shown = {word.casefold() for m in (word_kinds, word_kinds_new) for word in m.EXAMPLES}
    asked = {part for word in words(module.rows()) for part in (word, *word.split())}
    assert shown & asked == set()


@pytest.mark.parametrize("module", [word_kinds, word_kinds_new])
def test_examples_show_each_kind_once_and_the_word_comes_last(module):
    assert sorted(module.EXAMPLES.values()) == sorted(word_kinds.KINDS)
    for row in module.rows():
        assert row["prompt"].splitlines()[-1] == module.QUESTION.format(word=row["word"])
        assert row["gold"] in row["choices"]


def test_spellings_and_plurals_of_one_word_are_one_family():
    rows = word_kinds.rows()
    families = {row["word"].casefold(): row["family"] for row in rows}
    for a, b in combinations(sorted(families), 2):
        if b in (a + "s", a + "es"):
            assert families[a] == families[b]
    assert families["melon"] == families["watermelon"]
    assert families["actor"] == families["actress"]


def test_the_split_holds_out_about_200_balanced_words_and_leaks_nothing():
    source = replace(load_source("word_kinds"), held_out=HELD_OUT)
    cut = split([source], suites=[load_source("word_kinds_new")])
    check_leaks(cut)
    sides = [side["word_kinds"] for side in (cut.train, cut.validation, cut.held_out)]
    assert sum(map(len, sides)) == 592
    for a, b in combinations(sides, 2):
        assert {task.family for task in a} & {task.family for task in b} == set()
    kinds = Counter(task.gold for task in cut.held_out["word_kinds"])
    assert sum(kinds.values()) >= 200
    assert max(kinds.values()) / sum(kinds.values()) < 0.3
