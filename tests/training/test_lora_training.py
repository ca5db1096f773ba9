"""Adapters in the loops: the reference never moves, the base neither, and a resumed run is the undisturbed one."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import torch

from tests.training.training_cases import TEMPERATURE, apart, batch, furthest, gradient, tiny, trainer, weights
from verigrad.losses import build
from verigrad.models import LanguageModel, Working, add_lora, freeze, restore_checkpoint, save_checkpoint
from verigrad.recipe import Lora
from verigrad.records import Batch
from verigrad.training import Trainer, load_state, save_state

KL = {"kl": {"name": "k3", "coefficient": 0.1}}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("models")


def adapted(folder: Path, dtype: str = "float32", seed: int = 5) -> LanguageModel:
    return add_lora(tiny(folder, dtype), Lora(rank=4), seed=seed)


@torch.no_grad()
def logps(lm: LanguageModel, b: Batch) -> torch.Tensor:
    return Working(lm).logps(b.prompt_ids, b.token_ids_BT, b.length_B, temperature=TEMPERATURE).logp_BT


def trained(lm: LanguageModel) -> dict[str, np.ndarray]:
    return {n: p.detach().numpy().copy() for n, p in lm.module.named_parameters() if p.requires_grad}


@pytest.mark.parametrize("dtype", ["float32", "bfloat16"])
def test_kl_is_exactly_zero_at_first_and_the_reference_stands_still(folder: Path, dtype: str) -> None:
    lm = adapted(folder, dtype)
    t = trainer(lm, build("grpo", KL), reference=freeze(lm), steps=20)
    assert t.reference is not None
    b = batch(0)
    before, base = logps(t.reference.lm, b), {n: w for n, w in weights(lm).items() if "lora" not in n}
    assert torch.equal(logps(lm, b), before)
    first = t.step(b, step=1)
    assert first["kl/reference"] == 0.0
    assert first["loss/kl"] == 0.0
    told = [t.step(batch(seed), step=1 + seed)["kl/reference"] for seed in range(1, 20)]
    assert all(kl > 0 for kl in told)
    assert torch.equal(logps(t.reference.lm, b), before)
    with torch.no_grad():
        kept = t.reference.logps(b.prompt_ids, b.token_ids_BT, b.length_B, temperature=TEMPERATURE).logp_BT
    assert torch.equal(kept, before)
    assert furthest(base, {n: w for n, w in weights(lm).items() if "lora" not in n}) == 0.0
    assert float((logps(lm, b) - before).abs().max()) > 0.01


def test_the_optimizer_holds_the_adapters_alone(folder: Path, tmp_path: Path) -> None:
    lm = adapted(folder)
    t = trainer(lm, build("grpo", {"kl": "none"}))
    held = {id(p) for group in t.optimizer.param_groups for p in group["params"]}
    assert held == {id(p) for n, p in lm.module.named_parameters() if ".lora_" in n}
    metrics = t.step(batch(0), step=1)
    assert metrics["grad/norm"] > 0
    assert metrics["weights/changed"] > 0
    assert all(p.grad is None for p in lm.module.parameters() if not p.requires_grad)


def test_micro_batches_change_nothing(folder: Path) -> None:
    found = []
    for tokens in (16, 4096):
        lm = adapted(folder)
        t = trainer(lm, build("grpo", KL), reference=freeze(lm), tokens=tokens)
        for seed in range(3):
            t.step(batch(seed), step=1 + seed)
        found.append((gradient(t), trained(lm)))
    assert apart(found[0][0], found[1][0]) < 1e-4
    assert furthest(found[0][1], found[1][1]) < 1e-4


@pytest.mark.parametrize(
    ("method", "axes", "dtype"),
    [
        ("grpo", KL, "float32"),
        ("grpo", KL, "bfloat16"),
        ("grpo", {"kl": {"name": "k3", "coefficient": 0.1, "refresh": 2}}, "float32"),
        ("ppo", {}, "float32"),
        ("ppo", {"baseline": {"name": "critic", "value": "model"}}, "float32"),
    ],
)
def test_a_resumed_trainer_goes_on_bit_for_bit(
    folder: Path, tmp_path: Path, method: str, axes: dict[str, object], dtype: str
) -> None:
    def fresh(seed: int) -> Trainer:
        lm = adapted(folder, dtype, seed=seed)
        return trainer(lm, build(method, axes), reference=freeze(lm), steps=6)

    t = fresh(5)
    for seed in range(3):
        t.step(batch(seed), step=1 + seed)
    save_checkpoint(t.policy, tmp_path, "card")
    save_state(t, tmp_path / "state", version=3)
    assert not (tmp_path / "model").exists()
    resumed = fresh(6)  # other adapters, which the checkpoint replaces
    restore_checkpoint(resumed.policy, tmp_path)
    resumed.sync()
    assert load_state(resumed, tmp_path / "state") == 3
    for seed in range(3, 6):
        assert t.step(batch(seed), step=1 + seed) == resumed.step(batch(seed), step=1 + seed)
    assert furthest(weights(t.policy), weights(resumed.policy)) == 0.0


def test_a_refreshed_reference_is_the_policy_of_then(folder: Path) -> None:
    lm = adapted(folder)
    t = trainer(lm, build("grpo", {"kl": {"name": "k3", "coefficient": 0.1, "refresh": 2}}), reference=freeze(lm))
    b = batch(0)
    for seed in range(2):
        t.step(batch(seed), step=1 + seed)
    assert t.reference is not None
    policy = logps(lm, b)
    assert torch.equal(logps(t.reference.lm, b), policy)
    t.step(batch(2), step=3)
    assert torch.equal(logps(t.reference.lm, b), policy)
    assert not torch.equal(logps(lm, b), policy)


def test_a_critic_of_its_own_shares_the_frozen_base(folder: Path) -> None:
    lm = adapted(folder)
    t = trainer(lm, build("ppo", {"baseline": {"name": "critic", "value": "model"}}), reference=freeze(lm))
    assert t.critic is not None
    assert t.critic.own is not None
    theirs = dict(t.critic.own.lm.module.named_parameters())
    for name, p in lm.module.named_parameters():
        assert (theirs[name].data_ptr() == p.data_ptr()) == (not p.requires_grad), name
    before = {n: p.detach().clone() for n, p in theirs.items()}
    for seed in range(2):
        t.step(batch(seed), step=1 + seed)
    moved = {n for n, p in theirs.items() if not torch.equal(p, before[n])}
    assert moved
    assert all(".lora_" in n for n in moved)
