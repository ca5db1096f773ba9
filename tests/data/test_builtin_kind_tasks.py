"""The built-in tasks of the kinds schema, choice, code and logic: what is asked, what is right, what a family keeps."""

from __future__ import annotations

import importlib
import json
import re
from collections import Counter
from dataclasses import replace
from itertools import combinations

import pytest

from verigrad.data import check_leaks, split
from verigrad.data.builtin import (
    json_extraction,
    json_extraction_new,
    multiple_choice,
    multiple_choice_new,
    small_functions,
    small_functions_new,
    smt_bounds,
    smt_bounds_new,
    word_kinds,
    word_kinds_new,
)
from verigrad.data.sources import load_source

FIRST = ("json_extraction", "multiple_choice", "small_functions", "smt_bounds")
HELD_OUT = {"json_extraction": 0.2, "multiple_choice": 0.2, "small_functions": 0.2, "smt_bounds": 0.2}


@pytest.mark.parametrize("name", [*FIRST, *(f"{n}_new" for n in FIRST)])
def test_rows_are_the_same_at_every_call_and_no_question_comes_twice(name):
    module = importlib.import_module(f"verigrad.data.builtin.{name}")
    rows = module.rows()
    assert rows == module.rows()
    assert len({row["prompt"] for row in rows}) == len(rows)


@pytest.mark.parametrize("name", FIRST)
def test_the_split_cuts_between_families_and_the_second_suite_leaks_nothing(name):
    cut = split([replace(load_source(name), held_out=HELD_OUT[name])], suites=[load_source(f"{name}_new")])
    check_leaks(cut)
    sides = [side[name] for side in (cut.train, cut.validation, cut.held_out)]
    for a, b in combinations([*sides, cut.suites[f"{name}_new"]], 2):
        assert not {task.family for task in a} & {task.family for task in b}
    assert len(cut.train[name]) >= 80
    assert len({task.family for task in cut.held_out[name]}) >= 20


# Multiple choice


@pytest.mark.parametrize("module", [multiple_choice, multiple_choice_new])
def test_a_word_stands_in_one_set_of_four_and_the_letters_are_spread(module):
    rows = module.rows()
    sets = {row["family"]: frozenset(row["gold"]["choices"].values()) for row in rows}
    words = [word for four in sets.values() for word in four]
    assert len(words) == len(set(words)) == 4 * len(sets)
    letters = Counter(row["gold"]["answer"] for row in rows)
    assert set(letters) == set("ABCD")
    assert max(letters.values()) < 0.4 * len(rows)


@pytest.mark.parametrize(("module", "lists"), [(multiple_choice, word_kinds), (multiple_choice_new, word_kinds_new)])
def test_the_gold_is_the_one_word_of_the_kind_asked(module, lists):
    kinds = {row["word"]: row["gold"] for row in lists.rows()}
    for row in module.rows():
        choices = row["gold"]["choices"]
        assert sorted(kinds[word] for word in choices.values()) == sorted(word_kinds.KINDS)
        assert kinds[choices[row["gold"]["answer"]]] == row["asked"]
        listed = "\n".join(f"{letter}) {word}" for letter, word in choices.items())
        assert row["prompt"].endswith(f"{module.QUESTIONS[row['asked']]}\n{listed}\nAnswer:")


def test_the_solved_questions_are_right_and_ask_none_of_the_words():
    asked = {word.casefold() for m in (word_kinds, word_kinds_new) for word in (row["word"] for row in m.rows())}
    assert sorted(kind for kind, _ in multiple_choice.EXAMPLES) == sorted(word_kinds.KINDS)
    for _, words in multiple_choice.EXAMPLES:
        assert not {word.casefold() for word in words} & asked
    shown = multiple_choice.rows()[0]["prompt"]
    assert re.findall(r"Answer: (\w+)\n", shown) == ["dog", "Peru", "pasta", "doctor"]


# JSON


@pytest.mark.parametrize("module", [json_extraction, json_extraction_new])
def test_a_fact_is_in_the_sentence_and_what_is_not_is_null(module):
    missing = 0
    for row in module.rows():
        sentence = re.findall(r"^Text: (.*)$", row["prompt"], re.MULTILINE)[-1]
        value, schema = row["gold"]["value"], row["gold"]["schema"]
        assert row["prompt"].endswith(f"Keys: {', '.join(value)}\nJSON:")
        assert list(value) == list(schema["properties"]) == schema["required"]
        for key, fact in value.items():
            kinds = schema["properties"][key]["type"]
            assert fact is None or re.search(rf"(?<!\w){re.escape(str(fact))}(?!\w)", sentence)
            assert fact is None or kinds[0] == ("integer" if isinstance(fact, int) else "string")
        missing += None in value.values()
    assert 0.15 < missing / len(module.rows()) < 0.4


def test_names_are_no_other_fact_and_no_example():
    names, authors = json_extraction.NAMES.split(), json_extraction_new.AUTHORS.split()
    others = {word for words in json_extraction.WORDS.values() for word in words.split()}
    shown = json.dumps(json_extraction.EXAMPLES)
    assert len({*names, *authors}) == len(names) + len(authors)
    assert not {*names, *authors} & others
    assert not [name for name in (*names, *authors) if re.search(rf"\b{name}\b", shown)]


# Functions


@pytest.mark.parametrize("module", [small_functions, small_functions_new])
def test_a_solution_gives_every_out_and_the_first_call_is_shown(module):
    for row in module.rows():
        space: dict = {}
        exec(row["solution"], space)
        tests = row["gold"]["tests"]
        for test in tests:
            out = space["f"](*test["args"])
            assert (type(out), out) == (type(test["out"]), test["out"]), row["family"]
            assert json.loads(json.dumps(test)) == test
        assert len(tests) == small_functions.TESTS
        (argument,) = tests[0]["args"]
        assert row["prompt"].endswith(f"\n# f({argument!r}) == {tests[0]['out']!r}\n")
        assert row["visible_tests"] == 1


@pytest.mark.parametrize("module", [small_functions, small_functions_new])
def test_no_constant_and_no_other_solution_passes_the_calls(module):
    rows = module.rows()
    for row in rows:
        hidden = [test["out"] for test in row["gold"]["tests"][row["visible_tests"] :]]
        assert len({json.dumps(out) for out in hidden}) > 1, row["family"]
    functions: dict = {}
    for row in rows:
        space: dict = {}
        exec(row["solution"], space)
        functions[row["family"]] = space["f"]
    for row in rows:
        kind = type(row["gold"]["tests"][0]["args"][0])
        for family, function in functions.items():
            if family == row["family"] or not _takes(rows, family, kind):
                continue
            outs = [function(*test["args"]) for test in row["gold"]["tests"]]
            assert json.dumps(outs) != json.dumps([test["out"] for test in row["gold"]["tests"]]), (
                f"{family} passes for {row['family']}"
            )


def _takes(rows, family, kind):
    return next(type(r["gold"]["tests"][0]["args"][0]) for r in rows if r["family"] == family) is kind


# SMT


@pytest.mark.parametrize("module", [smt_bounds, smt_bounds_new])
def test_exactly_the_numbers_of_the_family_satisfy_the_assertions(module):
    for row in module.rows():
        low, high = map(int, row["family"].split(" to "))
        assertions = re.findall(r"^\(assert (.*)\)$", row["gold"]["constraints"], re.MULTILINE)
        right = [x for x in range(low - 5, high + 6) if all(_holds(text, x) for text in assertions)]
        assert right == list(range(low, high + 1)), row["gold"]
        assert row["gold"]["value"] == low
        asked = row["gold"]["constraints"].partition("\n")[2]
        assert row["prompt"].endswith(f"\n\n{asked}\nx =")


def test_the_solved_assertions_hold():
    for *assertions, number in smt_bounds.EXAMPLES:
        assert all(_holds(text, number) for text in assertions)


def _holds(text: str, x: int) -> bool:
    """An SMT-LIB formula over x, read by a few lines of its own."""
    tokens = re.findall(r"[()]|[^\s()]+", text)

    def read():
        token = tokens.pop(0)
        if token != "(":
            return x if token == "x" else int(token)
        name, values = tokens.pop(0), []
        while tokens[0] != ")":
            values.append(read())
        tokens.pop(0)
        return OPERATORS[name](*values)

    return bool(read())


OPERATORS = {
    ">": lambda a, b: a > b,
    "<": lambda a, b: a < b,
    ">=": lambda a, b: a >= b,
    "<=": lambda a, b: a <= b,
    "=": lambda a, b: a == b,
    "-": lambda a: -a,
    "not": lambda a: not a,
    "and": lambda a, b: a and b,
    "or": lambda a, b: a or b,
}
