"""weights/changed: the share of the engine's weights that a step changed, in the precision the engine has."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch

from tests.training.training_cases import TEMPERATURE, batch, tiny, trainer
from verigrad.losses import methods
from verigrad.training import Trainer
from verigrad.training.changed import share_changed


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("models")


def counted(before: list[torch.Tensor], after: list[torch.Tensor]) -> float:
    """The share written out: of every 251st weight of each tensor, one after the other."""
    changed = total = 0
    for a, b in zip(before, after, strict=True):
        for x, y in list(zip(a.flatten().tolist(), b.flatten().tolist(), strict=True))[::251]:
            changed += x != y
            total += 1
    return changed / total


@pytest.mark.parametrize(("dtype", "lr", "low", "high"), [
    (None, 1e-6, 0.9, 1.0),
    (torch.bfloat16, 1e-6, 0.0, 0.1),
    (torch.bfloat16, 1e-2, 0.4, 0.8),
])  # fmt: skip
def test_it_is_the_share_counted_by_hand(
    dtype: torch.dtype | None, lr: float, low: float, high: float, folder: Path
) -> None:
    """A small step moves almost every float32 weight and almost no bfloat16 one: such updates stall."""
    lm = tiny(folder)
    plain = trainer(lm, methods["dr_grpo"], lr=lr)
    t = Trainer(lm, plain.method, plain.train, steps=3, temperature=TEMPERATURE, engine_dtype=dtype)
    kept = dtype or torch.float32
    before = [p.detach().to(kept) for p in lm.module.parameters()]
    before = [p.clone() for p in before]
    share = t.step(batch(0), step=1)["weights/changed"]
    assert share == counted(before, [p.detach().to(kept) for p in lm.module.parameters()])
    assert low <= share <= high


def test_without_a_dtype_it_is_the_policys_arithmetic(folder: Path) -> None:
    lm = tiny(folder, "bfloat16")
    assert trainer(lm, methods["dr_grpo"], lr=1e-6).step(batch(0), step=1)["weights/changed"] < 0.1


def test_nothing_changed_and_nothing_there() -> None:
    weights = torch.tensor([1.0, 2.0, 3.0, 4.0])
    assert share_changed(weights, weights.clone()) == 0.0
    assert share_changed(weights, torch.tensor([1.0, 2.0, 3.5, 4.0])) == 0.25
    assert share_changed(torch.empty(0), torch.empty(0)) == 0.0
