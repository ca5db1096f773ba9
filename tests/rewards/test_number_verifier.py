"""The number verifier on answers x golds, on the copied cases, on random text, and against hostile sizes."""

import importlib.util
import json
import time
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from verigrad.records import Task
from verigrad.rewards.verifiers import number

_spec = importlib.util.spec_from_file_location("answers_for_number", Path(__file__).with_name("answers.py"))
answers = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(answers)
STATUS = {"R": "right", "W": "wrong", "U": "unreadable", "X": "ungraded"}
CASES = [
    json.loads(line) for line in (Path(__file__).parents[1] / "cases/verify_number.jsonl").read_text().splitlines()
]
HOSTILE = {
    "digits": "9" * 100_000,
    "boxed digits": "\\boxed{" + "9" * 100_000 + "}",
    "tower": "10^10^10",
    "exponent": "1e999999999",
    "long exponent": "1e" + "9" * 1500,
    "braces": "{" * 100_000,
    "nested boxes": "\\boxed{" * 50_000,
    "closed nested boxes": "\\boxed{" * 20_000 + "80" + "}" * 20_000,
    "many boxes": "\\boxed{1}" * 40_000,
    "lines": "1\n" * 190_000,
    "thinks": "<think>" * 50_000,
    "a megabyte": "80 " * 350_000,
    "cues": "answer is 80 " * 30_000,
    "hashes": "#### 80\n" * 40_000,
    "tags": "<answer>80</answer>" * 20_000,
    "fractions": "\\frac{" * 60_000,
    "equals": "=5" * 100_000,
    "sentences": "80. " * 90_000,
    "thousands": "1,234" * 70_000,
    "minuses": "-" * 390_000,
    "spaces": "answer is" + " " * 390_000 + "80",
    "annotations": "<<" * 190_000,
}


def rows(text, columns):
    lines = [line.replace("\\n", "\n") if "\\ne" not in line else line for line in text.strip("\n").split("\n")]
    return [(STATUS[line[0]], *line[2:].split("|", columns - 1)) for line in lines]


def task(gold, prompt="How many?"):
    return Task.make(prompt=prompt, gold=gold)


def verdict(answer, gold, **options):
    return number.verify(answer, task(gold), **options)


def test_the_tables_are_as_large_as_they_claim():
    assert len(rows(answers.EIGHTY, 1)) + len(rows(answers.OTHERS, 2)) >= 150


@pytest.mark.parametrize(("status", "answer"), rows(answers.EIGHTY, 1))
def test_gold_eighty(status, answer):
    got = number.verify(answer, task(80, answers.PROMPT))
    assert got.status == status, got
    assert (got.read is not None) == (status in ("right", "wrong"))
    assert number.verify(answer, task("80", answers.PROMPT)) == got


@pytest.mark.parametrize(("status", "gold", "answer"), rows(answers.OTHERS, 2))
def test_other_golds(status, gold, answer):
    got = verdict(answer, gold)
    assert got.status == status, got
    assert (number.check_gold(task(gold)) is not None) == (status == "ungraded")


@pytest.mark.parametrize("case", CASES, ids=[c["id"] for c in CASES])
def test_public_cases(case):
    got = number.verify(case["completion"], Task.make(prompt=case["problem"], gold=case["truth"]))
    wanted = {True: ("right",), False: ("wrong", "unreadable"), "error": ("ungraded",)}[case["expected"]]
    assert got.status in wanted, (case["why"], got)


@pytest.mark.parametrize("gold", [None, True, [80], {"answer": 80}, float("nan"), float("inf"), 10**500])
def test_a_gold_that_is_no_number_is_ungraded(gold):
    assert verdict("80", gold).status == "ungraded"


@pytest.mark.parametrize(
    ("gold", "answer", "plain", "rounding"),
    [
        ("16.7", "\\frac{50}{3}", "wrong", "right"),
        ("16.7", "16.6667", "wrong", "right"),
        ("16.7", "16.76", "wrong", "wrong"),
        ("16.7", "17", "wrong", "wrong"),
        ("0.5", "0.51", "wrong", "wrong"),
        ("16.7", "16.70", "right", "right"),
    ],
)
def test_rounding_to_the_gold_is_an_option_and_off(gold, answer, plain, rounding):
    assert verdict(answer, gold).status == plain
    assert verdict(answer, gold, round_to_gold=True).status == rounding


def test_lowest_terms_are_an_option_and_off():
    assert verdict("6/8", "3/4").status == "right"
    assert verdict("6/8", "3/4", reduced=True).status == "wrong"
    assert verdict("3/4", "3/4", reduced=True).status == "right"


@pytest.mark.parametrize(
    ("prompt", "gold", "answer", "status"),
    [
        ("What is 3 / 8?", "0.375", "3/8", "unreadable"),
        ("Write 50% as a decimal.", "0.5", "50%", "unreadable"),
        ("Write 50% as a decimal.", "0.5", "0.5", "right"),
        ("Simplify 6/8.", "3/4", "6/8", "unreadable"),
        ("Simplify 6/8.", "3/4", "3/4", "right"),
        ("Which is larger, 3/4 or 2/3?", "3/4", "3/4", "right"),
        (
            "A shop has 80 apples and sells 20 of 20 rotten ones. How many were there?",
            "80",
            "A shop has 80",
            "unreadable",
        ),
        ("What is 80 + 0?", "80", "80", "right"),
        ("What is 13/8 of one?", "3/8", "3/8", "right"),
    ],
)
def test_restating_the_question_earns_nothing(prompt, gold, answer, status):
    assert number.verify(answer, task(gold, prompt)).status == status


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_answers_return_quickly(name):
    begun = time.perf_counter()
    got = number.verify(HOSTILE[name], task(81))
    assert time.perf_counter() - begun < 3.0
    assert got.status in ("wrong", "unreadable")


@pytest.mark.parametrize("answer", ["9" * 401, "1e401", "1e-401", "\\boxed{1e999999}", "8" * 500_000])
def test_our_size_limits_are_the_answers_fault(answer):
    got = verdict(answer, 80)
    assert got.status == "wrong"
    assert got.reason.startswith("broke_check")


def test_sizes_within_the_limits_are_compared_exactly():
    assert verdict("9" * 400, "9" * 400).status == "right"
    assert verdict("1e400", "1e400").status == "right"
    assert verdict("9" * 399 + "8", "9" * 400).status == "wrong"


SPELL = st.sampled_from(
    ["80", "8 * 10", "=", "\\boxed{", "}", "<answer>", "</answer>", "<think>", "</think>", "####", "or"]
)
PIECES = st.lists(
    st.one_of(SPELL, st.text(max_size=8), st.sampled_from(list("0123456789.,/%-+*^{}()$\\ \n"))), max_size=40
)


@settings(max_examples=250, deadline=5000)
@given(PIECES)
def test_any_text_is_judged_without_an_error(pieces):
    got = verdict("".join(pieces), 80)
    assert got.status in ("right", "wrong", "unreadable")
    assert got.status == "unreadable" or got.read is not None or got.reason.startswith("broke_check")


@settings(max_examples=200, deadline=5000)
@given(st.text(max_size=60))
def test_any_gold_is_read_or_ungraded(gold):
    got = verdict("80", gold)
    assert (got.status == "ungraded") == (number.check_gold(task(gold)) is not None)


def renderings(value):
    """Every notation a rational has, spelled by hand here."""
    top, bottom = value.numerator, value.denominator
    sign, size = ("-" if value < 0 else ""), abs(value)
    out = []
    if bottom != 1:
        out += [f"{top}/{bottom}", f"{sign}\\frac{{{abs(top)}}}{{{bottom}}}", f"\\dfrac{{{top}}}{{{bottom}}}"]
        if size > 1:
            whole, rest = divmod(abs(top), bottom)
            out += [f"{sign}{whole} {rest}/{bottom}", f"{sign}{whole}\\frac{{{rest}}}{{{bottom}}}"]
    else:
        out += [f"{top}", f"{top:,}", f"{top}.00", f"{top}e0"]
    if bottom in (1, 2, 4, 5, 10, 20, 100):
        out.append(f"{sign}{size.numerator * (100 // bottom) // 100}.{size.numerator * (100 // bottom) % 100:02d}")
        out.append(f"{top * (100 // bottom)}e-2")
        out.append(f"{top * (100 // bottom)} \\times 10^{{-2}}")
        if 0 < value < 1:
            out.append(f"{top * (100 // bottom)}%")
    return out


RATIONALS = st.builds(Fraction, st.integers(-99_999, 99_999), st.sampled_from([1, 2, 3, 4, 5, 7, 10, 20, 100, 997]))
WRAPS = ["{}", "\\boxed{{{}}}", "<answer>{}</answer>", "The answer is {}.", "#### {}", "so x = {}", "${}$"]


@settings(max_examples=40, deadline=5000)
@given(RATIONALS, RATIONALS)
def test_a_rational_is_right_in_all_its_notations_and_no_other_is(value, other):
    golds = renderings(value)
    gold = golds[0]
    for spelled in golds:
        for wrap in WRAPS:
            answer = wrap.format(spelled)
            got = verdict(answer, gold)
            assert got.status == "right", (answer, gold, got)
            if other != value:
                assert verdict(answer, renderings(other)[0]).status == "wrong", (answer, other)


@settings(max_examples=100, deadline=5000)
@given(RATIONALS)
def test_every_readable_gold_passes_as_its_own_answer(value):
    for gold in renderings(value):
        asked = task(gold)
        assert number.verify(number.gold_answer(asked), asked).status == "right"
