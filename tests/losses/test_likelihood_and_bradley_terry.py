"""The losses of supervised fine-tuning and of a reward model, beside loops written by hand."""

from __future__ import annotations

import math

import pytest
import torch

from verigrad.losses import bradley_terry, nll


def answers(seed: int, lengths: tuple[int, ...], width: int) -> tuple[torch.Tensor, torch.Tensor]:
    draw = torch.Generator().manual_seed(seed)
    logp_BT = -torch.rand((len(lengths), width), generator=draw, dtype=torch.float64)
    chosen_BT = torch.arange(width)[None] < torch.tensor(lengths)[:, None]
    return logp_BT.requires_grad_(), chosen_BT


def test_nll_is_the_token_mean_of_the_update() -> None:
    logp_BT, chosen_BT = answers(0, (2, 5, 1), 6)
    value, sums = nll(logp_BT, chosen_BT, tokens=8)
    want = -sum(logp_BT[b, t].item() for b, n in enumerate((2, 5, 1)) for t in range(n)) / 8
    assert value.item() == pytest.approx(want, rel=1e-12)
    assert sums == {"loss/policy": value.item()}
    value.backward()
    torch.testing.assert_close(logp_BT.grad, torch.where(chosen_BT, -1 / 8, 0.0).double(), rtol=0, atol=0)


def test_nll_does_not_see_padding_or_the_split() -> None:
    logp_BT, chosen_BT = answers(1, (3, 4, 2, 4), 4)
    whole = nll(logp_BT, chosen_BT, tokens=13)[0]
    parts = sum(nll(logp_BT[i], chosen_BT[i], tokens=13)[0] for i in ([2, 0], [3], [1]))
    assert parts.item() == pytest.approx(whole.item(), rel=1e-12)
    padding = torch.full((4, 3), math.nan, dtype=torch.float64)
    wide = torch.cat([logp_BT.detach(), padding], 1).requires_grad_()
    value = nll(wide, torch.cat([chosen_BT, torch.zeros(4, 3, dtype=torch.bool)], 1), tokens=13)[0]
    assert value.item() == whole.item()
    value.backward()
    assert wide.grad.isfinite().all()
    assert not wide.grad[:, 4:].any()


def test_nll_of_low_precision_adds_up_in_float32() -> None:
    """4097 tokens of 1 nat each, a sum that bfloat16 does not have."""
    value, _ = nll(
        torch.full((1, 4097), -1.0, dtype=torch.bfloat16), torch.ones(1, 4097, dtype=torch.bool), tokens=4097
    )
    assert value.dtype == torch.float32
    assert value.item() == 1


def rewards(seed: int, pairs: int) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    draw = torch.Generator().manual_seed(seed)
    chosen_B, rejected_B, margin_B = (torch.randn(pairs, generator=draw, dtype=torch.float64) for _ in range(3))
    return chosen_B.requires_grad_(), rejected_B.requires_grad_(), margin_B.abs()


@pytest.mark.parametrize("center", [0.0, 0.03])
def test_bradley_terry_by_hand_and_in_parts(center: float) -> None:
    chosen_B, rejected_B, margin_B = rewards(2, 6)
    value, sums = bradley_terry(chosen_B, rejected_B, margin_B, center=center, pairs=6)
    want = 0.0
    for w, y, m in zip(chosen_B.tolist(), rejected_B.tolist(), margin_B.tolist(), strict=True):
        want += math.log1p(math.exp(-(w - y - m))) + center * (w + y) ** 2
    assert value.item() == pytest.approx(want / 6, rel=1e-12)
    assert sums["preference/right"] == (chosen_B > rejected_B).double().mean().item()
    assert sums["preference/margin"] == pytest.approx((chosen_B - rejected_B).mean().item(), rel=1e-12)
    parts = [
        bradley_terry(chosen_B[i], rejected_B[i], margin_B[i], center=center, pairs=6) for i in ([5, 0], [1], [2, 4, 3])
    ]
    assert sum(p[0] for p in parts).item() == pytest.approx(value.item(), rel=1e-12)
    for key, total in sums.items():
        assert sum(p[1][key] for p in parts) == pytest.approx(total, rel=1e-12)


def test_only_the_difference_counts_until_it_is_centred() -> None:
    chosen_B, rejected_B, margin_B = rewards(3, 4)
    for center, same in ((0.0, True), (0.01, False)):
        values = [
            bradley_terry(chosen_B + c, rejected_B + c, margin_B, center=center, pairs=4)[0].item() for c in (0.0, 7.0)
        ]
        assert (values[0] == pytest.approx(values[1], rel=1e-12)) == same


def test_a_margin_asks_for_more_and_none_is_zero() -> None:
    chosen_B, rejected_B, margin_B = rewards(4, 5)
    zero = bradley_terry(chosen_B, rejected_B, torch.zeros(5), center=0.0, pairs=5)[0].item()
    assert bradley_terry(chosen_B, rejected_B, None, center=0.0, pairs=5)[0].item() == zero
    assert bradley_terry(chosen_B, rejected_B, margin_B, center=0.0, pairs=5)[0].item() > zero


def test_a_tie_is_not_right() -> None:
    same = torch.ones(2, dtype=torch.float64)
    assert bradley_terry(same, same, None, center=0.0, pairs=2)[1]["preference/right"] == 0
