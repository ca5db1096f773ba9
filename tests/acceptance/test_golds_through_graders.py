"""Golds through their graders: the spellings, what is passed over, what is told, and the clock."""

import time

import pytest

from verigrad.acceptance import check_golds, open_grader
from verigrad.acceptance.golds import Probe, spellings
from verigrad.records import Grade, Task


def tasks(*golds, **columns):
    return [Task.make(prompt=f"q{i}", gold=g, columns=columns) for i, g in enumerate(golds)]


@pytest.mark.parametrize(
    ("grader", "read", "unread"),
    [
        ("number", ["80", 80, 0.5, "50%", "1/2", "Natalia sold 24.\n#### 72", None], ["abcdefgh", [80], "80!", True]),
        ("math_verify", [r"\sqrt{3}", "x^2 + 1", "(1, 2)", "80", None], ["a long tale of woe", "", [1]]),
        ("choice", ["animal", 0, "food", None], ["drink", 2]),
    ],
)
def test_built_in(grader, read, unread):
    columns = {"choices": "animal|food"} if grader == "choice" else {}
    with open_grader(grader) as opened:
        assert check_golds(opened.unaccepted, tasks(*read, **columns)).unaccepted == ()
        found = check_golds(opened.unaccepted, tasks(*unread, **columns))
    assert [u.task.gold for u in found.unaccepted] == unread
    assert all(u.reason.startswith(("ungraded: ", "wrong", "unreadable: ")) for u in found.unaccepted)
    assert found.seen == len(unread)


def test_every_gold_of_choice_is_shown_in_its_own_words():
    golds = [{"answer": "B, D", "choices": "ABCD"}, {"answer": "ACD", "choices": "ABCD"}]
    with open_grader("choice") as opened:
        assert check_golds(opened.unaccepted, tasks(*golds)).unaccepted == ()


def test_spellings():
    assert spellings(Task.make(prompt="q", gold="80")) == (
        "80", "#### 80", r"\boxed{80}", "<answer>80</answer>", "The answer is 80.", "```\n80\n```",
    )  # fmt: skip
    said = spellings(Task.make(prompt="q", gold={"answer": True, "of": [1]}))
    assert {'{"answer": true, "of": [1]}', r"\boxed{true}"} <= set(said)
    assert {"[1.5]", "#### [1.5]"} <= set(spellings(Task.make(prompt="q", gold=[1.5])))
    assert {"true", "True"} <= set(spellings(Task.make(prompt="q", gold=True)))
    assert "72" in spellings(Task.make(prompt="q", gold="so\n#### 72"))


def test_the_spelling_that_was_right_is_tried_first():
    asked = []

    def say(answer, task):
        asked.append(answer)
        status = "right" if answer == f"\\boxed{{{task.gold}}}" else "unreadable"
        return Grade(strict=status, lenient=status)

    probe = Probe(say)
    found = check_golds(probe, tasks(*map(str, range(100))))
    assert (found.unaccepted, found.seen) == ((), 100)
    assert len(asked) == 3 + 99


def test_the_reason_is_that_of_the_gold_as_it_stands():
    probe = Probe(lambda answer, task: f"KeyError: {answer!r}")
    assert probe(tasks("80")[0]) == "KeyError: '80'"


def test_the_clock_ends_it_between_golds():
    def slow(task):
        time.sleep(0.06)
        return "no"

    found = check_golds(slow, tasks(*map(str, range(50))), seconds=0.1)
    assert found.seen == len(found.unaccepted) == 2
