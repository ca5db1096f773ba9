"""Golden numbers made outside this package (tests/golden/golden.json): all of preferences and reward models."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
import torch

from tests.losses.preference_cases import gradients, loss_of, side
from verigrad.losses import Side, bradley_terry, build_preference

GOLDEN = json.loads((Path(__file__).parents[1] / "golden" / "golden.json").read_text())
MINE = (
    "dpo", "cdpo", "robust", "ipo", "hinge", "slic", "kto", "orpo", "simpo", "cpo", "dpop", "rpo_nll", "aot", "bt",
)  # fmt: skip


def pair(policy: tuple[float, float] = (-2, -4), tokens: tuple[int, int] = (2, 4)) -> tuple[Side, Side]:
    """The shared example: log-probs (-2, -4), reference (-3, -3), so h = 2."""
    return side([policy[0]], [tokens[0]], [-3]), side([policy[1]], [tokens[1]], [-3])


def value(name: str, sides: tuple[Side, Side], **axes: object) -> float:
    return loss_of(build_preference(name, axes), *sides).value.item()


def kto(gain: float, *, good: bool) -> float:
    nothing, one = side([], [], []), side([gain], [1], [0.0])
    sides = (one, nothing) if good else (nothing, one)
    method = build_preference("kto", {})
    return loss_of(method, *sides, mismatched=torch.tensor([0.5, 0.1], dtype=torch.float64)).value.item()


def log_odds() -> list[float]:
    sides = (side([-0.5], [1]), side([-1.0], [1]))
    method = build_preference("orpo", {"link": {"weight": 1.0}, "anchor": "none"})
    got = loss_of(method, *sides)
    return [got.sums["preference/margin"], got.value.item()]


def sets(coupling: str) -> tuple[Side, Side]:
    if coupling == "unpaired":  # log-ratios
        return side([1, -0.5], ref=[0, 0]), side([0.2, -1], ref=[0, 0])
    return side([2, 0.5], ref=[1, 1.5]), side([0, 0], ref=[0, 0])  # margins of the policy, and of the reference


def rewards(margin: float | None = None, center: float = 0.0) -> float:
    given = None if margin is None else torch.tensor([margin], dtype=torch.float64)
    chosen, rejected = torch.tensor([1.2], dtype=torch.float64), torch.tensor([0.7], dtype=torch.float64)
    return bradley_terry(chosen, rejected, given, center=center, pairs=1)[0].item()


B2 = {"beta": 0.2}
CASES: dict[str, Callable[[], float | list[float]]] = {
    "dpo": lambda: value("dpo", pair(), link=B2),
    "dpo_grad_chosen": lambda: gradients(build_preference("dpo", {"link": B2}), *pair())[0].item(),
    "cdpo_e.1": lambda: value("cdpo", pair(), link={"beta": 0.2, "smoothing": 0.1}),
    "robust_e.1": lambda: value("robust", pair(), link={"beta": 0.2, "smoothing": 0.1}),
    "ipo_sum": lambda: value("ipo", pair(), link=B2),
    "ipo_avg_len2_4": lambda: value("ipo_mean", pair(), link=B2),
    "hinge_trl": lambda: value("hinge", pair(), link=B2),
    "slic_delta1": lambda: value("slic", pair(), anchor="none"),
    "slic_delta3": lambda: value("slic", pair(), link={"delta": 3}, anchor="none"),
    "kto_des": lambda: kto(1.0, good=True),
    "kto_undes": lambda: kto(-1.0, good=False),
    "orpo_logodds_loss": log_odds,
    "orpo_total_nll.5_lam.1": lambda: value("orpo", (side([-0.5], [1]), side([-1.0], [1]))),
    "simpo_b2_g1": lambda: value("simpo", (side([-1], [2]), side([-4], [4])), link={"beta": 2, "gamma": 1}),
    "simpo_b2.5_g1.375": lambda: value("simpo", (side([-1], [2]), side([-4], [4]))),
    "cpo_b.1_plus_nll1": lambda: value("cpo", pair()),
    "cpo_pref_only": lambda: value("cpo", pair(), anchor="none"),
    "dpop_b.2_l5": lambda: value("dpop", pair((-3.5, -4)), link=B2, anchor={"penalty": 5}),
    "dpo_same_as_dpop_ex": lambda: value("dpop", pair((-3.5, -4)), link=B2, anchor={"penalty": 0}),
    "rpo_nll_alpha1_len2": lambda: value("rpo", pair(), link=B2),
    "dpo_lennorm_len2_4": lambda: value("dpo_norm", pair(), link=B2),
    "aot_unpaired_b1": lambda: value("aot_unpaired", sets("unpaired"), link={"beta": 1}),
    "aot_paired_b1": lambda: value("aot", sets("paired"), link={"beta": 1}),
    "dpo_same_batch_b1": lambda: value("dpo", sets("paired"), link={"beta": 1}),
    "bt": rewards,
    "bt_margin.2": lambda: rewards(margin=0.2),
    "bt_center.01": lambda: rewards(center=0.01),
}


@pytest.mark.parametrize("key", CASES)
def test_golden(key: str) -> None:
    assert CASES[key]() == pytest.approx(GOLDEN[key], rel=0, abs=1e-9)


def test_every_golden_number_of_preferences_is_used() -> None:
    assert {key for key in GOLDEN if key.startswith(MINE)} == set(CASES)
