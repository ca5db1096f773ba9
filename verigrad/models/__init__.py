"""Any causal language model: load, chat template, the one next-token shift, log-probs, save.

What leaves this room is text, token ids and [B, T] over response tokens; every layout stays inside.
"""

from verigrad.models.fitness import company, unfit
from verigrad.models.language_model import LanguageModel, freeze
from verigrad.models.layout import common_beginning
from verigrad.models.load import load
from verigrad.models.packed import packed_logps
from verigrad.models.padded import ResponseLogps, response_logps
from verigrad.models.save import restore, save
from verigrad.models.template import decode, encode
from verigrad.models.working import Working

__all__ = [
    "LanguageModel",
    "ResponseLogps",
    "Working",
    "common_beginning",
    "company",
    "decode",
    "encode",
    "freeze",
    "load",
    "packed_logps",
    "response_logps",
    "restore",
    "save",
    "unfit",
]
