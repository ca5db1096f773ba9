"""The model of every claim: a llama of 1.1 million parameters that reads and writes single characters.

    lm = fresh(folder, seed=0)

A turn of the user ends with `=`, the model's with `<end>`; random weights from the seed. Left out: what it is taught
(warm) and asked (tasks).
"""

from __future__ import annotations

from pathlib import Path

import torch
from tokenizers import AddedToken, Tokenizer, decoders
from tokenizers import models as token_models
from transformers import LlamaConfig, PreTrainedTokenizerFast
from transformers.models.llama import LlamaForCausalLM
from transformers.utils import logging

from verigrad import models

END = "<end>"
LETTERS = "0123456789+-*=:;,.!? abcdefghijklmnopqrstuvwxyz"
TEMPLATE = (
    "{% for message in messages %}{{ message['content'] }}{% if message['role'] == 'assistant' %}{{ '<end>' }}"
    "{% else %}{{ '=' }}{% endif %}{% endfor %}"
)
SHAPES = {
    "full": {"hidden_size": 192, "intermediate_size": 384, "num_hidden_layers": 3, "num_attention_heads": 6},
    "smoke": {"hidden_size": 32, "intermediate_size": 64, "num_hidden_layers": 1, "num_attention_heads": 2},
}
"""Of the claims, and of their smoke test."""


def tokenizer() -> PreTrainedTokenizerFast:
    """One token a character, `<end>` first."""
    vocabulary = {token: i for i, token in enumerate([END, *LETTERS])}
    backend = Tokenizer(token_models.BPE(vocab=vocabulary, merges=[]))
    backend.decoder = decoders.Fuse()
    backend.add_special_tokens([AddedToken(END, special=True, normalized=False)])
    made = PreTrainedTokenizerFast(
        tokenizer_object=backend, eos_token=END, pad_token=END, clean_up_tokenization_spaces=False
    )
    made.chat_template = TEMPLATE
    return made


def fresh(folder: Path, *, seed: int, shape: str) -> models.LanguageModel:
    """A model with random weights, written to `folder` and loaded as any user's would be."""
    config = LlamaConfig(
        vocab_size=1 + len(LETTERS),
        max_position_embeddings=256,
        tie_word_embeddings=True,
        bos_token_id=None,
        eos_token_id=0,
        pad_token_id=0,
        **SHAPES[shape],
    )
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        module = LlamaForCausalLM(config)
    logging.disable_progress_bar()
    module.save_pretrained(folder)
    tokenizer().save_pretrained(folder)
    return models.load(str(folder), dtype="float32", device="cpu")


def parameters(lm: models.LanguageModel) -> int:
    """Numbers that training moves."""
    return sum(p.numel() for p in lm.module.parameters())
