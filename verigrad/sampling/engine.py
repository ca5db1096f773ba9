"""Two ways to get the next token's logits: with kept keys and values, or by plain recomputation.

Both hold live answers in rows 0 to N - 1. Answers to one prompt come as a `Unit`; their prompt is computed once.
Shapes: N answers, U units, V vocabulary. Left out: drawing, ending, and which answer comes next (local).
"""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
import torch
from torch import Tensor

from verigrad.models import company
from verigrad.sampling.attention import Chunk, Decode, Prefill, Store, planned

MULTIPLE = 16
"""Rows of a forward are padded to a multiple of this. float32 products of few rows take another path on a CPU and
round differently: from 16 rows on they agree, up to a limit the probe finds (packed weights: from 7 on, no limit)."""
COLUMNS = 64
"""Room is made in multiples of this many columns; where rows must round alike whatever the batch, they are also looked
at so."""
CHUNK = 512
"""Most tokens of a prompt computed at once; later chunks look back at the earlier ones."""
LOGITS = 1 << 26
"""Most logits of a forward that recomputes sequences: 256 MB of float32."""
BATCH = 1024
"""Most prompt tokens in one forward, where prompts are computed together."""


@dataclass(frozen=True, kw_only=True)
class Unit:
    """Answers to one prompt that begin together."""

    prompt_ids: np.ndarray
    """[S] int64."""
    answers: int
    """How many."""


class Engine(Protocol):
    """Logits for live answers."""

    @property
    def used(self) -> int:
        """Blocks of prompts in use."""
        ...

    def admit(self, units: Sequence[Unit]) -> Tensor:
        """Compute these prompts; their answers stand in the next rows, in order. Logits [U, V] of the first token."""
        ...

    def step(self, token_N: np.ndarray) -> Tensor:
        """Logits [N, V] of what follows when each live answer is given this token."""
        ...

    def move(self, to: list[int], source: list[int], live: int) -> None:
        """Answers in rows `source` now stand in rows `to` (they share none); after that the first `live` are left."""
        ...


@dataclass(frozen=True, kw_only=True)
class Size:
    """Room for answers and prompts, in rows and tokens."""

    rows: int
    own: int
    """Tokens of an answer."""
    blocks: int
    """Prompts at once; one whose answers outnumber `lanes` counts several times."""
    prompt: int
    """Tokens of a prompt."""
    lanes: int
    """Answers that share a block's prompt."""
    columns: int = COLUMNS
    """Attention looks at a multiple of this many own columns."""

    @property
    def tokens(self) -> int:
        """Tokens whose keys and values are kept."""
        return self.rows * self.own + self.blocks * self.prompt


class GroupEngine:
    """Keys and values kept: an answer's own in its row, a prompt's in a block that its answers share."""

    def __init__(self, module: Any, device: torch.device, size: Size, *, together: bool = True) -> None:
        """`module`: of Weights. `together`: prompts share forwards; else each is computed alone, unpadded."""
        self.module, self.device, self.size, self.together = module, device, size, together
        takes = inspect.signature(module.forward).parameters
        self.picks = "logits_to_keep" in takes
        self.extra = {"use_cache": False} if "use_cache" in takes else {}
        self.store = Store(blocks=size.blocks, prompt=size.prompt, rows=size.rows, own=size.own)
        self.own: list[int] = []
        """Tokens kept of each live answer."""
        self.block: list[int] = []
        """Block of each live answer."""
        self.prompt: list[int] = []
        """Tokens of each block's prompt."""
        self._order: tuple[Tensor | None, Tensor | None] | None = None

    @property
    def used(self) -> int:
        """See Engine."""
        return len(self.prompt)

    def admit(self, units: Sequence[Unit]) -> Tensor:
        """See Engine."""
        blocks_U: list[tuple[int, ...]] = []
        for unit in units:
            count = -(-unit.answers // self.size.lanes)
            blocks = tuple(range(len(self.prompt), len(self.prompt) + count))
            self.prompt += [len(unit.prompt_ids)] * count
            self.own += [0] * unit.answers
            self.block += [blocks[i // self.size.lanes] for i in range(unit.answers)]
            blocks_U.append(blocks)
        self._order = None
        logits_U: list[Tensor | None] = [None] * len(units)
        for batch in self._batches([len(u.prompt_ids) for u in units]):
            ends = [(u, i) for i, (u, start, count) in enumerate(batch) if start + count == len(units[u].prompt_ids)]
            found = self._prefill([(units[u].prompt_ids, blocks_U[u], start, count) for u, start, count in batch],
                                  [i for _, i in ends])  # fmt: skip
            for (u, _), row in zip(ends, found, strict=True):
                logits_U[u] = row
        return torch.stack([row for row in logits_U if row is not None])

    def _batches(self, lengths: Sequence[int]) -> list[list[tuple[int, int, int]]]:
        """Forwards of (unit, start, count): chunks of one prompt in order, never two of them in one forward."""
        chunks = [(u, s, min(CHUNK, n - s)) for u, n in enumerate(lengths) for s in range(0, n, CHUNK)]
        batches: list[list[tuple[int, int, int]]] = []
        for chunk in chunks:
            last = batches[-1] if batches else []
            fits = (
                self.together and sum(c for *_, c in last) + chunk[2] <= BATCH and all(u != chunk[0] for u, *_ in last)
            )
            if last and fits:
                last.append(chunk)
            else:
                batches.append([chunk])
        return batches

    def _prefill(self, parts: list[tuple[np.ndarray, tuple[int, ...], int, int]], ends: list[int]) -> list[Tensor]:
        """One forward; logits [V] after the last token of each of the parts `ends`."""
        total = sum(count for *_, count in parts)
        width = round_up(total) if self.together else total
        ids_M, at_M = np.zeros(width, dtype=np.int64), np.zeros(width, dtype=np.int64)
        chunks, at = [], 0
        for ids, blocks, start, count in parts:
            ids_M[at : at + count], at_M[at : at + count] = ids[start : start + count], np.arange(start, start + count)
            chunks.append(Chunk(at=at, start=start, count=count, blocks=blocks))
            at += count
        last = [chunks[i].at + chunks[i].count - 1 for i in ends]
        # As many rows go through the head as in decoding, so that it rounds alike.
        picked = last + [last[-1] if last else 0] * (round_up(max(len(last), 1)) - len(last))
        with planned(Prefill(store=self.store, chunks=tuple(chunks))):
            logits = self._run(ids_M[None], at_M[None], np.array(picked, dtype=np.int64))
        return list(logits[: len(ends)])

    def _run(self, ids: np.ndarray, positions: np.ndarray, picked: np.ndarray | None) -> Tensor:
        """Logits [B, V] of the only column, or of the picked columns of the only row."""
        give = {"logits_to_keep": self._there(picked)} if picked is not None and self.picks else {}
        out = self.module(input_ids=self._there(ids), position_ids=self._there(positions), **self.extra, **give)
        logits: Tensor = out.logits
        if picked is None:
            return logits[:, -1]
        return logits[0] if self.picks else logits[0, self._there(picked)]

    def _there(self, x: np.ndarray) -> Tensor:
        return torch.from_numpy(x).to(self.device)

    def step(self, token_N: np.ndarray) -> Tensor:
        """See Engine."""
        live = len(self.own)
        n = min(round_up(live), self.size.rows)
        own_N, block_N = np.zeros(n, dtype=np.int64), np.zeros(n, dtype=np.int64)
        own_N[:live], block_N[:live] = self.own, self.block
        prompt_C = np.array(self.prompt, dtype=np.int64)
        ids_N = np.zeros(n, dtype=np.int64)
        ids_N[:live] = token_N
        at_N = prompt_C[block_N] + own_N
        if self._order is None:
            self._order = self._places(n)
        plan = Decode(
            store=self.store,
            own_N=self._there(own_N),
            prompt_N=self._there(prompt_C[block_N]),
            prompt_C=self._there(prompt_C),
            own=round_up(max(self.own) + 1, self.size.columns),
            prompt=round_up(max(self.prompt), COLUMNS),
            lanes=self.size.lanes,
            row_of_lane=self._order[0],
            lane_of_row=self._order[1],
            longest=int(at_N.max()),
        )
        with planned(plan):
            logits = self._run(ids_N[:, None], at_N[:, None], None)
        self.own = [t + 1 for t in self.own]
        return logits[:live]

    def _places(self, n: int) -> tuple[Tensor | None, Tensor | None]:
        """Which answer each place of each block holds, and each answer's place; None, None where that is the order."""
        used = [0] * len(self.prompt)
        row_of_lane = np.zeros(len(self.prompt) * self.size.lanes, dtype=np.int64)
        lane_of_row = np.zeros(n, dtype=np.int64)
        for row, block in enumerate(self.block):
            lane = block * self.size.lanes + used[block]
            used[block] += 1
            row_of_lane[lane], lane_of_row[row] = row, lane
        if n == len(row_of_lane) == len(self.block) and (lane_of_row == np.arange(n)).all():
            return None, None
        return self._there(row_of_lane), self._there(lane_of_row)

    def move(self, to: list[int], source: list[int], live: int) -> None:
        """See Engine."""
        if to:
            self.store.move_rows(to, source, max(self.own[row] for row in source))
        for a, b in zip(to, source, strict=True):
            self.own[a], self.block[a] = self.own[b], self.block[b]
        del self.own[live:], self.block[live:]
        self._free_blocks()
        self._order = None

    def _free_blocks(self) -> None:
        """Blocks no live answer needs give their places to the last ones."""
        needed = sorted(set(self.block))
        if len(needed) == len(self.prompt):
            return
        gaps = [b for b in range(len(needed)) if b not in set(needed)]
        late = [b for b in needed if b >= len(needed)]
        if gaps:
            self.store.move_blocks(gaps, late, max(self.prompt[b] for b in late))
        new = dict(zip(late, gaps, strict=True))
        for b, gap in new.items():
            self.prompt[gap] = self.prompt[b]
        self.block = [new.get(b, b) for b in self.block]
        del self.prompt[len(needed) :]


class PlainEngine:
    """Nothing kept: every token recomputes its whole sequence. Slow, and right for any causal model."""

    def __init__(self, module: Any, device: torch.device) -> None:
        self.module, self.device = module, device
        self.alone = bool(company(module))
        self.vocabulary = int(module.get_input_embeddings().weight.shape[0])
        self.sequences: list[np.ndarray] = []

    @property
    def used(self) -> int:
        """See Engine: none."""
        return 0

    def admit(self, units: Sequence[Unit]) -> Tensor:
        """See Engine."""
        self.sequences += [u.prompt_ids for u in units for _ in range(u.answers)]
        return torch.cat([self._logits([u.prompt_ids]) for u in units])

    def step(self, token_N: np.ndarray) -> Tensor:
        """See Engine."""
        self.sequences = [np.append(ids, token) for ids, token in zip(self.sequences, token_N, strict=True)]
        return self._logits(self.sequences)

    def move(self, to: list[int], source: list[int], live: int) -> None:
        """See Engine."""
        for a, b in zip(to, source, strict=True):
            self.sequences[a] = self.sequences[b]
        del self.sequences[live:]

    def _logits(self, sequences: list[np.ndarray]) -> Tensor:
        """Logits [N, V] after the last token of each, a few sequences a forward: one whose rows depend on each other
        is given them one by one, and elsewhere the forward's logits are bounded.
        """
        longest = max(map(len, sequences))
        rows = 1 if self.alone else max(1, LOGITS // (longest * self.vocabulary))
        return torch.cat([self._some(sequences[i : i + rows]) for i in range(0, len(sequences), rows)])

    def _some(self, sequences: list[np.ndarray]) -> Tensor:
        length_N = torch.tensor([len(ids) for ids in sequences])
        ids_NL = torch.zeros(len(sequences), int(length_N.max()), dtype=torch.long)
        for row_L, ids in zip(ids_NL, sequences, strict=True):
            row_L[: len(ids)] = torch.from_numpy(ids)
        mask_NL = (torch.arange(ids_NL.shape[1]) < length_N[:, None]).long()
        out = self.module(input_ids=ids_NL.to(self.device), attention_mask=mask_NL.to(self.device), use_cache=False)
        logits: Tensor = out.logits[torch.arange(len(sequences)), length_N - 1]
        return logits


def round_up(count: int, multiple: int = MULTIPLE) -> int:
    """The next multiple."""
    return -(-count // multiple) * multiple
