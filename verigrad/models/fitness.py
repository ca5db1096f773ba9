"""What keeps a model from the fast paths, as its config and its layers' calls tell it; what numbers tell is probed.

Left out: the probes (packed_probe, and sampling's own).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import torch
from torch import Tensor

HARMLESS = frozenset(
    {
        "position_ids",
        "position_embeddings",
        "cache_position",
        "use_cache",
        "output_attentions",
        "output_hidden_states",
        "output_router_logits",
        "num_items_in_batch",
        "return_dict",
    }
)
"""What modules hand on to their attention although it changes nothing in it."""


def company(module: Any) -> str:
    """Why a row's numbers depend on the longest row beside it, in one line; "" where they do not.

    Some rotary schemes choose their frequencies by the largest position of the whole forward (longrope, dynamic NTK):
    no layout but one row a forward is right for them.
    """
    config = module.config.get_text_config()
    told = str(getattr(config, "rope_parameters", None) or getattr(config, "rope_scaling", None) or "")
    for kind in ("longrope", "dynamic"):
        if f"'{kind}'" in told:
            return f"{type(module).__name__}: its rotary frequencies ({kind}) depend on the longest row beside it"
    return ""


def unfit(module: torch.nn.Module, attention_mask: Tensor | None, dropout: float, others: Mapping[str, Any]) -> str:
    """Why an attention of our own may not stand in for this layer's call, in a few words; "" where it may."""
    asked = {k: v for k, v in others.items() if k not in HARMLESS and v is not None and v is not False}
    causal = asked.pop("is_causal", others.get("is_causal")) is not False and getattr(module, "is_causal", True)
    if asked:
        return f"its attention takes {', '.join(sorted(asked))}"
    if attention_mask is not None:
        return "it hands a mask to its attention"
    if dropout:
        return "its attention drops out"
    return "" if causal else "its attention is not causal"
