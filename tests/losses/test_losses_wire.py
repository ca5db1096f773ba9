"""Recipes' words become methods; what is wrong is refused in one line that names its key; output names what ran."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import FrozenInstanceError, fields, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from tests.losses.cases import arrays, random_case
from verigrad.errors import Refused
from verigrad.losses import (
    Critic,
    advantages,
    build,
    check_sizes,
    describe,
    diff,
    mean_k1,
    methods,
    needs,
    policy_loss,
    sets_elsewhere,
    table,
    value_targets,
)
from verigrad.losses.axis import parameters
from verigrad.losses.method import AXES
from verigrad.losses.wire import WORDS, same

ROOT = Path(__file__).parents[2]

REFUSED: list[tuple[str, dict[str, Any], str, str]] = [
    ("dr_gropo", {}, "loss.method", "did you mean dr_grpo"),
    ("grpo", {"clp": "none"}, "loss.clp", "did you mean clip"),
    ("grpo", {"gamma": "x"}, "loss.gamma", "unknown key loss.gamma"),
    ("grpo", {"clip": {"hihg": 0.3}}, "loss.clip.hihg", "did you mean high"),
    ("grpo", {"clip": "pesimistic"}, "loss.clip", "did you mean pessimistic"),
    ("grpo", {"clip": {"name": "weighted", "high": 0.3}}, "loss.clip.high", "cap, floor"),
    ("grpo", {"clip": {"high": "0.3"}}, "loss.clip.high", 'wants a number, got the text "0.3"'),
    ("grpo", {"clip": {"high": True}}, "loss.clip.high", "wants a number, got true"),
    ("grpo", {"clip": {"high": float("nan")}}, "loss.clip.high", "is nan"),
    ("grpo", {"clip": {"high": float("inf")}}, "loss.clip.high", "is inf"),
    ("grpo", {"clip": {"high": -0.1}}, "loss.clip.high", "at least 0"),
    ("grpo", {"clip": {"low": 1.5}}, "loss.clip.low", "at most 1"),
    ("grpo", {"clip": {"dual": 1.1}}, "loss.clip.dual", "1 + high"),
    ("grpo", {"clip": {"dual": 0.5}}, "loss.clip.dual", "above 1"),
    ("grpo", {"clip": 0.3}, "loss.clip", "a word or a table"),
    ("grpo", {"clip": {"name": 3}}, "loss.clip.name", "wants text"),
    ("grpo", {"scale": {"ddof": 2}}, "loss.scale.ddof", "at most 1"),
    ("grpo", {"scale": {"ddof": True}}, "loss.scale.ddof", "wants a whole number, got true"),
    ("grpo", {"scale": {"ddof": 0.0}}, "loss.scale.ddof", "wants a whole number, got 0.0"),
    ("grpo", {"scale": {"epsilon": -1.0}}, "loss.scale.epsilon", "at least 0"),
    ("grpo", {"scale": {"per_part": 1}}, "loss.scale.per_part", "wants true or false"),
    ("grpo", {"scale": {"name": "whiten", "over": "words"}}, "loss.scale.over", "tokens, answers"),
    ("grpo", {"scale": {"name": "batch_std", "ddof": -1}}, "loss.scale.ddof", "at least 0"),
    ("reinforce_pp", {"scale": {"epsilon": -1.0}}, "loss.scale.epsilon", "at least 0"),
    ("grpo", {"baseline": {"value": "head"}}, "loss.baseline.value", 'baseline = { name = "critic", value = "head" }'),
    ("rloo", {"baseline": {"lambda": 1.0}}, "loss.baseline.lambda", 'baseline = { name = "critic", lambda = 1.0 }'),
    ("grpo", {"baseline": "value"}, "loss.baseline", "batch_mean, critic, greedy"),
    ("ppo", {"baseline": {"value": "trunk"}}, "loss.baseline.value", "head, model"),
    ("ppo", {"baseline": {"lambda": 1.5}}, "loss.baseline.lambda", "at most 1"),
    ("ppo", {"baseline": {"lambda_": 1.0}}, "loss.baseline.lambda_", "did you mean lambda"),
    ("ppo", {"baseline": {"gamma": 0}}, "loss.baseline.gamma", "above 0"),
    ("ppo", {"baseline": {"lr": 0}}, "loss.baseline.lr", "above 0"),
    ("ppo", {"baseline": {"clip": 0}}, "loss.baseline.clip", "above 0"),
    ("ppo", {"baseline": {"coefficient": -1}}, "loss.baseline.coefficient", "at least 0"),
    ("ppo", {"scale": "group_std"}, "loss.scale", 'say scale = "whiten" or "none"'),
    ("grpo", {"baseline": "critic"}, "loss.scale", 'say scale = "whiten" or "none"'),
    ("ppo", {"scale": {"per_part": True}}, "loss.scale.per_part", "critic has none"),
    ("ppo", {"kl": {"target": 0}}, "loss.kl.target", "above 0"),
    ("ppo", {"kl": {"horizon": 0}}, "loss.kl.horizon", "above 0"),
    ("ppo", {"kl": {"coefficient": 0, "target": 0.1}}, "loss.kl.coefficient", "0 stays 0"),
    ("grpo", {"kl": {"refresh": -1}}, "loss.kl.refresh", "at least 0"),
    ("grpo", {"kl": {"refresh": 0.5}}, "loss.kl.refresh", "whole number"),
    ("grpo", {"kl": {"target": 0.1}}, "loss.kl.target", 'kl = { name = "k1", target = 0.1 }'),
    ("grpo", {"baseline": {"rewards": "steps"}}, "loss.baseline.rewards", "outcome, process"),
    ("rloo", {"baseline": {"name": "group_mean", "rewards": "process"}}, "loss.kl.paid", "per token"),
    ("grpo", {"baseline": {"rewards": "process"}, "scale": {"per_part": True}}, "loss.scale.per_part", "have none"),
    ("grpo", {"baseline": "group_maen"}, "loss.baseline", "did you mean group_mean"),
    ("grpo", {"baseline": {"name": "greedy", "x": 1}}, "loss.baseline.x", "no parameters"),
    ("dapo", {"ratio": "sequence"}, "loss.aggregation", "by their length"),
    ("lite_ppo", {"ratio": "sequence_token"}, "loss.aggregation", "sequence_mean"),
    ("gspo", {"aggregation": "token_mean"}, "loss.aggregation", "by their length"),
    ("gspo", {"aggregation": "group_token_mean"}, "loss.aggregation", "by their length"),
    ("grpo", {"ratio": "none"}, "loss.clip", "nothing to hold"),
    ("cispo", {"ratio": "none"}, "loss.clip", "nothing to hold"),
    ("grpo", {"kl": {"name": "k1", "coefficient": 0.1, "paid": "loss"}}, "loss.kl.paid", "expected gradient 0"),
    ("rloo", {"kl": {"paid": "loss"}}, "loss.kl.paid", "expected gradient 0"),
    ("grpo", {"kl": {"paid": "token_reward"}}, "loss.kl.paid", "biased"),
    ("grpo", {"kl": {"name": "ratio_k3", "coefficient": 1, "paid": "sequence_reward"}}, "loss.kl.paid", "biased"),
    ("grpo", {"kl": {"name": "k2", "coefficient": 1, "paid": "sequence_reward"}}, "loss.kl.paid", "biased"),
    ("grpo", {"kl": {"paid": "rewards"}}, "loss.kl.paid", "loss, token_reward, sequence_reward"),
    ("grpo", {"kl": {"coefficient": -0.1}}, "loss.kl.coefficient", "at least 0"),
    ("grpo", {"kl": "k2"}, "loss.kl.coefficient", "needs coefficient"),
    ("dapo", {"kl": {"coefficient": 0.1}}, "loss.kl.coefficient", 'name = "k1"'),
    ("grpo", {"keep": {"truncated": "dropped"}}, "loss.keep.truncated", "kept, masked"),
    ("dapo", {"keep": {"rounds": 0}}, "loss.keep.rounds", "at least 1"),
    ("grpo", {"mismatch": {"cap": 0.5}}, "loss.mismatch.cap", "at least 1"),
    ("grpo", {"mismatch": {"level": "word"}}, "loss.mismatch.level", "token, sequence"),
    ("grpo", {"mismatch": {"name": "masked", "low": 1.2}}, "loss.mismatch.low", "at most 1"),
    ("grpo", {"mismatch": {"name": "masked", "high": 0.9}}, "loss.mismatch.high", "at least 1"),
    ("grpo", {"entropy": {"coefficient": float("inf")}}, "loss.entropy.coefficient", "finite"),
    ("grpo", {"entropy": {"coeff": 0.1}}, "loss.entropy.coeff", "did you mean coefficient"),
    ("dr_grpo", {"aggregation": {"tokens": 0}}, "loss.aggregation.tokens", "at least 1"),
    ("dr_grpo", {"aggregation": {"tokens": 8.0}}, "loss.aggregation.tokens", "whole number"),
    ("cispo", {"clip": {"cap": 0.2}}, "loss.clip.cap", "at least 1"),
    ("cispo", {"clip": {"floor": 1.2}}, "loss.clip.floor", "at most 1"),
    ("grpo", {"scale": {"per_part": True}, "baseline": "greedy"}, "loss.scale.per_part", "greedy has none"),
    ("rloo", {"scale": {"name": "group_std", "per_part": True}}, "loss.kl.paid", "per token"),
]


@pytest.mark.parametrize(("name", "axes", "key", "says"), REFUSED)
def test_refused_in_one_line_with_its_key(name: str, axes: dict[str, Any], key: str, says: str) -> None:
    with pytest.raises(Refused) as caught:
        build(name, axes)
    assert caught.value.key == key
    assert says in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_word_or_a_table_or_a_table_without_name() -> None:
    assert build("grpo", {}) == methods["grpo"]
    assert build("grpo", {"kl": "k3"}) == methods["grpo"]
    assert parameters(build("dapo", {"clip": {"low": 0}}).clip) == {"low": 0.0, "high": 0.28, "dual": None}
    assert parameters(build("dapo", {"clip": {"name": "pessimistic", "low": 0.1}}).clip)["high"] == 0.28
    assert parameters(build("grpo", {"clip": "weighted"}).clip) == {"cap": 5.0, "floor": 0.0}
    assert build("grpo", {"kl": "none"}).kl.word == "none"
    assert parameters(build("grpo", {"entropy": {"coefficient": 0.01}}).entropy) == {"coefficient": 0.01}
    assert parameters(build("grpo", {"kl": {"name": "k1", "coefficient": 1}}).kl) == {
        "coefficient": 1.0,
        "paid": "token_reward",
        "refresh": 0,
        "target": None,
        "horizon": 10000.0,
    }
    assert build("grpo", {"clip": {"dual": None}}) == build("grpo", {"clip": {"dual": "none"}}) == methods["grpo"]
    assert build("ppo", {"baseline": {"lambda": 1, "clip": "none"}}).baseline == Critic(lambda_=1.0, clip=None)


def test_methods_are_what_the_design_says() -> None:
    assert set(methods) == {
        *("grpo", "dr_grpo", "dapo", "gspo", "gspo_token", "cispo", "rloo", "remax"),
        *("reinforce_pp", "reinforce_pp_baseline", "lite_ppo", "ppo"),
    }
    assert parameters(methods["grpo"].kl) == {"coefficient": 0.04, "paid": "loss", "refresh": 0}
    assert methods["dapo"].aggregation.word == methods["cispo"].aggregation.word == "group_token_mean"
    assert methods["lite_ppo"].scale.ddof == 1
    for method in methods.values():
        assert method.mismatch.word == "truncated"
        assert parameters(method.mismatch) == {"level": "token", "cap": 2.0}
        assert method.entropy.word == "none"
        with pytest.raises(FrozenInstanceError):
            method.name = "other"


@pytest.mark.parametrize("name", sorted(methods))
def test_every_choice_and_every_number_says_whose_it_is(name: str) -> None:
    method = methods[name]
    owed = {axis for axis in AXES if getattr(method, axis).word not in ("none", "all") and axis != "mismatch"}
    for axis in AXES:
        for parameter, value in parameters(getattr(method, axis)).items():
            if isinstance(value, (int, float)) and not isinstance(value, bool):
                owed.add(f"{axis}.{parameter}")
    assert owed <= set(method.sources)
    known = set(AXES) | {f"{axis}.{p}" for axis in AXES for p in parameters(getattr(method, axis))}
    assert set(method.sources) <= known
    assert all(method.sources.values())
    assert "arXiv:" in method.source
    assert all(key.split(".")[0] in ("train", "sampling") for key in method.paper_sizes)


def test_elsewhere() -> None:
    assert sets_elsewhere("dapo") == {"reward.*.options.pays": [-1, 1], "reward.+": {"shaping": "overlong"}}
    assert sets_elsewhere("grpo") == {}
    assert sets_elsewhere("ppo") == {"train.passes": 4}
    sizes = ("train.steps", "train.prompts", "train.group", "train.lr", "sampling.max_tokens")
    assert not [key for m in methods.values() for key in m.elsewhere if key in sizes]


def test_describe_names_the_method_the_change_or_what_it_has_become() -> None:
    assert [describe(m) for m in methods.values()] == list(methods)
    assert describe(build("dr_grpo", {"clip": {"high": 0.28}})) == "dr_grpo, changed: clip.high 0.2 -> 0.28"
    assert describe(build("grpo", {"scale": "none", "aggregation": "budget", "kl": "none"})) == "dr_grpo"
    assert describe(build("dapo", {"keep": "all"})) == "dapo, changed: keep varied -> all (truncated kept)"
    assert describe(replace(methods["grpo"], name="mine")) == "grpo"
    assert describe(build("grpo", {"kl": {"name": "k2", "coefficient": 0.001}})) == (
        "grpo, changed: kl k3 -> k2 (coefficient 0.001, paid loss)"
    )
    assert describe(build("grpo", {"kl": {"refresh": 400}})) == "grpo, changed: kl.refresh 0 -> 400"
    assert describe(build("grpo", {"kl": {"name": "k1", "coefficient": 0.1, "target": 0.2, "horizon": 99}})) == (
        "grpo, changed: kl k3 -> k1 (coefficient 0.1, paid token_reward, target 0.2, horizon 99)"
    )
    assert describe(replace(methods["grpo"], gamma=0.9)) == "grpo, changed: gamma 1 -> 0.9"


def test_diff_of_equals_is_empty_and_every_change_shows() -> None:
    assert diff(methods["grpo"], methods["grpo"]) == ()
    assert diff(methods["gspo"], methods["gspo_token"]) == ("ratio sequence -> sequence_token",)
    for a in methods.values():
        for b in methods.values():
            assert (diff(a, b) == ()) == same(a, b) == (a is b)


def test_needs() -> None:
    asked = {name: needs(m) for name, m in methods.items()}
    assert {n for n, a in asked.items() if a.reference} == {
        *("grpo", "rloo", "reinforce_pp", "reinforce_pp_baseline", "ppo")
    }
    assert {n for n, a in asked.items() if a.greedy} == {"remax"}
    assert {n for n, a in asked.items() if not a.group} == {"remax", "reinforce_pp", "ppo"}
    assert {n for n, a in asked.items() if a.critic} == {"ppo"}
    assert not any(a.entropy for a in asked.values())
    assert needs(build("grpo", {"entropy": {"coefficient": 0.1}})).entropy
    assert not needs(build("grpo", {"kl": {"coefficient": 0}})).reference
    assert not needs(build("remax", {"mismatch": "none"})).old


@pytest.mark.parametrize("name", sorted(methods))
def test_a_group_of_one_is_refused_where_answers_are_compared(name: str) -> None:
    method = methods[name]
    check_sizes(method, 2)
    signal, _, _ = random_case(0, groups=4, size=1)
    if not needs(method).group:
        check_sizes(method, 1)
        assert advantages(method, signal).isfinite().all()
        return
    with pytest.raises(Refused, match="at least 2") as caught:
        check_sizes(method, 1)
    assert caught.value.key == "train.group"
    with pytest.raises(Refused, match="at least two answers"):
        advantages(method, signal)


def test_too_few_for_a_sample_std_is_refused() -> None:
    signal, logp, _ = random_case(0, groups=1, size=1)
    one = arrays(signal, chosen_BT=np.arange(logp.shape[1])[None, :] < 1)
    for word in ("group_std", "batch_std"):
        with pytest.raises(Refused, match="ddof 1"):
            advantages(build("remax", {"scale": {"name": word, "ddof": 1}}), one)
    with pytest.raises(Refused, match="too few"):
        advantages(build("reinforce_pp", {"scale": {"ddof": 1}}), one)


def test_missing_log_probs_are_named() -> None:
    signal, logp, _ = random_case(0)
    bare = replace(signal, logp_ref_BT=None, batch=replace(signal.batch, greedy_reward_B=None))
    with pytest.raises(ValueError, match="logp_ref_BT"):
        policy_loss(methods["grpo"], logp, bare, advantages(methods["grpo"], bare))
    with pytest.raises(ValueError, match="logp_ref_BT"):
        advantages(methods["reinforce_pp"], bare)
    with pytest.raises(ValueError, match="value_BT"):
        advantages(methods["ppo"], replace(signal, value_BT=None))
    with pytest.raises(ValueError, match="has no critic"):
        value_targets(methods["grpo"], signal)
    with pytest.raises(ValueError, match="logp_ref_BT"):
        mean_k1(bare)
    with pytest.raises(ValueError, match="greedy"):
        advantages(methods["remax"], bare)
    bonus = build("dr_grpo", {"entropy": {"coefficient": 0.1}})
    with pytest.raises(ValueError, match="entropy_BT"):
        policy_loss(bonus, logp, bare, advantages(bonus, bare))


def test_an_update_without_tokens_has_loss_zero_and_a_gradient() -> None:
    signal, logp, entropy = random_case(0)
    empty = arrays(signal, chosen_BT=np.zeros_like(signal.batch.chosen_BT))
    logp = logp.requires_grad_()
    loss = policy_loss(methods["grpo"], logp, empty, torch.zeros_like(logp), entropy)
    assert loss.value.item() == 0
    assert loss.maxima == {"ratio/max": 0.0, "mismatch/max": 0.0}
    assert not torch.autograd.grad(loss.value, logp)[0].any()


def test_gamma_is_bounded() -> None:
    with pytest.raises(Refused, match="gamma"):
        replace(methods["remax"], gamma=0.0)
    with pytest.raises(Refused, match=r"baseline\.gamma"):
        replace(methods["ppo"], gamma=0.9)


def test_shapes_are_checked_here() -> None:
    signal, logp, entropy = random_case(0)
    with pytest.raises(Exception, match="advantage_BT"):
        policy_loss(methods["grpo"], logp, signal, torch.zeros(logp.shape[0], dtype=torch.float64), entropy)


def test_every_word_says_formula_source_and_its_place() -> None:
    for axis, words in WORDS.items():
        assert len({w.word for w in words}) == len(words)
        for word in words:
            assert word.axis == axis
            assert word.__doc__
            assert len(word.__doc__) > 60
            assert all(f.kw_only for f in fields(word))


def test_the_page_of_methods_is_the_generated_one() -> None:
    page = (ROOT / "docs" / "reference" / "methods.md").read_text(encoding="utf-8")
    assert page == table(), (
        "python -c \"from verigrad.losses import table; print(table(), end='')\" > docs/reference/methods.md"
    )


def test_methods_py_is_data_only() -> None:
    source = (ROOT / "verigrad" / "losses" / "methods.py").read_text(encoding="utf-8")
    assert "def " not in source
    assert "lambda " not in source


def test_the_room_needs_no_other_room() -> None:
    code = (
        "import sys, verigrad.losses\n"
        "print(sorted({m.split('.')[1] for m in sys.modules if m.startswith('verigrad.')}))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "['errors', 'losses', 'records']"
