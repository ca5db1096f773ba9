"""Faults planted in the blank verifier: the grader must catch every one of them on a table of answers."""

import pytest

from verigrad.acceptance.graders import blank as grader
from verigrad.records import Task
from verigrad.rewards.verifiers import blank as verifier

TABLE = [
    ("silver", "silver"), ("silver", "Silver."), ("silver", "<answer>silver</answer>"), ("silver", "gold"),
    ("silver", "The answer is silver."), ("silver", "silver silver"), ("silver", "quicksilver"), ("silver", "silvery"),
    ("silver", "silver or gold"), ("silver", "not silver"), ("silver", "The answer is not silver."),
    ("silver", "silver?"), ("silver", "Is it silver?"), ("silver", "<answer>gold</answer>\n<answer>silver</answer>"),
    (["crimson", "navy"], "navy"), (["crimson", "navy"], "crimson"), (["crimson", "navy"], "crimson navy"),
    (["crimson", "navy"], "teal"), ("New York", "new  york"), ("New York", "York"),
]  # fmt: skip


def _substring(patch):
    patch.setattr(verifier, "_read", lambda span, golds, case, *, boxed: next((g for g in golds if g in span), span))


def _any_word(patch):
    def read(span, golds, case, *, boxed):
        return next((w for w in span.casefold().replace(".", " ").split() if w in golds), span)

    patch.setattr(verifier, "_read", read)


def _first_alternative_only(patch):
    whole = verifier._alternatives
    patch.setattr(
        verifier, "_alternatives", lambda gold, case: whole(gold[0] if isinstance(gold, list) else gold, case)
    )


def _case_counts(patch):
    whole = verifier._plain
    patch.setattr(verifier, "_plain", lambda text, case: whole(text, True))


def _conflict_unseen(patch):
    whole = verifier.extract.committed
    patch.setattr(
        verifier.extract, "committed", lambda text, read, bare, same: whole(text, read, bare, lambda a, b: True)
    )


def _questions_and_denials_read(patch):
    def read(span, golds, case, *, boxed):
        return verifier._folded(span.replace("?", "").split(" is ")[-1].replace("not ", ""), case)

    patch.setattr(verifier, "_read", read)


FAULTS = {
    "substring": _substring,
    "any word": _any_word,
    "first alternative only": _first_alternative_only,
    "case counts": _case_counts,
    "conflict unseen": _conflict_unseen,
    "questions and denials read": _questions_and_denials_read,
}


def contradicted():
    found = []
    for gold, answer in TABLE:
        task = Task.make(prompt="q", gold=gold)
        if (verifier.verify(answer, task).status == "right") != (grader.grade(answer, task).strict == "right"):
            found.append((gold, answer))
    return found


def test_the_sound_verifier_is_not_contradicted():
    assert contradicted() == []


@pytest.mark.parametrize("fault", FAULTS)
def test_a_planted_fault_is_caught(fault, monkeypatch):
    FAULTS[fault](monkeypatch)
    assert contradicted()
