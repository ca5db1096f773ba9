"""What each kind of shaping pays, against numbers worked out by hand; parts apart; what is refused."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

from verigrad.errors import RecipeError
from verigrad.recipe import Reward, parse
from verigrad.records import Draw, Rollout, Task
from verigrad.rewards import Rewards, shaping_of, shapings
from verigrad.rewards.shaping.cosine import cosine
from verigrad.rewards.shaping.repetition import repetition

TASK = Task.make(prompt="What is 8 * 10?", gold=80, source="sums")
PAPER = {"right": (2, 1), "wrong": (-10, 0), "exceeded": -10}
"""The numbers of arXiv:2502.03373."""


def rollout(answer, tokens=4, ids=None):
    ids = np.arange(tokens) if ids is None else np.array(ids)
    return Rollout(
        task=TASK,
        draw=Draw(stage=1, step=1, attempt=0, seed=1),
        answer=answer,
        prompt_ids=np.array([1, 2]),
        token_ids=ids,
        chosen=np.ones(len(ids), bool),
        logp=np.zeros(len(ids), np.float32),
        finish="stop",
    )


def build(*shapes, max_tokens=100, verifier="number"):
    parts = [{"verifier": verifier}, *shapes]
    return Rewards([Reward(**p) for p in parts], folder=Path("."), max_tokens=max_tokens, workers=1)


def parts(shape, *rollouts, **named):
    with build(shape, **named) as held:
        name = held.names[1]
        return [s.parts[name] for s in held.score(rollouts)]


def test_the_kinds_are_the_files_of_the_package():
    assert shapings() == ("cosine", "format", "language", "overlong", "repetition")
    for name in shapings():
        module = shaping_of(name)
        assert module.__doc__.lstrip().startswith(f"`{name}`")
        assert all(option.meaning for option in module.OPTIONS.values())


@pytest.mark.parametrize(
    ("length", "correct", "paid"),
    [
        (0, True, 2.0),
        (25, True, 1 + (1 + math.sqrt(0.5)) / 2),
        (50, True, 1.5),
        (75, True, 1 + (1 - math.sqrt(0.5)) / 2),
        (100, True, -10.0),
        (101, True, -10.0),
        (0, False, -10.0),
        (50, False, -5.0),
        (75, False, -10 * (1 - math.sqrt(0.5)) / 2),
        (100, False, -10.0),
    ],
)
def test_cosine_by_hand(length, correct, paid):
    assert cosine(length, correct=correct, max_tokens=100, **PAPER) == pytest.approx(paid, abs=1e-12)


def test_cosine_falls_for_right_answers_and_rises_for_wrong_ones():
    right = [cosine(n, correct=True, max_tokens=100, **PAPER) for n in range(100)]
    wrong = [cosine(n, correct=False, max_tokens=100, **PAPER) for n in range(100)]
    assert right == sorted(right, reverse=True)
    assert wrong == sorted(wrong)
    assert min(right) > max(wrong)


def test_cosine_counts_tokens_against_max_tokens_and_takes_the_verdict():
    shape = {"shaping": "cosine", "weight": 2.0}
    rolls = [rollout("80", 50), rollout("81", 50), rollout("80 or 81", 0), rollout("80", 100)]
    assert parts(shape, *rolls) == pytest.approx([0.5, -0.5, -1.0, -1.0])
    assert parts({**shape, "options": {"right": [2, 1], "wrong": [-10, 0], "exceeded": -10}}, *rolls) == pytest.approx(
        [3.0, -10.0, -20.0, -20.0]
    )


@pytest.mark.parametrize(
    ("tokens", "ngram", "paid"),
    [
        ([1, 2, 3, 4], 2, 0.0),
        ([1, 2, 1, 2, 1], 2, -0.5),
        ([7] * 10, 1, -0.9),
        ([7] * 10, 3, -7 / 8),
        ([1, 2, 3] * 4, 3, -0.7),
        ([1, 2], 3, 0.0),
        ([], 1, 0.0),
    ],
)
def test_repetition_by_hand(tokens, ngram, paid):
    assert repetition(tokens, ngram=ngram) == pytest.approx(paid)


def test_repetition_is_paid_by_the_models_tokens():
    shape = {"shaping": "repetition", "weight": 0.5, "options": {"ngram": 2}}
    assert parts(shape, rollout("80", ids=[1, 2, 1, 2, 1]), rollout("80", ids=[1, 2, 3])) == [-0.25, 0.0]


@pytest.mark.parametrize(
    ("options", "answer", "paid"),
    [
        ({"lang": "en"}, "We add both numbers.", 1.0),
        ({"lang": "English"}, "我们把两个数相加。", 0.0),
        ({"lang": "en"}, "We add them. 答案是五", 3 / 5),
        ({"lang": "zh"}, "We add them. 答案是五", 2 / 5),
        ({"lang": "en"}, "80", 1.0),
        ({"lang": "en", "of": "reasoning"}, "<think>We add both.</think>答案是五", 1.0),
        ({"lang": "en", "of": "reasoning"}, "We add both.</think>答案是五", 1.0),
        ({"lang": "en", "of": "reasoning"}, "<think>答案是五", 0.0),
        ({"lang": "en", "of": "reasoning", "tag": "plan"}, "<plan>We add both.</plan>答案是五", 1.0),
    ],
)
def test_language_by_hand(options, answer, paid):
    assert parts({"shaping": "language", "options": options}, rollout(answer)) == [pytest.approx(paid)]


@pytest.mark.parametrize(
    ("rule", "answer", "paid"),
    [
        ({"rule": "think_block"}, "<think>8 * 10</think> 81", 1.0),
        ({"rule": "think_block"}, "8 * 10</think> 80", -1.0),
        ({"rule": "think_block", "prefilled_open_tag": True}, "8 * 10</think> 81", 1.0),
        ({"rule": "think_block", "prefilled_open_tag": True, "min_reasoning_chars": 9}, "8 * 10</think> 80", -1.0),
        ({"rule": "think_answer_once"}, "<think>8 * 10</think><answer>80</answer>", 1.0),
        ({"rule": "think_answer_once"}, "<think>8 * 10</think><answer>80</answer><answer>80</answer>", -1.0),
        ({"rule": "think_language", "lang": "de"}, "<think>Wir addieren das und fertig.</think> 80", 1.0),
    ],
)
def test_format_by_a_rule_of_the_reasoning(rule, answer, paid):
    shape = {"shaping": "format", "options": {"rule": rule, "pays": [-1, 1]}}
    assert parts(shape, rollout(answer)) == [paid]


def test_a_recipe_says_it_all():
    text = """
[model]
path = "m"
[data]
source = "times_table"
[[reward]]
verifier = "number"
weight = 0
[[reward]]
shaping = "format"
weight = 0.1
gated = true
options = { rule = { rule = "think_block", prefilled_open_tag = true } }
[[reward]]
shaping = "cosine"
options = { right = [2, 1], wrong = [-10, 0], exceeded = -10 }
[train]
steps = 1
[acceptance]
grader = "number"
"""
    recipe = parse(text, file="r.toml", folder=Path("."))
    with Rewards(recipe.reward, folder=Path("."), max_tokens=100, workers=1) as held:
        right, wrong = held.score([rollout("8 * 10</think>80", 50), rollout("8 * 10</think>81", 50)])
    assert dict(right.parts) == pytest.approx({"number": 0, "format": 0.1, "cosine": 1.5})
    assert dict(wrong.parts) == pytest.approx({"number": 0, "format": 0, "cosine": -5})


def test_a_rule_is_for_checks_of_ones_own_too():
    own = str(Path(__file__).parent / "own_checks.py") + ":rows_match"
    shape = {"shaping": "format", "options": {"rule": {"rule": "think_block"}}}
    with build(shape, verifier=own) as held:
        assert held.names == ("rows_match", "format")


def test_parts_are_weighted_gated_and_logged_apart():
    shapes = (
        {"shaping": "format", "weight": 0.2, "gated": True},
        {"shaping": "cosine", "weight": 0.5, "options": {"right": [1, 0], "wrong": [-1, 0]}},
        {"shaping": "repetition", "weight": 2.0, "options": {"ngram": 1}},
        {"shaping": "language", "weight": 0.1, "options": {"lang": "en"}},
    )
    with build(*shapes) as held:
        right, wrong = held.score([rollout("80", ids=[5, 5]), rollout("81", ids=[5, 5])])
        assert held.names == ("number", "format", "cosine", "repetition", "language")
    near = math.cos(math.pi * 2 / 200) ** 2 / 2
    assert dict(right.parts) == pytest.approx(
        {"number": 1, "format": 0.2, "cosine": near, "repetition": -1, "language": 0.1}
    )
    assert dict(wrong.parts) == pytest.approx(
        {"number": 0, "format": 0, "cosine": -near, "repetition": -1, "language": 0.1}
    )
    assert right.reward == pytest.approx(0.3 + near)
    assert wrong.reward == pytest.approx(-0.9 - near)


@pytest.mark.parametrize(
    ("shape", "says"),
    [
        ({"shaping": "cosin"}, "did you mean cosine?"),
        ({"shaping": "setting"}, "is unknown"),
        ({"shaping": "cosine", "options": {"right": [1]}}, "reward.1.options.right wants two numbers"),
        ({"shaping": "cosine", "options": {"wrong": [1, "a"]}}, "reward.1.options.wrong wants two numbers"),
        ({"shaping": "cosine", "options": {"exceeded": float("nan")}}, "exceeded wants a number"),
        ({"shaping": "cosine", "options": {"exceed": -1}}, "did you mean exceeded?"),
        ({"shaping": "repetition", "options": {"ngram": 0}}, "ngram = 0: want 1 to"),
        ({"shaping": "repetition", "options": {"ngram": 101}}, "ngram = 101: want 1 to"),
        ({"shaping": "language"}, 'reward.1.options.lang = "": want one of en'),
        ({"shaping": "language", "options": {"lang": "klingon"}}, '"klingon": want one of en'),
        ({"shaping": "language", "options": {"lang": "en", "of": "all"}}, 'want "answer" or "reasoning"'),
        ({"shaping": "format", "options": {"rule": "think_block"}}, "wants a table"),
        ({"shaping": "format", "options": {"rule": {"rule": "think"}}}, "want a rule"),
        ({"shaping": "format", "options": {"rule": {"rule": "think_block"}, "kind": "number"}}, "not two of them"),
    ],
)
def test_what_does_not_fit_is_refused_in_one_line(shape, says):
    with pytest.raises(RecipeError) as refused:
        build(shape)
    assert says in str(refused.value)
    assert "\n" not in str(refused.value)
