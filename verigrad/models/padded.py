"""Log-probs of responses by the padded forward: obviously right, the reference for every faster path.

The one place of the next-token shift: the logits at position i are the prediction of the token at i + 1, so response
token t of a prompt of S tokens is predicted at position S + t - 1. Shapes: B rows, T response tokens, V vocabulary.
Left out: losses, and any sharing of work between rows.
"""

# ruff: noqa: F722 - jaxtyping writes shapes as text
from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import Any, NamedTuple

import numpy as np
import torch
from jaxtyping import Float, Int
from torch import Tensor

from verigrad.models.language_model import LanguageModel
from verigrad.models.value_head import ValueHead, base_of


class ResponseLogps(NamedTuple):
    """What the model says of responses it is shown."""

    logp_BT: Float[Tensor, "B T"]
    """Log-probability of each response token in nats, float32; exactly 0 in padding."""
    entropy_BT: Float[Tensor, "B T"] | None
    """Entropy of the distribution each token was drawn from, in nats, float32; 0 in padding; None if not asked for."""
    value_BT: Float[Tensor, "B T"] | None = None
    """What a value head says before each token, float32; 0 in padding; None without a head."""


def response_logps(
    lm: LanguageModel,
    prompt_ids: Sequence[np.ndarray],
    token_ids_BT: np.ndarray,
    length_B: np.ndarray,
    *,
    temperature: float = 1.0,
    entropy: bool = False,
    rows: int = 8,
    head: ValueHead | None = None,
) -> ResponseLogps:
    """Log-probs, and entropies if asked for, of response tokens [B, T] given their prompts, at this temperature.

    `prompt_ids`: B arrays [S]; `token_ids_BT` [B, T] right-padded with anything; `length_B` [B] response tokens.
    `rows` at a time go through the model; with gradients on all of them stay in memory until backward, so hand over
    one micro-batch. Products run in lm.dtype, log-softmax in float32. Distribution: softmax(logits / temperature);
    0, greedy, is judged at temperature 1 like the sampler's. `head`: its values too, of the same forward.
    """
    _check(prompt_ids, token_ids_BT, length_B)
    if not len(prompt_ids):
        nothing = torch.zeros(token_ids_BT.shape, device=lm.device)
        return ResponseLogps(nothing, nothing if entropy else None, None if head is None else nothing)
    parts = [
        _micro(lm, _rows(prompt_ids[i : i + rows], token_ids_BT[i : i + rows], length_B[i : i + rows]),
               temperature, entropy, head)
        for i in range(0, len(prompt_ids), rows)
    ]  # fmt: skip
    entropy_BT = torch.cat([part[1] for part in parts]) if entropy else None
    value_BT = None if head is None else torch.cat([part[2] for part in parts])
    return ResponseLogps(torch.cat([part[0] for part in parts]), entropy_BT, value_BT)


def response_values(
    lm: LanguageModel,
    head: ValueHead,
    prompt_ids: Sequence[np.ndarray],
    token_ids_BT: np.ndarray,
    length_B: np.ndarray,
    *,
    rows: int = 8,
) -> Float[Tensor, "B T"]:
    """What the head says before each response token, [B, T] float32, 0 in padding; no logits are made.

    Arguments as those of `response_logps`. Raises Refused for a module whose base cannot be told from its head.
    """
    _check(prompt_ids, token_ids_BT, length_B)
    base_of(lm.module)
    parts = []
    for i in range(0, len(prompt_ids), rows):
        r = _rows(prompt_ids[i : i + rows], token_ids_BT[i : i + rows], length_B[i : i + rows])
        with _mixed(lm):
            out = lm.module.base_model(**_inputs(lm, r, lm.module.base_model.forward))
        parts.append(_values(head, out[0][:, r.columns_U[0] : r.columns_U[-1] + 1], r))
    return torch.cat(parts) if parts else torch.zeros(token_ids_BT.shape, device=lm.device)


def _check(prompt_ids: Sequence[np.ndarray], token_ids_BT: np.ndarray, length_B: np.ndarray) -> None:
    if len(prompt_ids) != len(token_ids_BT) or len(prompt_ids) != len(length_B):
        raise ValueError(f"{len(prompt_ids)} prompts, {len(token_ids_BT)} responses, {len(length_B)} lengths")


class _Rows(NamedTuple):
    """Padded rows and where in them each response token is predicted."""

    ids_BL: np.ndarray
    mask_BL: np.ndarray
    columns_U: np.ndarray
    """The columns that predict some row's response, one range for all rows."""
    shift_BT: np.ndarray
    """Which of them predicts response token t."""
    real_BT: np.ndarray
    token_ids_BT: np.ndarray


def _rows(prompt_ids: Sequence[np.ndarray], token_ids_BT: np.ndarray, length_B: np.ndarray) -> _Rows:
    prompt_B = np.array([len(prompt) for prompt in prompt_ids])
    end_B = prompt_B + length_B
    ids_BL = np.zeros((len(prompt_ids), int(end_B.max())), dtype=np.int64)
    for ids_L, prompt, token_ids_T, length in zip(ids_BL, prompt_ids, token_ids_BT, length_B, strict=True):
        ids_L[: len(prompt)] = prompt
        ids_L[len(prompt) : len(prompt) + length] = token_ids_T[:length]
    columns_L = np.arange(ids_BL.shape[1])
    first = int(prompt_B.min()) - 1
    columns_U = np.arange(first, max(int(end_B.max()) - 1, first + 1))
    t_T = np.arange(token_ids_BT.shape[1])
    return _Rows(
        ids_BL=ids_BL,
        mask_BL=(columns_L[None] < end_B[:, None]).astype(np.int64),
        columns_U=columns_U,
        shift_BT=np.minimum(prompt_B[:, None] - 1 + t_T[None] - first, len(columns_U) - 1),
        real_BT=t_T[None] < length_B[:, None],
        token_ids_BT=np.asarray(token_ids_BT, dtype=np.int64),
    )


def _micro(
    lm: LanguageModel, rows: _Rows, temperature: float, entropy: bool, head: ValueHead | None
) -> tuple[Tensor, Tensor, Tensor]:
    logits_BUV, hidden_BUH = _logits(lm, rows, head is not None)
    real_BT = torch.from_numpy(rows.real_BT).to(lm.device)
    shift_BT = torch.from_numpy(rows.shift_BT).to(lm.device)
    target_BT = torch.where(real_BT, torch.from_numpy(rows.token_ids_BT).to(lm.device), 0)

    # Row by row, so that no [B, T, V] in float32 is made beside the logits.
    logp_rows, entropy_rows = [], []
    for logits_UV, shift_T, target_T, real_T in zip(logits_BUV, shift_BT, target_BT, real_BT, strict=True):
        logp_TV = torch.log_softmax(logits_UV[shift_T].float() / (temperature or 1.0), dim=-1)
        logp_T = logp_TV.gather(-1, target_T[:, None])[:, 0]
        logp_rows.append(torch.where(real_T, logp_T, 0.0))
        if entropy:
            entropy_rows.append(torch.where(real_T, _entropy(logp_TV), 0.0))
    value_BT = torch.empty(0) if head is None or hidden_BUH is None else _values(head, hidden_BUH, rows)
    return torch.stack(logp_rows), torch.stack(entropy_rows) if entropy else torch.empty(0), value_BT


def _values(head: ValueHead, hidden_BUH: Float[Tensor, "B U H"], rows: _Rows) -> Float[Tensor, "B T"]:
    shift_BT = torch.from_numpy(rows.shift_BT).to(hidden_BUH.device)
    value_BT = head(hidden_BUH).gather(1, shift_BT)
    return torch.where(torch.from_numpy(rows.real_BT).to(hidden_BUH.device), value_BT, 0.0)


def _entropy(logp_TV: Float[Tensor, "T V"]) -> Float[Tensor, " T"]:
    """-sum p log p in nats; a token of probability 0 adds 0, and its gradient is 0 (clamped: never 0 * inf)."""
    logp_TV = logp_TV.clamp(min=-1e4)
    return -(logp_TV.exp() * logp_TV).sum(-1)


def _logits(lm: LanguageModel, rows: _Rows, hidden: bool) -> tuple[Float[Tensor, "B U V"], Tensor | None]:
    """Logits at these columns, through the module's own head path (soft caps and logit scales are in it); and the
    hidden states its base model ends with there, if asked for.
    """
    columns = torch.from_numpy(rows.columns_U).to(lm.device)
    inputs = _inputs(lm, rows, lm.module.forward)
    keeps = "logits_to_keep" in inspect.signature(lm.module.forward).parameters
    watched: AbstractContextManager[list[Tensor]] = _ends_with(lm) if hidden else nullcontext([])
    with _mixed(lm), watched as ended:
        out = lm.module(**inputs, **({"logits_to_keep": columns} if keeps else {}))
        kept: Tensor = out.logits if keeps else out.logits[:, columns]
    if hidden and not ended:  # a module that goes around its base model, like OPT's
        with _mixed(lm):
            ended = [lm.module.base_model(**_inputs(lm, rows, lm.module.base_model.forward))[0]]
    return kept, ended[0][:, columns] if hidden else None


def _inputs(lm: LanguageModel, rows: _Rows, forward: Callable[..., object]) -> dict[str, Any]:
    ids: Int[Tensor, "B L"] = torch.from_numpy(rows.ids_BL).to(lm.device)
    mask: Int[Tensor, "B L"] = torch.from_numpy(rows.mask_BL).to(lm.device)
    position_ids = torch.arange(ids.shape[1], device=lm.device).expand_as(ids)
    extra = {"position_ids": position_ids} if "position_ids" in inspect.signature(forward).parameters else {}
    return {"input_ids": ids, "attention_mask": mask, "use_cache": False, **extra}


def _mixed(lm: LanguageModel) -> torch.autocast:
    return torch.autocast(lm.device.type, dtype=torch.bfloat16, enabled=lm.dtype is torch.bfloat16)


@contextmanager
def _ends_with(lm: LanguageModel) -> Iterator[list[Tensor]]:
    """Within it, the hidden states that the base model's forward returns are put into the list."""
    ended: list[Tensor] = []
    handle = base_of(lm.module).register_forward_hook(lambda module, args, out: ended.append(out[0]))
    try:
        yield ended
    finally:
        handle.remove()
