"""What the methods do on average: every group a tiny policy can draw, weighed by its chance, no sampling.

The policy writes two letters of two; its five free numbers are logits after each beginning. RLOO, ReMax, PPO and GRPO
without its std all follow the gradient of the expected reward, each by a factor of its own; GRPO's std does not.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable

import numpy as np
import pytest
import torch
from torch import Tensor

from tests.losses.cases import signal_of
from verigrad.losses import Method, advantages, build, policy_loss
from verigrad.losses.mismatches import Truncated
from verigrad.losses.ratios import Sequence, Token

ANSWERS = list(itertools.product((0, 1), repeat=2))
LEVELS = {(0, 0): 0.1, (0, 1): 0.9, (1, 0): 0.0, (1, 1): 0.4}
BINARY = {(0, 0): 0.0, (0, 1): 1.0, (1, 0): 0.0, (1, 1): 1.0}
THETA = torch.tensor([[0.3, -0.4], [1.1, 0.2], [-0.6, 0.5]], dtype=torch.float64)
"""Logits [3, 2]: of the first letter, of the second after 0, of the second after 1."""
WILD = np.array([0.7, -1.3, 2.2])
"""A critic's values at the three beginnings that mean nothing."""


def logps(theta: Tensor, answer: tuple[int, int]) -> Tensor:
    """[2]: log-probability of each letter."""
    table = torch.log_softmax(theta, dim=1)
    return torch.stack([table[0, answer[0]], table[1 + answer[0], answer[1]]])


def true_values(theta: Tensor, pays: dict[tuple[int, int], float]) -> np.ndarray:
    """[3]: expected reward at each beginning."""
    p = torch.softmax(theta, dim=1).numpy()
    after = [p[1 + a, 0] * pays[(a, 0)] + p[1 + a, 1] * pays[(a, 1)] for a in (0, 1)]
    return np.array([p[0] @ after, *after])


def gradient_of_expected_reward(theta: Tensor, pays: dict[tuple[int, int], float]) -> Tensor:
    moving = theta.clone().requires_grad_()
    expected = sum((logps(moving, a).sum().exp() * pays[a] for a in ANSWERS), torch.zeros(()))
    return torch.autograd.grad(expected, moving)[0]


def expected_gradient(
    method: Method, theta: Tensor, pays: dict[tuple[int, int], float], *, group: int, values: np.ndarray = WILD
) -> Tensor:
    """[3, 2]: minus the gradient of the method's loss, over every group it can draw times the group's chance."""
    groups = list(itertools.product(ANSWERS, repeat=group))
    rows = [answer for members in groups for answer in members]
    moving = theta.clone().requires_grad_()
    logp_BT = torch.stack([logps(moving, answer) for answer in rows])
    old = logp_BT.detach()
    chance_G = old.sum(dim=1).reshape(len(groups), group).sum(dim=1).exp()
    first = int(theta[0].argmax())
    greedy = (first, int(theta[1 + first].argmax()))
    signal = signal_of(
        reward=[pays[answer] for answer in rows],
        old=old.tolist(),
        group=list(np.repeat(np.arange(len(groups)), group)),
        greedy=[pays[greedy]] * len(rows),
        value=[[values[0], values[1 + answer[0]]] for answer in rows],
        budget=2,
    )
    leaf = old.clone().requires_grad_()
    loss = policy_loss(method, leaf, signal, advantages(method, signal))
    # All groups stand in one update, so every token's share is 1 / groups of what it is in an update of its own.
    slope_BT = torch.autograd.grad(loss.value, leaf)[0] * len(groups) * chance_G.repeat_interleave(group)[:, None]
    return -torch.autograd.grad((slope_BT * logp_BT).sum(), moving)[0]


RLOO = build("rloo", {"kl": "none"})
REMAX = build("remax", {})
SUMMED = {"aggregation": "sequence_sum", "kl": "none"}
NO_STD = build("grpo", {**SUMMED, "scale": "none"})
GRPO = build("grpo", SUMMED)


def ppo(lambda_: float) -> Method:
    return build("ppo", {**SUMMED, "scale": "none", "baseline": {"lambda": lambda_}})


@pytest.mark.parametrize("pays", [LEVELS, BINARY], ids=["levels", "binary"])
@pytest.mark.parametrize(
    ("method", "group", "factor"),
    [
        (RLOO, 2, 1.0),
        (RLOO, 3, 1.0),
        (REMAX, 1, 1.0),
        (REMAX, 2, 1.0),
        (ppo(1.0), 1, 1.0),
        (ppo(1.0), 2, 1.0),
        (NO_STD, 2, 1 / 2),
        (NO_STD, 3, 2 / 3),
        (build("dr_grpo", {}), 3, 2 / 3 / 2),
    ],
    ids=lambda x: x.name if isinstance(x, Method) else f"{x:.3g}",
)
def test_the_gradient_of_the_expected_reward(
    method: Method, group: int, factor: float, pays: dict[tuple[int, int], float]
) -> None:
    """The group mean holds the answer itself, so that GRPO without std goes (G - 1) / G as far as RLOO; Dr.GRPO's code
    divides by its constant (here 2) on top. PPO's critic says nothing of use, and at lambda 1 need not.
    """
    truth = gradient_of_expected_reward(THETA, pays)
    torch.testing.assert_close(
        expected_gradient(method, THETA, pays, group=group), factor * truth, rtol=1e-10, atol=1e-12
    )


def test_below_lambda_1_ppo_is_as_right_as_its_critic() -> None:
    truth = gradient_of_expected_reward(THETA, LEVELS)
    knows = expected_gradient(ppo(0.5), THETA, LEVELS, group=1, values=true_values(THETA, LEVELS))
    torch.testing.assert_close(knows, truth, rtol=1e-10, atol=1e-12)
    guesses = expected_gradient(ppo(0.5), THETA, LEVELS, group=1)
    assert cosine(guesses, truth) < 0.9


@pytest.mark.parametrize("group", [2, 3, 4])
def test_the_std_weighs_a_prompt_by_its_pass_rate(group: int) -> None:
    """Right or wrong: GRPO follows the same direction, times a number that depends on the pass rate p alone.

    That number is E[A | right] - E[A | wrong], summed here by hand over the other answers' number right.
    """
    for theta in (THETA, THETA * 2.5):
        p = float(true_values(theta, BINARY)[0])
        factor = 0.0
        for k in range(group):
            chance = math.comb(group - 1, k) * p**k * (1 - p) ** (group - 1 - k)
            mine_right, mine_wrong = (k + 1) / group, k / group
            factor += chance * (math.sqrt((1 - mine_right) / mine_right) if mine_right < 1 else 0.0)
            factor += chance * (math.sqrt(mine_wrong / (1 - mine_wrong)) if mine_wrong > 0 else 0.0)
        truth = gradient_of_expected_reward(theta, BINARY)
        torch.testing.assert_close(
            expected_gradient(GRPO, theta, BINARY, group=group), factor * truth, rtol=1e-10, atol=1e-12
        )


def test_the_std_leaves_the_gradient_of_the_expected_reward_where_rewards_have_levels() -> None:
    """The named disagreement: GRPO as its paper has it does not follow the expected reward; without the std it does."""
    truth = gradient_of_expected_reward(THETA, LEVELS)
    assert cosine(expected_gradient(NO_STD, THETA, LEVELS, group=3), truth) == pytest.approx(1, abs=1e-12)
    assert cosine(expected_gradient(GRPO, THETA, LEVELS, group=3), truth) < 0.999


def test_two_prompts_share_a_step_by_their_std() -> None:
    """Over prompts the same std turns the step: a prompt at p near 0 or 1 weighs more than its expected reward says."""
    easy = torch.tensor([[3.0, 0.0], [0.0, 3.0], [0.0, 3.0]], dtype=torch.float64)
    share = {}
    for name, method in (("grpo", GRPO), ("none", NO_STD)):
        steps = [float(expected_gradient(method, t, BINARY, group=4).norm()) for t in (easy, THETA)]
        share[name] = steps[0] / sum(steps)
    assert float(true_values(easy, BINARY)[0]) > 0.9
    assert share["grpo"] > 1.03 * share["none"]


def cosine(a: Tensor, b: Tensor) -> float:
    return float((a * b).sum() / (a.norm() * b.norm()))


NEW, OLD = (0.6, 0.4), (0.5, 0.5)
"""Two policies that write every letter alike, whatever came before."""


def moments(length: int, weight: Callable[[Tensor, Tensor], Tensor]) -> tuple[float, float]:
    """Mean and variance, under OLD, of the weight an answer's first token is given: all answers of this length."""
    answers = list(itertools.product((0, 1), repeat=length))
    log_ratio_BT = torch.tensor(
        [[math.log(NEW[x] / OLD[x]) for x in answer] for answer in answers], dtype=torch.float64
    )
    chance_B = torch.tensor([math.prod(OLD[x] for x in answer) for answer in answers], dtype=torch.float64)
    w_B = weight(log_ratio_BT, torch.ones_like(log_ratio_BT, dtype=torch.bool))[:, 0]
    mean = float(chance_B @ w_B)
    return mean, float(chance_B @ (w_B - mean) ** 2)


@pytest.mark.parametrize("length", [1, 2, 5, 10])
def test_the_variance_of_ratios_with_length(length: int) -> None:
    """A token's ratio varies as much in a long answer as in a short one. A sequence's product is unbiased and its
    variance grows like (1 + chi2)^T; GSPO's T-th root of it is not unbiased, and its variance falls like 1 / T.
    """
    chi2 = sum(n * n / o for n, o in zip(NEW, OLD, strict=True)) - 1
    assert moments(length, Token()) == pytest.approx((1, chi2), rel=1e-10)

    product = Truncated(level="sequence", cap=1e9)
    mean, variance = moments(length, lambda log_ratio, chosen: product(log_ratio))
    assert mean == pytest.approx(1, rel=1e-10)
    assert variance == pytest.approx((1 + chi2) ** length - 1, rel=1e-9)

    def moment(u: float) -> float:
        return sum(o * (n / o) ** (u / length) for n, o in zip(NEW, OLD, strict=True)) ** length

    mean, variance = moments(length, Sequence())
    assert mean == pytest.approx(moment(1), rel=1e-10)
    assert variance == pytest.approx(moment(2) - moment(1) ** 2, rel=1e-7)
    if length > 1:
        assert mean < 1
        assert variance < 1.1 * chi2 / length < chi2 < moments(length, lambda d, c: product(d))[1]
