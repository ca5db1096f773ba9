"""Signals for the tests of losses, from plain lists and random: float64 arrays, so that tests can be exact."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import torch
from torch import Tensor

from verigrad.losses import Method, PolicyLoss, advantages, build, methods, policy_loss
from verigrad.records import Batch, Signal, Totals, totals_of

# Every word of every axis that no method uses, so that what holds for methods is checked for all the house can say.
VARIANTS: dict[str, Method] = {
    "grpo none": build("grpo", {"kl": "none"}),
    "gdpo": build("grpo", {"scale": {"name": "whiten", "over": "answers", "per_part": True}, "kl": "none"}),
    "per_part": build("grpo", {"scale": {"per_part": True}, "mismatch": {"name": "masked", "low": 0.9, "high": 1.1}}),
    "ratio_k3": build("grpo", {"kl": {"name": "ratio_k3", "coefficient": 0.5}, "clip": {"dual": 1.3}}),
    "sequence mismatch": build("gspo", {"mismatch": {"level": "sequence"}, "aggregation": "sequence_sum"}),
    "sequence mask": build("grpo", {"mismatch": {"name": "masked", "level": "sequence"}}),
    "no correction": build("dr_grpo", {"mismatch": "none", "ratio": "token", "clip": "none"}),
    "masked answers": build("dapo", {"keep": {"truncated": "masked"}, "entropy": {"coefficient": 0.1}}),
    "budget": build("cispo", {"aggregation": {"name": "budget", "tokens": 7}, "clip": {"cap": 1.1, "floor": 0.9}}),
    "critic alone": build(
        "rloo", {"baseline": {"name": "critic", "value": "model", "lambda": 0.8}, "kl": {"coefficient": 0.1}}
    ),
    "critic, masked": build(
        "ppo", {"keep": {"truncated": "masked"}, "kl": {"name": "k2", "coefficient": 0.1}, "baseline": {"lambda": 1}}
    ),
    "process": build("grpo", {"baseline": {"rewards": "process"}, "kl": "none"}),
    "process, whitened": build("reinforce_pp_baseline", {"baseline": {"rewards": "process"}}),
    "discounted": replace(build("remax", {"kl": {"name": "k1", "coefficient": 0.1}}), gamma=0.9),
}
EVERY: dict[str, Method] = {**methods, **VARIANTS}


def signal_of(
    *,
    reward: Sequence[float],
    old: Sequence[Sequence[float]],
    group: Sequence[int] | None = None,
    ref: Sequence[Sequence[float]] | None = None,
    sampler: Sequence[Sequence[float]] | None = None,
    greedy: Sequence[float] | None = None,
    parts: Sequence[Sequence[float]] | None = None,
    chosen: Sequence[Sequence[bool]] | None = None,
    truncated: Sequence[bool] | None = None,
    value: Sequence[Sequence[float]] | None = None,
    process: Sequence[Sequence[float]] | None = None,
    budget: int = 4,
) -> Signal:
    """A signal from ragged lists, right-padded with zeros; its totals are those of exactly these rows."""
    length = [len(row) for row in old]
    rows, longest = len(old), max(length)
    chosen_BT = np.zeros((rows, longest), dtype=bool)
    for b, n in enumerate(length):
        chosen_BT[b, :n] = True if chosen is None else chosen[b]
    group_B = np.zeros(rows, dtype=np.int64) if group is None else np.array(group, dtype=np.int64)
    parts_BK = np.array([[r] for r in reward] if parts is None else parts, dtype=np.float64)
    batch = Batch(
        prompt_ids=tuple(np.array([1 + g], dtype=np.int64) for g in group_B),
        token_ids_BT=np.zeros((rows, longest), dtype=np.int64),
        chosen_BT=chosen_BT,
        length_B=np.array(length, dtype=np.int64),
        logp_sampler_BT=padded(old if sampler is None else sampler, longest),
        reward_B=np.array(reward, dtype=np.float64),
        parts_BK=parts_BK,
        part_names=tuple(f"part{k}" for k in range(parts_BK.shape[1])),
        correct_B=np.array([r > 0 for r in reward]),
        truncated_B=np.zeros(rows, dtype=bool) if truncated is None else np.array(truncated, dtype=bool),
        group_B=group_B,
        greedy_reward_B=None if greedy is None else np.array(greedy, dtype=np.float64),
        process_BT=None if process is None else padded(process, longest, filler=np.nan),
        totals=totals_of(chosen_BT, group_B, budget=budget),
    )
    return Signal(
        batch=batch,
        logp_old_BT=padded(old, longest),
        logp_ref_BT=None if ref is None else padded(ref, longest),
        value_BT=None if value is None else padded(value, longest),
    )


def padded(rows: Sequence[Sequence[float]], longest: int, *, filler: float = 0.0) -> np.ndarray:
    out = np.full((len(rows), longest), filler, dtype=np.float64)
    for b, row in enumerate(rows):
        out[b, : len(row)] = row
    return out


def random_case(seed: int, *, groups: int = 3, size: int = 3, longest: int = 4) -> tuple[Signal, Tensor, Tensor]:
    """(signal, logp_BT, entropy_BT): ragged, with tokens nobody chose, moved policies and a drifting sampler."""
    rng = np.random.default_rng(seed)
    rows = groups * size
    length = rng.integers(1, longest + 1, rows)
    old = [list(-rng.exponential(1.0, n) - 0.05) for n in length]
    chosen = [list(rng.random(n) < 0.8) for n in length]
    for row in chosen:
        row[0] = True
    greedy_G = rng.integers(0, 2, groups).astype(float)
    parts = np.stack([rng.integers(0, 2, rows).astype(float), rng.normal(size=rows).round(2)], axis=1)
    values = np.random.default_rng([seed, 1])  # their own numbers, so that those above stay as they are
    value = [list(values.normal(0.5, 0.5, n)) for n in length]
    process = [[values.normal() if c and values.random() < 0.6 else np.nan for c in row] for row in chosen]
    signal = signal_of(
        reward=list(parts.sum(axis=1)),
        parts=[list(p) for p in parts],
        group=list(np.repeat(rng.permutation(groups) * 3 + 1, size)),
        old=old,
        ref=[list(np.array(o) + rng.normal(0, 0.3, len(o))) for o in old],
        sampler=[list(np.array(o) + rng.normal(0, 0.3, len(o))) for o in old],
        greedy=list(np.repeat(greedy_G, size)),
        chosen=chosen,
        truncated=list(rng.random(rows) < 0.3),
        value=value,
        process=process,
        budget=longest + 2,
    )
    shape = signal.logp_old_BT.shape
    logp_BT = torch.tensor(signal.logp_old_BT + rng.normal(0, 0.25, shape))
    entropy_BT = torch.tensor(rng.exponential(1.0, shape))
    return signal, logp_BT, entropy_BT


def loss_of(
    method: Method, signal: Signal, logp_BT: Tensor, entropy_BT: Tensor, advantage_BT: Tensor | None = None
) -> tuple[float, np.ndarray, np.ndarray, PolicyLoss]:
    """(value, gradient by logp, gradient by entropy, loss)."""
    logp = logp_BT.clone().requires_grad_()
    entropy = entropy_BT.clone().requires_grad_()
    if advantage_BT is None:
        advantage_BT = advantages(method, signal)
    loss = policy_loss(method, logp, signal, advantage_BT, entropy)
    by_logp, by_entropy = torch.autograd.grad(loss.value, (logp, entropy), allow_unused=True, materialize_grads=True)
    return loss.value.item(), by_logp.numpy(), by_entropy.numpy(), loss


def arrays(signal: Signal, **changed: np.ndarray) -> Signal:
    """The signal with some arrays replaced, wherever they live."""
    ours = {k: v for k, v in changed.items() if k.startswith(("logp_old", "logp_ref", "value"))}
    theirs = {k: v for k, v in changed.items() if k not in ours}
    return replace(signal, batch=replace(signal.batch, **theirs), **ours)


def with_rewards(signal: Signal, shift: float, factor: float) -> Signal:
    """Every reward, part, greedy reward, step's reward and value times factor, plus shift."""
    b = signal.batch
    return arrays(
        signal,
        reward_B=b.reward_B * factor + shift,
        parts_BK=b.parts_BK * factor + shift,
        greedy_reward_B=None if b.greedy_reward_B is None else b.greedy_reward_B * factor + shift,
        process_BT=None if b.process_BT is None else b.process_BT * factor + shift,
        value_BT=None if signal.value_BT is None else signal.value_BT * factor + shift,
    )


def merged(totals: Sequence[Totals]) -> Totals:
    """What ranks make of their totals by adding them up."""
    group_tokens: dict[int, int] = {}
    for t in totals:
        for g, n in t.group_tokens.items():
            group_tokens[g] = group_tokens.get(g, 0) + n
    return Totals(
        sequences=sum(t.sequences for t in totals),
        tokens=sum(t.tokens for t in totals),
        groups=len(group_tokens),
        group_tokens=group_tokens,
        budget=totals[0].budget,
    )
