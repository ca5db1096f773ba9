"""Trainer: what must not change an update, what ends it, and what it leaves on disk."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch

from tests.training.training_cases import LR, batch, furthest, tiny, trainer, weights
from verigrad.errors import Refused, Stopped, VerigradError
from verigrad.losses import build, methods
from verigrad.models import restore, save
from verigrad.recipe import Schedule
from verigrad.training import learning_rate, load_state, save_state


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("models")


def test_a_step_without_an_active_row_still_decays_and_keeps_its_moments(folder: Path) -> None:
    lm = tiny(folder)
    t = trainer(lm, build("grpo", {"kl": "none"}))
    t.step(batch(0), step=1)
    before = weights(lm)
    metrics = t.step(batch(1, groups=2, constant=(0, 1)), step=2)
    assert metrics["tokens/trained"] == 0
    assert metrics["grad/norm"] == metrics["loss/policy"] == metrics["clip/low"] == metrics["clip/high"] == 0
    assert furthest(before, weights(lm)) > 1e-3


@pytest.mark.parametrize(
    ("schedule", "lrs"),
    [
        (Schedule(), [1.0, 1.0, 1.0, 1.0, 1.0]),
        (Schedule(warmup=2), [0.5, 1.0, 1.0, 1.0, 1.0]),
        (Schedule(name="linear"), [1.0, 0.8, 0.6, 0.4, 0.2]),
        (Schedule(name="linear", floor=0.5), [1.0, 0.9, 0.8, 0.7, 0.6]),
        (Schedule(name="linear", warmup=1), [1.0, 1.0, 0.75, 0.5, 0.25]),
        (Schedule(name="cosine", warmup=1), [1.0, 1.0, 0.853553, 0.5, 0.146447]),
        (Schedule(warmup=10), [0.1, 0.2, 0.3, 0.4, 0.5]),
    ],
)
def test_learning_rates(schedule: Schedule, lrs: list[float], folder: Path) -> None:
    said = [learning_rate(step, steps=5, peak=2.0, schedule=schedule) for step in range(1, 6)]
    assert said == pytest.approx([2 * lr for lr in lrs], abs=2e-6)
    t = trainer(tiny(folder), methods["dr_grpo"], steps=5, lr=1e-3, schedule=schedule)
    assert t.step(batch(0), step=3)["lr"] == pytest.approx(1e-3 * lrs[2], rel=1e-5)
    assert [g["lr"] for g in t.optimizer.param_groups] == [pytest.approx(1e-3 * lrs[2], rel=1e-5)]


def test_a_saved_trainer_goes_on_bit_for_bit(folder: Path, tmp_path: Path) -> None:
    lm = tiny(folder)
    t = trainer(lm, methods["dapo"], steps=4)
    for seed in range(2):
        t.step(batch(seed), step=1 + seed)
    save(lm, tmp_path / "model", "card")
    save_state(t, tmp_path / "state", version=2)

    other = tiny(folder)
    resumed = trainer(other, methods["dapo"], steps=4)
    restore(other, tmp_path / "model")
    assert load_state(resumed, tmp_path / "state") == 2
    for name, p in lm.module.named_parameters():
        q = dict(other.module.named_parameters())[name]
        for key, value in t.optimizer.state[p].items():
            assert torch.equal(value, resumed.optimizer.state[q][key]), (name, key)
    for seed in (2, 3):
        assert t.step(batch(seed), step=1 + seed) == resumed.step(batch(seed), step=1 + seed)
    assert furthest(weights(lm), weights(other)) == 0.0


def test_a_torn_or_foreign_state_is_said_in_one_line(folder: Path, tmp_path: Path) -> None:
    t = trainer(tiny(folder), methods["dapo"])
    t.step(batch(0), step=1)
    save_state(t, tmp_path, version=1)
    for spoil in ("optimizer.safetensors", "state.json"):
        whole = (tmp_path / spoil).read_bytes()
        (tmp_path / spoil).write_bytes(whole[: len(whole) // 2])
        with pytest.raises(VerigradError, match="holds no optimizer state of this model") as caught:
            load_state(t, tmp_path)
        assert "\n" not in str(caught.value)
        (tmp_path / spoil).write_bytes(whole)
    assert load_state(t, tmp_path) == 1


@pytest.mark.parametrize("where", ["weight", "reward"])
def test_a_nan_stops_the_run_before_it_reaches_a_weight(where: str, folder: Path) -> None:
    lm = tiny(folder)
    b = batch(0)
    if where == "weight":
        with torch.no_grad():
            lm.module.model.layers[0].mlp.up_proj.weight[3, 4] = float("nan")
    else:
        b = replace(b, reward_B=np.where(np.arange(b.rows) == 5, np.nan, b.reward_B))
    before = weights(lm)
    with pytest.raises(Stopped, match=r"^step 3: the loss is nan; ") as caught:
        trainer(lm, methods["dr_grpo"]).step(b, step=3)
    assert "\n" not in str(caught.value)
    assert caught.value.exit_status == 3
    for name, array in weights(lm).items():
        assert np.array_equal(array, before[name], equal_nan=True)


def test_the_peak_learning_rate_is_the_recipes(folder: Path) -> None:
    assert trainer(tiny(folder), methods["dr_grpo"]).step(batch(0), step=2)["lr"] == LR


def test_kl_without_a_reference_is_one_line(tmp_path):
    with pytest.raises(Refused, match=r'^grpo pays KL to a reference and was given none: .* kl = "none"$') as caught:
        trainer(tiny(tmp_path), methods["grpo"])
    assert caught.value.key == "loss.kl"
