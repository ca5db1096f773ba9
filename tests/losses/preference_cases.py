"""Sides for the tests of preference losses, from plain lists and random, in float64, and loops written by hand."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch import Tensor

from verigrad.losses import PreferenceLoss, PreferenceMethod, Side, build_preference, preferences

# Every word and parameter that no method uses, so that what holds for methods is checked for all the house can say.
VARIANTS: dict[str, PreferenceMethod] = {
    "dpo everything": build_preference(
        "dpo",
        {
            "score": "mean",
            "link": {"beta": 0.7, "gamma": 0.3, "smoothing": 0.2, "weight": 0.5},
            "anchor": {"penalty": 2.0, "nll": 0.3, "per": "answer"},
        },
    ),
    "robust odds": build_preference("robust", {"score": "odds", "link": {"gamma": 0.1, "weight": 2.0}}),
    "slic mean": build_preference("slic", {"score": "mean", "link": {"beta": 0.4, "delta": 0.2}}),
    "ipo no reference": build_preference("ipo", {"anchor": "none"}),
    "ipo likelihood": build_preference("ipo", {"anchor": {"name": "likelihood", "nll": 0.2}, "link": {"beta": 1.0}}),
    "kto weighted": build_preference("kto", {"link": {"beta": 2.0, "desirable": 1.5, "undesirable": 0.5}}),
    "aot hinge": build_preference("aot", {"link": {"name": "hinge", "beta": 0.5}}),
    "aot_unpaired squared": build_preference("aot_unpaired", {"score": "mean", "link": "squared"}),
}
EVERY: dict[str, PreferenceMethod] = {**preferences, **VARIANTS}


def side(logp: Sequence[float], tokens: Sequence[int] | None = None, ref: Sequence[float] | None = None) -> Side:
    """From lists, with gradient; one token an answer where none are given."""
    return Side(
        logp_B=torch.tensor(logp, dtype=torch.float64, requires_grad=True),
        tokens_B=torch.tensor([1] * len(logp) if tokens is None else tokens),
        ref_B=None if ref is None else torch.tensor(ref, dtype=torch.float64),
    )


def random_sides(rows: int, seed: int, other: int | None = None) -> tuple[Side, Side]:
    """Sides as long answers have them: log-probs well below 0, lengths 1 to 12, a reference near the policy."""
    draw = torch.Generator().manual_seed(seed)

    def one(n: int) -> Side:
        tokens_B = torch.randint(1, 13, (n,), generator=draw)
        ref_B = -tokens_B * (0.2 + torch.rand(n, generator=draw, dtype=torch.float64))
        # Below 0 whatever the noise: a log-prob is.
        logp_B = ref_B * (0.6 + 0.8 * torch.rand(n, generator=draw, dtype=torch.float64))
        return Side(logp_B=logp_B.requires_grad_(), tokens_B=tokens_B, ref_B=ref_B)

    return one(rows), one(rows if other is None else other)


def mismatched(rows: int, seed: int) -> Tensor:
    """Log-ratios of mismatched answers whose mean is above 0."""
    return torch.randn(rows, generator=torch.Generator().manual_seed(seed), dtype=torch.float64) + 0.4


def loss_of(method: PreferenceMethod, chosen: Side, rejected: Side, **more: Any) -> PreferenceLoss:
    """The loss of the whole update these rows are."""
    pairs = len(chosen.logp_B) + (0 if method.paired else len(rejected.logp_B))
    more.setdefault("pairs", pairs)
    if method.needs_mismatched:
        more.setdefault("mismatched", mismatched(5, 3))
    return method(chosen, rejected, **more)


def gradients(method: PreferenceMethod, chosen: Side, rejected: Side, **more: Any) -> tuple[Tensor, Tensor]:
    """d loss / d log-prob of either side."""
    value = loss_of(method, chosen, rejected, **more).value
    got = torch.autograd.grad(value, (chosen.logp_B, rejected.logp_B), allow_unused=True)
    return tuple(torch.zeros_like(s.logp_B) if g is None else g for g, s in zip(got, (chosen, rejected), strict=True))


def rows_of(s: Side, index: Sequence[int]) -> Side:
    """Some rows of a side, with the same leaves."""
    at = torch.tensor(list(index), dtype=torch.long)
    return Side(logp_B=s.logp_B[at], tokens_B=s.tokens_B[at], ref_B=None if s.ref_B is None else s.ref_B[at])


def _sigmoid(x: float) -> float:
    return 1 / (1 + math.exp(-x))


def _odds(mean: float) -> float:
    p = math.exp(mean)
    return math.log(p / (1 - p))


Answer = tuple[float, int, float]  # log-prob, tokens, the reference's log-prob
# name -> loss of one pair in plain Python, with the numbers of the method as it stands written out.
BY_HAND: dict[str, Callable[[Answer, Answer], float]] = {
    "dpo": lambda w, y: -math.log(_sigmoid(0.1 * _h(w, y))),
    "cdpo": lambda w, y: -0.9 * math.log(_sigmoid(0.1 * _h(w, y))) - 0.1 * math.log(_sigmoid(-0.1 * _h(w, y))),
    "robust": lambda w, y: (
        (-0.9 * math.log(_sigmoid(0.1 * _h(w, y))) + 0.1 * math.log(_sigmoid(-0.1 * _h(w, y)))) / 0.8
    ),
    "ipo": lambda w, y: (_h(w, y) - 5) ** 2,
    "ipo_mean": lambda w, y: ((w[0] - w[2]) / w[1] - (y[0] - y[2]) / y[1] - 5) ** 2,
    "hinge": lambda w, y: max(0.0, 1 - 0.1 * _h(w, y)),
    "slic": lambda w, y: max(0.0, 1 - w[0] + y[0]) - w[0],
    "simpo": lambda w, y: -math.log(_sigmoid(2.5 * (w[0] / w[1] - y[0] / y[1]) - 1.375)),
    "cpo": lambda w, y: -math.log(_sigmoid(0.1 * (w[0] - y[0]))) - w[0] / w[1],
    "dpop": lambda w, y: -math.log(_sigmoid(0.3 * (_h(w, y) - 50 * max(0.0, w[2] - w[0])))),
    "rpo": lambda w, y: -math.log(_sigmoid(0.1 * _h(w, y))) - w[0] / w[1],
    "dpo_norm": lambda w, y: -math.log(_sigmoid(5 * ((w[0] - w[2]) / w[1] - (y[0] - y[2]) / y[1]))),
    "orpo": lambda w, y: -w[0] / w[1] - 0.1 * math.log(_sigmoid(_odds(w[0] / w[1]) - _odds(y[0] / y[1]))),
}


def _h(w: Answer, y: Answer) -> float:
    return (w[0] - w[2]) - (y[0] - y[2])
