"""What the loaded model can be trusted with, tried on it and not guessed from its name.

Slots hand the module a mask and positions of our own; an architecture that ignores them (ALiBi models, recurrent
layers) would be wrong without an error. And how many rows a forward may have before the CPU's product routine rounds
a row differently depends on widths and threads.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch
from transformers.cache_utils import DynamicCache

from verigrad.models import LanguageModel
from verigrad.sampling.engine import MULTIPLE, PlainEngine, SlotEngine, round_up

TOLERANCE = 1e-3
"""Largest difference of a log-probability, in nats, that float32 rounding may make between the two engines."""


@dataclass(frozen=True, kw_only=True)
class Fit:
    """What the probe found."""

    why_plain: str
    """Why slots cannot be used; empty where they can."""
    window: int | None
    """Slots are right for sequences shorter than this (attention looks back this far); None: any length."""
    rows: int
    """Most rows of a forward in which a row still rounds as among MULTIPLE; at least MULTIPLE."""


def probe(lm: LanguageModel, rows: int) -> Fit:
    """Try slots on the float32 master against plain recomputation, then row counts up to `rows`. Once a sampler."""
    with torch.inference_mode():
        why, window = _slots_differ(lm), _window(lm)
        return Fit(why_plain=why, window=window, rows=rows if why or not _exact(lm) else _row_limit(lm, rows))


def _exact(lm: LanguageModel) -> bool:
    return lm.dtype is torch.float32 and lm.device.type == "cpu"


def _slots_differ(lm: LanguageModel) -> str:
    """Two prompts of different lengths, three tokens each: the largest difference must be rounding."""
    tokens = np.arange(2, 40) * 7919 % lm.vocabulary
    sequences = [tokens[:5], tokens[11:23]]
    slots, plain = SlotEngine(lm.module, lm.device, MULTIPLE), PlainEngine(lm.module, lm.device)
    worst = 0.0
    try:
        for slot, prompt in enumerate(sequences):
            slots.start(prompt)
            slots.admit([slot])
        for t in range(3):
            sequences = [np.append(ids, tokens[30 + t]) for ids in sequences]
            ours, right = (engine.step(sequences).float().log_softmax(-1) for engine in (slots, plain))
            worst = max(worst, float((ours - right).abs().max()))
    except Exception as error:
        return f"{type(lm.module).__name__} takes no outside cache: {' '.join(str(error).split())[:120]}"
    if not worst <= TOLERANCE:
        return f"{type(lm.module).__name__} does not follow an outside mask: log-probs differ by {worst:.2g}"
    return ""


def _window(lm: LanguageModel) -> int | None:
    """The shortest sliding window of any layer, from the cache the library itself would make."""
    layers = DynamicCache(config=lm.module.config.get_text_config(decoder=True)).layers
    windows = [int(layer.sliding_window) for layer in layers if getattr(layer, "sliding_window", None)]
    return min(windows, default=None)


def _row_limit(lm: LanguageModel, rows: int) -> int:
    """The largest multiple of MULTIPLE, up to `rows`, at which the first rows get the same bits as among MULTIPLE."""
    engine = SlotEngine(lm.module, lm.device, rows)
    engine.start(np.arange(2, 4) % lm.vocabulary)
    engine.admit(list(range(engine.rows)))
    sequences = [np.array([2, 3, (n * 7919 + 5) % lm.vocabulary]) for n in range(engine.rows)]
    first = engine.step(sequences[:MULTIPLE])
    for n in range(2 * MULTIPLE, round_up(rows) + 1, MULTIPLE):
        if not torch.equal(engine.step(sequences[:n])[:MULTIPLE], first):
            return n - MULTIPLE
    return rows
