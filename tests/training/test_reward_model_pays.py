"""A judge as a reward: alone, beside a verifier, gated, weighted, by source; and what is refused."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import torch

from tests.rewards.test_compose_rewards import rollout
from tests.tiny import tiny_folder
from verigrad.errors import RecipeError, Refused
from verigrad.models import load, load_scorer, new_scorer, save_scorer, score_texts
from verigrad.recipe import Reward
from verigrad.records import Task
from verigrad.rewards import Rewards
from verigrad.rewards.reward_model import RewardModel, sign

TASK = Task.make(prompt="What is 8 * 10?", gold=80, source="sums")
OTHER = Task.make(prompt="Say something kind.", source="talk")
ANSWERS = ("80", "81", "eighty or so", "It is 80.", "no")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A recipe's folder with a judge in it, whose seed gives both signs."""
    place = tmp_path_factory.mktemp("recipe")
    scorer = new_scorer(load(str(tiny_folder(place)), dtype="float32", device="cpu"), seed=11)
    save_scorer(scorer, place / "judge", "")
    return place


@pytest.fixture(scope="module")
def due(folder: Path) -> np.ndarray:
    """What the judge says of the answers to TASK."""
    return score_texts(load_scorer("judge", device="cpu", folder=folder), [(TASK.prompt, a) for a in ANSWERS])


def build(folder: Path, *parts: dict) -> Rewards:
    return Rewards([Reward(**p) for p in parts], folder=folder, max_tokens=16, workers=1, device="cpu")


def test_alone_it_pays_its_score_and_its_sign_is_the_verdict(folder: Path, due: np.ndarray) -> None:
    with build(folder, {"model": "judge"}) as held:
        held.check_sources(["sums"])
        scored = held.score([rollout(a, task=TASK) for a in ANSWERS])
        assert held.names == ("judge",)
        assert not held.has_verifier("sums")
        assert held.verify(ANSWERS[0], TASK).rule == "judge"
        assert held.check_golds([TASK, OTHER]) == []
    assert [s.reward for s in scored] == pytest.approx(due.tolist(), abs=1e-4)
    assert [dict(s.parts) for s in scored] == [{"judge": s.reward} for s in scored]
    assert [s.verdict.correct for s in scored] == [bool(d > 0) for d in due]
    assert {s.verdict.status for s in scored} == {"right", "wrong"}, "the seed gives both signs"


def test_beside_a_verifier_it_pays_and_the_verdict_stays_the_verifiers(folder: Path, due: np.ndarray) -> None:
    with build(folder, {"model": "judge", "weight": 0.5}, {"verifier": "number"}) as held:
        scored = held.score([rollout(a, task=TASK) for a in ANSWERS])
        assert held.names == ("number", "judge")
    assert [s.verdict.rule for s in scored] == ["number"] * 5
    assert [s.verdict.correct for s in scored] == [True, False, False, True, False]
    assert [s.parts["judge"] for s in scored] == pytest.approx((0.5 * due).tolist(), abs=1e-4)
    assert [s.reward for s in scored] == pytest.approx([s.parts["number"] + s.parts["judge"] for s in scored])


def test_gated_it_pays_right_answers_alone_and_looks_at_them_in_one_batch(
    folder: Path, due: np.ndarray, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls: list[int] = []
    plain = RewardModel.scores
    monkeypatch.setattr(RewardModel, "scores", lambda self, asked: calls.append(len(asked)) or plain(self, asked))
    with build(folder, {"verifier": "number"}, {"model": "judge", "gated": True}) as held:
        scored = held.score([rollout(a, task=TASK) for a in ANSWERS])
    paid = [float(d) if s.verdict.correct else 0.0 for s, d in zip(scored, due, strict=True)]
    assert [s.parts["judge"] for s in scored] == pytest.approx(paid, abs=1e-4)
    assert calls == [5]


def test_each_source_has_its_own_judge(folder: Path) -> None:
    parts = ({"verifier": "number", "on": ["sums"]}, {"model": "judge", "on": ["talk"]}, {"model": "judge"})
    with build(folder, *parts) as held:
        held.check_sources(["sums", "talk"])
        scored = held.score([rollout("80", task=TASK), rollout("You are kind.", task=OTHER)])
        assert held.names == ("number", "judge", "judge_2")
    assert [s.verdict.rule for s in scored] == ["number", "judge"]
    assert [sorted(s.parts) for s in scored] == [["judge_2", "number"], ["judge", "judge_2"]]


def test_shaping_stands_beside_a_judge(folder: Path) -> None:
    with build(folder, {"model": "judge"}, {"shaping": "repetition", "weight": 0.1, "options": {"ngram": 2}}) as held:
        (scored,) = held.score([rollout("one two three", task=OTHER)])
    assert sorted(scored.parts) == ["judge", "repetition"]


def test_a_score_that_is_no_number_is_ungraded(folder: Path) -> None:
    assert sign(float("nan")).status == "ungraded"
    with build(folder, {"verifier": "number"}, {"model": "judge"}) as held:
        with torch.no_grad():
            held._models[0].verifier.scorer.module.score.weight.fill_(float("nan"))
        (scored,) = held.score([rollout("80", task=TASK)])
    assert (scored.reward, scored.verdict.status, dict(scored.parts)) == (None, "ungraded", {})


@pytest.mark.parametrize(
    ("parts", "error", "key", "says"),
    [
        ([{"model": "nowhere/judge"}], Refused, "reward.0.model", "no such folder|not on this machine"),
        ([{"verifier": "number"}, {"model": "tiny-llama-0"}], Refused, "reward.1.model", "no reward model"),
        ([{"model": "stage:1"}], RecipeError, "reward.0.model", "only a later stage of that run reads it"),
        ([{"model": "judge", "options": {"seconds": 1}}], RecipeError, "reward.0.options", "has no options"),
    ],
)
def test_what_does_not_fit_is_refused_with_its_key(folder: Path, parts, error, key: str, says: str) -> None:
    with pytest.raises(error, match=says) as caught:
        build(folder, *parts)
    assert caught.value.key == key
    assert "\n" not in str(caught.value)


def test_a_gated_judge_needs_a_verifier(folder: Path) -> None:
    with build(folder, {"model": "judge", "gated": True}) as held, pytest.raises(RecipeError, match='"sums" has no'):
        held.check_sources(["sums"])
