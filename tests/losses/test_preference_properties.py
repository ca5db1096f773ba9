"""What holds for every preference method, and for every word no method uses; and loops written by hand beside them."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import pytest
import torch

from tests.losses.preference_cases import (
    BY_HAND,
    EVERY,
    gradients,
    loss_of,
    mismatched,
    random_sides,
    rows_of,
    side,
)
from verigrad.losses import PreferenceMethod, Side, build_preference, preferences
from verigrad.losses.preference_axes import Logistic, Reference, Sum
from verigrad.losses.preference_records import Pairwise

every = pytest.mark.parametrize("name", EVERY)
PAIRED = [name for name, m in EVERY.items() if m.paired]
SEPARABLE = [name for name, m in EVERY.items() if m.separable]
WHOLE = [name for name, m in EVERY.items() if not m.separable]
SUM_AND_REFERENCE = [
    name
    for name, m in EVERY.items()
    if isinstance(m, Pairwise) and m.score == Sum() and isinstance(m.anchor, Reference) and m.anchor.nll == 0
]


def shifted(s: Side, policy: Any = 0.0, reference: Any = 0.0) -> Side:
    assert s.ref_B is not None
    return replace(s, logp_B=(s.logp_B.detach() + policy).requires_grad_(), ref_B=s.ref_B + reference)


@pytest.mark.parametrize("name", BY_HAND)
def test_by_hand(name: str) -> None:
    chosen, rejected = random_sides(7, seed=1)

    def answers(s: Side) -> list[tuple[float, int, float]]:
        assert s.ref_B is not None
        return list(zip(s.logp_B.tolist(), s.tokens_B.tolist(), s.ref_B.tolist(), strict=True))

    want = sum(BY_HAND[name](w, y) for w, y in zip(answers(chosen), answers(rejected), strict=True)) / 7
    assert loss_of(preferences[name], chosen, rejected).value.item() == pytest.approx(want, rel=1e-12)


def test_every_method_has_a_hand() -> None:
    assert set(BY_HAND) | {"kto", "aot", "aot_unpaired"} == set(preferences)


def test_kto_by_hand() -> None:
    chosen, rejected = random_sides(4, seed=2, other=3)
    method = build_preference("kto", {"link": {"beta": 0.3, "desirable": 1.2, "undesirable": 0.7}})
    far = mismatched(6, 1)
    z0 = max(0.0, sum(far.tolist()) / 6)
    good = [p - r for p, r in zip(chosen.logp_B.tolist(), chosen.ref_B.tolist(), strict=True)]
    bad = [p - r for p, r in zip(rejected.logp_B.tolist(), rejected.ref_B.tolist(), strict=True)]
    want = sum(1.2 * (1 - 1 / (1 + math.exp(-0.3 * (g - z0)))) for g in good)
    want += sum(0.7 * (1 - 1 / (1 + math.exp(-0.3 * (z0 - g)))) for g in bad)
    assert z0 > 0
    got = loss_of(method, chosen, rejected, mismatched=far)
    assert got.value.item() == pytest.approx(want / 7, rel=1e-12)
    assert got.sums["logp/chosen"] == pytest.approx(chosen.logp_B.mean().item())
    assert got.sums["logp/rejected"] == pytest.approx(rejected.logp_B.mean().item())
    right = sum(g > b for g in good for b in bad) / 12
    assert got.sums["preference/right"] == pytest.approx(right)
    assert got.sums["preference/margin"] == pytest.approx(sum(good) / 4 - sum(bad) / 3)


def test_kto_sees_z0_at_least_0_and_without_gradient() -> None:
    chosen, rejected = random_sides(3, seed=4)
    method = preferences["kto"]
    below = loss_of(method, chosen, rejected, mismatched=torch.tensor([-3.0, 1.0], dtype=torch.float64))
    none = loss_of(method, chosen, rejected, mismatched=torch.zeros(0, dtype=torch.float64))
    zero = loss_of(method, chosen, rejected, mismatched=torch.zeros(2, dtype=torch.float64))
    assert below.value.item() == none.value.item() == zero.value.item()
    far = torch.ones(2, dtype=torch.float64, requires_grad=True)
    loss_of(method, chosen, rejected, mismatched=far).value.backward()
    assert far.grad is None


def test_aot_by_hand() -> None:
    chosen, rejected = random_sides(5, seed=6)
    policy = sorted((chosen.logp_B - rejected.logp_B).tolist())
    reference = sorted((chosen.ref_B - rejected.ref_B).tolist())
    want = sum(math.log1p(math.exp(-0.1 * (p - r))) for p, r in zip(policy, reference, strict=True)) / 5
    assert loss_of(preferences["aot"], chosen, rejected).value.item() == pytest.approx(want, rel=1e-12)


@pytest.mark.parametrize(("n", "m"), [(5, 5), (4, 6), (1, 3), (7, 2)])
def test_aot_unpaired_by_hand(n: int, m: int) -> None:
    """Each answer repeated until both sides are as many: then it is the paper's sorted difference."""
    chosen, rejected = random_sides(n, seed=8, other=m)
    win = sorted((chosen.logp_B - chosen.ref_B).tolist() * m)
    lose = sorted((rejected.logp_B - rejected.ref_B).tolist() * n)
    want = sum(math.log1p(math.exp(-0.1 * (w - y))) for w, y in zip(win, lose, strict=True)) / (n * m)
    assert loss_of(preferences["aot_unpaired"], chosen, rejected).value.item() == pytest.approx(want, rel=1e-12)


@every
def test_gradient_is_that_of_small_steps(name: str) -> None:
    chosen, rejected = random_sides(4, seed=9)
    method, step = EVERY[name], 1e-6
    for which, gradient in enumerate(gradients(method, chosen, rejected)):
        for row in range(4):
            values = []
            for sign in (1, -1):
                sides = [chosen, rejected]
                moved = sides[which].logp_B.detach().clone()
                moved[row] += sign * step
                sides[which] = replace(sides[which], logp_B=moved)
                values.append(loss_of(method, *sides).value.item())
            assert gradient[row].item() == pytest.approx((values[0] - values[1]) / (2 * step), abs=1e-6)


@pytest.mark.parametrize("name", SEPARABLE)
def test_micro_batches_add_up(name: str) -> None:
    chosen, rejected = random_sides(7, seed=10)
    method = EVERY[name]
    whole = loss_of(method, chosen, rejected)
    want = gradients(method, chosen, rejected)
    parts = [
        method(rows_of(chosen, index), rows_of(rejected, index), pairs=7) for index in ((0, 3), (6,), (5, 1, 4, 2))
    ]
    value = sum(p.value for p in parts)
    got = torch.autograd.grad(value, (chosen.logp_B, rejected.logp_B))
    assert value.item() == pytest.approx(whole.value.item(), rel=1e-12)
    for g, w in zip(got, want, strict=True):
        torch.testing.assert_close(g, w, rtol=1e-12, atol=1e-15)
    assert set(whole.sums) == {"loss/policy", "logp/chosen", "logp/rejected", "preference/right", "preference/margin"}
    for key, total in whole.sums.items():
        assert sum(p.sums[key] for p in parts) == pytest.approx(total, rel=1e-12)


@pytest.mark.parametrize("name", WHOLE)
def test_a_part_of_the_step_is_not_taken_for_the_whole(name: str) -> None:
    chosen, rejected = random_sides(5, seed=11)
    with pytest.raises(ValueError, match="whole step"):
        loss_of(EVERY[name], rows_of(chosen, range(3)), rows_of(rejected, range(3)), pairs=5)


@every
def test_order_does_not_matter(name: str) -> None:
    chosen, rejected = random_sides(6, seed=12)
    method, order = EVERY[name], (4, 0, 5, 2, 1, 3)
    other = order if method.paired else (1, 5, 0, 3, 2, 4)
    whole = loss_of(method, chosen, rejected)
    got = loss_of(method, rows_of(chosen, order), rows_of(rejected, other))
    assert got.value.item() == pytest.approx(whole.value.item(), rel=1e-12)
    assert got.sums == pytest.approx(whole.sums, rel=1e-12)


@pytest.mark.parametrize("name", SUM_AND_REFERENCE)
def test_a_shift_of_both_log_probs_cancels(name: str) -> None:
    """Of policy and reference; and of chosen and rejected, but for DPOP, which watches the chosen one fall."""
    method = EVERY[name]
    chosen, rejected = random_sides(5, seed=13)
    want = loss_of(method, chosen, rejected).value.item()
    by = torch.tensor([1.0, -2.0, 0.5, 3.0, -0.25], dtype=torch.float64)
    got = loss_of(method, shifted(chosen, policy=by, reference=by), shifted(rejected, policy=2 * by, reference=2 * by))
    assert got.value.item() == pytest.approx(want, rel=1e-12)
    got = loss_of(method, shifted(chosen, policy=by), shifted(rejected, policy=by))
    if name == "dpop":
        assert got.value.item() != pytest.approx(want, rel=1e-3)
    else:
        assert got.value.item() == pytest.approx(want, rel=1e-12)


@pytest.mark.parametrize("name", PAIRED)
def test_swapped_sides_have_the_opposite_margin(name: str) -> None:
    chosen, rejected = random_sides(6, seed=14)
    there, back = (loss_of(EVERY[name], a, b).sums for a, b in ((chosen, rejected), (rejected, chosen)))
    assert there["preference/margin"] == pytest.approx(-back["preference/margin"], rel=1e-12)
    assert there["preference/right"] + back["preference/right"] == pytest.approx(1)
    assert there["logp/chosen"] == back["logp/rejected"]


def test_swap_symmetry_of_the_links() -> None:
    chosen, rejected = random_sides(6, seed=15)

    def loss(name: str, *sides: Side, **axes: Any) -> float:
        return loss_of(build_preference(name, axes), *sides).value.item()

    there, back = loss("dpo", chosen, rejected), loss("dpo", rejected, chosen)
    margin = loss_of(preferences["dpo"], chosen, rejected).sums["preference/margin"]
    assert there - back == pytest.approx(-0.1 * margin, rel=1e-9)
    # cDPO is DPO's expectation over flipped labels; robust, in that expectation, is DPO on the true ones.
    flips = {"link": {"beta": 0.1, "smoothing": 0.3}}
    assert loss("cdpo", chosen, rejected, **flips) == pytest.approx(0.7 * there + 0.3 * back, rel=1e-12)
    mixed = 0.7 * loss("robust", chosen, rejected, **flips) + 0.3 * loss("robust", rejected, chosen, **flips)
    assert mixed == pytest.approx(there, rel=1e-12)


@every
def test_where_both_answers_are_alike_the_chosen_rises_and_the_rejected_does_not(name: str) -> None:
    chosen, _ = random_sides(4, seed=16)
    rejected = replace(chosen, logp_B=chosen.logp_B.detach().clone().requires_grad_())
    up, down = gradients(EVERY[name], chosen, rejected)
    assert (up < 0).all()
    assert (down > 0).all()


@every
def test_the_reference_gets_no_gradient(name: str) -> None:
    chosen, rejected = random_sides(3, seed=17)
    refs = [s.ref_B.clone().requires_grad_() for s in (chosen, rejected)]
    sides = [replace(s, ref_B=r) for s, r in zip((chosen, rejected), refs, strict=True)]
    loss_of(EVERY[name], *sides).value.backward()
    assert chosen.logp_B.grad is not None
    assert [r.grad for r in refs] == [None, None]


@every
@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
def test_low_precision_is_computed_in_float32(name: str, dtype: torch.dtype) -> None:
    chosen, rejected = (
        replace(s, logp_B=s.logp_B.detach().to(dtype), ref_B=s.ref_B.to(dtype)) for s in random_sides(5, seed=18)
    )
    exact = [replace(s, logp_B=s.logp_B.double(), ref_B=s.ref_B.double()) for s in (chosen, rejected)]
    got, want = loss_of(EVERY[name], chosen, rejected).value, loss_of(EVERY[name], *exact).value
    assert got.dtype == torch.float32
    assert got.item() == pytest.approx(want.item(), rel=2e-5)


@every
def test_far_apart_answers_stay_finite(name: str) -> None:
    """Log-probs no model has kept, and (ORPO) a probability of exactly 1, in float32."""
    for far in (-1e4, 0.0):
        chosen = Side(
            logp_B=torch.tensor([far, -0.5], requires_grad=True),
            tokens_B=torch.tensor([3, 1]),
            ref_B=torch.tensor([-1.0, -1.0]),
        )
        rejected = replace(chosen, logp_B=torch.tensor([-1e4, -3.0], requires_grad=True))
        got = loss_of(EVERY[name], chosen, rejected)
        got.value.backward()
        assert all(math.isfinite(v) for v in (got.value.item(), *got.sums.values()))
        for one in (chosen, rejected):
            assert one.logp_B.grad.isfinite().all()


@every
def test_what_the_properties_say_is_what_is_asked_for(name: str) -> None:
    method = EVERY[name]
    assert isinstance(method, PreferenceMethod)
    chosen, rejected = random_sides(3, seed=19)
    bare = [replace(s, ref_B=None) for s in (chosen, rejected)]
    if method.needs_reference:
        with pytest.raises(ValueError, match="ref_B"):
            loss_of(method, *bare)
    else:
        assert loss_of(method, *bare).value.item() == loss_of(method, chosen, rejected).value.item()
    if method.paired:
        with pytest.raises(ValueError, match="3 chosen and 2 rejected"):
            loss_of(method, chosen, rows_of(rejected, range(2)), pairs=3)
    else:
        assert math.isfinite(loss_of(method, chosen, rows_of(rejected, range(2))).value.item())
        alone = loss_of(method, chosen, side([], [], []))
        assert set(alone.sums) == {"loss/policy", "logp/chosen"}
        alone.value.backward()
        assert chosen.logp_B.grad is not None
    if method.needs_mismatched:
        with pytest.raises(ValueError, match="mismatched"):
            method(chosen, rejected, pairs=6)


def test_a_side_of_other_shapes_is_refused() -> None:
    with pytest.raises(ValueError, match=r"logp_B is \(2,\), tokens_B is \(1,\)"):
        side([-1.0, -2.0], [1])


# Three answers, one parameter x: softmax(x, 0, 3 x). The pair says the first is better than the second; the third,
# which nobody mentioned, lies further along the same direction. This is how DPO lowers the chosen one's probability.
PHI = torch.tensor([1.0, 0.0, 3.0], dtype=torch.float64)


def three_answers(x: torch.Tensor) -> tuple[torch.Tensor, tuple[Side, Side]]:
    logp, ref = torch.log_softmax(x * PHI, 0), torch.full((3,), -math.log(3), dtype=torch.float64)
    one = torch.ones(1)
    return logp.exp(), tuple(Side(logp_B=logp[i : i + 1], tokens_B=one, ref_B=ref[i : i + 1]) for i in (0, 1))


def test_dpo_lowers_the_chosen_probability_while_its_loss_falls() -> None:
    """Exact: one step of gradient descent takes (1, 1, 1) / 3 to (2, 1, 8) / 11, and the loss from ln 2 to ln 1.5."""
    method = build_preference("dpo", {"link": {"beta": 1.0}})
    x = torch.zeros((), dtype=torch.float64, requires_grad=True)
    p, sides = three_answers(x)
    before = loss_of(method, *sides)
    (gradient,) = torch.autograd.grad(before.value, x)
    assert before.value.item() == pytest.approx(math.log(2), abs=1e-15)
    assert gradient.item() == pytest.approx(-0.5, abs=1e-15)
    with torch.no_grad():
        x -= 2 * math.log(2) * gradient
    p, sides = three_answers(x)
    after = loss_of(method, *sides)
    torch.testing.assert_close(p.detach(), torch.tensor([2, 1, 8], dtype=torch.float64) / 11, rtol=0, atol=1e-15)
    assert after.value.item() == pytest.approx(math.log(1.5), abs=1e-15)
    assert after.sums["preference/margin"] == pytest.approx(math.log(2), abs=1e-15)
    assert after.sums["preference/right"] == 1
    assert after.sums["logp/chosen"] - before.sums["logp/chosen"] == pytest.approx(math.log(6 / 11), abs=1e-15)
    # It would go on falling; what holds the chosen answer in place turns round.
    for name, anchor, rises in (("dpo", {}, False), ("dpop", {"penalty": 50.0}, True), ("rpo", {"nll": 1.0}, True)):
        held = build_preference(name, {"link": {"beta": 1.0}, **({"anchor": anchor} if anchor else {})})
        (gradient,) = torch.autograd.grad(loss_of(held, *three_answers(x)[1]).value, x)
        assert (gradient.item() > 0) == rises, name


def test_dpo_raises_it_where_every_answer_has_a_logit_of_its_own() -> None:
    logits = torch.zeros(3, dtype=torch.float64, requires_grad=True)
    logp = torch.log_softmax(logits, 0)
    sides = [Side(logp_B=logp[i : i + 1], tokens_B=torch.ones(1), ref_B=logp[i : i + 1]) for i in (0, 1)]
    (gradient,) = torch.autograd.grad(loss_of(preferences["dpo"], *sides).value, logits)
    assert gradient.tolist() == pytest.approx([-0.05, 0.05, 0.0], abs=1e-15)
    assert torch.softmax(logits - gradient, 0)[0].item() > 1 / 3


def test_dpo_is_the_record_the_paper_says() -> None:
    dpo = preferences["dpo"]
    assert isinstance(dpo, Pairwise)
    assert (dpo.score, dpo.link, dpo.anchor) == (Sum(), Logistic(beta=0.1), Reference())
