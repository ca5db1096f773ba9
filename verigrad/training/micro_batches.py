"""Which rows go through the model together: minibatches of whole groups, micro-batches under a budget of tokens.

Pure arithmetic over lengths: the split bounds the memory of activations and never changes the loss, so nothing is
read from a clock or from free memory. Left out: running the model (update), its layouts (models).
"""

from __future__ import annotations

import bisect
import itertools
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from verigrad.models import common_beginning
from verigrad.records import Batch, Signal

TOKENS = 2176
"""Tokens of a micro-batch, 8 answers of 256 and a prompt of 128: bounds memory, never the loss.

From a short measurement (SmolLM2-135M, bfloat16, one thread, processor seconds, medians of two or three):
4 groups of 8 answers of 32 tokens took 4.6 in micro-batches of one group, 3.8 of two, 3.5 of four; a group of
8 answers of 256 took 7.6 in two pieces, 6.7 whole. A token holds 1.2 MB until its backward.
"""


@dataclass(frozen=True, kw_only=True)
class MicroBatch:
    """Rows that go through the model together, equal ones once."""

    rows: np.ndarray
    """[N] int64: rows of the batch, equal ones beside each other."""
    distinct: np.ndarray
    """[U] int64: one row of each kind; these are computed."""
    of: np.ndarray
    """[N] int64: which of the distinct ones each row equals."""


def minibatches(group_B: np.ndarray, count: int) -> list[np.ndarray]:
    """Row indices of each minibatch: whole groups, in order, split as evenly as can be; never more than groups."""
    ids = list(dict.fromkeys(group_B.tolist()))
    parts = np.array_split(np.array(ids), min(count, len(ids)))
    return [np.flatnonzero(np.isin(group_B, part)) for part in parts]


def micro_batches(batch: Batch, rows: np.ndarray, tokens: int, *, packed: bool = True) -> list[MicroBatch]:
    """These rows in micro-batches of at most `tokens` tokens each, and of one answer at least.

    Answers to one prompt stay together where they fit; else they are split into the fewest even pieces that do, each
    of which computes the prompt again. Taken in the order of first appearance, there are as few micro-batches as can
    be, and they are as even as can be. Short answers repeat: eight attempts at one word are often two or three texts.
    Equal prompt and tokens have equal log-probs, so they are computed once and their gradients add up in the one row,
    which changes nothing. `packed` as in `cost`.
    """
    same: dict[bytes, dict[bytes, list[int]]] = {}
    for i in rows.tolist():
        answer = batch.token_ids_BT[i, : batch.length_B[i]].tobytes()
        same.setdefault(batch.prompt_ids[i].tobytes(), {}).setdefault(answer, []).append(i)

    def spent(groups: Sequence[Sequence[list[int]]]) -> int:
        answers = [[int(batch.length_B[kind[0]]) for kind in kinds] for kinds in groups]
        return cost([batch.prompt_ids[kinds[0][0]] for kinds in groups], answers, packed=packed)

    def put_together(most: int) -> list[list[list[list[int]]]]:
        parts: list[list[list[list[int]]]] = []
        for piece in pieces:
            if parts and spent([*parts[-1], piece]) <= most:
                parts[-1].append(piece)
            else:
                parts.append([piece])
        return parts

    pieces = [
        piece for kinds in same.values() for piece in _pieces(list(kinds.values()), lambda p: spent([p]) <= tokens)
    ]
    count = len(put_together(tokens))
    even = bisect.bisect_left(range(tokens), -count, key=lambda most: -len(put_together(most)))
    return [_micro_batch([kind for kinds in part for kind in kinds]) for part in put_together(even)]


def cost(prompts: Sequence[np.ndarray], answers: Sequence[Sequence[int]], *, packed: bool) -> int:
    """Tokens that go through the model, at most, for groups of these prompts [S] and lengths of their answers.

    Packed, a prompt and what prompts begin with in common (a system text, examples) count once, and nothing is padded;
    else every answer counts as the longest row of all.
    """
    if packed:
        # Sorted, a sequence shares most with the one before it: the first place where they differ says how much.
        ordered = sorted(prompts, key=lambda ids: ids.astype(">i8").tobytes())
        shared = sum(common_beginning(a, b) for a, b in itertools.pairwise(ordered))
        return sum(map(len, prompts)) - shared + sum(map(sum, answers))
    longest = max(len(prompt) + max(own) for prompt, own in zip(prompts, answers, strict=True))
    return longest * sum(map(len, answers))


def _pieces(kinds: list[list[int]], fits: Callable[[list[list[int]]], bool]) -> list[list[list[int]]]:
    """The fewest even pieces of one group that fit; single answers where nothing does."""
    for count in range(1, len(kinds)):
        ends = np.linspace(0, len(kinds), count + 1).astype(int)
        pieces = [kinds[a:b] for a, b in itertools.pairwise(ends)]
        if all(map(fits, pieces)):
            return pieces
    return [[kind] for kind in kinds]


def _micro_batch(kinds: Sequence[list[int]]) -> MicroBatch:
    return MicroBatch(
        rows=np.array([i for kind in kinds for i in kind], dtype=np.int64),
        distinct=np.array([kind[0] for kind in kinds], dtype=np.int64),
        of=np.repeat(np.arange(len(kinds)), [len(kind) for kind in kinds]),
    )


def cut(signal: Signal, longest: int) -> Signal:
    """The first `longest` columns: no row here is longer."""
    b = signal.batch
    batch = replace(
        b,
        token_ids_BT=b.token_ids_BT[:, :longest],
        chosen_BT=b.chosen_BT[:, :longest],
        logp_sampler_BT=b.logp_sampler_BT[:, :longest],
    )
    return Signal(
        batch=batch,
        logp_old_BT=signal.logp_old_BT[:, :longest],
        logp_ref_BT=None if signal.logp_ref_BT is None else signal.logp_ref_BT[:, :longest],
        value_BT=None if signal.value_BT is None else signal.value_BT[:, :longest],
    )
