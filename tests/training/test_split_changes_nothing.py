"""Micro-batch split, order of rows, padding: none of them changes a loss or a gradient, for any method."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from tests.training.training_cases import (
    apart,
    batch,
    furthest,
    gradient,
    tiny,
    trainer,
    weights,
    with_greedy,
)
from verigrad.losses import Method, build, methods
from verigrad.models import freeze
from verigrad.records import Batch

VARIANTS: dict[str, Method] = {
    **methods,
    "grpo without kl": build("grpo", {"kl": "none"}),
    "grpo, strong kl": build("grpo", {"kl": {"name": "k3", "coefficient": 0.5}}),
    "dapo, entropy bonus": build("dapo", {"entropy": {"name": "bonus", "coefficient": 0.1}}),
    "ppo, a model of its own": build("ppo", {"baseline": {"value": "model"}}),
    "dapo, truncated answers masked": build("dapo", {"keep": {"truncated": "masked"}}),
}


def permuted(b: Batch) -> Batch:
    return b.take(np.random.default_rng(3).permutation(b.rows))


def padded(b: Batch) -> Batch:
    """Seven columns of rubbish behind every row, not chosen."""
    more = np.full((b.rows, 7), 200)
    return replace(
        b,
        token_ids_BT=np.hstack([b.token_ids_BT, more]),
        chosen_BT=np.hstack([b.chosen_BT, more < 0]),
        logp_sampler_BT=np.hstack([b.logp_sampler_BT, np.full(more.shape, np.nan, dtype=np.float32)]),
    )


CHANGES: dict[str, tuple[Callable[[Batch], Batch], int]] = {
    "split inside groups": (lambda b: b, 14),
    "one answer at a time": (lambda b: b, 1),
    "other order, split": (permuted, 30),
    "padded": (padded, 30),
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("models")


def step_of(folder: Path, b: Batch) -> Batch:
    """With equal rows, a constant group and truncated answers in it."""
    token_ids_BT, length_B, chosen_BT = b.token_ids_BT.copy(), b.length_B.copy(), b.chosen_BT.copy()
    for array in (token_ids_BT, length_B, chosen_BT):
        array[7] = array[6]
    b = replace(b, token_ids_BT=token_ids_BT, length_B=length_B, chosen_BT=chosen_BT)
    return with_greedy(replace(b, truncated_B=np.arange(b.rows) % 5 == 0))


@pytest.mark.parametrize("name", sorted(VARIANTS))
def test_loss_and_gradient_stay(name: str, folder: Path) -> None:
    b = step_of(folder, batch(2, groups=5))
    results = []
    for change, tokens in [(lambda b: b, 4096), *CHANGES.values()]:
        lm = tiny(folder)
        reference = freeze(lm)
        reference.module.model.norm.weight.data *= 1.05  # so that there is a KL to pay
        t = trainer(lm, VARIANTS[name], reference=reference, tokens=tokens, max_norm=1e9)
        metrics = t.step(change(b), step=1)
        results.append((metrics, gradient(t), weights(lm)))
    told, first, _ = results[0]
    assert told["grad/norm"] > 1e-3
    for metrics, other, _ in results[1:]:
        assert apart(first, other) < 1e-5
        assert metrics == pytest.approx(told, rel=1e-5, abs=1e-6)


@pytest.mark.parametrize("name", ["grpo", "dapo", "gspo", "rloo", "reinforce_pp", "ppo"])
def test_updates_after_updates_stay(name: str, folder: Path) -> None:
    b = step_of(folder, batch(2, groups=5))
    results = []
    for tokens in (4096, 60, 1):
        lm = tiny(folder)
        t = trainer(lm, methods[name], reference=freeze(lm), tokens=tokens, passes=2, minibatches=2)
        results.append((t.step(b, step=1), weights(lm)))
    told, first = results[0]
    for metrics, other in results[1:]:
        assert furthest(first, other) < 3e-5
        assert metrics == pytest.approx(told, rel=1e-3, abs=1e-5)


def test_a_difference_would_be_seen(folder: Path) -> None:
    """The bound is no loose one: one column of one answer less, and the gradient is elsewhere."""
    b = batch(2, groups=5)
    found = []
    for length_B in (b.length_B, np.where(np.arange(b.rows) == 1, b.length_B - 1, b.length_B)):
        t = trainer(tiny(folder), methods["dapo"], max_norm=1e9)
        t.step(
            replace(b, length_B=length_B, chosen_BT=np.arange(b.chosen_BT.shape[1])[None] < length_B[:, None]), step=1
        )
        found.append(gradient(t))
    assert apart(*found) > 1e-3
