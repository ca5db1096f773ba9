"""A trainer with a critic, an adaptive KL coefficient and a replaced reference goes on from disk bit for bit."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import torch

from tests.training.training_cases import apart, batch, furthest, tiny, trainer, weights
from verigrad.errors import VerigradError
from verigrad.losses import build
from verigrad.models import LanguageModel, add_lora, freeze, restore_checkpoint, save_checkpoint
from verigrad.recipe import Lora
from verigrad.training import Trainer, load_state, save_state

CASES: dict[str, dict[str, Any]] = {
    "head": {},
    "model": {"baseline": {"value": "model", "lr": 1e-2}},
    "head, adaptive, refreshed before": {"kl": {"target": 1e-3, "horizon": 20.0, "refresh": 2}},
    "model, adaptive, refreshed after": {
        "baseline": {"value": "model", "lr": 1e-2},
        "kl": {"target": 1e-3, "horizon": 20.0, "refresh": 3},
    },
    "head, adapters, adaptive, refreshed before": {"kl": {"target": 1e-3, "horizon": 20.0, "refresh": 2}},
    "model, adapters, adaptive, refreshed after": {
        "baseline": {"value": "model", "lr": 1e-2},
        "kl": {"target": 1e-3, "horizon": 20.0, "refresh": 3},
    },
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("models")


def made(
    folder: Path, axes: dict[str, Any], dtype: str = "float32", *, adapters: bool = False
) -> tuple[LanguageModel, Trainer]:
    lm = tiny(folder, dtype)
    if adapters:
        lm = add_lora(lm, Lora(rank=2, alpha=4.0), seed=3)
    return lm, trainer(lm, build("ppo", axes), reference=freeze(lm), passes=2, minibatches=2, steps=5, tokens=40)


def of_critic(t: Trainer) -> dict[str, torch.Tensor]:
    assert t.critic is not None
    return {name: p.detach().clone() for name, p in t.critic.named_parameters()}


@pytest.mark.parametrize("case", sorted(CASES))
def test_it_goes_on_bit_for_bit(case: str, folder: Path, tmp_path: Path) -> None:
    dtype, adapters = "bfloat16" if "adaptive" in case else "float32", "adapters" in case
    lm, t = made(folder, CASES[case], dtype, adapters=adapters)
    for step in (1, 2):
        t.step(batch(step), step=step)
    save_checkpoint(lm, tmp_path, "card")
    save_state(t, tmp_path / "state", version=2)
    other, resumed = made(folder, CASES[case], dtype, adapters=adapters)
    restore_checkpoint(other, tmp_path)
    resumed.sync()
    assert load_state(resumed, tmp_path / "state") == 2
    assert resumed.method == t.method
    assert resumed.refreshed == t.refreshed == (2 if "before" in case else 0)
    for step in (3, 4):
        assert t.step(batch(step), step=step) == resumed.step(batch(step), step=step)
    assert furthest(weights(lm), weights(other)) == 0.0
    mine, theirs = of_critic(t), of_critic(resumed)
    assert mine.keys() == theirs.keys()
    assert all(torch.equal(mine[name], theirs[name]) for name in mine)
    assert float(mine["head.weight_H"].abs().max()) > 0
    assert t.reference is not None
    assert resumed.reference is not None
    assert furthest(weights(t.reference.lm), weights(resumed.reference.lm)) == 0.0
    assert resumed.refreshed == t.refreshed == {"before": 4, "after": 3}.get(case.rsplit(maxsplit=1)[-1], 0)


def test_each_part_of_the_state_is_needed(folder: Path, tmp_path: Path) -> None:
    """The test above would see any of them missing: without its file or key, the folder is no state."""
    _, t = made(folder, CASES["model, adaptive, refreshed after"])
    t.step(batch(1), step=1)
    save_state(t, tmp_path, version=1)
    for name in ("critic.safetensors", "reference.safetensors", "optimizer.safetensors", "state.json"):
        whole = (tmp_path / name).read_bytes()
        (tmp_path / name).unlink()
        with pytest.raises(VerigradError, match="holds no optimizer state of this model") as caught:
            load_state(t, tmp_path)
        assert "\n" not in str(caught.value)
        (tmp_path / name).write_bytes(whole)
    _, plain = made(folder, {"kl": "none"})
    plain.step(batch(1), step=1)
    save_state(plain, tmp_path / "plain", version=1)
    assert {p.name for p in (tmp_path / "plain").iterdir()} == {
        "critic.safetensors",
        "optimizer.safetensors",
        "state.json",
    }
    with pytest.raises(VerigradError, match="holds no optimizer state"):
        load_state(t, tmp_path / "plain")


def test_loading_a_checkpoint_from_before_a_refresh_brings_the_first_reference_back(
    folder: Path, tmp_path: Path
) -> None:
    lm, t = made(folder, CASES["head, adaptive, refreshed before"])
    first = weights(lm)
    t.step(batch(1), step=1)
    save_state(t, tmp_path, version=1)
    t.step(batch(2), step=2)
    assert t.refreshed == 2
    assert t.reference is not None
    assert furthest(weights(t.reference.lm), first) > 1e-3
    load_state(t, tmp_path)
    assert t.refreshed == 0
    assert furthest(weights(t.reference.lm), first) == 0.0


@pytest.mark.parametrize("value", ["head", "model"])
def test_the_micro_batch_split_changes_no_gradient_of_the_critic(value: str, folder: Path) -> None:
    found = []
    for tokens in (4096, 40, 1):
        lm = tiny(folder)
        reference = freeze(lm)
        reference.module.model.norm.weight.data *= 1.05
        method = build("ppo", {"baseline": {"value": value}})
        t = trainer(lm, method, reference=reference, tokens=tokens, max_norm=1e9)
        assert t.critic is not None
        t.critic.head.weight_H.data.fill_(0.1)  # else the trunk would get none in a first update
        metrics = t.step(batch(2, groups=5), step=1)
        found.append((metrics, {n: p.grad.numpy().copy() for n, p in t.critic.named_parameters()}))
    told, first = found[0]
    assert told["loss/value"] > 1e-3
    assert all(abs(g).max() > 1e-5 for n, g in first.items() if n.startswith("head"))
    for metrics, other in found[1:]:
        assert apart(first, other) < 1e-5
        assert metrics == pytest.approx(told, rel=1e-5, abs=1e-6)


def test_a_step_without_a_batch_does_not_lose_a_refresh(folder: Path) -> None:
    """Steps are counted, not calls: the step after makes up for it, once."""
    _, t = made(folder, {"kl": {"refresh": 2}})
    told = [t.step(batch(step), step=step)["kl/refreshed"] for step in (1, 3, 4, 5)]
    assert told == [0.0, 1.0, 1.0, 0.0]


def test_after_a_refresh_the_policy_pays_nothing(folder: Path) -> None:
    _, t = made(folder, {"kl": {"refresh": 1, "target": 1.0, "horizon": 12.0}, "baseline": {"lr": 1e-3}})
    t.step(batch(1), step=1)
    before = t.method
    assert t.step(batch(2), step=2)["kl/coef"] == pytest.approx(before.kl.coefficient * 0.8)  # a KL of exactly 0


def test_the_critics_learning_rates_follow_the_schedule(folder: Path) -> None:
    _, t = made(folder, {"baseline": {"lr": 5e-4}})
    t.step(batch(1), step=1)
    assert [g["lr"] for g in t.optimizer.param_groups] == [t.train.lr, 5e-4]
    _, t = made(folder, {})
    t.step(batch(1), step=1)
    assert [g["lr"] for g in t.optimizer.param_groups] == [t.train.lr, t.train.lr]
    _, t = made(folder, {"baseline": {"value": "model"}})
    t.step(batch(1), step=1)
    assert t.critic is not None
    assert t.critic.own is not None
    assert [g["lr"] for g in t.critic.own.optimizer.param_groups] == [1e-5]
    assert len(t.optimizer.param_groups) == 1
