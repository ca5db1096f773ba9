"""What does the arithmetic of an update: the float32 master itself, or a bfloat16 twin whose gradients reach it.

Left out: the optimizer, which sees the master only; which layout is right for a module (packed_probe).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import torch
from torch import Tensor

from verigrad.models.fitness import company
from verigrad.models.language_model import LanguageModel
from verigrad.models.packed import packed_forward, packed_values
from verigrad.models.packed_probe import why_not_packed
from verigrad.models.padded import ResponseLogps, response_logps, response_values
from verigrad.models.twin import sharing, twin_of
from verigrad.models.value_head import ValueHead


class Working:
    """A language model's weights in the precision of its updates. State: the twin's weights, in step by `sync`."""

    def __init__(self, lm: LanguageModel, *, checkpointing: bool = False) -> None:
        """Probes the packed layout, and builds the twin where lm.dtype is bfloat16.

        `checkpointing`: layers keep their input only and are computed again for the gradient.
        """
        self.lm = lm
        self.checkpointing = checkpointing
        self.module = sharing(lm.module)
        self._pairs: list[tuple[Tensor, Tensor]] = []
        self.why_padded = why_not_packed(lm, module=self.module)
        """One line that says why the padded layout is used; "" where the packed one is right."""
        if lm.dtype is torch.bfloat16 and not self.why_padded:
            module, pairs = twin_of(lm.module)
            self.why_padded = why_not_packed(lm, twin=module)
            if not self.why_padded:
                self.module, self._pairs = module, pairs

    def sync(self) -> None:
        """The master's weights into the twin: after every optimizer step, and after a load.

        Beside adapters the rest is frozen, and not copied again.
        """
        pairs = [(master, twin) for master, twin in self._pairs if master.requires_grad] or self._pairs
        if pairs:
            with torch.no_grad():
                torch._foreach_copy_([twin for _, twin in pairs], [master.view(twin.shape) for master, twin in pairs])

    def logps(
        self,
        prompt_ids: Sequence[np.ndarray],
        token_ids_BT: np.ndarray,
        length_B: np.ndarray,
        *,
        temperature: float = 1.0,
        entropy: bool = False,
        head: ValueHead | None = None,
    ) -> ResponseLogps:
        """See `models.response_logps`: packed, or padded where `why_padded` says so.

        All rows go through the model together. A backward pass adds to the master's .grad, in float32. `head`: its
        values too, of the same forward.
        """
        if self.why_padded:
            return response_logps(
                self.lm,
                prompt_ids,
                token_ids_BT,
                length_B,
                temperature=temperature,
                entropy=entropy,
                rows=self._rows(prompt_ids),
                head=head,
            )
        found, _ = packed_forward(
            self.module, prompt_ids, token_ids_BT, length_B, temperature, entropy, self.checkpointing, head
        )
        return found

    def values(
        self, head: ValueHead, prompt_ids: Sequence[np.ndarray], token_ids_BT: np.ndarray, length_B: np.ndarray
    ) -> Tensor:
        """What the head says before each response token, [B, T] float32, 0 in padding: a critic that is a model of its
        own. Layout and gradient as in `logps`.
        """
        if self.why_padded:
            return response_values(self.lm, head, prompt_ids, token_ids_BT, length_B, rows=self._rows(prompt_ids))
        return packed_values(self.module, head, prompt_ids, token_ids_BT, length_B, self.checkpointing)

    def _rows(self, prompt_ids: Sequence[np.ndarray]) -> int:
        """Rows that go through a padded forward together."""
        return 1 if company(self.lm.module) else max(1, len(prompt_ids))
