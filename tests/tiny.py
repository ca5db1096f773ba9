"""Tiny random models in a folder, made in well under a second and offline, for every room's tests.

    lm = models.load(str(tiny_folder(tmp_path)), dtype="float32")

The tokenizer is byte-level without merges: one token a UTF-8 byte, so any text goes in and any tokens come out.
"""

from __future__ import annotations

import json
from pathlib import Path

import torch
from tokenizers import AddedToken, Tokenizer, decoders, pre_tokenizers
from tokenizers import models as token_models
from transformers import GPT2Config, LlamaConfig, PreTrainedTokenizerFast, Qwen2Config
from transformers.models.gpt2 import GPT2LMHeadModel
from transformers.models.llama import LlamaForCausalLM
from transformers.models.qwen2 import Qwen2ForCausalLM

TEMPLATE = (
    "{% for message in messages %}{{ '<|im_start|>' + message['role'] + '\n' + message['content'] + '<|im_end|>\n' }}"
    "{% endfor %}{% if add_generation_prompt %}{{ '<|im_start|>assistant\n' }}{% endif %}"
)
SPECIAL = ("<|endoftext|>", "<|im_start|>", "<|im_end|>")
VOCABULARY = 256 + len(SPECIAL)
END_OF_TEXT, IM_START, IM_END = 0, 1, 2


def tiny_tokenizer(template: str | None = TEMPLATE) -> PreTrainedTokenizerFast:
    """Special tokens 0 to 2, then the 256 bytes. eos is <|endoftext|>: <|im_end|> must come from the template."""
    letters = sorted(pre_tokenizers.ByteLevel.alphabet())
    vocabulary = {token: i for i, token in enumerate([*SPECIAL, *letters])}
    backend = Tokenizer(token_models.BPE(vocab=vocabulary, merges=[]))
    backend.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=True)
    backend.decoder = decoders.ByteLevel()
    backend.add_special_tokens([AddedToken(token, special=True, normalized=False) for token in SPECIAL])
    tokenizer = PreTrainedTokenizerFast(
        tokenizer_object=backend,
        eos_token="<|endoftext|>",
        pad_token="<|endoftext|>",
        clean_up_tokenization_spaces=False,
    )
    tokenizer.chat_template = template
    return tokenizer


def tiny_module(arch: str = "llama", *, seed: int = 0, scale: float = 0.3, tied: bool = True) -> torch.nn.Module:
    """A random model of `arch` (llama, qwen2, gpt2), 2 layers of width 32, V = 259.

    `scale` is the standard deviation of its weights: large enough that the distributions are far from flat.
    """
    common = {
        "vocab_size": VOCABULARY,
        "initializer_range": scale,
        "tie_word_embeddings": tied,
        "bos_token_id": None,
        "eos_token_id": END_OF_TEXT,
        "pad_token_id": END_OF_TEXT,
    }
    wide = {
        "hidden_size": 32,
        "intermediate_size": 48,
        "num_hidden_layers": 2,
        "num_attention_heads": 4,
        "num_key_value_heads": 2,
        "max_position_embeddings": 512,
    }
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        if arch == "llama":
            return LlamaForCausalLM(LlamaConfig(**common, **wide)).eval()
        if arch == "qwen2":
            return Qwen2ForCausalLM(Qwen2Config(**common, **wide)).eval()
        if arch == "gpt2":
            return GPT2LMHeadModel(GPT2Config(**common, n_embd=32, n_layer=2, n_head=4, n_positions=512)).eval()
    raise ValueError(arch)


def tiny_folder(
    folder: Path,
    arch: str = "llama",
    *,
    seed: int = 0,
    scale: float = 0.3,
    tied: bool = True,
    template: str | None = TEMPLATE,
) -> Path:
    """Write a tiny model with its tokenizer under `folder` and return where: what models.load takes."""
    place = folder / f"tiny-{arch}-{seed}{'' if tied else '-untied'}"
    tiny_module(arch, seed=seed, scale=scale, tied=tied).save_pretrained(place)
    tiny_tokenizer(template).save_pretrained(place)
    return place


def edit_json(file: Path, **values: object) -> None:
    """Set these keys of a JSON file."""
    content = json.loads(file.read_text())
    content.update(values)
    file.write_text(json.dumps(content))
