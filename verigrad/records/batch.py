"""What an update is computed from: Totals, Batch, Signal, Step.

Shape suffixes: B rollouts, T response tokens (right-padded), K reward parts. Arrays are numpy; `losses` and
`models` turn them into tensors. Left out: the arithmetic.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from verigrad.records.rollout import Group, Scored


@dataclass(frozen=True, kw_only=True)
class Totals:
    """Denominators of the WHOLE update, so that micro-batches and ranks simply add up."""

    sequences: int
    """Rollouts in the update, skipped ones counted."""
    tokens: int
    """Chosen response tokens in the update."""
    groups: int
    """Groups with a member in the update."""
    group_tokens: Mapping[int, int]
    """Chosen tokens of each group, by its id in `group_B`."""
    budget: int
    """Tokens an answer may have (`sampling.max_tokens`): Dr.GRPO's constant."""


@dataclass(frozen=True, kw_only=True)
class Batch:
    """Rollouts as sampled, one a row."""

    prompt_ids: tuple[np.ndarray, ...]
    """B arrays [S] int64; rows of one group share one prompt."""
    token_ids_BT: np.ndarray
    """[B, T] int64, zero where padded."""
    chosen_BT: np.ndarray
    """[B, T] bool: tokens the policy chose; False where padded or written by someone else."""
    length_B: np.ndarray
    """[B] int64: response tokens of each row, chosen or not; columns at or after it are padding."""
    logp_sampler_BT: np.ndarray
    """[B, T] float32: the sampler's log-probs, 0 where padded."""
    reward_B: np.ndarray
    """[B] float64."""
    parts_BK: np.ndarray
    """[B, K] float64: what each reward part paid; 0 where a part does not judge the row's source."""
    part_names: tuple[str, ...]
    """K names."""
    correct_B: np.ndarray
    """[B] bool: the verdict was right."""
    truncated_B: np.ndarray
    """[B] bool: cut at max_tokens."""
    group_B: np.ndarray
    """[B] int64: group id; ids are distinct in the whole step."""
    greedy_reward_B: np.ndarray | None = None
    """[B] float64: reward of the group's greedy answer (ReMax), else None."""
    process_BT: np.ndarray | None = None
    """[B, T] float64: reward of the step of reasoning that ends at this token, nan where none does; None where no
    verdict gave any."""
    totals: Totals
    """Of the whole update this batch is (a part of)."""

    @property
    def rows(self) -> int:
        """B."""
        return len(self.prompt_ids)

    def take(self, rows: Sequence[int] | np.ndarray, *, totals: Totals | None = None) -> Batch:
        """These rows, in this order. Totals stay the whole update's unless given: a micro-batch keeps them."""
        i = np.asarray(rows, dtype=np.int64)
        return replace(
            self,
            prompt_ids=tuple(self.prompt_ids[j] for j in i),
            token_ids_BT=self.token_ids_BT[i],
            chosen_BT=self.chosen_BT[i],
            length_B=self.length_B[i],
            logp_sampler_BT=self.logp_sampler_BT[i],
            reward_B=self.reward_B[i],
            parts_BK=self.parts_BK[i],
            correct_B=self.correct_B[i],
            truncated_B=self.truncated_B[i],
            group_B=self.group_B[i],
            greedy_reward_B=None if self.greedy_reward_B is None else self.greedy_reward_B[i],
            process_BT=None if self.process_BT is None else self.process_BT[i],
            totals=totals or self.totals,
        )


@dataclass(frozen=True, kw_only=True)
class Signal:
    """A batch and what models said of it: all an advantage or a loss may look at."""

    batch: Batch
    """The rollouts."""
    logp_old_BT: np.ndarray
    """[B, T] float32: the trainer's log-probs before the update."""
    logp_ref_BT: np.ndarray | None = None
    """[B, T] float32: the frozen reference's, where the method pays KL."""
    value_BT: np.ndarray | None = None
    """[B, T] float32: the critic's values, where there is one."""

    def take(self, rows: Sequence[int] | np.ndarray, *, totals: Totals | None = None) -> Signal:
        """These rows; see `Batch.take`."""
        i = np.asarray(rows, dtype=np.int64)
        return Signal(
            batch=self.batch.take(i, totals=totals),
            logp_old_BT=self.logp_old_BT[i],
            logp_ref_BT=None if self.logp_ref_BT is None else self.logp_ref_BT[i],
            value_BT=None if self.value_BT is None else self.value_BT[i],
        )


@dataclass(frozen=True, kw_only=True)
class Step:
    """One finished round of sampling and its updates."""

    step: int
    """From 1."""
    metrics: Mapping[str, float] = field(default_factory=dict)
    """By the names of docs/design.md 9."""
    timings: Mapping[str, float] = field(default_factory=dict)
    """Seconds: sample, verify, update, sync, save."""


def totals_of(chosen_BT: np.ndarray, group_B: np.ndarray, *, budget: int) -> Totals:
    """The totals of an update made of exactly these rows."""
    per_row = chosen_BT.sum(axis=1)
    group_tokens = {int(g): int(per_row[group_B == g].sum()) for g in np.unique(group_B)}
    return Totals(
        sequences=len(group_B),
        tokens=int(per_row.sum()),
        groups=len(group_tokens),
        group_tokens=group_tokens,
        budget=budget,
    )


def batch_of(groups: Sequence[Group], *, budget: int) -> Batch:
    """The rollouts of these groups as one batch, groups numbered in order. Raises ValueError without a member."""
    members = [(g, m) for g, group in enumerate(groups) for m in group.members]
    if not members:
        raise ValueError("a batch needs at least one graded rollout")
    longest = max(len(m.rollout.token_ids) for _, m in members)
    names = tuple(dict.fromkeys(name for _, m in members for name in m.parts))
    rows = len(members)
    token_ids_BT = np.zeros((rows, longest), dtype=np.int64)
    chosen_BT = np.zeros((rows, longest), dtype=bool)
    logp_BT = np.zeros((rows, longest), dtype=np.float32)
    for b, (_, m) in enumerate(members):
        n = len(m.rollout.token_ids)
        token_ids_BT[b, :n] = m.rollout.token_ids
        chosen_BT[b, :n] = m.rollout.chosen
        logp_BT[b, :n] = m.rollout.logp
    greedy = None
    if all(g.greedy is not None for g in groups):
        greedy = np.array([groups[g].greedy.reward for g, _ in members], dtype=np.float64)  # type: ignore[union-attr]
    group_B = np.array([g for g, _ in members], dtype=np.int64)
    process_BT = None
    if any(m.process_at is not None for _, m in members):
        process_BT = np.stack([_process_T(m, longest) for _, m in members])
    return Batch(
        prompt_ids=tuple(m.rollout.prompt_ids for _, m in members),
        token_ids_BT=token_ids_BT,
        chosen_BT=chosen_BT,
        length_B=np.array([len(m.rollout.token_ids) for _, m in members], dtype=np.int64),
        logp_sampler_BT=logp_BT,
        reward_B=np.array([m.reward for _, m in members], dtype=np.float64),
        parts_BK=np.array([[m.parts.get(n, 0.0) for n in names] for _, m in members], dtype=np.float64).reshape(
            rows, len(names)
        ),
        part_names=names,
        correct_B=np.array([m.verdict.correct for _, m in members], dtype=bool),
        truncated_B=np.array([m.rollout.finish == "length" for _, m in members], dtype=bool),
        group_B=group_B,
        greedy_reward_B=greedy,
        process_BT=process_BT,
        totals=totals_of(chosen_BT, group_B, budget=budget),
    )


def _process_T(scored: Scored, longest: int) -> np.ndarray:
    """[T] float64: each step's reward at the last chosen token up to its end, nan elsewhere.

    Steps that meet at one token are one step there, of their sum; one that ends before any chosen token is dropped.
    """
    row_T = np.full(longest, np.nan)
    chosen_N = np.flatnonzero(scored.rollout.chosen)
    for reward, end in zip(scored.verdict.process or (), scored.process_at or (), strict=False):
        before_N = chosen_N[chosen_N <= end]
        if before_N.size:
            row_T[before_N[-1]] = reward + (0.0 if np.isnan(row_T[before_N[-1]]) else row_T[before_N[-1]])
    return row_T
