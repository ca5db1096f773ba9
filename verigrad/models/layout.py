"""Rows of tokens as one flat sequence without padding, what they share in it once: a prefix tree.

A row is a prompt and the part of its answer that predicts something: all but its last token. Sorted, a row shares its
longest common prefix with the row before it, so the tree needs no search: attempts share their prompt, prompts share
their system text and examples, equal attempts everything. A token's position is its depth, and what it may look at is
the path from the root to it. Left out: attention over the paths (tree_attention), the model.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import torch
from torch import Tensor

ROWS = 256
"""Queries of one path that are attended together at most; what lies behind the last of them is never computed."""
SCORES = 6_000_000
"""Scores (queries x keys x heads) that exist at once, at most, unless one path alone has more."""
SMALL = 200_000
"""Scores for whose padding nobody waits: blocks up to this size take paths of any length."""


@dataclass(frozen=True, kw_only=True)
class Segment:
    """Queries of one path that are attended together: those at depths `first` to `last` - 1."""

    path: np.ndarray
    """[L] int64: where in the flat sequence the tokens from the root on are."""
    first: int
    last: int

    def start(self, window: int | None) -> int:
        """Depth of the first token any of the queries may see."""
        return 0 if window is None else max(0, self.first - window + 1)


@dataclass(frozen=True, kw_only=True)
class Block:
    """Segments attended in one product: A of them, padded to Q queries and K keys."""

    query_AQ: Tensor
    """int64: flat index of each query; padding repeats the segment's first query."""
    key_AK: Tensor
    """int64: flat index of each key; padding repeats the segment's first key, which `hidden` keeps out."""
    hidden_AQK: Tensor
    """bool, or [1, Q, K] where all are alike: keys a query may not see."""
    shown: int
    """The first so many keys are seen by every query."""
    padding: Tensor | None
    """int64: rows of query_AQ, flattened, that are padding; None where there is none."""
    keys_U: Tensor
    """int64, ascending: the distinct tokens among the keys."""
    bag_J: Tensor
    """int64: rows of key_AK, flattened, without padding, ordered by token: those of keys_U[u] from offset_U[u] on."""
    offset_U: Tensor
    """int64."""
    everything: bool
    """Whether keys_U is the whole flat sequence."""


@dataclass(frozen=True, kw_only=True)
class Layout:
    """One flat sequence of N tokens and where in it each response token is predicted."""

    token_N: Tensor
    """int64."""
    position_N: Tensor
    """int64: depth in the tree."""
    head_R: Tensor
    """int64, ascending: the tokens whose hidden states predict something, once for each token they predict."""
    target_R: Tensor
    """int64: the token predicted there."""
    row_J: Tensor
    """int64: which of those predictions is that of response token j; J response tokens, row after row."""
    place_J: Tensor
    """int64: its index in a flattened [B, T]."""
    shape: tuple[int, int]
    """[B, T]."""
    segments: tuple[Segment, ...]
    """Every flat token is a query of exactly one of them."""
    _blocks: dict[tuple[int, int | None], tuple[tuple[Block, ...], Tensor]] = field(default_factory=dict, repr=False)

    def blocks(self, heads: int, window: int | None) -> tuple[tuple[Block, ...], Tensor]:
        """Blocks for this many query heads and sliding window; and [N] where each token is among their queries."""
        found = self._blocks.get((heads, window))
        if found is None:
            found = self._blocks[heads, window] = _blocks(self, heads, window)
        return found


def lay_out(
    prompt_ids: Sequence[np.ndarray], token_ids_BT: np.ndarray, length_B: np.ndarray, device: torch.device
) -> Layout:
    """The tree of these B rows; the arguments are those of `models.response_logps`. At least one prompt token each."""
    full_B = [
        np.concatenate([prompt, tokens_T[:length]]).astype(np.int64)
        for prompt, tokens_T, length in zip(prompt_ids, token_ids_BT, length_B, strict=True)
    ]
    real_B = [b for b in range(len(full_B)) if length_B[b]]
    # Big-endian bytes sort like the numbers, a prefix before what it begins. Prompts come in as rows of their own, so
    # that no answer's segment has to carry one.
    rows = {prompt_ids[b].astype(">i8").tobytes(): prompt_ids[b] for b in real_B}
    rows.update({full_B[b][:-1].astype(">i8").tobytes(): full_B[b][:-1] for b in real_B})
    paths: dict[bytes, np.ndarray] = {}
    tokens: list[np.ndarray] = []
    segments: list[Segment] = []
    count, before, path = 0, np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64)
    for key in sorted(rows):
        row = rows[key].astype(np.int64)
        shared = _common(before, row)
        path = np.concatenate([path[:shared], np.arange(count, count + len(row) - shared)])
        tokens.append(row[shared:])
        count += len(row) - shared
        # Cut from the front in equal parts, so that none is a short rest.
        parts = -(-(len(row) - shared) // ROWS)
        edges = np.linspace(shared, len(row), parts + 1).astype(int).tolist() if parts else []
        segments += [Segment(path=path, first=a, last=b) for a, b in itertools.pairwise(edges)]
        before, paths[key] = row, path
    at_J = [paths[full_B[b][:-1].astype(">i8").tobytes()][len(prompt_ids[b]) - 1 :] for b in real_B]
    target_J = [full_B[b][len(prompt_ids[b]) :] for b in real_B]
    pairs_R2, row_J = np.unique(np.stack([_cat(at_J), _cat(target_J)], 1), axis=0, return_inverse=True)
    columns = token_ids_BT.shape[1]
    place_J = [b * columns + np.arange(length_B[b]) for b in real_B]
    position_N = np.zeros(count, dtype=np.int64)
    for segment in segments:
        position_N[segment.path[segment.first : segment.last]] = np.arange(segment.first, segment.last)

    def there(array: np.ndarray) -> Tensor:
        return torch.from_numpy(array).to(device)

    return Layout(
        token_N=there(_cat(tokens)),
        position_N=there(position_N),
        head_R=there(pairs_R2[:, 0].copy()),
        target_R=there(pairs_R2[:, 1].copy()),
        row_J=there(row_J.reshape(-1)),
        place_J=there(_cat(place_J)),
        shape=(len(full_B), columns),
        segments=tuple(segments),
    )


def _cat(arrays: Sequence[np.ndarray]) -> np.ndarray:
    return np.concatenate(arrays) if arrays else np.zeros(0, dtype=np.int64)


def _common(a: np.ndarray, b: np.ndarray) -> int:
    """Length of the longest common prefix."""
    shorter = min(len(a), len(b))
    differ = np.flatnonzero(a[:shorter] != b[:shorter])
    return int(differ[0]) if len(differ) else shorter


def _blocks(layout: Layout, heads: int, window: int | None) -> tuple[tuple[Block, ...], Tensor]:
    """Segments of like size side by side, until a block has SCORES scores or padding would be a quarter of it."""
    device = layout.token_N.device
    sized = sorted(layout.segments, key=lambda s: (s.last - s.first, s.last - s.start(window)), reverse=True)
    groups: list[list[Segment]] = []
    queries = keys = real = 0
    for segment in sized:
        q, k = segment.last - segment.first, segment.last - segment.start(window)
        if groups:
            area = (len(groups[-1]) + 1) * max(queries, q) * max(keys, k)
            fits = area * heads <= SCORES and (area * heads <= SMALL or 4 * (real + q * k) >= 3 * area)
        if not groups or not fits:
            groups.append([])
            queries = keys = real = 0
        groups[-1].append(segment)
        queries, keys, real = max(queries, q), max(keys, k), real + q * k
    blocks = tuple(_block(group, window, len(layout.token_N), device) for group in groups)
    inverse_N = torch.empty(len(layout.token_N), dtype=torch.int64)
    first = 0
    for block, group in zip(blocks, groups, strict=True):
        queries = block.query_AQ.shape[1]
        for a, segment in enumerate(group):
            at = torch.arange(first + a * queries, first + a * queries + segment.last - segment.first)
            inverse_N[torch.from_numpy(segment.path[segment.first : segment.last])] = at
        first += len(group) * queries
    return blocks, inverse_N.to(device)


def _block(group: Sequence[Segment], window: int | None, count: int, device: torch.device) -> Block:
    rows = max(s.last - s.first for s in group)
    columns = max(s.last - s.start(window) for s in group)
    query_AQ = np.empty((len(group), rows), dtype=np.int64)
    position_AQ = np.empty_like(query_AQ)
    key_AK = np.empty((len(group), columns), dtype=np.int64)
    depth_AK = np.empty_like(key_AK)
    padded_AQ = np.zeros(query_AQ.shape, dtype=bool)
    for a, s in enumerate(group):
        q, start = s.last - s.first, s.start(window)
        k = s.last - start
        query_AQ[a, :q], query_AQ[a, q:] = s.path[s.first : s.last], s.path[s.first]
        position_AQ[a, :q], position_AQ[a, q:] = np.arange(s.first, s.last), s.first
        padded_AQ[a, q:] = True
        key_AK[a, :k], key_AK[a, k:] = s.path[start : s.last], s.path[start]
        # A key behind its segment's end is deeper than every query of it, so depth alone hides it.
        depth_AK[a] = np.arange(start, start + columns)
    hidden_AQK = depth_AK[:, None] > position_AQ[:, :, None]
    if window is not None:
        hidden_AQK |= depth_AK[:, None] <= position_AQ[:, :, None] - window
    shown = int((~hidden_AQK.any((0, 1))).cumprod().sum())
    if (hidden_AQK == hidden_AQK[:1]).all():
        hidden_AQK = hidden_AQK[:1]
    real = np.flatnonzero(depth_AK < np.array([s.last for s in group])[:, None])
    token = key_AK.reshape(-1)[real]
    order = np.argsort(token, kind="stable")
    keys_U, offset_U = np.unique(token[order], return_index=True)

    def there(array: np.ndarray) -> Tensor:
        return torch.from_numpy(array).to(device)

    return Block(
        query_AQ=there(query_AQ),
        key_AK=there(key_AK),
        hidden_AQK=there(np.ascontiguousarray(hidden_AQK[..., shown:])),
        shown=shown,
        padding=there(np.flatnonzero(padded_AQ)) if padded_AQ.any() else None,
        keys_U=there(keys_U),
        bag_J=there(real[order]),
        offset_U=there(offset_U),
        everything=len(keys_U) == count,
    )
