"""What does the arithmetic of an update: the float32 master itself, or a bfloat16 twin whose gradients reach it.

Left out: the optimizer, which sees the master only.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
import torch
from torch import Tensor
from transformers import PreTrainedModel

from verigrad.models.language_model import LanguageModel
from verigrad.models.packed import packed_forward
from verigrad.models.padded import ResponseLogps, response_logps

TOLERANCE = 1e-3
"""Nats by which the packed layout may differ from the padded one in float32 at the probe."""


class Working:
    """A language model's weights in the precision of its updates. State: the twin's weights, in step by `sync`."""

    def __init__(self, lm: LanguageModel, *, checkpointing: bool = False) -> None:
        """Builds the twin where lm.dtype is bfloat16, and probes the packed layout. `checkpointing`: layers keep
        their input only and are computed again for the gradient.
        """
        self.lm = lm
        self.checkpointing = checkpointing
        self.why_padded = why_padded(lm)
        self.module: PreTrainedModel = lm.module
        self._pairs: list[tuple[Tensor, Tensor]] = []
        if lm.dtype is torch.bfloat16 and not self.why_padded:
            self.module, self._pairs = _twin(lm.module)

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
        """See `models.response_logps`: packed, or padded where `why_padded` says so. A backward pass through it adds
        to the master's .grad.
        """
        if self.why_padded:
            return response_logps(
                self.lm, prompt_ids, token_ids_BT, length_B, temperature=temperature, entropy=entropy,
                rows=max(1, len(prompt_ids)),
            )  # fmt: skip
        return packed_forward(
            self.module, prompt_ids, token_ids_BT, length_B, temperature, entropy, self.checkpointing
        )[0]


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
            twin.register_post_accumulate_grad_hook(_adder(parameter))  # type: ignore[no-untyped-call]
    module = copy.deepcopy(master, memo)
    module.config.dtype = torch.bfloat16
    return module, pairs


def _adder(master: torch.nn.Parameter) -> Callable[[Tensor], None]:
    def add(twin: Tensor) -> None:
        assert twin.grad is not None
        grad, twin.grad = twin.grad, None
        if master.grad is None:
            master.grad = grad.float()
        else:
            master.grad.add_(grad)

    return add


def why_padded(lm: LanguageModel) -> str:
    """One line that says why this model's updates keep the padded layout; "" where the packed one is right.

    Two groups of ragged random answers go through both in float32, beyond the sliding window where that is cheap.
    """
    if not getattr(lm.module, "_supports_attention_backend", False):
        return f"{lm.module.config.model_type}: its attention cannot be replaced"
    plain = replace(lm, dtype=torch.float32)
    generator = np.random.default_rng(0)
    prompts = [generator.integers(0, lm.vocabulary, size) for size in (5, 9)]
    prompt_ids = [prompts[0], prompts[1], prompts[0], prompts[1]]
    length_B = np.array([7, 3, 1, 9])
    token_ids_BT = generator.integers(0, lm.vocabulary, (4, 9))
    try:
        with torch.no_grad():
            packed, _ = packed_forward(lm.module, prompt_ids, token_ids_BT, length_B, 1.0, False)
            padded = response_logps(plain, prompt_ids, token_ids_BT, length_B)
    except Exception as error:
        return f"{lm.module.config.model_type}: {' '.join(str(error).split())[:200]}"
    worst = float((packed.logp_BT - padded.logp_BT).abs().max())
    if not worst <= TOLERANCE:
        return f"{lm.module.config.model_type}: packed and padded log-probs differ by {worst:.3g} nats"
    return ""
