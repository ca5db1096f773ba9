"""Any causal language model: load, chat template, the one next-token shift, log-probs, save.

What leaves this room is text, token ids and [B, T] over response tokens; every layout stays inside.
"""

from verigrad.models.adapters import Adapter, adapter_of, filled
from verigrad.models.boundaries import tokens_at
from verigrad.models.fitness import company, unfit
from verigrad.models.language_model import LanguageModel, freeze
from verigrad.models.layout import common_beginning
from verigrad.models.load import load
from verigrad.models.lora import Adapted, add_lora, check_lora, lora_of, merge, restore_adapter, save_adapter
from verigrad.models.packed import packed_logps
from verigrad.models.padded import ResponseLogps, response_logps
from verigrad.models.perplexity import text_perplexity
from verigrad.models.save import restore, restore_checkpoint, save, save_checkpoint
from verigrad.models.scorer import (
    Scorer,
    load_scorer,
    new_scorer,
    restore_scorer,
    restore_scorer_checkpoint,
    save_scorer,
    save_scorer_checkpoint,
    score_texts,
    scores,
)
from verigrad.models.template import decode, encode, encode_answer
from verigrad.models.value_head import ValueHead, critic_of, new_value_head
from verigrad.models.working import Working

__all__ = [
    "Adapted",
    "Adapter",
    "LanguageModel",
    "ResponseLogps",
    "Scorer",
    "ValueHead",
    "Working",
    "adapter_of",
    "add_lora",
    "check_lora",
    "common_beginning",
    "company",
    "critic_of",
    "decode",
    "encode",
    "encode_answer",
    "filled",
    "freeze",
    "load",
    "load_scorer",
    "lora_of",
    "merge",
    "new_scorer",
    "new_value_head",
    "packed_logps",
    "response_logps",
    "restore",
    "restore_adapter",
    "restore_checkpoint",
    "restore_scorer",
    "restore_scorer_checkpoint",
    "save",
    "save_adapter",
    "save_checkpoint",
    "save_scorer",
    "save_scorer_checkpoint",
    "score_texts",
    "scores",
    "text_perplexity",
    "tokens_at",
    "unfit",
]
