"""Log-probs of responses by the padded forward: obviously right, the reference for every faster path.

The one place of the next-token shift: the logits at position i are the prediction of the token at i + 1, so response
token t of a prompt of S tokens is predicted at position S + t - 1. Shapes: B rows, T response tokens, V vocabulary.
Left out: losses, and any sharing of work between rows.
"""

# ruff: noqa: F722 - jaxtyping writes shapes as text
from __future__ import annotations

import inspect
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import torch
from jaxtyping import Float, Int
from torch import Tensor

from verigrad.models.language_model import LanguageModel


class ResponseLogps(NamedTuple):
    """What the model says of responses it is shown."""

    logp_BT: Float[Tensor, "B T"]
    """Log-probability of each response token in nats, float32; exactly 0 in padding."""
    entropy_BT: Float[Tensor, "B T"] | None
    """Entropy of the distribution each token was drawn from, in nats, float32; 0 in padding; None if not asked for."""


def response_logps(
    lm: LanguageModel,
    prompt_ids: Sequence[np.ndarray],
    token_ids_BT: np.ndarray,
    length_B: np.ndarray,
    *,
    temperature: float = 1.0,
    entropy: bool = False,
    rows: int = 8,
) -> ResponseLogps:
    """Log-probs, and entropies if asked for, of response tokens [B, T] given their prompts, at this temperature.

    `prompt_ids`: B arrays [S]; `token_ids_BT` [B, T] right-padded with anything; `length_B` [B] response tokens.
    `rows` at a time go through the model; with gradients on all of them stay in memory until backward, so hand over
    one micro-batch. Products run in lm.dtype, log-softmax in float32. Distribution: softmax(logits / temperature);
    0, greedy, is judged at temperature 1 like the sampler's.
    """
    if len(prompt_ids) != len(token_ids_BT) or len(prompt_ids) != len(length_B):
        raise ValueError(f"{len(prompt_ids)} prompts, {len(token_ids_BT)} responses, {len(length_B)} lengths")
    if not len(prompt_ids):
        nothing = torch.zeros(token_ids_BT.shape, device=lm.device)
        return ResponseLogps(nothing, nothing if entropy else None)
    parts = [
        _micro(lm, prompt_ids[i : i + rows], token_ids_BT[i : i + rows], length_B[i : i + rows], temperature, entropy)
        for i in range(0, len(prompt_ids), rows)
    ]
    entropy_BT = torch.cat([part[1] for part in parts]) if entropy else None
    return ResponseLogps(torch.cat([part[0] for part in parts]), entropy_BT)


def _micro(
    lm: LanguageModel,
    prompt_ids: Sequence[np.ndarray],
    token_ids_BT: np.ndarray,
    length_B: np.ndarray,
    temperature: float,
    entropy: bool,
) -> tuple[Tensor, Tensor]:
    prompt_B = np.array([len(prompt) for prompt in prompt_ids])
    end_B = prompt_B + length_B
    ids_BL = np.zeros((len(prompt_ids), int(end_B.max())), dtype=np.int64)
    for ids_L, prompt, token_ids_T, length in zip(ids_BL, prompt_ids, token_ids_BT, length_B, strict=True):
        ids_L[: len(prompt)] = prompt
        ids_L[len(prompt) : len(prompt) + length] = token_ids_T[:length]
    columns_L = np.arange(ids_BL.shape[1])
    mask_BL = (columns_L[None] < end_B[:, None]).astype(np.int64)

    # The head runs on the columns that predict some row's response, one range for all rows.
    first = int(prompt_B.min()) - 1
    logits_BUV = _logits(lm, ids_BL, mask_BL, np.arange(first, max(int(end_B.max()) - 1, first + 1)))

    t_T = np.arange(token_ids_BT.shape[1])
    real_BT = torch.from_numpy(t_T[None] < length_B[:, None]).to(lm.device)
    shift_BT = torch.from_numpy(prompt_B[:, None] - 1 + t_T[None] - first).to(lm.device)
    shift_BT = shift_BT.clamp(max=logits_BUV.shape[1] - 1)
    target_BT = torch.where(real_BT, torch.from_numpy(np.asarray(token_ids_BT, dtype=np.int64)).to(lm.device), 0)

    # Row by row, so that no [B, T, V] in float32 is made beside the logits.
    logp_rows, entropy_rows = [], []
    for logits_UV, shift_T, target_T, real_T in zip(logits_BUV, shift_BT, target_BT, real_BT, strict=True):
        logp_TV = torch.log_softmax(logits_UV[shift_T].float() / (temperature or 1.0), dim=-1)
        logp_T = logp_TV.gather(-1, target_T[:, None])[:, 0]
        logp_rows.append(torch.where(real_T, logp_T, 0.0))
        if entropy:
            entropy_rows.append(torch.where(real_T, _entropy(logp_TV), 0.0))
    return torch.stack(logp_rows), torch.stack(entropy_rows) if entropy else torch.empty(0)


def _entropy(logp_TV: Float[Tensor, "T V"]) -> Float[Tensor, " T"]:
    """-sum p log p in nats; a token of probability 0 adds 0, and its gradient is 0 (clamped: never 0 * inf)."""
    logp_TV = logp_TV.clamp(min=-1e4)
    return -(logp_TV.exp() * logp_TV).sum(-1)


def _logits(
    lm: LanguageModel, ids_BL: np.ndarray, mask_BL: np.ndarray, columns_U: np.ndarray
) -> Float[Tensor, "B U V"]:
    """Logits at these columns, through the module's own head path (soft caps and logit scales are in it)."""
    ids: Int[Tensor, "B L"] = torch.from_numpy(ids_BL).to(lm.device)
    mask: Int[Tensor, "B L"] = torch.from_numpy(mask_BL).to(lm.device)
    columns = torch.from_numpy(columns_U).to(lm.device)
    position_ids = torch.arange(ids.shape[1], device=lm.device).expand_as(ids)
    takes = inspect.signature(lm.module.forward).parameters
    extra = {"position_ids": position_ids} if "position_ids" in takes else {}
    bfloat16 = lm.dtype is torch.bfloat16
    with torch.autocast(lm.device.type, dtype=torch.bfloat16, enabled=bfloat16):
        if "logits_to_keep" in takes:
            out = lm.module(input_ids=ids, attention_mask=mask, use_cache=False, logits_to_keep=columns, **extra)
            kept: Tensor = out.logits
        else:
            kept = lm.module(input_ids=ids, attention_mask=mask, use_cache=False, **extra).logits[:, columns]
    return kept
