"""What a preference method is: two sides of answers in, one loss out; and the three records that are one.

`Side` · `PreferenceLoss` · `PreferenceMethod` (what the loops call) · `Pairwise` (score x link x anchor, pair by pair)
· `Quantile` (AOT: sorted over the whole step) · `Unpaired` (KTO: answers that are right or wrong, no pairs).
Shapes: [B] answers; a log-prob is the sum over an answer's tokens, its end of turn included, in nats. Sums are divided
by the whole update's pairs (or answers), so micro-batches, padding and order cannot change a loss. Left out: names and
numbers (preference_methods.py), recipes (preference.py), running models (training).
"""

# ruff: noqa: F722
from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import pairwise
from typing import ClassVar, Protocol, runtime_checkable

import torch
from jaxtyping import Float
from torch import Tensor

from verigrad.losses.axis import AxisValue
from verigrad.losses.preference_axes import ANCHORS, LINKS, SCORES, Anchor, Link, Prospect, Score, Sum


@dataclass(frozen=True, kw_only=True)
class Side:
    """One side of the pairs: the chosen answers, or the rejected ones (KTO: the right ones, or the wrong ones)."""

    logp_B: Float[Tensor, " B"]
    """The policy's log-prob of each answer, with gradient."""
    tokens_B: Tensor
    """Tokens of each answer, at least 1."""
    ref_B: Float[Tensor, " B"] | None = None
    """The reference's log-prob of each answer, without gradient."""

    def __post_init__(self) -> None:
        """Raises ValueError where the shapes differ."""
        for name, x in (("tokens_B", self.tokens_B), ("ref_B", self.ref_B)):
            if x is not None and x.shape != self.logp_B.shape:
                raise ValueError(f"logp_B is {tuple(self.logp_B.shape)}, {name} is {tuple(x.shape)}")


@dataclass(frozen=True, kw_only=True)
class PreferenceLoss:
    """These rows' share of an update's loss, and of its metrics."""

    value: Float[Tensor, ""]
    """To be minimised; add up the micro-batches' gradients."""
    sums: Mapping[str, float]
    """Metric -> these rows' share: added up over micro-batches they are the metric. loss/policy; logp/chosen and
    logp/rejected, log-probs of the answers in nats; preference/margin, the score of the chosen minus the rejected one,
    relative to the reference where there is one, before beta; preference/right, the share of margins above 0."""


@runtime_checkable
class PreferenceMethod(Protocol):
    """What a preference loop calls. A frozen record."""

    @property
    def name(self) -> str:
        """What the recipe calls it."""

    @property
    def source(self) -> str:
        """Paper, arXiv number, equation."""

    @property
    def sources(self) -> Mapping[str, str]:
        """Axis or parameter ("link.beta") -> whose choice or number it is."""

    @property
    def notes(self) -> tuple[str, ...]:
        """What a reader must know beside the numbers."""

    @property
    def paper_sizes(self) -> Mapping[str, str]:
        """Recipe key -> the paper's size, never set."""

    @property
    def words(self) -> Mapping[str, tuple[type[AxisValue], ...]]:
        """Axis of the recipe that this method has -> its words. The record's field has the axis's name."""

    @property
    def needs_reference(self) -> bool:
        """Side.ref_B must be there."""

    @property
    def paired(self) -> bool:
        """Row i of both sides answers one prompt. False: the two sides are sets, and may differ in size."""

    @property
    def separable(self) -> bool:
        """Micro-batches just add up. False: give every row of the optimizer step at once."""

    @property
    def needs_mismatched(self) -> bool:
        """`mismatched` must be given."""

    def __call__(
        self, chosen: Side, rejected: Side, *, pairs: int, mismatched: Float[Tensor, " N"] | None = None
    ) -> PreferenceLoss:
        """The loss of these rows, their share of an update of `pairs` pairs (not paired: of `pairs` answers).

        In float64 where logp_B is, else in float32. `mismatched`: policy's minus reference's log-prob of answers to
        other prompts, of the whole step, no gradient; only where `needs_mismatched`.

        Raises:
            ValueError: what the properties above name is missing, or sides that do not fit them.
        """


@dataclass(frozen=True, kw_only=True)
class _Record:
    """Fields that every preference method has."""

    name: str
    """What the recipe calls it."""
    source: str
    """Paper, arXiv number, equation."""
    sources: Mapping[str, str] = field(default_factory=dict, compare=False)
    """Axis or parameter ("link.beta") -> whose choice or number it is."""
    notes: tuple[str, ...] = field(default=(), compare=False)
    """What a reader must know beside the numbers."""
    paper_sizes: Mapping[str, str] = field(default_factory=dict, compare=False)
    """Recipe key -> the paper's size, printed beside the user's, never set."""

    @property
    def needs_mismatched(self) -> bool:
        """Only KTO's."""
        return False


@dataclass(frozen=True, kw_only=True)
class Pairwise(_Record):
    """link(margin) + likelihood of the chosen answer, pair by pair."""

    score: Score
    """What of an answer is compared."""
    link: Link
    """What a margin costs."""
    anchor: Anchor
    """What holds the policy in place."""

    words: ClassVar[Mapping[str, tuple[type[AxisValue], ...]]] = {"score": SCORES, "link": LINKS, "anchor": ANCHORS}

    @property
    def needs_reference(self) -> bool:
        """Where the anchor is one."""
        return self.anchor.reference

    @property
    def paired(self) -> bool:
        """Yes."""
        return True

    @property
    def separable(self) -> bool:
        """Yes: a sum over pairs."""
        return True

    def __call__(
        self, chosen: Side, rejected: Side, *, pairs: int, mismatched: Float[Tensor, " N"] | None = None
    ) -> PreferenceLoss:
        """As `PreferenceMethod`. `mismatched` is not used."""
        _same_size(chosen, rejected)
        win_B, ref_win_B = _scores(self.score, chosen, self.needs_reference)
        lose_B, ref_lose_B = _scores(self.score, rejected, self.needs_reference)
        margin_B = win_B - lose_B
        if ref_win_B is not None and ref_lose_B is not None:
            margin_B = margin_B - (ref_win_B - ref_lose_B)
        loss_B = self.link(margin_B - self.anchor.held(win_B, ref_win_B))
        nll_B = self.anchor.likelihood(*_counted(chosen))
        if nll_B is not None:
            loss_B = loss_B + nll_B
        value = loss_B.sum() / pairs
        return PreferenceLoss(value=value, sums={**_told(value, chosen, rejected, pairs), **_pairs(margin_B, pairs)})


@dataclass(frozen=True, kw_only=True)
class Quantile(_Record):
    """AOT: link(difference of quantiles), the whole distribution of one side above the other's.

    coupling "margins": the policy's sorted margins against the reference's. coupling "sides": sorted chosen log-ratios
    against sorted rejected ones; sides of different sizes meet quantile by quantile (the exact one-dimensional
    transport), which is the sorted difference where the sizes are equal.
    """

    score: Score
    """What of an answer is compared."""
    link: Link
    """What a difference of quantiles costs."""
    coupling: str
    """"margins" (paired) or "sides" (unpaired): what the method is, not a choice of the recipe."""

    words: ClassVar[Mapping[str, tuple[type[AxisValue], ...]]] = {"score": SCORES, "link": LINKS}

    @property
    def needs_reference(self) -> bool:
        """Yes."""
        return True

    @property
    def paired(self) -> bool:
        """Where margins are sorted."""
        return self.coupling == "margins"

    @property
    def separable(self) -> bool:
        """No: sorts the whole step."""
        return False

    def __call__(
        self, chosen: Side, rejected: Side, *, pairs: int, mismatched: Float[Tensor, " N"] | None = None
    ) -> PreferenceLoss:
        """As `PreferenceMethod`, for every row of the step at once. `mismatched` is not used."""
        win_B, ref_win_B = _referred(self.score, chosen)
        lose_B, ref_lose_B = _referred(self.score, rejected)
        if self.paired:
            _same_size(chosen, rejected)
            _whole(len(win_B), pairs)
            quantile_B = (win_B - lose_B).sort().values - (ref_win_B - ref_lose_B).sort().values
            value = self.link(quantile_B).sum() / pairs
            told = _pairs((win_B - ref_win_B) - (lose_B - ref_lose_B), pairs)
        else:
            _whole(len(win_B) + len(lose_B), pairs)
            value = _transport(self.link, win_B - ref_win_B, lose_B - ref_lose_B)
            told = _sets(win_B - ref_win_B, lose_B - ref_lose_B)
        return PreferenceLoss(value=value, sums={**_told(value, chosen, rejected, None), **told})


@dataclass(frozen=True, kw_only=True)
class Unpaired(_Record):
    """KTO: each answer is right or wrong by itself; its log-ratio against z0, the step's estimate of the KL.

    A score per token would not be in z0's unit, so there is none to choose.
    """

    link: Prospect
    """What lying above or below z0 is worth."""

    words: ClassVar[Mapping[str, tuple[type[AxisValue], ...]]] = {"link": (Prospect,)}

    @property
    def needs_reference(self) -> bool:
        """Yes."""
        return True

    @property
    def paired(self) -> bool:
        """No: a label for each answer."""
        return False

    @property
    def separable(self) -> bool:
        """No: z0 is of the whole step."""
        return False

    @property
    def needs_mismatched(self) -> bool:
        """Yes: z0 is their mean."""
        return True

    def __call__(
        self, chosen: Side, rejected: Side, *, pairs: int, mismatched: Float[Tensor, " N"] | None = None
    ) -> PreferenceLoss:
        """As `PreferenceMethod`, for every row of the step at once; chosen are the right answers.

        z0 = max(0, mean of `mismatched`), 0 where the step has no mismatched answer.
        """
        if mismatched is None:
            raise ValueError("this method needs log-ratios of mismatched answers")
        _whole(len(chosen.logp_B) + len(rejected.logp_B), pairs)
        good_B, bad_B = (logp_B - ref_B for logp_B, ref_B in (_referred(Sum(), s) for s in (chosen, rejected)))
        z0 = mismatched.detach().to(good_B).mean().clamp(min=0) if len(mismatched) else good_B.new_zeros(())
        value = (self.link(good_B - z0, good=True).sum() + self.link(bad_B - z0, good=False).sum()) / pairs
        return PreferenceLoss(value=value, sums={**_told(value, chosen, rejected, None), **_sets(good_B, bad_B)})


def _counted(side: Side) -> tuple[Tensor, Tensor]:
    """Log-probs and tokens in the dtype of the sums."""
    logp_B = side.logp_B if side.logp_B.dtype == torch.float64 else side.logp_B.float()
    return logp_B, side.tokens_B.to(logp_B)


def _scores(score: Score, side: Side, reference: bool) -> tuple[Tensor, Tensor | None]:
    """The policy's scores and, where they count, the reference's."""
    return _referred(score, side) if reference else (score(*_counted(side)), None)


def _referred(score: Score, side: Side) -> tuple[Tensor, Tensor]:
    logp_B, tokens_B = _counted(side)
    if side.ref_B is None:
        raise ValueError("this method needs the reference's log-probs: Side.ref_B is missing")
    return score(logp_B, tokens_B), score(side.ref_B.detach().to(logp_B), tokens_B)


def _same_size(chosen: Side, rejected: Side) -> None:
    if chosen.logp_B.shape != rejected.logp_B.shape:
        raise ValueError(f"{len(chosen.logp_B)} chosen and {len(rejected.logp_B)} rejected answers are no pairs")


def _whole(rows: int, pairs: int) -> None:
    if rows != pairs:
        raise ValueError(f"this method must see the whole step: {rows} of {pairs} rows are here")


def _transport(link: Link, win_B: Tensor, lose_B: Tensor) -> Tensor:
    """Integral over u in [0, 1] of link(quantile u of one side - quantile u of the other). 0 where a side is empty."""
    n, m = len(win_B), len(lose_B)
    if not n or not m:
        return win_B.sum() * 0 + lose_B.sum() * 0
    # Cuts in units of 1 / (n m), whole numbers: every interval lies in one step of either quantile function.
    cuts = sorted({i * m for i in range(n + 1)} | {j * n for j in range(m + 1)})
    win_at, lose_at = [c // m for c in cuts[:-1]], [c // n for c in cuts[:-1]]
    width = torch.tensor([b - a for a, b in pairwise(cuts)]).to(win_B)
    loss: Tensor = link(win_B.sort().values[win_at] - lose_B.sort().values[lose_at])
    return (loss * width).sum() / (n * m)


def _told(value: Tensor, chosen: Side, rejected: Side, pairs: int | None) -> dict[str, float]:
    """loss/policy, and log-probs of each side: over `pairs`, or over the side's own rows."""
    told = {"loss/policy": value.item()}
    for name, side in (("logp/chosen", chosen), ("logp/rejected", rejected)):
        if len(side.logp_B):
            told[name] = side.logp_B.detach().double().sum().item() / (pairs or len(side.logp_B))
    return told


def _pairs(margin_B: Tensor, pairs: int) -> dict[str, float]:
    return {
        "preference/right": (margin_B > 0).sum().item() / pairs,
        "preference/margin": margin_B.detach().double().sum().item() / pairs,
    }


def _sets(win_B: Tensor, lose_B: Tensor) -> dict[str, float]:
    """Over every right answer with every wrong one; nothing where a side is empty."""
    if not len(win_B) or not len(lose_B):
        return {}
    margin_BB = win_B.detach().double()[:, None] - lose_B.detach().double()[None, :]
    return {"preference/right": (margin_BB > 0).double().mean().item(), "preference/margin": margin_BB.mean().item()}
