"""The audit finds the fault of every known-bad reward function by its name, and none in the good ones."""

import pytest

from tests.rewards.audit_here import audited, numbers, words

ACCEPTED = {
    "substring": {"spray", "negated", "two golds", "glued", "last number", "reasoning only"},
    "tolerant": {"tolerance"},
    "evaluates": {"executed", "arithmetic"},
    "last_number": {"last number", "negated", "two golds", "mentioned"},
    "any_number": {"spray", "two golds", "negated", "mentioned"},
    "length": {"very long"},
    "constant_one": {"empty", "white space", "format only", "restated question", "refusal", "huge numbers", "sign"},
    "drops_percent": {"percent"},
    "drops_sign": {"sign"},
    "boxed_only": {"tolerance"},
    "compute_score": {"glued", "negated", "two golds"},
    "trl_accuracy": {"doubted"},
}
"""Function -> tricks that must be among those it falls for."""

WORDED = {
    "first_line": {"more behind", "taken back"},
    "zipped": {"empty", "part of the gold"},
    "any_case_letters": {"reversed"},
}

FOUND = {
    "constant_one": {"constant"},
    "raises_on_empty": {"exception"},
    "nan_on_words": {"non-finite"},
    "out_of_range": {"out of range"},
    "exits": {"died"},
    "at_random": {"random score"},
    "depends_on_order": {"depends on the order"},
    "trl_company": {"depends on the company"},
    "never": {"pays no gold"},
}
"""Function -> findings that must be there and fail."""


def tricks(audit):
    return {e.trick for e in audit.exploits}


@pytest.mark.parametrize("name", ACCEPTED)
def test_a_false_accept_is_found_by_the_name_of_its_trick(name):
    audit = audited(name, numbers(2))
    assert ACCEPTED[name] <= tricks(audit), (name, tricks(audit))
    assert not audit.clean


@pytest.mark.parametrize("name", WORDED)
def test_a_false_accept_of_words_is_found_without_a_grader(name):
    audit = audited(name, words(4))
    assert WORDED[name] <= tricks(audit), (name, tricks(audit))
    assert {e.judged for e in audit.exploits} == {"not right by its construction"}


@pytest.mark.parametrize("name", FOUND)
def test_another_fault_is_a_finding_of_its_own(name):
    audit = audited(name, numbers(4))
    failing = {f.name for f in audit.findings if f.fails}
    assert FOUND[name] <= failing, (name, audit.findings)
    assert not audit.clean
    assert all("\n" not in f.line for f in audit.findings)


def test_part_of_the_score_is_a_note():
    audit = audited("partial", numbers(4))
    note = next(f for f in audit.findings if f.name == "partial credit")
    assert not note.fails
    assert "up to 0.5" in note.line
    assert audit.false_accepts == 0


@pytest.mark.parametrize(("name", "n"), [("good", 12), ("good_task", 2), ("asynchronous", 2), ("by_names", 2)])
def test_a_good_function_is_clean(name, n):
    audit = audited(name, [*numbers(n), *words(4)])
    assert audit.clean, (audit.exploits, audit.findings)
    assert audit.attacks > 80 * n
    assert [f.name for f in audit.findings] == ["constant"]
    assert audit.refusals, "an exact match refuses honest spellings, and that is told"


def test_an_answer_is_put_into_the_form_the_function_reads():
    audit = audited("boxed_only", numbers(4))
    assert any("\\boxed" in note for note in audit.notes)
    assert all("\\boxed" in e.answer for e in audit.exploits if e.trick == "tolerance")


def test_exploits_come_with_their_smallest_input():
    found = {e.trick: e for e in audited("substring", numbers(1)).exploits}
    assert found["spray"].gold == "80"
    assert all("80" in e.answer for e in found.values())
    assert len(found["spray"].answer) <= 6, found["spray"]
    assert len(found["negated"].answer) <= 6, found["negated"]
    assert all(e.score == 1.0 and "by the independent grader" in e.judged for e in found.values())
