"""A reward model on held-out pairs: how often it prefers the better answer, and whether its sureness is earned.

Accepted where the interval of its accuracy lies above one half, over 10 families or more. Left out: scoring the
answers (models).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal

import numpy as np

from verigrad.acceptance.decide import LEAST_FAMILIES
from verigrad.errors import DataError
from verigrad.statistics import clustered_se, t_value, wilson

BINS = 10
"""Equal ranges of P(preferred), 0.5 to 1, over which sureness is compared with accuracy."""
P = 0.05
"""Level of the interval."""


@dataclass(frozen=True, kw_only=True)
class PairNumbers:
    """A judge's numbers on held-out pairs."""

    verdict: Literal["accepted", "not_accepted", "undecided"]
    """accepted: the interval lies above one half, over at least 10 families; not_accepted: below; else undecided."""
    pairs: int
    """Held-out pairs."""
    families: int
    """Families of their prompts."""
    accuracy: float
    """Share in which the better answer scores higher; a tie counts half."""
    interval: tuple[float, float]
    """95 % interval of it: Wilson's where every family has one pair or all are alike, else Student's over families."""
    log_loss: float
    """Mean -log sigmoid(better - worse), in nats; 0.693 is a coin's."""
    calibration_error: float
    """Mean distance of sureness from accuracy over ten bins, weighted by pairs (expected calibration error)."""
    margin: float
    """Mean better - worse."""
    why: str
    """One line for a person."""

    def as_json(self) -> dict[str, Any]:
        """For acceptance.json."""
        return asdict(self)


def judged_pairs(better: Sequence[float], worse: Sequence[float], families: Sequence[str]) -> PairNumbers:
    """The numbers of scores [N] of the better and the worse answers. DataError without a pair or with a nan."""
    a, b = np.asarray(better, dtype=np.float64), np.asarray(worse, dtype=np.float64)
    if not len(a) or len(a) != len(b) or len(a) != len(families):
        raise DataError("a reward model is accepted on held-out pairs, and there is none: more data, or held_out")
    if not (np.isfinite(a).all() and np.isfinite(b).all()):
        raise DataError("the reward model's scores are not finite: a smaller train.lr")
    difference = a - b
    won = np.where(difference > 0, 1.0, np.where(difference < 0, 0.0, 0.5))
    num, accuracy = len(set(families)), float(won.mean())
    low, high = _interval(won, families, num)
    verdict: Literal["accepted", "not_accepted", "undecided"] = "undecided"
    if low > 0.5 and num >= LEAST_FAMILIES:
        verdict = "accepted"
    elif high < 0.5:
        verdict = "not_accepted"
    loss = float(np.logaddexp(0.0, -difference).mean())
    error = _calibration_error(difference, won)
    why = (
        f"{verdict.replace('_', ' ')}: the better answer scores higher in {accuracy:.3f} of {len(a)} held-out pairs, "
        f"95 % interval [{low:.3f}, {high:.3f}] against 0.5, {num} families; log loss {loss:.3f}, "
        f"calibration error {error:.3f}"
    )
    if num < LEAST_FAMILIES and verdict == "undecided":
        why += f"; fewer than {LEAST_FAMILIES} families are too few to accept"
    return PairNumbers(
        verdict=verdict,
        pairs=len(a),
        families=num,
        accuracy=accuracy,
        interval=(low, high),
        log_loss=loss,
        calibration_error=error,
        margin=float(difference.mean()),
        why=why,
    )


def _interval(won: np.ndarray, families: Sequence[str], num: int) -> tuple[float, float]:
    mean, se = float(won.mean()), clustered_se(won, list(families))
    spread = se > 1e-12  # False for the nan of one family; without spread there are as many answers as families
    if num == len(won) or not spread:
        return wilson(math.floor(mean * num + 1e-9), num, p=P)
    half = t_value(P, num - 1) * se
    return max(0.0, mean - half), min(1.0, mean + half)


def _calibration_error(difference: np.ndarray, won: np.ndarray) -> float:
    """Each pair is read from the side the judge prefers: sureness sigmoid(|difference|) against being right."""
    sure = 1 / (1 + np.exp(-np.abs(difference)))
    bins = np.minimum(((sure - 0.5) * 2 * BINS).astype(int), BINS - 1)
    total = 0.0
    for n in range(BINS):
        inside = bins == n
        if inside.any():
            total += float(inside.mean()) * abs(float(sure[inside].mean()) - float(won[inside].mean()))
    return total
