"""What does the arithmetic of an update: the float32 master itself, or a bfloat16 twin whose gradients reach it.

Left out: the optimizer, which sees the master only; which layout is right for a module (packed_probe).
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Sequence

import numpy as np
import torch
from torch import Tensor
from transformers import PreTrainedModel

from verigrad.models.language_model import LanguageModel
from verigrad.models.packed import packed_forward
from verigrad.models.packed_probe import why_not_packed
from verigrad.models.padded import ResponseLogps, response_logps

SLICE = 262_144
"""Elements of a gradient that are converted at once on a CPU: they stay in its cache."""


class Working:
    """A language model's weights in the precision of its updates. State: the twin's weights, in step by `sync`."""

    def __init__(self, lm: LanguageModel, *, checkpointing: bool = False) -> None:
        """Probes the packed layout, and builds the twin where lm.dtype is bfloat16.

        `checkpointing`: layers keep their input only and are computed again for the gradient.
        """
        self.lm = lm
        self.checkpointing = checkpointing
        self.module: PreTrainedModel = lm.module
        self._pairs: list[tuple[Tensor, Tensor]] = []
        self.why_padded = why_not_packed(lm)
        """One line that says why the padded layout is used; "" where the packed one is right."""
        if lm.dtype is torch.bfloat16 and not self.why_padded:
            module, pairs = _twin(lm.module)
            self.why_padded = why_not_packed(lm, twin=module)
            if not self.why_padded:
                self.module, self._pairs = module, pairs

    def sync(self) -> None:
        """The master's weights into the twin: after every optimizer step, and after a load."""
        if self._pairs:
            with torch.no_grad():
                torch._foreach_copy_([twin for _, twin in self._pairs], [master for master, _ in self._pairs])

    def logps(
        self,
        prompt_ids: Sequence[np.ndarray],
        token_ids_BT: np.ndarray,
        length_B: np.ndarray,
        *,
        temperature: float = 1.0,
        entropy: bool = False,
    ) -> ResponseLogps:
        """See `models.response_logps`: packed, or padded where `why_padded` says so.

        All rows go through the model together. A backward pass adds to the master's .grad, in float32.
        """
        if self.why_padded:
            rows = max(1, len(prompt_ids))
            return response_logps(
                self.lm, prompt_ids, token_ids_BT, length_B, temperature=temperature, entropy=entropy, rows=rows
            )
        found, _ = packed_forward(
            self.module, prompt_ids, token_ids_BT, length_B, temperature, entropy, self.checkpointing
        )
        return found


def _twin(master: PreTrainedModel) -> tuple[PreTrainedModel, list[tuple[Tensor, Tensor]]]:
    """A bfloat16 copy whose gradients are added to the master's; and the pairs of parameters, master first.

    Buffers stay float32: a rotary frequency in bfloat16 is wrong by half a turn at a few hundred tokens.
    """
    memo: dict[int, object] = {}
    pairs: list[tuple[Tensor, Tensor]] = []
    for parameter in master.parameters():
        twin = torch.nn.Parameter(parameter.detach().to(torch.bfloat16), requires_grad=parameter.requires_grad)
        memo[id(parameter)] = twin
        pairs.append((parameter, twin))
        if twin.requires_grad:
            twin.register_post_accumulate_grad_hook(_handing_on(parameter))  # type: ignore[no-untyped-call]
    module = copy.deepcopy(master, memo)
    module.config.dtype = torch.bfloat16
    return module, pairs


def _handing_on(master: torch.nn.Parameter) -> Callable[[Tensor], None]:
    def hand_on(twin: Tensor) -> None:
        assert twin.grad is not None
        grad, twin.grad = twin.grad, None
        if master.grad is None:
            master.grad = grad.float()
        else:
            add_to(master.grad, grad)

    return hand_on


def add_to(total: Tensor, part: Tensor) -> None:
    """Add a bfloat16 tensor to a contiguous float32 one. Several times as fast on a CPU as `add_` of mixed types."""
    if total.is_cuda or part.dtype is total.dtype:
        total.add_(part)
        return
    flat, more = total.view(-1), part.reshape(-1)
    buffer = torch.empty(min(SLICE, len(flat)), dtype=total.dtype, device=total.device)
    for start in range(0, len(flat), SLICE):
        piece = more[start : start + SLICE]
        flat[start : start + SLICE].add_(buffer[: len(piece)].copy_(piece))
