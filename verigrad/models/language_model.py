"""The record of a loaded causal language model: LanguageModel; and its frozen copy.

Left out: reading it (load), text to tokens (template), log-probs (padded), writing it (save).
"""

from __future__ import annotations

import copy
from dataclasses import dataclass, replace
from pathlib import Path

import torch
from transformers import PreTrainedModel, PreTrainedTokenizerBase

from verigrad.models.adapters import adapters_of, copied, taken_out


@dataclass(frozen=True, kw_only=True)
class LanguageModel:
    """A causal language model with all one must know to run it. The weights change in training, the record does not."""

    module: PreTrainedModel
    """The Hugging Face module as it is; its weights are the float32 master copy, on `device`."""
    tokenizer: PreTrainedTokenizerBase
    """Its tokenizer; its own chat template is `template`."""
    name: str
    """The recipe's `model.path` as written."""
    template: str | None
    """Jinja text of the chat template; None: the prompt's plain text."""
    eos_ids: tuple[int, ...]
    """Every token that ends an answer, ascending: of the generation config, the config, the tokenizer, and the
    end-of-turn token of the template."""
    dtype: torch.dtype
    """Arithmetic of forward and backward: float32, or bfloat16 by autocast over the float32 weights."""
    why_dtype: str
    """Why that one, in a few words."""
    device: torch.device
    """Where the weights lie."""
    licence: Path | None
    """The licence file that came with the weights, if one was found."""

    @property
    def vocabulary(self) -> int:
        """V: columns of the logits."""
        return int(self.module.get_input_embeddings().weight.shape[0])

    @property
    def context(self) -> int | None:
        """Most positions the model was made for; None where its config does not say."""
        value = getattr(self.module.config.get_text_config(), "max_position_embeddings", None)
        return int(value) if value else None


def freeze(lm: LanguageModel, *, now: bool = False) -> LanguageModel:
    """A copy that no update reaches, without gradients: the reference policy of a KL term.

    Of a model with adapters: its base, adapters off, over the same frozen parameters; with `now` adapters and all as
    they are at this moment, the adapters copied (a reference that is refreshed).
    """
    if not adapters_of(lm.module):
        module = copy.deepcopy(lm.module)
    else:
        module = copied(lm.module, requires_grad=False) if now else taken_out(lm.module)
    return replace(lm, module=module.eval().requires_grad_(False))
