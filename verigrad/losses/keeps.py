"""Axis `keep`: which groups and which answers are trained on.

The refilling itself is done where groups are made (rollouts); here stands what a method asks for. Left out: weights of
prompts.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

from verigrad.losses.axis import AxisValue

Truncated = Literal["kept", "masked"]


@dataclass(frozen=True, kw_only=True)
class All(AxisValue):
    """Every group. A group without differences has advantage 0 under a group baseline and stays in every total."""

    axis: ClassVar[str] = "keep"
    word: ClassVar[str] = "all"

    truncated: Truncated = "kept"
    """masked: an answer cut at max_tokens adds nothing to the loss (DAPO's overlong filtering, arXiv:2503.14476, 3.4),
    but its reward stays in its group's statistics and its tokens in every total. TRL 1.16
    `mask_truncated_completions` takes its tokens out of the total; verl 0.9.1 has no filtering; OpenRLHF none."""


@dataclass(frozen=True, kw_only=True)
class Varied(AxisValue):
    """Only groups with some right and some wrong answers; the rest is drawn again. DAPO, arXiv:2503.14476, Alg. 1.

    Judged by correctness, before any shaping: a length penalty would make an all-wrong group look varied.
    Libraries: TRL 1.16 has none; verl 0.9.1 `filter_groups` by the std of a metric; OpenRLHF 0.11.2
    `dynamic_filtering` by 0 < mean score < 1, wrong where scores are -1 and 1.
    """

    axis: ClassVar[str] = "keep"
    word: ClassVar[str] = "varied"

    rounds: int = 10
    """Most rounds of sampling for one step; then the step ends with what it has, or the run with a clear line."""
    truncated: Truncated = "kept"
    """As for `all`."""

    def __post_init__(self) -> None:
        """Refuses fewer than one round."""
        self.in_range("rounds", low=1)


Keep = All | Varied
WORDS: tuple[type[AxisValue], ...] = (All, Varied)
