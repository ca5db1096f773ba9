"""The three axes of a preference loss: how an answer is scored, what the margin costs, what holds the policy in place.

score (sum, mean, odds) x link (logistic, squared, hinge) x anchor (none, reference, likelihood). A pair's loss is
link(margin) + nll x NLL of the chosen answer, margin = score(chosen) - score(rejected), both relative to the reference
where the anchor has one. Each axis is a frozen record; what it computes is beside its parameters. Shapes: [B] pairs.
Left out: which methods choose what (preference_methods.py), KTO's and AOT's batch statistics (preference_records.py).
"""

# ruff: noqa: F722
from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

import torch
from jaxtyping import Float
from torch import Tensor
from torch.nn.functional import logsigmoid, relu

from verigrad.errors import Refused
from verigrad.losses.axis import AxisValue, quiet

PREFERENCE_AXES = ("score", "link", "anchor")


@dataclass(frozen=True, kw_only=True)
class Score(AxisValue):
    """Base of the words of loss.score."""

    axis: ClassVar[str] = "score"

    def __call__(self, logp_B: Float[Tensor, " B"], tokens_B: Float[Tensor, " B"]) -> Float[Tensor, " B"]:
        """Score of each answer from the sum of its log-probs (nats) and its number of tokens."""
        raise NotImplementedError


@dataclass(frozen=True, kw_only=True)
class Sum(Score):
    """The answer's log-prob: the sum over its tokens."""

    word: ClassVar[str] = "sum"

    def __call__(self, logp_B: Float[Tensor, " B"], tokens_B: Float[Tensor, " B"]) -> Float[Tensor, " B"]:
        """As is."""
        return logp_B


@dataclass(frozen=True, kw_only=True)
class Mean(Score):
    """The log-prob per token of the answer."""

    word: ClassVar[str] = "mean"

    def __call__(self, logp_B: Float[Tensor, " B"], tokens_B: Float[Tensor, " B"]) -> Float[Tensor, " B"]:
        """Divided by the answer's tokens."""
        return logp_B / tokens_B


@dataclass(frozen=True, kw_only=True)
class Odds(Score):
    """Log odds log(p / (1 - p)) of p = exp(log-prob per token): ORPO's."""

    word: ClassVar[str] = "odds"

    def __call__(self, logp_B: Float[Tensor, " B"], tokens_B: Float[Tensor, " B"]) -> Float[Tensor, " B"]:
        """Finite everywhere: an answer whose p rounds to 1 counts as the largest p below 1, without gradient."""
        mean_B = (logp_B / tokens_B).clamp(max=-torch.finfo(logp_B.dtype).tiny)
        return mean_B - torch.log(-torch.expm1(mean_B))


@dataclass(frozen=True, kw_only=True)
class Link(AxisValue):
    """Base of the words of loss.link that price a margin."""

    axis: ClassVar[str] = "link"

    def __call__(self, margin_B: Float[Tensor, " B"]) -> Float[Tensor, " B"]:
        """Loss of each pair from its margin."""
        raise NotImplementedError


@dataclass(frozen=True, kw_only=True)
class Logistic(Link):
    """weight x -log sigmoid(beta x margin - gamma); with smoothing, the loss where that share of labels is flipped."""

    word: ClassVar[str] = "logistic"
    beta: float = 0.1
    """Per nat of the margin; above 0."""
    gamma: float = quiet(0.0)
    """How far beta x margin must get beyond 0 (SimPO)."""
    smoothing: float = quiet(0.0)
    """Share of pairs taken to be labelled the wrong way round: at least 0, below a half."""
    robust: bool = quiet(False)
    """False: the expectation over flipped labels (cDPO). True: its unbiased correction, which can be negative."""
    weight: float = quiet(1.0)
    """Of this term beside the anchor's likelihood (ORPO's lambda)."""

    def __post_init__(self) -> None:
        """Refuses values out of range."""
        self.in_range("beta", above=0)
        self.in_range("gamma")
        self.in_range("weight", above=0)
        self.in_range("smoothing", low=0)
        if self.smoothing >= 0.5:
            raise Refused(
                f"loss.link.smoothing is {self.smoothing:g}; it must be below 0.5, where labels say nothing",
                key="loss.link.smoothing",
            )

    def __call__(self, margin_B: Float[Tensor, " B"]) -> Float[Tensor, " B"]:
        """-log sigmoid(z), and -log sigmoid(-z) for the share that is flipped."""
        z_B = self.beta * margin_B - self.gamma
        e = self.smoothing
        if self.robust:
            return self.weight * (e * logsigmoid(-z_B) - (1 - e) * logsigmoid(z_B)) / (1 - 2 * e)
        return self.weight * -((1 - e) * logsigmoid(z_B) + e * logsigmoid(-z_B))


@dataclass(frozen=True, kw_only=True)
class Squared(Link):
    """(margin - 1 / (2 beta))^2: IPO's, whose tau is beta."""

    word: ClassVar[str] = "squared"
    beta: float = 0.1
    """The margin it wants is 1 / (2 beta) nats; above 0."""

    def __post_init__(self) -> None:
        """Refuses values out of range."""
        self.in_range("beta", above=0)

    def __call__(self, margin_B: Float[Tensor, " B"]) -> Float[Tensor, " B"]:
        """Squared distance from the wanted margin."""
        return (margin_B - 1 / (2 * self.beta)) ** 2


@dataclass(frozen=True, kw_only=True)
class Hinge(Link):
    """max(0, delta - beta x margin)."""

    word: ClassVar[str] = "hinge"
    beta: float = 1.0
    """Per nat of the margin; above 0."""
    delta: float = 1.0
    """The pair costs nothing from beta x margin = delta on."""

    def __post_init__(self) -> None:
        """Refuses values out of range."""
        self.in_range("beta", above=0)
        self.in_range("delta")

    def __call__(self, margin_B: Float[Tensor, " B"]) -> Float[Tensor, " B"]:
        """Linear below delta, 0 from it on."""
        return relu(self.delta - self.beta * margin_B)


@dataclass(frozen=True, kw_only=True)
class Anchor(AxisValue):
    """Base of the words of loss.anchor; without parameters, no reference and no likelihood."""

    axis: ClassVar[str] = "anchor"

    @property
    def reference(self) -> bool:
        """Scores are relative to a reference's."""
        return False

    def held(self, score_B: Float[Tensor, " B"], ref_score_B: Float[Tensor, " B"] | None) -> Float[Tensor, " B"]:
        """What the margin loses because the chosen answer fell: 0 here."""
        return torch.zeros_like(score_B)

    def likelihood(self, logp_B: Float[Tensor, " B"], tokens_B: Float[Tensor, " B"]) -> Float[Tensor, " B"] | None:
        """Weighted NLL of the chosen answer, added to the loss; None where there is none."""
        return None


@dataclass(frozen=True, kw_only=True)
class NoAnchor(Anchor):
    """Nothing: the policy's own scores."""

    word: ClassVar[str] = "none"


@dataclass(frozen=True, kw_only=True)
class Likelihood(Anchor):
    """No reference, and the chosen answer's negative log-likelihood in the loss."""

    word: ClassVar[str] = "likelihood"
    nll: float = 1.0
    """Weight of the chosen answer's NLL; at least 0."""
    per: Literal["token", "answer"] = "token"
    """Unit of that NLL: its mean over the answer's tokens, or its sum."""

    def __post_init__(self) -> None:
        """Refuses values out of range."""
        self.in_range("nll", low=0)

    def likelihood(self, logp_B: Float[Tensor, " B"], tokens_B: Float[Tensor, " B"]) -> Float[Tensor, " B"] | None:
        """Nll x -log-prob, per token or per answer."""
        return _nll(self.nll, self.per, logp_B, tokens_B)


@dataclass(frozen=True, kw_only=True)
class Reference(Anchor):
    """Scores relative to a frozen reference's."""

    word: ClassVar[str] = "reference"
    penalty: float = quiet(0.0)
    """DPOP's lambda: the margin loses this much per unit the chosen answer falls below the reference's score."""
    nll: float = quiet(0.0)
    """Weight of the chosen answer's NLL in the loss beside it (RPO's alpha); at least 0."""
    per: Literal["token", "answer"] = quiet("token")
    """Unit of that NLL: its mean over the answer's tokens, or its sum."""

    def __post_init__(self) -> None:
        """Refuses values out of range."""
        self.in_range("penalty", low=0)
        self.in_range("nll", low=0)

    @property
    def reference(self) -> bool:
        """Always."""
        return True

    def held(self, score_B: Float[Tensor, " B"], ref_score_B: Float[Tensor, " B"] | None) -> Float[Tensor, " B"]:
        """Penalty x max(0, reference's score - score) of the chosen answer."""
        if ref_score_B is None:
            raise ValueError("this method needs the reference's log-probs: Side.ref_B is missing")
        return self.penalty * relu(ref_score_B - score_B)

    def likelihood(self, logp_B: Float[Tensor, " B"], tokens_B: Float[Tensor, " B"]) -> Float[Tensor, " B"] | None:
        """Nll x -log-prob, per token or per answer."""
        return _nll(self.nll, self.per, logp_B, tokens_B)


def _nll(weight: float, per: str, logp_B: Tensor, tokens_B: Tensor) -> Tensor | None:
    if weight == 0:
        return None
    return -weight * (logp_B / tokens_B if per == "token" else logp_B)


@dataclass(frozen=True, kw_only=True)
class Prospect(AxisValue):
    """Kahneman and Tversky's value of one answer, seen from a point z0: weight x (1 - sigmoid(+-beta (g - z0)))."""

    axis: ClassVar[str] = "link"
    word: ClassVar[str] = "prospect"
    beta: float = 0.1
    """Per nat of g - z0; above 0."""
    desirable: float = 1.0
    """Weight of a right answer; at least 0."""
    undesirable: float = 1.0
    """Weight of a wrong answer; at least 0."""

    def __post_init__(self) -> None:
        """Refuses values out of range."""
        self.in_range("beta", above=0)
        self.in_range("desirable", low=0)
        self.in_range("undesirable", low=0)

    def __call__(self, gain_B: Float[Tensor, " B"], *, good: bool) -> Float[Tensor, " B"]:
        """Loss of each answer from how far its log-ratio lies above z0."""
        if good:
            return self.desirable * torch.sigmoid(-self.beta * gain_B)
        return self.undesirable * torch.sigmoid(self.beta * gain_B)


SCORES: tuple[type[Score], ...] = (Sum, Mean, Odds)
LINKS: tuple[type[Link], ...] = (Logistic, Squared, Hinge)
ANCHORS: tuple[type[Anchor], ...] = (NoAnchor, Reference, Likelihood)
