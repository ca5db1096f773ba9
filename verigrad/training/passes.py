"""One forward of a micro-batch, and a model's log-probs and values of a step's rows without gradient.

The log-probs an update compares come from here: the trainer's before the update ("old") and the frozen reference's, by
the arithmetic and in the micro-batches of the update itself, because a row's rounding depends on what is beside it.
Measured: with log-probs of another precision every GSPO sequence lies outside its clip of 3e-4. Left out: who asks.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import torch
from torch import Tensor

from verigrad.models import ResponseLogps, ValueHead, Working
from verigrad.records import Batch
from verigrad.training.micro_batches import MicroBatch


def forward(
    working: Working,
    batch: Batch,
    micro: MicroBatch,
    *,
    temperature: float,
    entropy: bool,
    head: ValueHead | None = None,
) -> ResponseLogps:
    """Log-probs, entropies if asked for, a head's values, of the micro-batch's rows, [N, T] of its longest answer."""
    longest = int(batch.length_B[micro.rows].max())
    found = working.logps(
        [batch.prompt_ids[i] for i in micro.distinct],
        batch.token_ids_BT[micro.distinct, :longest],
        batch.length_B[micro.distinct],
        temperature=temperature,
        entropy=entropy,
        head=head,
    )
    of = torch.from_numpy(micro.of).to(found.logp_BT.device)
    return ResponseLogps(
        found.logp_BT[of],
        None if found.entropy_BT is None else found.entropy_BT[of],
        None if found.value_BT is None else found.value_BT[of],
    )


def forward_values(working: Working, head: ValueHead, batch: Batch, micro: MicroBatch) -> Tensor:
    """The values alone of a critic that is a model of its own, [N, T] of the longest answer."""
    longest = int(batch.length_B[micro.rows].max())
    value_UT = working.values(
        head,
        [batch.prompt_ids[i] for i in micro.distinct],
        batch.token_ids_BT[micro.distinct, :longest],
        batch.length_B[micro.distinct],
    )
    return value_UT[torch.from_numpy(micro.of).to(value_UT.device)]


class Pass:
    """A model's log-probs of a step's rows, each micro-batch computed once. State: what is known so far.

    Where a later plan has other micro-batches, those that changed are computed anew.
    """

    def __init__(self, working: Working, batch: Batch, *, temperature: float, head: ValueHead | None = None) -> None:
        """`head`: `read` keeps its values too."""
        self.working = working
        self.batch = batch
        self.temperature = temperature
        self.head = head
        self.logp_BT = np.zeros(batch.token_ids_BT.shape, dtype=np.float32)
        """[B, T] float32: zero where nothing was asked."""
        self.value_BT = None if head is None else np.zeros(batch.token_ids_BT.shape, dtype=np.float32)
        """[B, T] float32 with a head: likewise."""
        self._known: set[bytes] = set()

    @torch.no_grad()
    def read(self, plan: Sequence[MicroBatch]) -> None:
        """Compute what of these is not known."""
        for micro in plan:
            if micro.rows.tobytes() not in self._known:
                found = forward(
                    self.working, self.batch, micro, temperature=self.temperature, entropy=False, head=self.head
                )
                self.keep(micro, found.logp_BT)
                if self.value_BT is not None and found.value_BT is not None:
                    put(self.value_BT, micro, found.value_BT)

    def keep(self, micro: MicroBatch, logp_BT: Tensor) -> np.ndarray:
        """Remember what a forward with the same weights found; returns it, [N, T] float32."""
        self._known.add(micro.rows.tobytes())
        return put(self.logp_BT, micro, logp_BT)


def put(array_BT: np.ndarray, micro: MicroBatch, found_NT: Tensor) -> np.ndarray:
    """Write a micro-batch's numbers at its rows of a step's array; returns them, [N, T] float32."""
    array_NT: np.ndarray = found_NT.detach().float().cpu().numpy()
    array_BT[micro.rows, : array_NT.shape[1]] = array_NT
    return array_NT
