"""Faults planted in the math verifier: the grader must catch every one of them on a table of answers."""

import pytest

from verigrad.acceptance.graders import math as grader
from verigrad.records import Task
from verigrad.rewards.mathematics import comparing, scalars
from verigrad.rewards.mathematics.trees import Based, Bracketed, Collection, Scalar
from verigrad.rewards.verifiers import math as verifier

TABLE = [
    ("37", "37"), ("37", "The answer is 37."), ("37", "38"), ("37", "-37"), ("37", "37%"), ("37", "30 + 7"),
    ("37", "\\boxed{30 + 7}"), ("37", "36 or 37"), ("37", "\\boxed{36, 37}"), ("37", "37.01"), ("20000", "20001"),
    ("\\frac{3}{4}", "0.75"), ("\\frac{3}{4}", "75%"), ("\\frac{3}{4}", "75"), ("\\sqrt{2}", "-\\sqrt{2}"),
    ("\\sqrt{2}", "\\boxed{\\sqrt{2}}"), ("\\sqrt{2}", "1.414"), ("\\{2, 5\\}", "\\{5, 2\\}"),
    ("\\{2, 5\\}", "\\{2, 5, 9\\}"), ("\\{2, 5\\}", "\\{2\\}"), ("\\{2, 5\\}", "(2, 5)"), ("(2, 5)", "(2, 5)"),
    ("(2, 5)", "(5, 2)"), ("(0, 6)", "[0, 6)"), ("[0, 6)", "[0, 6)"), ("25_8", "25_8"), ("25_8", "25_6"),
    ("5 \\text{ cm}", "5 cm"), ("5 \\text{ m}", "5 cm"), ("5 \\text{ m}", "5 m"), ("x + 1", "1 + x"),
    ("x + 1", "x - 1"),
]  # fmt: skip


def _percent_and_unit_dropped(patch):
    patch.setattr(scalars, "_factors", lambda gold, answer, policy: (None,))


def _unevaluated_accepted(patch):
    patch.setattr(scalars, "demanded", lambda gold, answer, policy: None)


def _last_of_several_accepted(patch):
    def scalar(gold, answer, policy):
        last = answer.items[-1] if isinstance(answer, Collection) else answer
        return isinstance(last, Scalar) and scalars.same(gold, last, policy)

    patch.setitem(comparing._RULES, Scalar, scalar)


def _extra_members_accepted(patch):
    def collection(gold, answer, policy):
        return isinstance(answer, Collection) and all(
            any(comparing.right(g, a, policy) for a in answer.items) for g in gold.items
        )

    patch.setitem(comparing._RULES, Collection, collection)


def _brackets_ignored(patch):
    def bracketed(gold, answer, policy):
        return isinstance(answer, Bracketed) and all(
            comparing.right(g, a, policy) for g, a in zip(gold.items, answer.items, strict=False)
        )

    patch.setitem(comparing._RULES, Bracketed, bracketed)


def _base_dropped(patch):
    patch.setitem(
        comparing._RULES, Based, lambda gold, answer, policy: isinstance(answer, Based) and gold.digits == answer.digits
    )


def _tolerant(patch):
    whole = scalars._equal

    def equal(gold, answer, factor, policy):
        one, two = scalars.exact(gold), scalars.exact(answer)
        near = one is not None and two is not None and abs(one - two) <= abs(one) / 1000
        return near or whole(gold, answer, factor, policy)

    patch.setattr(scalars, "_equal", equal)


def _sign_lost(patch):
    whole = scalars.same

    def same(gold, answer, policy):
        bare = [Scalar(s.node.args[0] if s.node.op == "neg" else s.node, s.unit) for s in (gold, answer)]
        return whole(bare[0], bare[1], policy)

    patch.setattr(scalars, "same", same)


FAULTS = {
    "percent and unit dropped": _percent_and_unit_dropped,
    "unevaluated accepted": _unevaluated_accepted,
    "last of several accepted": _last_of_several_accepted,
    "extra members accepted": _extra_members_accepted,
    "brackets ignored": _brackets_ignored,
    "base dropped": _base_dropped,
    "relative tolerance 1e-3": _tolerant,
    "sign lost": _sign_lost,
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
