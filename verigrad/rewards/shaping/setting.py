"""What a shaping part is told beside its options, and what it gives back."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from verigrad.records import Rollout, Verdict
from verigrad.sandbox import Pool

Pay = Callable[[Sequence[Rollout], Sequence[Verdict]], list[float]]
"""Rollouts and their verdicts -> what each is paid, before weight and gate."""


@dataclass(frozen=True, kw_only=True)
class Setting:
    """Where a shaping part stands."""

    pool: Pool
    """Killable workers."""
    max_tokens: int
    """sampling.max_tokens."""
    own: bool
    """Some verifier is the user's own, so a verdict says nothing of the answer's form."""
    key: str
    """Recipe key of the part's options, for errors."""
