"""How surprised a model is by a plain text: one number that training on something else should not move.

Left out: which text (acceptance), and the shift from tokens to predictions (padded).
"""

from __future__ import annotations

import math

import numpy as np
import torch

from verigrad.errors import Refused
from verigrad.models.language_model import LanguageModel
from verigrad.models.padded import response_logps


def text_perplexity(lm: LanguageModel, text: str) -> float:
    """Perplexity: exp of the mean negative log-probability, in nats, of the text's tokens after the first.

    Temperature 1 and no chat template: the text alone, with the special tokens its tokenizer adds by itself. A text
    longer than the model's context is cut into windows of that length, each predicted from its own first token.
    Numbers of models with different tokenizers are not comparable. Refused for a text of fewer than two tokens.
    """
    ids = np.asarray(lm.tokenizer(text)["input_ids"], dtype=np.int64)
    if len(ids) < 2:
        raise Refused("perplexity needs a text of at least two tokens")
    size = min(len(ids), lm.context or len(ids))
    windows = [ids[i : i + size] for i in range(0, len(ids), size)]
    windows = [w for w in windows if len(w) > 1]
    training = lm.module.training
    lm.module.eval()
    try:
        with torch.no_grad():
            sums = [
                float(response_logps(lm, [w[:1]], w[None, 1:], np.array([len(w) - 1])).logp_BT.double().sum())
                for w in windows
            ]
    finally:
        lm.module.train(training)
    return math.exp(-sum(sums) / sum(len(w) - 1 for w in windows))
