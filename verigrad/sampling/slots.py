"""Keys and values of many answers at once, a slot each, of different lengths, for the module's own attention.

Every sequence begins at column 0 of its slot, whatever its length, so that a row's numbers do not depend on its
neighbours: columns at or after its length are masked and hold finite leftovers. Shapes: N slots, H key heads,
L columns, D width of a head. Left out: which request has which slot (local).
"""

from __future__ import annotations

import torch
from torch import Tensor
from transformers.cache_utils import Cache, DynamicLayer

GROW = 64
"""Columns are added this many at a time; attention looks at a multiple of it."""


class SlotLayer(DynamicLayer):  # type: ignore[misc]  # transformers is untyped here
    """One layer's keys and values [N, H, L, D]."""

    keys: Tensor
    values: Tensor
    is_initialized: bool

    def __init__(self, slots: int) -> None:
        super().__init__()
        self.slots = slots
        self.length_N = torch.zeros(0, dtype=torch.long)
        """Where the next token of each active slot goes; set by Slots before a forward."""
        self.columns = GROW
        """Columns attention sees in this forward."""

    def put(self, slot_M: Tensor, keys_HSD: Tensor, values_HSD: Tensor) -> None:
        """Write a prompt's keys and values [H, S, D] into these slots."""
        length = keys_HSD.shape[1]
        self._reach(length, keys_HSD, values_HSD)
        self.keys[slot_M, :, :length] = keys_HSD
        self.values[slot_M, :, :length] = values_HSD

    def move(self, to_M: Tensor, source_M: Tensor) -> None:
        """Copy slots."""
        self.keys[to_M] = self.keys[source_M]
        self.values[to_M] = self.values[source_M]

    def update(
        self, key_states: Tensor, value_states: Tensor, *args: object, **kwargs: object
    ) -> tuple[Tensor, Tensor]:
        """Write one token a slot at its own column; return what attention sees. Called by the module."""
        n = key_states.shape[0]
        self._reach(self.columns, key_states[0], value_states[0])
        rows_N = torch.arange(n, device=key_states.device)
        self.keys[rows_N, :, self.length_N] = key_states[:, :, 0]
        self.values[rows_N, :, self.length_N] = value_states[:, :, 0]
        return self.keys[:n, :, : self.columns], self.values[:n, :, : self.columns]

    def get_seq_length(self) -> int:
        """Columns attention sees: what the module may ask for; masks and positions are given to it."""
        return self.columns

    def _reach(self, columns: int, key_HSD: Tensor, value_HSD: Tensor) -> None:
        """At least this many columns, the new ones zero (a masked NaN would poison the row: 0 * NaN)."""
        have = self.keys.shape[2] if self.is_initialized else 0
        if columns <= have:
            return
        more = -(-(columns - have) // GROW) * GROW
        new = [like.new_zeros((self.slots, like.shape[0], more, like.shape[2])) for like in (key_HSD, value_HSD)]
        if self.is_initialized:
            self.keys = torch.cat([self.keys, new[0]], dim=2)
            self.values = torch.cat([self.values, new[1]], dim=2)
        else:
            self.keys, self.values = new
            self.is_initialized = True


class Slots(Cache):  # type: ignore[misc]  # transformers is untyped here
    """All layers' slots."""

    def __init__(self, layers: int, slots: int) -> None:
        super().__init__(layers=[SlotLayer(slots) for _ in range(layers)])

    def put(self, slots: list[int], prompt: Cache) -> None:
        """Copy the keys and values of one computed prompt into these slots."""
        for layer, source in zip(self.layers, prompt.layers, strict=True):
            layer.put(torch.tensor(slots, device=source.keys.device), source.keys[0], source.values[0])

    def move(self, to: list[int], source: list[int]) -> None:
        """Copy slots `source` over slots `to`; the two lists share no slot."""
        for layer in self.layers:
            device = layer.keys.device
            layer.move(torch.tensor(to, device=device), torch.tensor(source, device=device))

    def aim(self, length_N: Tensor) -> Tensor:
        """Make ready for a forward of one token a slot at columns `length_N`; the mask [N, 1, 1, L] for it."""
        columns = (int(length_N.max()) // GROW + 1) * GROW
        for layer in self.layers:
            layer.length_N, layer.columns = length_N, columns
        return (torch.arange(columns, device=length_N.device) <= length_N[:, None])[:, None, None]
