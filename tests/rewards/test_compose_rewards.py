"""The reward of a recipe: parts, weights, gates, sources, shaping; what is refused."""

import json
from pathlib import Path

import numpy as np
import pytest

from verigrad.errors import RecipeError, Refused
from verigrad.recipe import Reward
from verigrad.records import Draw, Rollout, Task
from verigrad.rewards import Rewards, kinds, overlong
from verigrad.rewards.judges import BuiltIn
from verigrad.rewards.verifiers import kind, number

HERE = Path(__file__).parent
GOLDEN = json.loads((Path(__file__).parents[1] / "golden/golden.json").read_text())
TASK = Task.make(prompt="What is 8 * 10?", gold=80, source="sums")


def rollout(answer, task=TASK, tokens=4):
    return Rollout(
        task=task,
        draw=Draw(stage=1, step=1, attempt=0, seed=1),
        answer=answer,
        prompt_ids=np.array([1, 2]),
        token_ids=np.arange(tokens),
        chosen=np.ones(tokens, bool),
        logp=np.zeros(tokens, np.float32),
        finish="stop",
    )


def build(*parts, max_tokens=16):
    return Rewards([Reward(**p) for p in parts], folder=HERE, max_tokens=max_tokens, workers=1)


def paid(held, *answers, **named):
    return [s.reward for s in held.score([rollout(a, **named) for a in answers])]


def test_the_kinds_are_the_files_of_the_package():
    files = (Path(number.__file__).parent).glob("*.py")
    expected = tuple(sorted(f.stem for f in files if f.stem != "__init__"))
    assert expected == kinds()
    for name in kinds():
        assert name == kind(name).RULE
        assert kind(name).__doc__.count("Refused") == 1


def test_right_wrong_and_unreadable_are_paid_and_logged():
    with build({"verifier": "number"}) as held:
        scored = held.score([rollout(a) for a in ("80", "81", "80 or 81")])
    assert [s.verdict.status for s in scored] == ["right", "wrong", "unreadable"]
    assert [s.reward for s in scored] == [1.0, 0.0, 0.0]
    assert [dict(s.parts) for s in scored] == [{"number": 1.0}, {"number": 0.0}, {"number": 0.0}]
    assert all(s.verdict.seconds > 0 for s in scored)


def test_pays_and_weight():
    with build({"verifier": "number", "weight": 2.0, "options": {"pays": [-1, 1]}}) as held:
        assert paid(held, "80", "81", "") == [2.0, -2.0, -2.0]


def test_ungraded_has_no_reward_and_no_parts():
    odd = Task.make(prompt="q", gold="no number", source="sums")
    with build({"verifier": "number"}, {"shaping": "overlong"}) as held:
        (scored,) = held.score([rollout("80", odd)])
        assert (scored.reward, dict(scored.parts), scored.verdict.status) == (None, {}, "ungraded")
        assert [t for t, _ in held.check_golds([TASK, odd])] == [odd]


def test_a_gated_part_pays_only_where_right():
    parts = {"verifier": "number"}, {"shaping": "format", "weight": 0.5, "gated": True}
    with build(*parts) as held:
        assert paid(held, "80", "81", "80 or 81") == [1.5, 0.0, 0.0]
        assert held.names == ("number", "format")
    with build(parts[0], {**parts[1], "gated": False}) as held:
        assert paid(held, "80", "81", "80 or 81") == [1.5, 0.5, 0.0]


def test_shaping_alone_is_a_verifier_of_weight_nothing():
    with build({"verifier": "number", "weight": 0.0}, {"shaping": "format"}) as held:
        assert paid(held, "80", "81", "8 * 10") == [1.0, 1.0, 0.0]


def test_format_by_pattern_and_by_kind():
    with build(
        {"verifier": "number"}, {"shaping": "format", "options": {"pattern": r"<a>\d+</a>", "pays": [-1, 0]}}
    ) as held:
        assert [s.parts["format"] for s in held.score([rollout(a) for a in (" <a>80</a>\n", "80", "<a>80</a>x")])] == [
            0,
            -1,
            -1,
        ]
    with build({"verifier": "number"}, {"shaping": "format", "options": {"kind": "number"}}) as held:
        assert [s.parts["format"] for s in held.score([rollout(a) for a in ("81", "80 or 81")])] == [1, 0]


def test_a_pattern_that_never_ends_is_the_wrong_form():
    options = {"pattern": r"(a+)+b", "seconds": 0.2}
    with build({"verifier": "number"}, {"shaping": "format", "options": options}) as held:
        assert held.score([rollout("a" * 60)])[0].parts["format"] == 0.0


@pytest.mark.parametrize(("length", "punished"), GOLDEN["sop"].items())
def test_soft_overlong_punishment_is_the_papers(length, punished):
    assert overlong(int(length), max_tokens=20480, cache=4096) == punished


def test_overlong_counts_tokens_against_max_tokens():
    with build(
        {"verifier": "number"}, {"shaping": "overlong", "weight": 0.5, "options": {"cache": 4}}, max_tokens=8
    ) as held:
        for tokens, part in ((4, 0.0), (5, -0.125), (6, -0.25), (8, -0.5), (9, -0.5)):
            assert held.score([rollout("80", tokens=tokens)])[0].parts["overlong"] == part
    with build({"verifier": "number"}, {"shaping": "overlong"}, max_tokens=10) as held:
        assert [paid(held, "80", tokens=t)[0] for t in (8, 9, 10)] == [1.0, 0.5, 0.0]


def test_own_shaping_is_paid_within_its_range():
    part = {"shaping": "own_checks.py:short", "weight": 0.1}
    with build({"verifier": "number"}, part) as held:
        got = held.score([rollout(a) for a in ("80", "a text that is long", "nan")])
        assert [s.parts["short"] for s in got] == [pytest.approx(0.08), 0.0, 0.0]
        assert held.checks[0].file == "own_checks.py"
    with build({"verifier": "number"}, {**part, "options": {"range": [-1, 1]}}) as held:
        assert held.score([rollout("nan")])[0].parts["short"] == -0.1


def test_own_shaping_that_fails_on_the_gold_too_leaves_the_answer_ungraded():
    with build({"verifier": "number"}, {"shaping": "own_checks.py:out_of_range"}) as held:
        (scored,) = held.score([rollout("80")])
        assert (scored.verdict.status, scored.reward) == ("ungraded", None)


def test_each_source_has_its_verifier():
    other = Task.make(prompt="q", gold="a", source="kinds", columns={"choices": "abc"})
    with build(
        {"verifier": "number", "on": ["sums"]},
        {"verifier": "choice", "on": ["kinds"]},
        {"shaping": "format", "on": ["kinds"]},
    ) as held:
        scored = held.score([rollout("80"), rollout("A", other), rollout("81"), rollout("b", other)])
        assert [s.verdict.rule for s in scored] == ["number", "choice", "number", "choice"]
        assert [dict(s.parts) for s in scored] == [
            {"number": 1},
            {"choice": 1, "format": 1},
            {"number": 0},
            {"choice": 0, "format": 1},
        ]
        held.check_sources(["sums", "kinds"])
        with pytest.raises(RecipeError, match='no \\[\\[reward\\]\\] verifier judges the source "more"'):
            held.check_sources(["sums", "kinds", "more"])
        with pytest.raises(RecipeError, match=r"did you mean sum\?"):
            held.check_sources(["sum", "kinds"])
        assert held.check_golds([TASK, other]) == []


def test_parts_of_one_name_are_told_apart():
    with build(
        {"verifier": "number", "on": ["a"]},
        {"verifier": "number", "on": ["b"]},
        {"shaping": "format"},
        {"shaping": "format"},
    ) as held:
        assert held.names == ("number", "number_2", "format", "format_2")


@pytest.mark.parametrize(
    ("parts", "error", "says"),
    [
        ([{"verifier": "numbr"}], RecipeError, 'reward.0.verifier = "numbr" is unknown; did you mean number?'),
        ([{"verifier": "writing"}], RecipeError, "an open task, no program can say that such an answer is right"),
        ([{"verifier": "empathy"}], RecipeError, "preference route"),
        ([{"model": "stage:1"}], RecipeError, "only a later stage of that run reads it"),
        ([{"verifier": "number"}, {"shaping": "formt"}], RecipeError, "did you mean format?"),
        ([{"shaping": "format"}], RecipeError, "no [[reward]] has a verifier"),
        ([{"verifier": "number"}, {"verifier": "choice"}], RecipeError, "both judge every source"),
        (
            [{"verifier": "number", "on": ["a", "b"]}, {"verifier": "choice", "on": ["b"]}],
            RecipeError,
            'both judge "b"',
        ),
        ([{"verifier": "number", "gated": True}], RecipeError, "reward.0.gated"),
        ([{"verifier": "number", "options": {"round_to_glod": True}}], RecipeError, "did you mean round_to_gold?"),
        ([{"verifier": "number", "options": {"reduced": "yes"}}], RecipeError, "wants true or false, got 'yes'"),
        ([{"verifier": "number", "options": {"pays": [1, 0]}}], RecipeError, "second must be greater"),
        ([{"verifier": "number", "options": {"pays": "all"}}], RecipeError, "wants a list"),
        ([{"verifier": "number", "options": {"pays": [0, float("nan")]}}], RecipeError, "second must be greater"),
        ([{"verifier": "own_checks.py:rows_match", "options": {"secnds": 3}}], RecipeError, "did you mean seconds?"),
        ([{"verifier": "own_checks.py:rows_match", "options": {"seconds": True}}], RecipeError, "wants a number"),
        ([{"verifier": "own_checks.py:rows_match"}, {"shaping": "format"}], RecipeError, "a kind, a pattern or a rule"),
        (
            [{"verifier": "number"}, {"shaping": "format", "options": {"pattern": "("}}],
            RecipeError,
            "no regular expression",
        ),
        (
            [{"verifier": "number"}, {"shaping": "format", "options": {"pattern": "a", "kind": "number"}}],
            RecipeError,
            "not two of them",
        ),
        (
            [{"verifier": "number"}, {"shaping": "overlong", "options": {"cache": 17}}],
            RecipeError,
            "1 to sampling.max_tokens (16)",
        ),
        (
            [{"verifier": "number"}, {"shaping": "overlong", "options": {"cache": 1.5}}],
            RecipeError,
            "wants a whole number",
        ),
    ],
)
def test_what_does_not_fit_is_refused_in_one_line(parts, error, says):
    with pytest.raises(error) as refused:
        build(*parts)
    assert says in str(refused.value)
    assert "\n" not in str(refused.value)
    assert refused.value.key.startswith("reward")


def test_partial_credit_is_paid_for_ones_own_check_unless_it_says_no():
    task = Task.make(prompt="q", gold="yes", source="s")
    for options, reward in (({}, 0.5), ({"partial": False}, 0.0), ({"pays": [-1, 1]}, 0.0)):
        with build({"verifier": "own_checks.py:misbehaves", "options": options}) as held:
            assert paid(held, "half", task=task) == [reward]


class Breaks:
    """A kind whose arithmetic has a fault."""

    RULE = "breaks"

    @staticmethod
    def verify(answer, task):
        if answer == "bad" or task.gold == "bad":
            raise ZeroDivisionError("ours")
        return number.verify("80", TASK) if answer == task.gold else number.verify("81", TASK)

    @staticmethod
    def check_gold(task):
        return None

    @staticmethod
    def gold_answer(task):
        return task.gold


@pytest.mark.parametrize(
    ("answer", "gold", "status"), [("bad", "good", "wrong"), ("x", "bad", "ungraded"), ("x", "good", "wrong")]
)
def test_a_fault_of_a_kind_is_the_answers_only_beside_a_gold_that_passes(answer, gold, status):
    got = BuiltIn(Breaks, {}).verify(answer, Task.make(prompt="q", gold=gold))
    assert got.status == status
    assert got.reason.startswith("broke_check") == (answer == "bad")


def test_the_gold_check_ends_in_time():
    tasks = [Task.make(prompt=str(i), gold=i, source="s") for i in range(50)]
    with build({"verifier": "number"}) as held, pytest.raises(Refused, match="of 50 golds"):
        held.check_golds(tasks, seconds=0.0)
