"""A method is one frozen record of orthogonal choices, and one interpreter turns any record into advantages and a loss.

`Method` (the record) · `advantages` and `policy_loss` (the interpreter) · `idle_rows`, `needs`, `check_sizes` · `diff`.
Shape suffixes: B rollouts, T response tokens. Denominators come from `batch.totals`, which are those of the WHOLE
update: an update's loss is the sum over its micro-batches and ranks, however it is split, padded or ordered.
Left out: which methods there are (methods.py), recipes (wire.py), critics and preferences, running models.
"""

# ruff: noqa: F722
from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import torch
from jaxtyping import Bool, Float
from torch import Tensor

from verigrad.errors import Refused
from verigrad.losses.aggregations import Aggregation
from verigrad.losses.axis import AxisValue, parameters
from verigrad.losses.baselines import Baseline, Greedy, Rows
from verigrad.losses.clips import Clip, NoClip
from verigrad.losses.entropies import Bonus, Entropy, NoBonus
from verigrad.losses.keeps import Keep
from verigrad.losses.kls import K1, InLoss, Kl, RatioK3, k3
from verigrad.losses.mismatches import Mismatch, NoCorrection, Truncated
from verigrad.losses.ratios import NoRatio, Ratio, Sequence, SequenceToken, bounded_exp
from verigrad.losses.scales import GroupStd, Scale, Whiten
from verigrad.records import Signal

AXES = ("baseline", "scale", "ratio", "clip", "aggregation", "kl", "keep", "mismatch", "entropy")

_TRUNCATED_AT_2 = Truncated(level="token", cap=2.0)
_NO_BONUS = NoBonus()


@dataclass(frozen=True, kw_only=True)
class Method:
    """One choice on every axis, and where its numbers come from.

    Raises:
        Refused: choices that do not go together; the key names the axis to change.
    """

    name: str
    """What the recipe calls it."""
    source: str
    """Paper, arXiv number, equation."""
    baseline: Baseline
    """What a typical answer would have earned."""
    scale: Scale
    """The unit of an advantage."""
    ratio: Ratio
    """How far the policy has moved."""
    clip: Clip
    """What moving may gain."""
    aggregation: Aggregation
    """The loss's denominator."""
    kl: Kl
    """Distance from the reference."""
    keep: Keep
    """Which groups and answers are trained on."""
    mismatch: Mismatch = _TRUNCATED_AT_2
    """Weight where sampler and trainer differ."""
    entropy: Entropy = _NO_BONUS
    """Bonus for not being sure."""
    gamma: float = 1.0
    """Discount per chosen token of what is paid later; 1 in every method here."""
    sources: Mapping[str, str] = field(default_factory=dict, compare=False)
    """Axis or parameter ("clip.low") -> whose choice or number it is."""
    notes: tuple[str, ...] = field(default=(), compare=False)
    """What a reader must know beside the numbers."""
    paper_sizes: Mapping[str, str] = field(default_factory=dict, compare=False)
    """Recipe key -> the paper's size, printed beside the user's, never set."""
    elsewhere: Mapping[str, Any] = field(default_factory=dict, compare=False)
    """Recipe key -> value that the method sets outside [loss]."""

    def __post_init__(self) -> None:
        """Refuses what does not go together."""
        if isinstance(self.ratio, (Sequence, SequenceToken)) and self.aggregation.by_token:
            raise Refused(
                f"loss.ratio = {self.ratio.word} with {self.aggregation.word} weighs answers by their length; "
                'say aggregation = "sequence_mean"',
                key="loss.aggregation",
            )
        if isinstance(self.ratio, NoRatio) and not isinstance(self.clip, NoClip):
            raise Refused(
                f'loss.ratio = none leaves loss.clip = {self.clip.word} nothing to hold; say clip = "none", or a ratio',
                key="loss.clip",
            )
        if _per_part(self.scale) and isinstance(self.baseline, Greedy):
            raise Refused(
                "loss.scale.per_part needs a baseline of each part; greedy has none", key="loss.scale.per_part"
            )
        if _per_part(self.scale) and isinstance(self.kl, K1) and self.kl.paid == "sequence_reward":
            raise Refused(
                "loss.scale.per_part would scale the coefficient of a KL paid per sequence away; pay it per token",
                key="loss.kl.paid",
            )
        if not 0 < self.gamma <= 1:
            raise Refused(f"loss.gamma is {self.gamma:g}; it must be above 0 and at most 1", key="loss.gamma")


@dataclass(frozen=True, kw_only=True)
class Needs:
    """What a method needs computed or drawn beside the policy's log-probs."""

    reference: bool
    """A frozen reference's log-probs."""
    greedy: bool
    """The greedy answer of every group, scored."""
    entropy: bool
    """The policy's entropy with gradient."""
    critic: bool
    """Values: no method of this version."""
    old: bool
    """The trainer's log-probs before the update, where they are not the sampler's or the policy's own."""
    old_first: bool
    """Those log-probs before `advantages`, because the reward pays KL by them."""
    group: bool
    """At least two answers to each prompt."""


@dataclass(frozen=True, kw_only=True)
class PolicyLoss:
    """A micro-batch's share of an update's loss, and of its metrics."""

    value: Float[Tensor, ""]
    """To be minimised; add up the micro-batches' gradients."""
    sums: Mapping[str, float]
    """Metric -> this micro-batch's share: added up over micro-batches and ranks they are the metric."""
    maxima: Mapping[str, float]
    """Metric -> largest here: take the largest over micro-batches and ranks."""


def needs(method: Method) -> Needs:
    """What `advantages` and `policy_loss` will ask for."""
    return Needs(
        reference=_kl_paid(method),
        greedy=isinstance(method.baseline, Greedy),
        entropy=isinstance(method.entropy, Bonus) and method.entropy.coefficient != 0,
        critic=False,
        old=not isinstance(method.ratio, NoRatio)
        or not isinstance(method.mismatch, NoCorrection)
        or (_kl_paid(method) and isinstance(method.kl, (K1, RatioK3))),
        old_first=_kl_paid(method) and isinstance(method.kl, K1),
        group=method.baseline.compares or isinstance(method.scale, GroupStd) or _per_part(method.scale),
    )


def check_sizes(method: Method, group: int) -> None:
    """Refuses a group size the method cannot compare within (key "train.group")."""
    if needs(method).group and group < 2:
        raise Refused(
            f"train.group is {group}: {method.name} compares the answers to one prompt "
            f"(baseline {method.baseline.word}, scale {method.scale.word}); it must be at least 2",
            key="train.group",
        )


def advantages(method: Method, signal: Signal) -> Float[Tensor, "B T"]:
    """Advantage of every token, [B, T] float64 on the CPU, 0 at tokens that are not chosen. Give the WHOLE step.

    A_t = scale(R - baseline(R)), minus what tokens from t on pay to the reference (k1 in the reward), whitened last.
    Rows that `keep` masks (truncated answers) stay in every statistic and come out 0.

    Raises:
        Refused: a group too small to compare within.
        ValueError: a log-prob or greedy answer that `needs` names is missing.
    """
    batch = signal.batch
    chosen_BT = torch.tensor(batch.chosen_BT)
    group_B = torch.tensor(np.unique(batch.group_B, return_inverse=True)[1].reshape(-1))
    greedy_B = None if batch.greedy_reward_B is None else torch.tensor(batch.greedy_reward_B, dtype=torch.float64)
    rows = Rows(group_B=group_B, greedy_B=greedy_B)
    reward_B = torch.tensor(batch.reward_B, dtype=torch.float64)
    paid_BT = _paid_out_of_reward(method, signal, chosen_BT)
    if isinstance(method.kl, K1) and method.kl.paid == "sequence_reward":
        reward_B = reward_B - paid_BT.sum(dim=1)
        paid_BT = torch.zeros_like(paid_BT)
    scored = [reward_B]
    if _per_part(method.scale):
        scored = list(torch.tensor(batch.parts_BK, dtype=torch.float64).unbind(dim=1))
        if not scored:
            raise Refused("loss.scale.per_part: the step has no reward parts", key="loss.scale.per_part")
    advantage_B = sum(
        (method.scale.rows(method.baseline(r, rows), r, rows) for r in scored), torch.zeros_like(reward_B)
    )
    advantage_BT = method.scale.tokens(_to_go(advantage_B, paid_BT, chosen_BT, method.gamma), chosen_BT)
    return torch.where(chosen_BT & _kept(method, signal)[:, None], advantage_BT, torch.zeros_like(advantage_BT))


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
    if _kl_paid(method) and isinstance(method.kl, InLoss):
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

    [B] bool: no chosen token has an advantage and no KL or entropy term stands in the loss, or `keep` masks the row.
    """
    kept_B = _kept(method, signal).numpy()
    if needs(method).entropy or (_kl_paid(method) and isinstance(method.kl, InLoss)):
        return np.asarray(~kept_B | ~signal.batch.chosen_BT.any(axis=1))
    zero_BT = advantage_BT.detach().cpu().numpy() == 0
    return np.asarray(~kept_B | (zero_BT | ~signal.batch.chosen_BT).all(axis=1))


def diff(a: Method, b: Method) -> tuple[str, ...]:
    """What b changes about a: ("clip.high 0.2 -> 0.28", "kl k3 -> k1 (coefficient 0.1, paid token_reward)")."""
    changes: list[str] = []
    for axis in AXES:
        old: AxisValue = getattr(a, axis)
        new: AxisValue = getattr(b, axis)
        then, now = parameters(old), parameters(new)
        if old.word != new.word:
            told = ", ".join(f"{k} {shown(v)}" for k, v in now.items() if v is not None)
            changes.append(f"{axis} {old.word} -> {new.word}" + (f" ({told})" if told else ""))
        else:
            changes += [f"{axis}.{k} {shown(then[k])} -> {shown(now[k])}" for k in now if then[k] != now[k]]
    if a.gamma != b.gamma:
        changes.append(f"gamma {shown(a.gamma)} -> {shown(b.gamma)}")
    return tuple(changes)


def shown(value: Any) -> str:
    """A parameter as output writes it."""
    if value is None:
        return "none"
    if isinstance(value, bool):
        return str(value).lower()
    return f"{value:g}" if isinstance(value, (int, float)) else str(value)


def _kl_paid(method: Method) -> bool:
    return isinstance(method.kl, (K1, InLoss)) and method.kl.coefficient > 0


def _per_part(scale: Scale) -> bool:
    return isinstance(scale, (GroupStd, Whiten)) and scale.per_part


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
    if not (_kl_paid(method) and isinstance(method.kl, K1)):
        return zero_BT
    old_BT = torch.tensor(signal.logp_old_BT, dtype=torch.float64)
    ref_BT = torch.tensor(_reference(signal), dtype=torch.float64)
    return torch.where(chosen_BT, method.kl.coefficient * (old_BT - ref_BT), zero_BT)


def _to_go(
    advantage_B: Float[Tensor, " B"], paid_BT: Float[Tensor, "B T"], chosen_BT: Bool[Tensor, "B T"], gamma: float
) -> Float[Tensor, "B T"]:
    """What is still to come at each chosen token: the answer's advantage at its last one, minus every payment."""
    to_go_B = advantage_B / gamma  # the last chosen token is the first to discount, and must see it whole
    out = []
    for paid_B, chosen_B in zip(reversed(paid_BT.unbind(1)), reversed(chosen_BT.unbind(1)), strict=True):
        to_go_B = torch.where(chosen_B, gamma * to_go_B - paid_B, to_go_B)
        out.append(to_go_B)
    stacked_BT = torch.stack(out[::-1], dim=1) if out else paid_BT
    return torch.where(chosen_BT, stacked_BT, torch.zeros_like(paid_BT))


def _total(x_BT: Tensor, learns_BT: Tensor) -> float:
    return float(torch.where(learns_BT, x_BT.double(), 0.0).sum())


def _largest(x_BT: Tensor, learns_BT: Tensor) -> float:
    return float(x_BT[learns_BT].max()) if bool(learns_BT.any()) else 0.0
