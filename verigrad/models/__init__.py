"""Any causal language model: load, chat template, the one next-token shift, log-probs, save.

What leaves this room is text, token ids and [B, T] over response tokens; every layout stays inside.
"""

from verigrad.models.language_model import LanguageModel, freeze
from verigrad.models.load import load
from verigrad.models.padded import ResponseLogps, response_logps
from verigrad.models.save import restore, save
from verigrad.models.template import decode, encode

__all__ = [
    "LanguageModel",
    "ResponseLogps",
    "decode",
    "encode",
    "freeze",
    "load",
    "response_logps",
    "restore",
    "save",
]
