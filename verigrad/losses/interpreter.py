"""The interpreter: any method's record becomes advantages and a loss.

`advantages`, `value_targets` (once a step, over the whole of it) · `policy_loss` (per micro-batch) · `idle_rows`.
Shape suffixes: B rollouts, T response tokens, S steps of reasoning. Denominators come from `batch.totals`, which are
those of the WHOLE update: an update's loss is the sum over its micro-batches and ranks, however it is split, padded or
ordered. Left out: the record (method.py), the value loss (value.py), running models.
"""

# ruff: noqa: F722
from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import torch
from jaxtyping import Bool, Float
from torch import Tensor

from verigrad.errors import Refused
from verigrad.losses.baselines import Critic, Rows
from verigrad.losses.entropies import Bonus
from verigrad.losses.kls import K1, InLoss, k3
from verigrad.losses.method import Method, kl_paid, needs, per_part, process
from verigrad.losses.ratios import NoRatio, bounded_exp
from verigrad.losses.value import gae, values_of
from verigrad.records import Batch, Signal


@dataclass(frozen=True, kw_only=True)
class PolicyLoss:
    """A micro-batch's share of an update's loss, and of its metrics."""

    value: Float[Tensor, ""]
    """To be minimised; add up the micro-batches' gradients."""
    sums: Mapping[str, float]
    """Metric -> this micro-batch's share: added up over micro-batches and ranks they are the metric."""
    maxima: Mapping[str, float]
    """Metric -> largest here: take the largest over micro-batches and ranks."""


def advantages(method: Method, signal: Signal) -> Float[Tensor, "B T"]:
    """Advantage of every token, [B, T] float64 on the CPU, 0 at tokens that are not chosen. Give the WHOLE step.

    A_t = scale(R - baseline(R)), minus what tokens from t on pay to the reference (k1 in the reward), whitened last.
    With process rewards A_t is the sum over the steps of reasoning that end at t or after; with a critic it is GAE
    over R and those payments. Rows that `keep` masks (truncated answers) stay in every statistic and come out 0.

    Raises:
        Refused: a group too small to compare within; process rewards of which no verdict gave any.
        ValueError: a log-prob, value or greedy answer that `needs` names is missing.
    """
    chosen_BT = torch.tensor(signal.batch.chosen_BT)
    advantage_BT = method.scale.tokens(_unwhitened(method, signal, chosen_BT), chosen_BT)
    return torch.where(chosen_BT & _kept(method, signal)[:, None], advantage_BT, torch.zeros_like(advantage_BT))


def value_targets(method: Method, signal: Signal) -> Float[Tensor, "B T"]:
    """What the critic should have guessed: unwhitened GAE + V, [B, T] float64, 0 where not chosen. The WHOLE step's.

    Raises as `advantages`; ValueError for a method without a critic.
    """
    if not isinstance(method.baseline, Critic):
        raise ValueError(f"{method.name} has no critic")
    chosen_BT = torch.tensor(signal.batch.chosen_BT)
    return_BT = _unwhitened(method, signal, chosen_BT) + values_of(signal)
    return torch.where(chosen_BT, return_BT, torch.zeros_like(return_BT))


def policy_loss(
    method: Method,
    logp_BT: Float[Tensor, "B T"],
    signal: Signal,
    advantage_BT: Float[Tensor, "B T"],
    entropy_BT: Float[Tensor, "B T"] | None = None,
    *,
    computed_tokens: int | None = None,
) -> PolicyLoss:
    """The loss of these rows, their share of the update whose totals the batch carries.

    loss = sum_bt weight x (-mismatch x clip(ratio, A) + kl coefficient x KL - entropy coefficient x H), in float64
    where logp is, else in float32. Tokens that are not chosen add exactly 0 to the value and to the gradient, whatever
    (even nan) stands there.

    `logp_BT` and `entropy_BT` carry the gradient; `advantage_BT` are these rows of `advantages`. `computed_tokens`:
    chosen tokens of the rows that are not idle, in the whole update; entropy, kl/reference and mismatch/* are means
    over them (default: all of the update's). clip/* are shares of all its tokens, an idle row holding none.
    kl/reference is k3 of the policy now; ratio/max is of the method's ratio (the token's where it has none).

    Raises:
        ValueError: a log-prob or entropy that `needs` names is missing.
    """
    batch, totals = signal.batch, signal.batch.totals
    dtype = torch.float64 if logp_BT.dtype == torch.float64 else torch.float32
    device = logp_BT.device
    learns_BT = (torch.tensor(batch.chosen_BT) & _kept(method, signal)[:, None]).to(device)
    zero_BT = torch.zeros(learns_BT.shape, dtype=dtype, device=device)

    def here(x_BT: np.ndarray | Tensor) -> Tensor:
        x = x_BT if isinstance(x_BT, Tensor) else torch.tensor(x_BT)
        return torch.where(learns_BT, x.to(device=device, dtype=dtype), zero_BT)

    logp, old, adv = here(logp_BT), here(signal.logp_old_BT), here(advantage_BT).detach()
    log_ratio_BT = logp - old
    log_weight_BT = old - here(batch.logp_sampler_BT)
    weight_BT = method.aggregation(learns_BT, torch.tensor(batch.group_B), totals).to(dtype)
    ratio_BT = method.ratio(log_ratio_BT, learns_BT)
    mismatch_BT = method.mismatch(log_weight_BT)
    policy = -(weight_BT * mismatch_BT * method.clip(ratio_BT, adv, logp)).sum()
    value = policy

    tokens = max(totals.tokens if computed_tokens is None else computed_tokens, 1)
    sums = {"loss/policy": policy.item()}
    if kl_paid(method) and isinstance(method.kl, InLoss):
        kl = method.kl.coefficient * (weight_BT * method.kl(logp, here(_reference(signal)), log_ratio_BT)).sum()
        value = value + kl
        sums["loss/kl"] = kl.item()
    if isinstance(method.entropy, Bonus) and method.entropy.coefficient != 0:
        if entropy_BT is None:
            raise ValueError("the entropy bonus needs entropy_BT")
        value = value - method.entropy.coefficient * (weight_BT * here(entropy_BT)).sum()

    with torch.no_grad():
        low_BT, high_BT = method.clip.held(ratio_BT, adv)
        sums["clip/low"] = (low_BT & learns_BT).sum().item() / max(totals.tokens, 1)
        sums["clip/high"] = (high_BT & learns_BT).sum().item() / max(totals.tokens, 1)
        sums["mismatch/mean"] = _total(log_weight_BT.abs(), learns_BT) / tokens
        sums["mismatch/weight"] = _total(mismatch_BT, learns_BT) / tokens
        if entropy_BT is not None:
            sums["entropy"] = _total(here(entropy_BT), learns_BT) / tokens
        if signal.logp_ref_BT is not None:
            sums["kl/reference"] = _total(k3(logp - here(signal.logp_ref_BT)), learns_BT) / tokens
        moved_BT = bounded_exp(log_ratio_BT) if isinstance(method.ratio, NoRatio) else ratio_BT
        maxima = {
            "ratio/max": _largest(moved_BT, learns_BT),
            "mismatch/max": _largest(log_weight_BT.abs(), learns_BT),
        }
    return PolicyLoss(value=value, sums=sums, maxima=maxima)


def idle_rows(method: Method, advantage_BT: Float[Tensor, "B T"], signal: Signal) -> Bool[np.ndarray, " B"]:
    """Rows that add exactly 0 to the loss and its gradient: they need not be computed, and stay in every total.

    [B] bool: no chosen token has an advantage and no KL, entropy or value term stands in the loss, or `keep` masks the
    row.
    """
    kept_B = _kept(method, signal).numpy()
    if needs(method).entropy or (kl_paid(method) and isinstance(method.kl, InLoss)):
        return np.asarray(~kept_B | ~signal.batch.chosen_BT.any(axis=1))
    if needs(method).critic:  # its value is trained on every answer
        return np.asarray(~kept_B | ~signal.batch.chosen_BT.any(axis=1))
    zero_BT = advantage_BT.detach().cpu().numpy() == 0
    return np.asarray(~kept_B | (zero_BT | ~signal.batch.chosen_BT).all(axis=1))


def _kept(method: Method, signal: Signal) -> Bool[Tensor, " B"]:
    truncated_B = torch.tensor(signal.batch.truncated_B, dtype=torch.bool)
    return ~truncated_B if method.keep.truncated == "masked" else torch.ones_like(truncated_B)


def _reference(signal: Signal) -> np.ndarray:
    if signal.logp_ref_BT is None:
        raise ValueError("this method pays KL: logp_ref_BT is missing")
    return signal.logp_ref_BT


def _paid_out_of_reward(method: Method, signal: Signal, chosen_BT: Tensor) -> Float[Tensor, "B T"]:
    """Coefficient x k1 of each chosen token by the old log-probs, [B, T] float64, without gradient."""
    zero_BT = torch.zeros(chosen_BT.shape, dtype=torch.float64)
    if not (kl_paid(method) and isinstance(method.kl, K1)):
        return zero_BT
    old_BT = torch.tensor(signal.logp_old_BT, dtype=torch.float64)
    ref_BT = torch.tensor(_reference(signal), dtype=torch.float64)
    return torch.where(chosen_BT, method.kl.coefficient * (old_BT - ref_BT), zero_BT)


def _unwhitened(method: Method, signal: Signal, chosen_BT: Bool[Tensor, "B T"]) -> Float[Tensor, "B T"]:
    """Advantages [B, T] float64 before whitening and masking.

    One recursion for all: without a critic V is 0 and lambda 1, and GAE is what is still to be earned.
    """
    batch = signal.batch
    group_B = torch.tensor(np.unique(batch.group_B, return_inverse=True)[1].reshape(-1))
    greedy_B = None if batch.greedy_reward_B is None else torch.tensor(batch.greedy_reward_B, dtype=torch.float64)
    rows = Rows(group_B=group_B, greedy_B=greedy_B)
    reward_B = torch.tensor(batch.reward_B, dtype=torch.float64)
    paid_BT = _paid_out_of_reward(method, signal, chosen_BT)
    if isinstance(method.kl, K1) and method.kl.paid == "sequence_reward":
        reward_B = reward_B - paid_BT.sum(dim=1)
        paid_BT = torch.zeros_like(paid_BT)
    if process(method):
        earned_BT = _steps_earned(method, batch, reward_B, rows)
    else:
        earned_BT = _last(chosen_BT) * _answers_earned(method, batch, reward_B, rows)[:, None]
    if isinstance(method.baseline, Critic):
        critic = method.baseline
        return gae(earned_BT - paid_BT, values_of(signal), chosen_BT, critic.gamma, critic.lambda_)
    return gae(earned_BT - paid_BT, torch.zeros_like(paid_BT), chosen_BT, method.gamma, 1.0)


def _answers_earned(method: Method, batch: Batch, reward_B: Float[Tensor, " B"], rows: Rows) -> Float[Tensor, " B"]:
    """What each answer earned beyond its baseline, in the scale's unit, [B]."""
    scored = [reward_B]
    if per_part(method.scale):
        scored = list(torch.tensor(batch.parts_BK, dtype=torch.float64).unbind(dim=1))
        if not scored:
            raise Refused("loss.scale.per_part: the step has no reward parts", key="loss.scale.per_part")
    return sum((method.scale.rows(method.baseline(r, rows), r, rows) for r in scored), torch.zeros_like(reward_B))


def _steps_earned(method: Method, batch: Batch, reward_B: Float[Tensor, " B"], rows: Rows) -> Float[Tensor, "B T"]:
    """What each step of reasoning earned, at the token it ends with, [B, T].

    Steps take the answers' place: centred and scaled over all steps of the group. A group of one step has nothing to
    compare it with and earns 0.
    """
    if batch.process_BT is None:
        raise Refused(
            'loss.baseline.rewards = "process": no verdict of this step has rewards of steps; a check gives them by '
            "Verdict(process=..., process_ends=...)",
            key="loss.baseline.rewards",
        )
    method.baseline(reward_B, rows)  # refuses a group too small to compare within
    process_BT = torch.tensor(batch.process_BT, dtype=torch.float64)
    ends_BT = process_BT.isfinite()
    steps_B = ends_BT.sum(dim=1)
    many_B = torch.zeros(int(rows.group_B.max()) + 1, dtype=torch.long).index_add_(0, rows.group_B, steps_B) > 1
    counts_BT = ends_BT & many_B[rows.group_B][:, None]
    earned_BT = torch.zeros_like(process_BT)
    if not bool(counts_BT.any()):
        return earned_BT
    group_S = torch.tensor(np.unique(rows.group_B.repeat_interleave(counts_BT.sum(dim=1)), return_inverse=True)[1])
    reward_S = process_BT[counts_BT]
    steps = Rows(group_B=group_S, greedy_B=None)
    earned_BT[counts_BT] = method.scale.rows(method.baseline(reward_S, steps), reward_S, steps)
    return earned_BT


def _last(chosen_BT: Bool[Tensor, "B T"]) -> Bool[Tensor, "B T"]:
    """True at each answer's last chosen token."""
    return chosen_BT & (chosen_BT.flip(1).cumsum(1).flip(1) == 1)


def _total(x_BT: Tensor, learns_BT: Tensor) -> float:
    return float(torch.where(learns_BT, x_BT.double(), 0.0).sum())


def _largest(x_BT: Tensor, learns_BT: Tensor) -> float:
    return float(x_BT[learns_BT].max()) if bool(learns_BT.any()) else 0.0
