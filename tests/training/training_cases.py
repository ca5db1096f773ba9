"""A tiny model and batches for the tests of training, made from plain arrays."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from tests.tiny import tiny_folder
from verigrad.losses import Method
from verigrad.models import LanguageModel, load
from verigrad.recipe import Optimizer, Schedule, Train
from verigrad.records import Batch, totals_of
from verigrad.training import Trainer

TEMPERATURE = 0.7
BUDGET = 6
OPTIMIZER = Optimizer(betas=(0.8, 0.95), eps=1e-2, weight_decay=0.1, max_norm=0.5)
LR = 3e-2


def tiny(folder: Path, dtype: str = "float32") -> LanguageModel:
    """The tiny llama in this arithmetic; written once a folder, read afresh at every call."""
    place = folder / "tiny-llama-0"
    return load(str(place if place.exists() else tiny_folder(folder)), dtype=dtype, device="cpu")


def batch(seed: int, *, groups: int = 4, size: int = 3, constant: Sequence[int] = (1,), sampler: float = -5.0) -> Batch:
    """A random step: `groups` prompts of unlike lengths, `size` answers each of 1 to 5 tokens.

    Groups in `constant` earn one reward throughout. The sampler's log-probs are `sampler` and a little noise.
    """
    rng = np.random.default_rng(seed)
    rows = groups * size
    group_B = np.repeat(np.arange(groups), size)
    prompts = [rng.integers(3, 259, size=2 + g) for g in range(groups)]
    length_B = rng.integers(1, 6, size=rows)
    longest = int(length_B.max())
    chosen_BT = np.arange(longest)[None] < length_B[:, None]
    reward_B = rng.choice([0.0, 0.5, 1.0], size=rows)
    for g in range(groups):
        at = np.flatnonzero(group_B == g)
        reward_B[at[:2]] = (1.0, 1.0) if g in constant else (0.0, 1.0)
        if g in constant:
            reward_B[at] = 1.0
    return Batch(
        prompt_ids=tuple(prompts[g] for g in group_B),
        token_ids_BT=np.where(chosen_BT, rng.integers(0, 259, size=(rows, longest)), 0),
        chosen_BT=chosen_BT,
        length_B=length_B,
        logp_sampler_BT=np.where(chosen_BT, sampler + rng.normal(size=(rows, longest)), 0.0).astype(np.float32),
        reward_B=reward_B,
        parts_BK=reward_B[:, None],
        part_names=("check",),
        correct_B=reward_B == 1.0,
        truncated_B=np.zeros(rows, dtype=bool),
        group_B=group_B,
        totals=totals_of(chosen_BT, group_B, budget=BUDGET),
    )


def trainer(
    lm: LanguageModel,
    method: Method,
    *,
    reference: LanguageModel | None = None,
    passes: int = 1,
    minibatches: int = 1,
    tokens: int = 64,
    steps: int = 3,
    lr: float = LR,
    max_norm: float = OPTIMIZER.max_norm,
    schedule: Schedule | None = None,
) -> Trainer:
    """A trainer with this file's optimizer."""
    train = Train(
        steps=steps,
        lr=lr,
        passes=passes,
        minibatches=minibatches,
        optimizer=OPTIMIZER.model_copy(update={"max_norm": max_norm}),
        schedule=schedule or Schedule(),
    )
    return Trainer(lm, method, train, steps=steps, temperature=TEMPERATURE, reference=reference, tokens=tokens)


def with_greedy(b: Batch) -> Batch:
    """The same step with a greedy answer beside each group, right in every other one."""
    return replace(b, greedy_reward_B=(b.group_B % 2).astype(np.float64))


def gradient(t: Trainer) -> dict[str, np.ndarray]:
    """What the last update's backward left, clipped."""
    return {name: p.grad.numpy().copy() for name, p in t.policy.module.named_parameters() if p.grad is not None}


def apart(a: dict[str, np.ndarray], b: dict[str, np.ndarray]) -> float:
    """Norm of the difference of two gradients, by the first one's norm where there is one."""
    assert a.keys() == b.keys()
    difference = np.sqrt(sum(float(((a[name].astype(np.float64) - b[name]) ** 2).sum()) for name in a))
    norm = np.sqrt(sum(float((array.astype(np.float64) ** 2).sum()) for array in a.values()))
    return float(difference / norm) if norm else float(difference)


def weights(lm: LanguageModel) -> dict[str, np.ndarray]:
    """A copy of all weights by name."""
    return {name: p.detach().numpy().copy() for name, p in lm.module.named_parameters()}


def furthest(a: dict[str, np.ndarray], b: dict[str, np.ndarray]) -> float:
    """The largest difference of two sets of weights."""
    assert a.keys() == b.keys()
    return max(float(np.abs(a[name] - b[name]).max()) for name in a)
