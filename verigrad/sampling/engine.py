"""Two ways to get the next token's logits: with a slot of keys and values per answer, or by plain recomputation.

Both take sequences and give logits, so that who runs them (local) need not know which it is. Shapes: N answers,
V vocabulary. Left out: drawing, ending, and which answer comes next.
"""

from __future__ import annotations

import copy
import inspect
from typing import Any, Protocol

import numpy as np
import torch
from torch import Tensor
from transformers.cache_utils import Cache, DynamicCache

from verigrad.models import LanguageModel
from verigrad.sampling.slots import Slots

MULTIPLE = 16
"""Rows of a forward are padded to a multiple of this: float32 products of 8 rows or fewer take another path on a CPU
and round differently (measured with torch 2.13 on x86: 16 rows and more agree bit for bit, up to a limit the probe
finds)."""


class Engine(Protocol):
    """Logits for answers that stand in slots 0 to N - 1."""

    def start(self, prompt_ids: np.ndarray) -> Tensor:
        """Compute a prompt [S], alone; logits [1, V] of its answers' first token."""
        ...

    def admit(self, slots: list[int]) -> None:
        """Answers to the prompt last started now stand in these slots."""
        ...

    def move(self, to: list[int], source: list[int]) -> None:
        """Answers in slots `source` now stand in slots `to`; the two lists share no slot."""
        ...

    def step(self, sequences: list[np.ndarray]) -> Tensor:
        """Logits [N, V] of what follows each sequence (prompt and answer so far, whose last token is new)."""
        ...


class SlotEngine:
    """Keys and values kept: every token is computed once, a prompt once for all its answers."""

    def __init__(self, module: Any, device: torch.device, rows: int) -> None:
        self.module = module
        self.device = device
        self.rows = round_up(rows)
        takes = inspect.signature(module.forward).parameters
        # transformers 5.24 renamed it; before, only the old name is known.
        self.cache_name = "cache" if "cache" in takes else "past_key_values"
        self.keep = {"logits_to_keep": 1} if "logits_to_keep" in takes else {}
        self.prompt: Cache | None = None
        self.slots: Slots | None = None

    def start(self, prompt_ids: np.ndarray) -> Tensor:
        """See Engine."""
        self.prompt = DynamicCache()
        ids = torch.from_numpy(prompt_ids)[None].to(self.device)
        out = self.module(input_ids=ids, use_cache=True, **{self.cache_name: self.prompt}, **self.keep)
        logits: Tensor = out.logits[:, -1]
        return logits

    def admit(self, slots: list[int]) -> None:
        """See Engine."""
        assert self.prompt is not None
        if self.slots is None:
            self.slots = Slots(len(self.prompt.layers), self.rows)
        self.slots.put(slots, self.prompt)

    def move(self, to: list[int], source: list[int]) -> None:
        """See Engine."""
        assert self.slots is not None
        self.slots.move(to, source)

    def step(self, sequences: list[np.ndarray]) -> Tensor:
        """See Engine."""
        assert self.slots is not None
        n = round_up(len(sequences))
        token_N, column_N = torch.zeros(n, dtype=torch.long), torch.zeros(n, dtype=torch.long)
        token_N[: len(sequences)] = torch.tensor([int(ids[-1]) for ids in sequences])
        column_N[: len(sequences)] = torch.tensor([len(ids) - 1 for ids in sequences])
        token_N, column_N = token_N.to(self.device), column_N.to(self.device)
        mask = self.slots.aim(column_N)
        out = self.module(
            input_ids=token_N[:, None],
            attention_mask=mask,
            position_ids=column_N[:, None],
            use_cache=True,
            **{self.cache_name: self.slots},
        )
        logits: Tensor = out.logits[: len(sequences), -1]
        return logits


class PlainEngine:
    """Nothing kept: every token recomputes its whole sequence. Slow, and right for any causal model."""

    def __init__(self, module: Any, device: torch.device) -> None:
        self.module = module
        self.device = device

    def start(self, prompt_ids: np.ndarray) -> Tensor:
        """See Engine."""
        return self.step([prompt_ids])

    def admit(self, slots: list[int]) -> None:
        """See Engine: sequences are all there is."""

    def move(self, to: list[int], source: list[int]) -> None:
        """See Engine: sequences are all there is."""

    def step(self, sequences: list[np.ndarray]) -> Tensor:
        """See Engine."""
        length_N = torch.tensor([len(ids) for ids in sequences])
        ids_NL = torch.zeros(len(sequences), int(length_N.max()), dtype=torch.long)
        for row_L, ids in zip(ids_NL, sequences, strict=True):
            row_L[: len(ids)] = torch.from_numpy(ids)
        mask_NL = (torch.arange(ids_NL.shape[1]) < length_N[:, None]).long()
        out = self.module(input_ids=ids_NL.to(self.device), attention_mask=mask_NL.to(self.device), use_cache=False)
        logits: Tensor = out.logits[torch.arange(len(sequences)), length_N - 1]
        return logits


def round_up(rows: int) -> int:
    """The next multiple of MULTIPLE."""
    return -(-rows // MULTIPLE) * MULTIPLE


def in_arithmetic(lm: LanguageModel) -> Any:
    """The module that samples: the master itself, or a copy of its present weights in lm.dtype.

    Buffers stay as they are: rotary frequencies in bfloat16 would be wrong positions.
    """
    if lm.dtype is torch.float32:
        return lm.module
    memo = {id(p): torch.nn.Parameter(p.detach().to(lm.dtype), requires_grad=False) for p in lm.module.parameters()}
    return copy.deepcopy(lm.module, memo)
