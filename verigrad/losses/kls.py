"""Axis `kl`: how distance from the frozen reference is estimated and where it is paid.

With D = log pi - log pi_ref on sampled tokens: k1 = D, k2 = D^2 / 2, k3 = exp(-D) - 1 + D; all estimate the reverse
KL(pi || pi_ref). What matters is the gradient each gives where it is paid (arXiv:2510.01555, arXiv:2506.09477):

    k1 in the reward            grad KL(pi || pi_ref)     k1 in the loss    0: only noise, refused
    k2 in the loss              grad KL(pi || pi_ref)     k3 in the reward  biased, refused (k2 likewise)
    k3 in the loss              grad KL(pi_ref || pi), the forward KL
    ratio-weighted k3, loss     grad KL(pi || pi_ref)

`paid` is "loss" (per token, with the policy's aggregation), "token_reward" (each token pays, and all before it feel it)
or "sequence_reward" (the answer pays its sum, before the baseline and the scale). A token's payment joins after the
baseline and the std of rewards, as in OpenRLHF 0.11.2, and before whitening. Left out: moving an adaptive coefficient
(value.adapted), replacing the reference (training).
"""

# ruff: noqa: F722
from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

from jaxtyping import Float
from torch import Tensor

from verigrad.errors import Refused
from verigrad.losses.axis import AxisValue, quiet
from verigrad.losses.ratios import bounded_exp

Paid = Literal["loss", "token_reward", "sequence_reward"]


def k1(delta: Float[Tensor, "*S"]) -> Float[Tensor, "*S"]:
    """D: unbiased, may be negative."""
    return delta


def k2(delta: Float[Tensor, "*S"]) -> Float[Tensor, "*S"]:
    """D^2 / 2: biased value, never negative."""
    return delta * delta / 2


def k3(delta: Float[Tensor, "*S"]) -> Float[Tensor, "*S"]:
    """K3 = exp(-D) - 1 + D: unbiased, never negative; exp is bounded (ratios.LOG_RATIO_BOUND)."""
    return bounded_exp(-delta) - 1 + delta


@dataclass(frozen=True, kw_only=True)
class KlValue(AxisValue):
    """What all KL terms share."""

    axis: ClassVar[str] = "kl"

    coefficient: float
    """beta: what one nat costs."""
    paid: Paid = "loss"
    """loss | token_reward | sequence_reward."""
    refresh: int = quiet(0)
    """Steps after which the reference becomes a copy of the policy, again and again; 0: never. R1-Zero: 400."""

    def __post_init__(self) -> None:
        """Refuses a negative coefficient and a negative refresh."""
        self.in_range("coefficient", low=0)
        self.in_range("refresh", low=0)


@dataclass(frozen=True, kw_only=True)
class NoKl(AxisValue):
    """No reference at all. DAPO, Dr.GRPO, GSPO, CISPO. TRL 1.16's and verl 0.9.1's default; not OpenRLHF's (0.01)."""

    axis: ClassVar[str] = "kl"
    word: ClassVar[str] = "none"


@dataclass(frozen=True, kw_only=True)
class K1(KlValue):
    """k1 = log pi_old - log pi_ref, paid out of the reward, without gradient. RLOO, arXiv:2402.14740; REINFORCE++.

    Libraries: TRL 1.16 RLOO pays per sequence; verl 0.9.1 `use_kl_in_reward` per token; OpenRLHF 0.11.2 per token by
    default, bounded to +-10.
    """

    word: ClassVar[str] = "k1"

    paid: Paid = "token_reward"
    """token_reward | sequence_reward."""
    target: float | None = None
    """Wanted k1 in nats per token: the coefficient then moves a little after every step (value.adapted), towards more
    where the policy is further away, less where it is nearer. none: the coefficient stays."""
    horizon: float = quiet(10000.0)
    """Answers after which a coefficient that always moves the same way has moved by a fifth of itself, about."""

    def __post_init__(self) -> None:
        """Refuses k1 in the loss, a target or horizon of 0 and below, and a target for a coefficient of 0."""
        super().__post_init__()
        self.in_range("target", above=0)
        self.in_range("horizon", above=0)
        if self.target is not None and self.coefficient == 0:
            raise Refused(
                "loss.kl.target moves the coefficient by shares of itself, and 0 stays 0; begin above 0",
                key="loss.kl.coefficient",
            )
        if self.paid == "loss":
            raise Refused(
                "loss.kl: k1 in the loss has expected gradient 0; pay it in the reward, or take k2", key="loss.kl.paid"
            )


@dataclass(frozen=True, kw_only=True)
class InLoss(KlValue):
    """A KL term of the loss: [B, T] with gradient, added with the policy's aggregation."""

    def __post_init__(self) -> None:
        """Refuses anything but the loss."""
        super().__post_init__()
        if self.paid != "loss":
            raise Refused(
                f'loss.kl: {self.word} in the reward is biased; take k1 there, or paid = "loss"', key="loss.kl.paid"
            )


@dataclass(frozen=True, kw_only=True)
class K2(InLoss):
    """k2 in the loss: the gradient of the reverse KL. REINFORCE++-baseline, arXiv:2501.03262v9.

    Libraries: verl 0.9.1 `mse`, OpenRLHF 0.11.2 `k2`; TRL 1.16 has none.
    """

    word: ClassVar[str] = "k2"

    def __call__(
        self, logp_BT: Float[Tensor, "B T"], ref_BT: Float[Tensor, "B T"], log_ratio_BT: Float[Tensor, "B T"]
    ) -> Float[Tensor, "B T"]:
        """[B, T] -> [B, T]."""
        return k2(logp_BT - ref_BT)


@dataclass(frozen=True, kw_only=True)
class K3(InLoss):
    """k3 in the loss: GRPO, arXiv:2402.03300, eq. 4. Its gradient is the forward KL's.

    Libraries: verl 0.9.1 `low_var_kl` (value bounded to 10), OpenRLHF 0.11.2 `k3` (likewise); TRL 1.16 multiplies by
    the ratio unless told not to (`use_bias_correction_kl`).
    """

    word: ClassVar[str] = "k3"

    def __call__(
        self, logp_BT: Float[Tensor, "B T"], ref_BT: Float[Tensor, "B T"], log_ratio_BT: Float[Tensor, "B T"]
    ) -> Float[Tensor, "B T"]:
        """[B, T] -> [B, T]."""
        return k3(logp_BT - ref_BT)


@dataclass(frozen=True, kw_only=True)
class RatioK3(InLoss):
    """(pi / pi_old) k3 in the loss, the ratio with gradient: the reverse KL's, also off-policy. DeepSeek-V3.2.

    The ratio is the token's, whatever the policy's own is. Libraries: TRL 1.16's default where beta > 0; verl 0.9.1
    `k3+` and OpenRLHF 0.11.2 `--algo.kl.unbiased_gradient` put k2's gradient under k3's value.
    """

    word: ClassVar[str] = "ratio_k3"

    def __call__(
        self, logp_BT: Float[Tensor, "B T"], ref_BT: Float[Tensor, "B T"], log_ratio_BT: Float[Tensor, "B T"]
    ) -> Float[Tensor, "B T"]:
        """[B, T] -> [B, T]."""
        return bounded_exp(log_ratio_BT) * k3(logp_BT - ref_BT)


Kl = NoKl | K1 | K2 | K3 | RatioK3
WORDS: tuple[type[AxisValue], ...] = (NoKl, K1, K2, K3, RatioK3)
