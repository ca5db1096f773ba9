"""A value head: what a critic expects an answer to earn, one linear map of a hidden state.

V of response token t is read off the state that predicts it, so before token t is known: the next-token shift is that
of log-probs, and lies where theirs does (padded, packed). Left out: what values are for (losses.value), the critic's
optimizer (training).
"""

# ruff: noqa: F722
from __future__ import annotations

import copy
from dataclasses import replace

import torch
from jaxtyping import Float
from torch import Tensor, nn
from transformers import PreTrainedModel

from verigrad.errors import Refused
from verigrad.models.adapters import adapters_of, copied
from verigrad.models.language_model import LanguageModel


class ValueHead(nn.Module):
    """V = h . w + b, in float32 whatever the hidden state's type. State: w and b, 0 when new: it expects nothing."""

    def __init__(self, width: int, *, device: torch.device) -> None:
        """`width`: H, numbers of a hidden state."""
        super().__init__()
        self.weight_H = nn.Parameter(torch.zeros(width, device=device))
        self.bias = nn.Parameter(torch.zeros((), device=device))

    def forward(self, hidden: Float[Tensor, "*X H"]) -> Float[Tensor, "*X"]:
        """Values, float32."""
        with torch.autocast(hidden.device.type, enabled=False):
            value: Tensor = hidden.float() @ self.weight_H + self.bias
        return value


def new_value_head(lm: LanguageModel) -> ValueHead:
    """A head for this model's hidden states, on its device. Raises Refused for a model without a base of its own."""
    base_of(lm.module)
    embeddings = lm.module.get_output_embeddings()
    if embeddings is None:
        raise Refused(f"{lm.name}: a critic needs a model with an output layer", key="loss.baseline")
    return ValueHead(int(embeddings.weight.shape[1]), device=lm.device)


def critic_of(lm: LanguageModel) -> LanguageModel:
    """A copy to be trained as a critic of its own. Beside adapters the frozen weights are shared, not copied.

    An output layer with weights of its own is left out of the training: values do not run through it.
    """
    module = copied(lm.module, requires_grad=True) if adapters_of(lm.module) else copy.deepcopy(lm.module)
    output = module.get_output_embeddings()
    if output is not None and output.weight is not module.get_input_embeddings().weight:
        output.requires_grad_(False)
    return replace(lm, module=module)


def base_of(module: PreTrainedModel) -> nn.Module:
    """The part that ends with hidden states. Raises Refused where it cannot be told from the whole."""
    base: nn.Module = module.base_model
    if base is module:
        raise Refused(
            f"{type(module).__name__}: its hidden states cannot be told from its head, so it can be no critic",
            key="loss.baseline",
        )
    return base
