"""A step's numbers from hand-made groups, and the closed list of names."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from verigrad.records import (
    BROKE_CHECK,
    Draw,
    Group,
    Rollout,
    Scored,
    Task,
    Verdict,
    right,
    ungraded,
    unreadable,
    wrong,
)
from verigrad.rollouts import Keep, select
from verigrad.training import NAMES, TIMINGS, step_metrics


def scored(verdict: Verdict, logp: Sequence[float], parts: dict[str, float], *, version: int = 4) -> Scored:
    task = Task.make(prompt="q", gold=1)
    n = len(logp)
    rollout = Rollout(
        task=task,
        draw=Draw(stage=1, step=5, attempt=0, seed=0),
        answer="It is 3. Wait, no." if n == 2 else "a",
        prompt_ids=np.array([1]),
        token_ids=np.arange(n),
        chosen=np.ones(n, dtype=bool),
        logp=np.array(logp, dtype=np.float32),
        finish="length" if n == 4 else "stop",
        version=(version, version),
    )
    reward = None if verdict.status == "ungraded" else sum(parts.values())
    return Scored(rollout=rollout, verdict=verdict, parts=parts if reward is not None else {}, reward=reward)


def group(*everyone: Scored) -> Group:
    return Group(
        task=everyone[0].rollout.task,
        members=tuple(s for s in everyone if s.reward is not None),
        left_out=tuple(s for s in everyone if s.reward is None),
    )


GROUPS = [
    group(
        scored(right("1"), [-1.0, -0.5], {"check": 1.0, "form": 0.5}),
        scored(wrong("2"), [-2.0] * 4, {"check": 0.0, "form": 0.5}),
        scored(ungraded("no program"), [-1.0], {}),
    ),
    group(
        scored(unreadable("none"), [-0.25], {"check": 0.0}, version=3),
        scored(wrong(reason=f"{BROKE_CHECK}: timed_out: no answer in 2 s"), [-0.5], {"check": 0.0}),
        scored(wrong("3"), [-0.5, -0.5], {"check": 0.0}),
    ),
]


def test_numbers_of_a_step_made_by_hand() -> None:
    m = step_metrics(GROUPS, select(GROUPS, Keep(varied=True), wanted=2), newest=4)
    assert m == pytest.approx(
        {
            "sample/generated": 6,
            "sample/used": 2,
            "tokens/sampled": 11,
            "group/all_right": 0,
            "group/all_wrong": 0.5,
            "group/kept": 0.5,
            "selfcheck": 2 / 6,
            "length/truncated": 1 / 6,
            "length/mean": 11 / 6,
            "length/right": 2,
            "length/wrong": 8 / 4,
            "verdict/right": 1 / 6,
            "verdict/wrong": 3 / 6,
            "verdict/unreadable": 1 / 6,
            "verdict/ungraded": 1 / 6,
            "verdict/broke_check": 1 / 6,
            "verdict/timed_out": 1 / 6,
            "weights/lag": 1,
            "reward/mean": 2 / 5,
            "reward/right": 1 / 5,
            "reward/part/check": 1 / 5,
            "reward/part/form": 0.5,
            "entropy": (1.5 + 8 + 1 + 0.25 + 0.5 + 1) / 11,
        }
    )


def test_a_name_without_a_denominator_is_left_out() -> None:
    only = [group(scored(ungraded("x"), [-1.0], {}), scored(ungraded("x"), [-1.0], {}))]
    m = step_metrics(only, select(only, Keep(), wanted=1), newest=4)
    assert not {"reward/mean", "reward/right", "length/right", "length/wrong"} & m.keys()
    assert m["verdict/ungraded"] == 1
    assert (m["group/all_right"], m["group/all_wrong"], m["group/kept"]) == (0, 0, 0)
    assert set(m) <= NAMES


def test_the_closed_list_is_the_designs() -> None:
    said = """
        reward/mean reward/right verdict/right verdict/wrong verdict/unreadable verdict/ungraded verdict/broke_check
        verdict/timed_out group/all_right group/all_wrong group/kept sample/generated sample/used length/mean
        length/right length/wrong length/truncated selfcheck loss/policy loss/kl loss/value entropy kl/reference
        clip/low clip/high ratio/max mismatch/mean mismatch/max mismatch/weight grad/norm lr tokens/sampled
        tokens/trained weights/lag weights/changed validation/right validation/disagree logp/chosen logp/rejected
        logp/moved preference/right preference/margin kl/coef kl/refreshed value/explained
    """
    assert frozenset(said.split()) == NAMES
    assert frozenset({"sample", "verify", "update", "sync", "save"}) == TIMINGS
