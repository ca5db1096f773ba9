"""Log-probs of responses by one flat sequence without padding: what rows share is computed once.

Same arguments and result as `models.response_logps`, the padded reference, for modules whose attention can be
replaced; whether it is right for a module is found by a probe (working). Left out: losses, micro-batches.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from functools import partial
from typing import Any

import numpy as np
import torch
from torch import Tensor
from torch.utils.checkpoint import checkpoint
from transformers import PreTrainedModel
from transformers.modeling_layers import GradientCheckpointingLayer

from verigrad.models.chunked_head import head_logps, head_of
from verigrad.models.language_model import LanguageModel
from verigrad.models.layout import Layout, lay_out
from verigrad.models.padded import ResponseLogps
from verigrad.models.tree_attention import Seat, attending
from verigrad.models.value_head import ValueHead


def packed_logps(
    lm: LanguageModel,
    prompt_ids: Sequence[np.ndarray],
    token_ids_BT: np.ndarray,
    length_B: np.ndarray,
    *,
    temperature: float = 1.0,
    entropy: bool = False,
) -> ResponseLogps:
    """Log-probs, and entropies if asked for, of response tokens [B, T]; see `models.response_logps`.

    All rows go through the model together: hand over one micro-batch. Rows may come in any order; equal prompts,
    prefixes and rows are computed once. Products run in lm.dtype (by autocast), log-softmax in float32. Right only
    where the module's attention can be replaced: `models.Working` asks before it uses this.
    """
    bfloat16 = lm.dtype is torch.bfloat16
    with torch.autocast(lm.device.type, dtype=torch.bfloat16, enabled=bfloat16):
        found, _ = packed_forward(lm.module, prompt_ids, token_ids_BT, length_B, temperature, entropy)
    return found


def packed_forward(
    module: PreTrainedModel,
    prompt_ids: Sequence[np.ndarray],
    token_ids_BT: np.ndarray,
    length_B: np.ndarray,
    temperature: float,
    entropy: bool,
    checkpointing: bool = False,
    head: ValueHead | None = None,
) -> tuple[ResponseLogps, Seat | None]:
    """The same in the module's own precision; and the seat of its attention, None where there was nothing to do.

    `head`: its values too, of the same forward.
    """
    layout, hidden_RH, seat = _hidden(module, prompt_ids, token_ids_BT, length_B, checkpointing)
    if hidden_RH is None:
        nothing = _spread(layout, None)
        return ResponseLogps(nothing, nothing if entropy else None, None if head is None else nothing), None
    logp_R, entropy_R = head_logps(
        head_of(module), hidden_RH, layout.target_R, temperature=temperature or 1.0, entropy=entropy
    )
    found = ResponseLogps(
        _spread(layout, logp_R),
        _spread(layout, entropy_R) if entropy else None,
        None if head is None else _spread(layout, head(hidden_RH)),
    )
    return found, seat


def packed_values(
    module: PreTrainedModel,
    head: ValueHead,
    prompt_ids: Sequence[np.ndarray],
    token_ids_BT: np.ndarray,
    length_B: np.ndarray,
    checkpointing: bool = False,
) -> Tensor:
    """What the head says before each response token, [B, T] float32, 0 in padding; no logits are made."""
    layout, hidden_RH, _ = _hidden(module, prompt_ids, token_ids_BT, length_B, checkpointing)
    return _spread(layout, None if hidden_RH is None else head(hidden_RH))


def _hidden(
    module: PreTrainedModel,
    prompt_ids: Sequence[np.ndarray],
    token_ids_BT: np.ndarray,
    length_B: np.ndarray,
    checkpointing: bool,
) -> tuple[Layout, Tensor | None, Seat | None]:
    """The hidden states that predict something, one row a prediction; None where nothing is predicted."""
    if len(prompt_ids) != len(token_ids_BT) or len(prompt_ids) != len(length_B):
        raise ValueError(f"{len(prompt_ids)} prompts, {len(token_ids_BT)} responses, {len(length_B)} lengths")
    layout = lay_out(prompt_ids, token_ids_BT, length_B, module.get_input_embeddings().weight.device)
    if not len(layout.head_R):
        return layout, None, None
    base = module.base_model
    if base is module:
        raise ValueError("its base model cannot be told from its head")
    seat = Seat(layout)
    with attending(module, seat), _checkpoints(module, seat) if checkpointing else nullcontext():
        out = base(
            input_ids=layout.token_N[None], position_ids=layout.position_N[None], attention_mask=None, use_cache=False
        )
    return layout, out[0][0].index_select(0, layout.head_R), seat


def _spread(layout: Layout, value_R: Tensor | None) -> Tensor:
    """What belongs to predictions [R] at their response tokens [B, T]; zeros elsewhere."""
    nothing = torch.zeros(layout.shape, device=layout.token_N.device)
    if value_R is None:
        return nothing
    return nothing.flatten().index_copy(0, layout.place_J, value_R[layout.row_J]).view(layout.shape)


@contextmanager
def _checkpoints(module: PreTrainedModel, seat: Seat) -> Iterator[None]:
    """Within it each layer keeps its input only. Not by the module's own switch: that works in training mode alone,
    which would turn dropout on.
    """

    def contexts() -> tuple[AbstractContextManager[Any], AbstractContextManager[Any]]:
        return nullcontext(), attending(module, seat)

    layers = [layer for layer in module.base_model.modules() if isinstance(layer, GradientCheckpointingLayer)]
    before = [vars(layer).get("forward") for layer in layers]
    for layer in layers:
        layer.forward = partial(checkpoint, layer.forward, use_reentrant=False, context_fn=contexts)
    try:
        yield
    finally:
        for layer, own in zip(layers, before, strict=True):
            del layer.forward
            if own is not None:
                layer.forward = own
