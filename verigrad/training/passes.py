"""One forward of a micro-batch, and a model's log-probs of a step's rows without gradient.

The log-probs an update compares come from here: the trainer's before the update ("old") and the frozen reference's, by
the arithmetic and in the micro-batches of the update itself, because a row's rounding depends on what is beside it.
Measured: with log-probs of another precision every GSPO sequence lies outside its clip of 3e-4. Left out: who asks.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import torch
from torch import Tensor

from verigrad.models import Working
from verigrad.records import Batch
from verigrad.training.micro_batches import MicroBatch


def forward(
    working: Working, batch: Batch, micro: MicroBatch, *, temperature: float, entropy: bool
) -> tuple[Tensor, Tensor | None]:
    """Log-probs, and entropies if asked for, of the micro-batch's rows, [N, T] of its longest answer."""
    longest = int(batch.length_B[micro.rows].max())
    logp_UT, entropy_UT = working.logps(
        [batch.prompt_ids[i] for i in micro.distinct],
        batch.token_ids_BT[micro.distinct, :longest],
        batch.length_B[micro.distinct],
        temperature=temperature,
        entropy=entropy,
    )
    of = torch.from_numpy(micro.of).to(logp_UT.device)
    return logp_UT[of], None if entropy_UT is None else entropy_UT[of]


class Pass:
    """A model's log-probs of a step's rows, each micro-batch computed once. State: what is known so far.

    Where a later plan has other micro-batches, those that changed are computed anew.
    """

    def __init__(self, working: Working, batch: Batch, *, temperature: float) -> None:
        self.working = working
        self.batch = batch
        self.temperature = temperature
        self.logp_BT = np.zeros(batch.token_ids_BT.shape, dtype=np.float32)
        """[B, T] float32: zero where nothing was asked."""
        self._known: set[bytes] = set()

    @torch.no_grad()
    def read(self, plan: Sequence[MicroBatch]) -> None:
        """Compute what of these is not known."""
        for micro in plan:
            if micro.rows.tobytes() not in self._known:
                logp_BT, _ = forward(self.working, self.batch, micro, temperature=self.temperature, entropy=False)
                self.keep(micro, logp_BT)

    def keep(self, micro: MicroBatch, logp_BT: Tensor) -> np.ndarray:
        """Remember what a forward with the same weights found; returns it, [N, T] float32."""
        found_BT: np.ndarray = logp_BT.detach().float().cpu().numpy()
        self.logp_BT[micro.rows, : found_BT.shape[1]] = found_BT
        self._known.add(micro.rows.tobytes())
        return found_BT
