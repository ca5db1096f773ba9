"""Kinds that run programs: judged side by side, at the level the machine gives; whose fault a fault is."""

from __future__ import annotations

import threading
import time
from pathlib import Path
from types import SimpleNamespace

import pytest

from verigrad import sandbox
from verigrad.errors import Refused
from verigrad.recipe import Reward
from verigrad.records import Task, right, ungraded, wrong
from verigrad.rewards import Rewards, judges

TASK = Task.make(prompt="q", gold="good", source="s")


def kind(verify, *, gold_answer=lambda task: task.gold, check_gold=lambda task: None, programs=True):
    return SimpleNamespace(
        RULE="made", OPTIONS={}, PROGRAMS=programs, verify=verify, check_gold=check_gold, gold_answer=gold_answer
    )


def by_gold(answer, task, *, level=None):
    return right(answer, rule="made") if answer == task.gold else wrong(answer, rule="made")


def test_programs_are_judged_side_by_side_and_in_order(monkeypatch):
    monkeypatch.setattr(judges.sandbox, "cores", lambda: 3)
    threads, levels = set(), set()

    def slow(answer, task, *, level):
        threads.add(threading.get_ident())
        levels.add(level)
        time.sleep(0.05)
        return by_gold(answer, task)

    held = judges.BuiltIn(kind(slow), {}, level=3)
    verdicts = held.verify_all([(a, TASK) for a in ("good", "bad", "good", "bad", "good", "worse")])
    assert [v.status for v in verdicts] == ["right", "wrong"] * 3
    assert [v.read for v in verdicts][-1] == "worse"
    assert (held.at_once, levels) == (3, {3})
    assert 1 < len(threads) <= 3
    assert all(v.seconds >= 0.05 for v in verdicts)


def test_quick_kinds_stay_in_one_thread_and_are_given_no_level(monkeypatch):
    monkeypatch.setattr(judges, "_SLOW", 60.0)
    threads = set()

    def quick(answer, task):
        threads.add(threading.get_ident())
        return by_gold(answer, task)

    held = judges.BuiltIn(kind(quick, programs=False), {})
    assert [v.correct for v in held.verify_all([("good", TASK), ("bad", TASK)] * 3)] == [True, False] * 3
    assert threads == {threading.get_ident()}


def test_slow_kinds_go_to_threads_in_order(monkeypatch):
    monkeypatch.setattr(judges.sandbox, "cores", lambda: 4)
    threads = set()

    def slow(answer, task):
        threads.add(threading.get_ident())
        time.sleep(0.06)
        return by_gold(answer, task)

    held = judges.BuiltIn(kind(slow, programs=False), {})
    verdicts = held.verify_all([(a, TASK) for a in ("good", "bad", "good", "bad", "bad")])
    assert [v.correct for v in verdicts] == [True, False, True, False, False]
    assert len(threads) > 2
    assert held.verify_all([]) == []


@pytest.mark.parametrize("least", [2, 3])
def test_the_least_level_is_asked_for_when_the_recipe_is_read(monkeypatch, least):
    asked = []

    def require(level, *, key):
        asked.append((level, key))
        raise Refused("run.sandbox = 3: install bubblewrap", key=key)

    monkeypatch.setattr(judges, "kind", lambda name, *, key: kind(by_gold))
    monkeypatch.setattr(sandbox, "require", require, raising=False)
    with pytest.raises(Refused, match="install bubblewrap"):
        Rewards([Reward(verifier="made")], folder=Path("."), max_tokens=1, sandbox=least)
    assert asked == [(least, "run.sandbox")]


def test_a_kind_that_runs_no_program_asks_for_no_sandbox(monkeypatch):
    def require(level, *, key):
        raise AssertionError("asked")

    monkeypatch.setattr(sandbox, "require", require, raising=False)
    with Rewards([Reward(verifier="number")], folder=Path("."), max_tokens=1, sandbox=3) as held:
        assert held.names == ("number",)


def test_no_answer_leaves_its_group_where_the_gold_passes():
    def shy(answer, task, *, level=None):
        return ungraded("the box did not start", rule="made") if answer == "odd" else by_gold(answer, task)

    verdict = judges.BuiltIn(kind(shy), {}).verify("odd", TASK)
    assert (verdict.status, verdict.reason) == ("wrong", "broke_check: the box did not start")


def test_a_fault_that_passes_is_forgotten():
    tries = iter([ungraded("the box did not start", rule="made")])

    def once(answer, task, *, level=None):
        return next(tries, None) or by_gold(answer, task)

    assert judges.BuiltIn(kind(once), {}).verify("good", TASK).correct


@pytest.mark.parametrize(
    ("made", "says"),
    [
        (
            kind(lambda *_, level=None: ungraded("no bwrap", rule="made")),
            "no bwrap; the gold too is ungraded: no bwrap",
        ),
        (kind(lambda *_, level=None: ungraded("no tests", rule="made"), gold_answer=lambda task: None), "no tests"),
        (
            kind(lambda *_, level=None: ungraded("gold: no tests", rule="made"), check_gold=lambda task: "no tests"),
            "gold: no tests",
        ),
    ],
)
def test_what_no_answer_caused_stays_ungraded(made, says):
    verdict = judges.BuiltIn(made, {}).verify("x", TASK)
    assert (verdict.status, verdict.reason) == ("ungraded", says)


def test_golds_are_judged_listed_or_passed_over(monkeypatch):
    bad = Task.make(prompt="bad", gold="", source="s")
    none = Task.make(prompt="none", gold=None, source="s")
    broken = Task.make(prompt="broken", gold=5, source="s")
    made = kind(
        lambda answer, task, *, level=None: by_gold(answer, task),
        gold_answer=lambda task: task.gold if task.gold is None else task.gold.strip(),
        check_gold=lambda task: "empty" if task.gold == "" else None,
    )
    monkeypatch.setattr(judges, "kind", lambda name, *, key: made)
    monkeypatch.setattr(sandbox, "require", lambda level, *, key: 2, raising=False)
    with Rewards([Reward(verifier="made")], folder=Path("."), max_tokens=1) as held:
        failed = held.check_golds([TASK, none, bad, broken])
    assert [t.prompt[0]["content"] for t, _ in failed] == ["bad", "broken"]
    assert [v.status for _, v in failed] == ["ungraded", "ungraded"]
    assert failed[0][1].reason == "gold '': empty"
    assert failed[1][1].reason.startswith("gold '5': AttributeError")
