"""Rows of tokens as one flat sequence without padding, what they share in it once: a prefix tree.

A row is a prompt and the part of its answer that predicts something: all but its last token. Sorted, a row shares its
longest common prefix with the row before it, so the tree needs no search: attempts share their prompt, prompts share
their system text and examples, equal attempts everything. A token's position is its depth, and what it may look at is
the path from the root to it. Left out: attention over the paths (tree_attention), the model.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import torch
from torch import Tensor

ROWS = 64, 256
"""Queries of one path that are attended together: a sixth of the path within these limits. Few skip more of what lies
behind the last of them, which is never computed; many share one copy of the path's keys."""
SCORES = 3_000_000
"""Scores (queries x keys x heads) that exist at once, at most, unless one segment alone has more."""
SMALL = 200_000
"""Scores for whose padding nobody waits: blocks up to this size take segments of any length."""
LANES = 32
"""Keys of a block are padded to a multiple of this."""


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
    """A segments attended in one product, padded to Q queries and K keys.

    Rows are counted twice over. In what is gathered from, row n * M + m is what key head m has of token n, M key heads
    in all; in what the block works on, row (a * M + m) * Q + i.
    """

    shape: tuple[int, int, int]
    """A, Q, K."""
    query_rows: Tensor
    """[A * M * Q] int64: where each query is gathered from; padding repeats the segment's first query."""
    key_rows: Tensor
    """[A * M * K] int64: the same for keys; padding repeats the first key, which the mask keeps out."""
    mask_AQK: Tensor
    """0 or -inf, float32, for the keys from `shown` on; [1, Q, K - shown] where all segments are alike."""
    shown: int
    """The first so many keys are seen by every query."""
    padding_rows: Tensor | None
    """int64: rows of the block's queries that are padding; None where there are none."""
    own_rows: Tensor | None
    """int64, ascending: the gathered rows that are keys here; None where that is all of them."""
    bag_rows: Tensor
    """int64: the block's key rows without padding, ordered by where they come from."""
    offsets: Tensor
    """int64: where in bag_rows the rows of own_rows[u] begin."""


@dataclass(frozen=True, kw_only=True)
class Plan:
    """All blocks of a layout for one kind of layer."""

    blocks: tuple[Block, ...]
    back_rows: Tensor
    """[N * M] int64: where each query is among the rows of all blocks, one block after the other."""
    rows: int
    """Those rows."""


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
    _plans: dict[tuple[int, int, int | None], Plan] = field(default_factory=dict, repr=False)
    _buffers: dict[tuple[str, torch.dtype], Tensor] = field(default_factory=dict, repr=False)

    def plan(self, heads: int, groups: int, window: int | None) -> Plan:
        """The blocks for this many query and key heads and this sliding window."""
        found = self._plans.get((heads, groups, window))
        if found is None:
            found = self._plans[heads, groups, window] = _plan(self, heads, groups, window)
        return found

    def buffer(self, name: str, shape: Sequence[int], dtype: torch.dtype) -> Tensor:
        """Memory for a value that is read before the next one of this name is asked for.

        One piece for all layers: fresh memory of this size costs a CPU about as much as the arithmetic on it.
        """
        size = math.prod(shape)
        found = self._buffers.get((name, dtype))
        if found is None or len(found) < size:
            found = self._buffers[name, dtype] = torch.empty(size, dtype=dtype, device=self.token_N.device)
        return found[:size].view(*shape)


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
        shared = common_beginning(before, row)
        path = np.concatenate([path[:shared], np.arange(count, count + len(row) - shared)])
        tokens.append(row[shared:])
        count += len(row) - shared
        # Cut from the front in equal parts, so that none is a short rest.
        parts = -(-(len(row) - shared) // min(max(ROWS[0], len(row) // 6), ROWS[1]))
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


def common_beginning(a: np.ndarray, b: np.ndarray) -> int:
    """Length of the longest common beginning of two arrays of tokens."""
    shorter = min(len(a), len(b))
    differ = np.flatnonzero(a[:shorter] != b[:shorter])
    return int(differ[0]) if len(differ) else shorter


def _plan(layout: Layout, heads: int, groups: int, window: int | None) -> Plan:
    """Segments of like size side by side, until a block has SCORES scores or padding would be a quarter of it."""
    count, device = len(layout.token_N), layout.token_N.device
    sized = sorted(layout.segments, key=lambda s: (s.last - s.first, s.last - s.start(window)), reverse=True)
    parts: list[list[Segment]] = []
    queries = keys = real = 0
    for segment in sized:
        q, k = segment.last - segment.first, segment.last - segment.start(window)
        if parts:
            area = (len(parts[-1]) + 1) * max(queries, q) * max(keys, k)
            fits = area * heads <= SCORES and (area * heads <= SMALL or 4 * (real + q * k) >= 3 * area)
        if not parts or not fits:
            parts.append([])
            queries = keys = real = 0
        parts[-1].append(segment)
        queries, keys, real = max(queries, q), max(keys, k), real + q * k
    back_NM = np.empty((count, groups), dtype=np.int64)
    blocks, first = [], 0
    for part in parts:
        block = _block(part, groups, window, count, device)
        blocks.append(block)
        A, Q, _ = block.shape
        for a, s in enumerate(part):
            rows = first + (a * groups + np.arange(groups)) * Q
            back_NM[s.path[s.first : s.last]] = rows + np.arange(s.last - s.first)[:, None]
        first += A * groups * Q
    return Plan(blocks=tuple(blocks), back_rows=torch.from_numpy(back_NM.reshape(-1)).to(device), rows=first)


def _block(part: Sequence[Segment], groups: int, window: int | None, count: int, device: torch.device) -> Block:
    A, Q = len(part), max(s.last - s.first for s in part)
    # A row of scores that is no multiple of LANES costs a CPU's softmax twice the time.
    K = -(-max(s.last - s.start(window) for s in part) // LANES) * LANES
    query_AQ, depth_AQ = np.empty((A, Q), dtype=np.int64), np.empty((A, Q), dtype=np.int64)
    key_AK, depth_AK = np.empty((A, K), dtype=np.int64), np.empty((A, K), dtype=np.int64)
    padded_AQ, real_AK = np.zeros((A, Q), dtype=bool), np.zeros((A, K), dtype=bool)
    for a, s in enumerate(part):
        q, start = s.last - s.first, s.start(window)
        k = s.last - start
        query_AQ[a, :q], query_AQ[a, q:] = s.path[s.first : s.last], s.path[s.first]
        depth_AQ[a, :q], depth_AQ[a, q:] = np.arange(s.first, s.last), s.first
        padded_AQ[a, q:] = True
        key_AK[a, :k], key_AK[a, k:] = s.path[start : s.last], s.path[start]
        real_AK[a, :k] = True
        # A key behind its segment's end is deeper than every query of it, so depth alone hides it.
        depth_AK[a] = np.arange(start, start + K)
    hidden_AQK = depth_AK[:, None] > depth_AQ[:, :, None]
    if window is not None:
        hidden_AQK |= depth_AK[:, None] <= depth_AQ[:, :, None] - window
    shown = int((~hidden_AQK.any((0, 1))).cumprod().sum()) // LANES * LANES
    if (hidden_AQK == hidden_AQK[:1]).all():
        hidden_AQK = hidden_AQK[:1]
    head_M = np.arange(groups)[None, :, None]
    key_AMK = key_AK[:, None] * groups + head_M
    real = np.flatnonzero(np.broadcast_to(real_AK[:, None], key_AMK.shape))
    origin = key_AMK.reshape(-1)[real]
    order = np.argsort(origin, kind="stable")
    own, offsets = np.unique(origin[order], return_index=True)
    padding = np.flatnonzero(np.broadcast_to(padded_AQ[:, None], (A, groups, Q)))

    def there(array: np.ndarray) -> Tensor:
        return torch.from_numpy(np.ascontiguousarray(array).reshape(-1)).to(device)

    mask_AQK = np.where(hidden_AQK[..., shown:], np.float32(-np.inf), np.float32(0))
    return Block(
        shape=(A, Q, K),
        query_rows=there(query_AQ[:, None] * groups + head_M),
        key_rows=there(key_AMK),
        mask_AQK=torch.from_numpy(mask_AQK).to(device),
        shown=shown,
        padding_rows=there(padding) if len(padding) else None,
        own_rows=None if len(own) == count * groups else there(own),
        bag_rows=there(real[order]),
        offsets=there(offsets),
    )
