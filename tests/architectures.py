"""Tiny random models of every architecture the fast paths must meet, built from configs in memory, offline.

    lm = tiny_lm("gemma2")                  # a LanguageModel; weights from a seed
    for case in ARCHITECTURES: case.name, case.packed, case.shared

`packed` says what the packed update is expected to find at load: its own layout right ("") or the padded fallback.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import torch
from transformers import AutoConfig, AutoModelForCausalLM, PreTrainedModel

from tests.tiny import END_OF_TEXT, TEMPLATE, VOCABULARY, tiny_tokenizer
from verigrad.models import LanguageModel

_USUAL = {
    "hidden_size": 32,
    "intermediate_size": 48,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "max_position_embeddings": 512,
}
WINDOW = 8
"""The sliding window of the models that have one: shorter than any test's sequence."""


@dataclass(frozen=True, kw_only=True)
class Architecture:
    """One architecture."""

    name: str
    """Name of the case, and of its transformers model type unless `kind` says otherwise."""
    kind: str = ""
    """The transformers model type, where it is not the name."""
    sizes: Mapping[str, Any] = field(default_factory=dict)
    """Arguments of its config beside the vocabulary and the end of text."""
    packed: bool = True
    """Whether groups can share a prompt's keys and values by a custom attention; else the fallback must be taken."""
    window: int | None = None
    """Sliding window in tokens."""


ARCHITECTURES = (
    Architecture(name="llama", sizes=_USUAL),
    Architecture(name="qwen2", sizes=_USUAL),
    Architecture(name="qwen3", sizes={**_USUAL, "head_dim": 16}),
    Architecture(name="phi3", sizes=_USUAL),
    Architecture(name="olmo2", sizes=_USUAL),
    Architecture(name="smollm3", sizes={**_USUAL, "num_hidden_layers": 4}),
    Architecture(
        name="gpt_neox",
        sizes={k: v for k, v in _USUAL.items() if k != "num_key_value_heads"} | {"hidden_dropout": 0.0},
    ),
    Architecture(
        name="gpt2",
        sizes={
            "n_embd": 32,
            "n_layer": 2,
            "n_head": 4,
            "n_positions": 512,
            "attn_pdrop": 0.0,
            "resid_pdrop": 0.0,
            "embd_pdrop": 0.0,
        },
    ),
    Architecture(
        name="opt",
        sizes={
            "hidden_size": 32,
            "ffn_dim": 48,
            "word_embed_proj_dim": 32,
            "num_hidden_layers": 2,
            "num_attention_heads": 4,
            "max_position_embeddings": 512,
            "dropout": 0.0,
        },
    ),
    Architecture(name="mistral", sizes={**_USUAL, "sliding_window": WINDOW}, window=WINDOW),
    Architecture(
        name="gemma2",
        sizes={
            **_USUAL,
            "head_dim": 16,
            "sliding_window": WINDOW,
            "attn_logit_softcapping": 5.0,
            "final_logit_softcapping": 10.0,
            "query_pre_attn_scalar": 16,
        },
        window=WINDOW,
    ),
    Architecture(
        name="gemma3_text",
        sizes={
            **_USUAL,
            "head_dim": 16,
            "sliding_window": WINDOW,
            "query_pre_attn_scalar": 16,
            "layer_types": ["sliding_attention", "full_attention"],
        },
        window=WINDOW,
    ),
    Architecture(name="granite", sizes={**_USUAL, "logits_scaling": 4.0, "residual_multiplier": 0.5}),
    Architecture(name="cohere", sizes={**_USUAL, "logit_scale": 0.25}),
    Architecture(
        name="gpt_oss",
        sizes={
            **_USUAL,
            "head_dim": 16,
            "sliding_window": WINDOW,
            "num_local_experts": 2,
            "num_experts_per_tok": 1,
        },
        packed=False,
        window=WINDOW,
    ),
    Architecture(name="bloom", sizes={"hidden_size": 32, "n_layer": 2, "n_head": 4}, packed=False),
    Architecture(
        name="falcon",
        sizes={
            "hidden_size": 32,
            "num_hidden_layers": 2,
            "num_attention_heads": 4,
            "alibi": False,
            "max_position_embeddings": 512,
        },
        packed=False,
    ),
    Architecture(name="mpt", sizes={"d_model": 32, "n_heads": 4, "n_layers": 2, "max_seq_len": 512}, packed=False),
    Architecture(name="mamba", sizes={"hidden_size": 32, "num_hidden_layers": 2, "state_size": 8}, packed=False),
    Architecture(name="lfm2", sizes={**_USUAL, "layer_types": ["conv", "full_attention"]}, packed=False),
    Architecture(
        name="qwen3_next",
        sizes={
            **_USUAL,
            "head_dim": 16,
            "num_experts": 2,
            "num_experts_per_tok": 1,
            "moe_intermediate_size": 16,
            "shared_expert_intermediate_size": 16,
            "linear_key_head_dim": 8,
            "linear_value_head_dim": 8,
            "linear_num_key_heads": 2,
            "linear_num_value_heads": 2,
            "layer_types": ["linear_attention", "full_attention"],
        },
        packed=False,
    ),
)
NAMES = tuple(case.name for case in ARCHITECTURES)
PACKED = tuple(case.name for case in ARCHITECTURES if case.packed)
FALLBACK = tuple(case.name for case in ARCHITECTURES if not case.packed)


def tiny_architecture(name: str, *, seed: int = 0, scale: float = 0.3, **changes: Any) -> PreTrainedModel:
    """A random model of this case in evaluation mode; `changes` replace arguments of its config."""
    case = next(case for case in ARCHITECTURES if case.name == name)
    ends = {"bos_token_id": None, "eos_token_id": END_OF_TEXT, "pad_token_id": END_OF_TEXT}
    config = AutoConfig.for_model(
        case.kind or name, **{"vocab_size": VOCABULARY, "initializer_range": scale, **ends, **case.sizes, **changes}
    )
    with torch.random.fork_rng(devices=[]), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        torch.manual_seed(seed)
        module = AutoModelForCausalLM.from_config(config, dtype=torch.float32).eval()
        # Biases and the scales of norms start at 0 and 1, where a mistake in them would not be seen.
        for parameter in module.parameters():
            if parameter.ndim == 1:
                parameter.data.add_(torch.randn_like(parameter) * 0.1)
    return module


def tiny_lm(
    name: str, *, seed: int = 0, scale: float = 0.3, dtype: torch.dtype = torch.float32, **changes: Any
) -> LanguageModel:
    """The same as a LanguageModel with the byte tokenizer of tests.tiny."""
    return LanguageModel(
        module=tiny_architecture(name, seed=seed, scale=scale, **changes),
        tokenizer=tiny_tokenizer(),
        name=name,
        template=TEMPLATE,
        eos_ids=(END_OF_TEXT,),
        dtype=dtype,
        why_dtype="as the test says",
        device=torch.device("cpu"),
        licence=None,
    )
