"""Axis `entropy`: a bonus for not being sure.

Left out: adaptive coefficients.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from verigrad.losses.axis import AxisValue


@dataclass(frozen=True, kw_only=True)
class NoBonus(AxisValue):
    """Nothing is added; entropy is only reported. The default of TRL 1.16, verl 0.9.1 and OpenRLHF 0.11.2."""

    axis: ClassVar[str] = "entropy"
    word: ClassVar[str] = "none"


@dataclass(frozen=True, kw_only=True)
class Bonus(AxisValue):
    """loss -= coefficient x aggregated entropy of the distribution sampled from (temperature applied), in nats.

    PPO, arXiv:1707.06347, eq. 9. Aggregated as the policy's term is, as in verl 0.9.1; TRL 1.16 always takes the token
    mean.
    """

    axis: ClassVar[str] = "entropy"
    word: ClassVar[str] = "bonus"

    coefficient: float
    """What one nat earns; a negative one costs."""

    def __post_init__(self) -> None:
        """Refuses inf and nan."""
        self.in_range("coefficient")


Entropy = NoBonus | Bonus
WORDS: tuple[type[AxisValue], ...] = (NoBonus, Bonus)
