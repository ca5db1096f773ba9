"""Asking the killable process: a break is retried beside a probe, and only then is it anybody's fault."""

import pytest

from verigrad.rewards.mathematics import asking, lexing, writing
from verigrad.rewards.mathematics.expressions import expression
from verigrad.sandbox import Outcome


def node(text):
    return expression(lexing.tokens(writing.spell(text)))


class Scripted:
    """A worker that replies from a list."""

    def __init__(self, *replies):
        self.replies, self.running, self.restarts = list(replies), True, 0

    def call(self, target, args, *, seconds, folder=None):
        if args == [asking._WARM, asking._WARM]:
            return Outcome(kind="value", value=True)
        return self.replies.pop(0)

    def restart(self):
        self.restarts += 1


BROKEN = Outcome(kind="timed_out", error="no answer in 5 s")
YES, NO = Outcome(kind="value", value=True), Outcome(kind="value", value=False)


def test_a_reply_is_taken_as_it_is():
    assert asking._on(Scripted(YES), [], []) is True
    assert asking._on(Scripted(NO), [], []) is False


def test_a_passing_break_is_retried_in_a_fresh_process():
    worker = Scripted(BROKEN, YES, YES)
    assert asking._on(worker, [], []) is True
    assert worker.restarts == 1


def test_what_breaks_beside_a_passing_probe_is_the_answers():
    with pytest.raises(asking.Broke, match="timed_out"):
        asking._on(Scripted(BROKEN, YES, BROKEN), [], [])


@pytest.mark.parametrize("probe", [BROKEN, NO])
def test_what_breaks_beside_a_failing_probe_is_ours(probe):
    with pytest.raises(asking.Fault):
        asking._on(Scripted(BROKEN, probe, BROKEN), [], [])


@pytest.mark.parametrize(
    ("one", "two", "same"),
    [
        ("\\sqrt{3+2\\sqrt{2}}", "1+\\sqrt{2}", True),
        ("\\sqrt{3+2\\sqrt{2}}", "1+\\sqrt{3}", False),
        ("\\sin x", "2\\sin\\frac{x}{2}\\cos\\frac{x}{2}", True),
        ("\\sinh x", "\\frac{e^x-e^{-x}}{2}", True),
        ("\\sqrt{x^2}", "x", False),
    ],
)
def test_sympy_proves_or_does_not(one, two, same):
    assert asking.prove(node(one), node(two)) is same
