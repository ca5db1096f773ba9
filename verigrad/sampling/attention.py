"""Attention of the sampling engine: a prompt's keys and values once for all its answers, an answer's own beside them.

A function in transformers' attention interface (`NAME`); the module around it stays as it is and gets no cache: this
file keeps the keys and values. Two kinds of forward, each with a plan that says what stands where: `Prefill` computes
chunks of prompts laid end to end in one row, `Decode` one token of every live answer. In `Decode` an answer attends to
its prompt (together with the other answers in its block: one product) and to its own tokens; the two parts are merged
by their log-sum-exp, which is exact. What a module asks for and this file does not do is refused, never ignored.

Shapes: M prompt tokens of a forward, N live answers (padded), H query heads, J key heads, R = H/J query heads a key
head, D head width, S prompt columns, L own columns, C blocks of `lanes` answers that share a prompt. Left out: which
answer stands where (engine), drawing (draw).
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np
import torch
from torch import Tensor
from transformers import AttentionInterface

from verigrad.models import unfit

NAME = "verigrad_sampling"
HIDDEN = -1e30
"""Added to the score of what must not be seen: finite, so that a row that sees nothing is no NaN but weighs nothing."""


@dataclass(frozen=True, kw_only=True)
class How:
    """What one layer's attention asks for."""

    scale: float
    window: int | None
    """A token sees itself and the window - 1 positions before it."""
    softcap: float | None
    """Scores become softcap * tanh(score / softcap) (Gemma 2, arXiv:2408.00118)."""


class Plan(Protocol):
    """One forward's layout."""

    def attend(self, layer: int, query: Tensor, key: Tensor, value: Tensor, how: How) -> Tensor:
        """The mixed values [B, T, H, D] of query [B, H, T, D]; keeps key and value [B, J, T, D]."""
        ...


_PLAN: ContextVar[Plan] = ContextVar("verigrad_sampling_plan")


@contextlib.contextmanager
def planned(plan: Plan) -> Iterator[None]:
    """Forwards within follow this plan."""
    token = _PLAN.set(plan)
    try:
        yield
    finally:
        _PLAN.reset(token)


def attention(
    module: Any,
    query: Tensor,
    key: Tensor,
    value: Tensor,
    attention_mask: Tensor | None,
    scaling: float | None = None,
    dropout: float = 0.0,
    sliding_window: int | None = None,
    softcap: float | None = None,
    **others: Any,
) -> tuple[Tensor, None]:
    """What transformers calls in every layer. Raises ValueError for what is asked and not done here."""
    if why := unfit(module, attention_mask, dropout, others):
        raise ValueError(why)
    how = How(scale=query.shape[-1] ** -0.5 if scaling is None else scaling, window=sliding_window, softcap=softcap)
    return _PLAN.get().attend(module.layer_idx, query, key, value, how), None


AttentionInterface.register(NAME, attention)


@dataclass(kw_only=True)
class Store:
    """Keys and values of all layers, made at a layer's first use: zeros, at full size, touched only where written."""

    blocks: int
    prompt: int
    """Columns of a prompt."""
    rows: int
    own: int
    """Columns of an answer."""
    layers: dict[int, tuple[Tensor, Tensor, Tensor, Tensor]] = field(default_factory=dict)
    """Layer -> keys and values of prompts [C, S, J, D], keys and values of answers [N, L, J, D]."""

    def of(self, layer: int, key: Tensor, value: Tensor) -> tuple[Tensor, Tensor, Tensor, Tensor]:
        """The layer's tensors; their sizes are seen at its first key and value [B, J, T, D]."""
        if layer not in self.layers:
            prompts, answers = (self.blocks, self.prompt), (self.rows, self.own)
            made = [
                _room((*size, x.shape[1], x.shape[3]), x)
                for size, x in zip((prompts, prompts, answers, answers), (key, value, key, value), strict=True)
            ]
            self.layers[layer] = (made[0], made[1], made[2], made[3])
        return self.layers[layer]

    def move_rows(self, to: list[int], source: list[int], columns: int) -> None:
        """Copy the first columns of answers; the lists share no row."""
        for _, _, key, value in self.layers.values():
            _copy(key, to, source, columns)
            _copy(value, to, source, columns)

    def move_blocks(self, to: list[int], source: list[int], columns: int) -> None:
        """Copy the first columns of prompts; the lists share no block."""
        for key, value, _, _ in self.layers.values():
            _copy(key, to, source, columns)
            _copy(value, to, source, columns)


def _room(shape: tuple[int, ...], like: Tensor) -> Tensor:
    """Zeros. On a CPU by numpy, which asks the system for zeroed pages: they take memory only once written, where
    torch would clear, and so take, them all.
    """
    if like.device.type != "cpu" or like.dtype not in (torch.float32, torch.bfloat16):
        return like.new_zeros(shape)
    if like.dtype is torch.float32:
        return torch.from_numpy(np.zeros(shape, dtype=np.float32))
    return torch.from_numpy(np.zeros(shape, dtype=np.int16)).view(torch.bfloat16)


def _copy(x: Tensor, to: list[int], source: list[int], columns: int) -> None:
    for a, b in zip(to, source, strict=True):
        x[a, :columns].copy_(x[b, :columns])


@dataclass(frozen=True, kw_only=True)
class Chunk:
    """Consecutive tokens of one prompt within a forward."""

    at: int
    """Column of the forward's row where they begin."""
    start: int
    """Position of the first in its prompt; those before it are in the store."""
    count: int
    blocks: tuple[int, ...]
    """Blocks that hold this prompt."""


@dataclass(frozen=True, kw_only=True)
class Prefill:
    """Chunks of prompts end to end in one row [1, M]."""

    store: Store
    chunks: tuple[Chunk, ...]

    def attend(self, layer: int, query: Tensor, key: Tensor, value: Tensor, how: How) -> Tensor:
        """See Plan."""
        prompt_key, prompt_value, _, _ = self.store.of(layer, key, value)
        out = query.new_zeros((1, query.shape[2], query.shape[1], value.shape[3]))
        for c in self.chunks:
            here, end = slice(c.at, c.at + c.count), c.start + c.count
            k, v = key[:, :, here], value[:, :, here]
            for block in c.blocks:
                prompt_key[block, c.start : end] = k[0].transpose(0, 1)
                prompt_value[block, c.start : end] = v[0].transpose(0, 1)
            if c.start:
                k = prompt_key[c.blocks[0], :end].transpose(0, 1)[None]
                v = prompt_value[c.blocks[0], :end].transpose(0, 1)[None]
            out[:, here] = _causal(query[:, :, here], k, v, c.start, how).transpose(1, 2)
        return out


def _causal(query: Tensor, key: Tensor, value: Tensor, start: int, how: How) -> Tensor:
    """Queries [1, H, T, D] at positions start .. over keys [1, J, start + T, D]; [1, H, T, D]."""
    count, end = query.shape[2], key.shape[2]
    grouped = query.shape[1] != key.shape[1]
    if how.softcap is None and not start and (how.window is None or end <= how.window):
        return torch.nn.functional.scaled_dot_product_attention(
            query, key, value, is_causal=True, scale=how.scale, enable_gqa=grouped
        )
    back_TS = torch.arange(start, end, device=query.device)[:, None] - torch.arange(end, device=query.device)
    seen_TS = back_TS >= 0
    if how.window is not None:
        seen_TS &= back_TS < how.window
    mask = torch.where(seen_TS, 0.0, HIDDEN).to(query.dtype)
    if how.softcap is None:
        return torch.nn.functional.scaled_dot_product_attention(
            query, key, value, attn_mask=mask[None, None], scale=how.scale, enable_gqa=grouped
        )
    heads = key.shape[1]
    folded = query.view(1, heads, -1, *query.shape[2:]).flatten(2, 3)
    out, _ = _plain(folded, key, value, mask.repeat(query.shape[1] // heads, 1)[None, None], how)
    return out.view(1, query.shape[1], count, -1)


@dataclass(kw_only=True)
class Decode:
    """One token of every live answer [N, 1]."""

    store: Store
    own_N: Tensor
    """Tokens of each answer before this one: its column."""
    prompt_N: Tensor
    """Tokens of each answer's prompt."""
    prompt_C: Tensor
    """Tokens of each block's prompt."""
    own: int
    """Own columns looked at."""
    prompt: int
    """Prompt columns looked at."""
    lanes: int
    """Answers a block has room for."""
    row_of_lane: Tensor | None
    """[C * lanes]: the answer in each place of each block (any, where empty); None: answers stand in that order."""
    lane_of_row: Tensor | None
    """[N]: each answer's place; None: answers stand in that order."""
    longest: int
    """The last position of any answer."""
    masks: dict[tuple[int | None, int, torch.dtype], tuple[Tensor, Tensor]] = field(default_factory=dict)
    """Made at the first layer that wants them."""

    def __post_init__(self) -> None:
        """Where keys are written, once for all layers."""
        self.at_N = torch.arange(len(self.own_N), device=self.own_N.device) * self.store.own + self.own_N

    def attend(self, layer: int, query: Tensor, key: Tensor, value: Tensor, how: How) -> Tensor:
        """See Plan."""
        prompt_key, prompt_value, own_key, own_value = self.store.of(layer, key, value)
        (n, heads, _, width), j, c = query.shape, key.shape[1], len(self.prompt_C)
        r = heads // j
        own_key.view(-1, j * width).index_copy_(0, self.at_N, key.reshape(n, j * width))
        own_value.view(-1, j * value.shape[3]).index_copy_(0, self.at_N, value.reshape(n, j * value.shape[3]))
        prompt_mask, own_mask = self._masks(how.window, r, query.dtype)

        query_NJRD = query.reshape(n, j, r, width)
        own_out, own_lse = _part(
            query_NJRD,
            own_key[:n, : self.own].transpose(1, 2),
            own_value[:n, : self.own].transpose(1, 2),
            own_mask,
            how,
        )
        places = query_NJRD if self.row_of_lane is None else query_NJRD.index_select(0, self.row_of_lane)
        prompt_out, prompt_lse = _part(
            places.view(c, self.lanes, j, r, width).permute(0, 2, 1, 3, 4).reshape(c, j, self.lanes * r, width),
            prompt_key[:c, : self.prompt].transpose(1, 2),
            prompt_value[:c, : self.prompt].transpose(1, 2),
            prompt_mask,
            how,
        )
        # The kernel leaves both results as [.., R, J, D] in memory: merged there, turned once.
        prompt_out = prompt_out.transpose(1, 2).reshape(c * self.lanes, r, j, -1)
        prompt_lse = prompt_lse.transpose(1, 2).reshape(c * self.lanes, r, j)
        if self.lane_of_row is not None:
            prompt_out = prompt_out.index_select(0, self.lane_of_row)
            prompt_lse = prompt_lse.index_select(0, self.lane_of_row)
        weight = _sigmoid(own_lse.transpose(1, 2) - prompt_lse)[..., None].to(query.dtype)
        merged = torch.lerp(prompt_out, own_out.transpose(1, 2), weight)
        return merged.transpose(1, 2).reshape(n, 1, heads, -1)

    def _masks(self, window: int | None, r: int, dtype: torch.dtype) -> tuple[Tensor, Tensor]:
        """What to add to scores of prompt columns [C, 1, 1 or lanes * R, S] and of own columns [N, 1, 1, L]."""
        if window is not None and self.longest < window:
            window = None  # hides nothing yet, and so shares the masks of layers without one
        if (window, r, dtype) not in self.masks:
            device = self.own_N.device
            column_S, column_L = torch.arange(self.prompt, device=device), torch.arange(self.own, device=device)
            seen_CQS = column_S < self.prompt_C[:, None, None]
            seen_NL = column_L <= self.own_N[:, None]
            if window is not None:
                seen_NL &= self.own_N[:, None] - column_L < window
                at_N = self.prompt_N + self.own_N
                at_CQ = (at_N if self.row_of_lane is None else at_N[self.row_of_lane]).view(-1, self.lanes)
                back_CQS = at_CQ.repeat_interleave(r, dim=1)[:, :, None] - column_S
                seen_CQS = seen_CQS & (back_CQS < window)
            self.masks[window, r, dtype] = (
                torch.where(seen_CQS, 0.0, HIDDEN).to(dtype)[:, None],
                torch.where(seen_NL, 0.0, HIDDEN).to(dtype)[:, None, None],
            )
        return self.masks[window, r, dtype]


def _sigmoid(x_NRJ: Tensor) -> Tensor:
    """Row by row the same bits whatever N: torch takes vectors of up to 32 numbers through another exp than the few
    that are left at the end, so every row is made a multiple of 32.
    """
    n, r, j = x_NRJ.shape
    return torch.nn.functional.pad(x_NRJ.reshape(n, r * j), (0, -(r * j) % 32)).sigmoid()[:, : r * j].view(n, r, j)


def _part(query: Tensor, key: Tensor, value: Tensor, mask: Tensor, how: How) -> tuple[Tensor, Tensor]:
    """Attention over a part of the keys: values mixed [B, J, Q, D] and the log-sum-exp of the scores [B, J, Q]."""
    if how.softcap is None and query.device.type == "cpu" and query.shape[3] == value.shape[3]:
        return _kernel(query, key, value, mask, how.scale)
    return _plain(query, key, value, mask, how)


def _kernel(query: Tensor, key: Tensor, value: Tensor, mask: Tensor, scale: float) -> tuple[Tensor, Tensor]:
    """The CPU kernel of torch's own attention, by its private name: the public one does not return the log-sum-exp."""
    out, lse = torch.ops.aten._scaled_dot_product_flash_attention_for_cpu(
        query, key, value, 0.0, False, attn_mask=mask, scale=scale
    )
    return out, lse


def _plain(query: Tensor, key: Tensor, value: Tensor, mask: Tensor, how: How) -> tuple[Tensor, Tensor]:
    """The same by products: on any device, and with a softcap."""
    score = (query @ key.transpose(2, 3)).float() * how.scale
    if how.softcap is not None:
        score = how.softcap * torch.tanh(score / how.softcap)
    score = score + mask
    lse = score.logsumexp(dim=-1)
    return (score - lse[..., None]).exp().to(value.dtype) @ value, lse
