"""Whether the packed layout is right for a module: asked of its real weights before it is used.

Most modules that would be wrong are wrong silently: an attention that ignores the function it is given, a recurrent
state that runs on from one branch into the next. So packed and padded log-probs of a few random rows are compared,
in float32. Left out: the layouts themselves.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import torch
from transformers import PreTrainedModel

from verigrad.models.fitness import company
from verigrad.models.language_model import LanguageModel
from verigrad.models.packed import packed_forward
from verigrad.models.padded import response_logps
from verigrad.models.tree_attention import Seat

TOLERANCE = 1e-3
"""Nats by which the packed log-probs may differ from the padded ones, both in float32."""
TWIN_TOLERANCE = 1.0
"""The same for the mean difference of bfloat16 weights: rounding stays far below, a lost part does not."""
SHORT_WINDOW = 64
"""Tokens of a sliding window that the probe always goes beyond."""
LONG_WINDOW = 4096
"""Tokens of a sliding window beyond which the probe does not go."""
WORK = 4e12
"""Floating-point operations the probe may spend on going beyond a longer window; a CPU takes ten seconds for them."""


def why_not_packed(
    lm: LanguageModel, *, module: PreTrainedModel | None = None, twin: PreTrainedModel | None = None
) -> str:
    """One line that says why this model keeps the padded layout; "" where the packed one is right.

    Two prompts with ragged answers go through both layouts, beyond the sliding window where that is cheap; a longer
    window is believed if every layer that should have one hands it to its attention, which masks by position.
    `module`: run this one, which shares the model's weights. `twin`: this copy in lower precision, compared loosely.
    """
    kind = lm.module.config.model_type
    if not getattr(lm.module, "_supports_attention_backend", False):
        return f"{kind}: its attention cannot be replaced"
    if why := company(lm.module):
        return why
    try:
        prompt_ids, token_ids_BT, length_B = _rows(lm)
        with torch.no_grad():
            packed, seat = packed_forward(twin or module or lm.module, prompt_ids, token_ids_BT, length_B, 1.0, True)
            padded = response_logps(
                replace(lm, dtype=torch.float32), prompt_ids, token_ids_BT, length_B, entropy=True, rows=2
            )
    except Exception as error:  # whatever a module does not take
        return f"{kind}: {' '.join(str(error).split())[:200]}"
    assert packed.entropy_BT is not None
    assert padded.entropy_BT is not None
    apart = torch.stack([packed.logp_BT - padded.logp_BT, packed.entropy_BT - padded.entropy_BT]).abs()
    if twin is not None:
        mean = float(apart.sum() / (2 * length_B.sum()))
        return "" if mean <= TWIN_TOLERANCE else f"{kind}: {mean:.3g} nats off on average in bfloat16"
    worst = float(apart.max())
    if not worst <= TOLERANCE:
        return f"{kind}: packed and padded log-probs differ by {worst:.3g} nats"
    return _missing_window(lm, seat)


def _rows(lm: LanguageModel) -> tuple[list[np.ndarray], np.ndarray, np.ndarray]:
    generator = np.random.default_rng(0)
    prompts = [generator.integers(0, lm.vocabulary, size) for size in (5, 9)]
    prompt_ids = [prompts[0], prompts[1], prompts[0], prompts[1]]
    lengths = [7, 3, 1, 9]
    window = _window(lm.module)
    parameters = sum(p.numel() for p in lm.module.parameters())
    reach = window is not None and window <= LONG_WINDOW and 16 * parameters * window <= WORK
    if window is not None and (window <= SHORT_WINDOW or reach):
        # Longer than the window by more than the prompt, so that the window leaves the prompt behind.
        lengths[3] = window + 12
        if window > SHORT_WINDOW:
            prompt_ids, lengths = prompt_ids[2:], lengths[2:]
    token_ids_BT = generator.integers(0, lm.vocabulary, (len(lengths), max(lengths)))
    return prompt_ids, token_ids_BT, np.array(lengths)


def _window(module: PreTrainedModel) -> int | None:
    """The sliding window in tokens, if any layer has one."""
    config = module.config.get_text_config()
    window = getattr(config, "sliding_window", None)
    if not window or getattr(config, "use_sliding_window", True) is False:
        return None
    return int(window) if sum(_sliding(module)) else None


def _sliding(module: PreTrainedModel) -> Sequence[bool]:
    """Which layers have the window; all, where the config does not say."""
    config = module.config.get_text_config()
    kinds = getattr(config, "layer_types", None) or ["sliding_attention"] * config.num_hidden_layers
    return [kind == "sliding_attention" for kind in kinds]


def _missing_window(lm: LanguageModel, seat: Seat | None) -> str:
    window = _window(lm.module)
    if window is None or seat is None:
        return ""
    handed = sum(kind.window == window for kind in seat.kinds)
    due = sum(_sliding(lm.module))
    kind = lm.module.config.model_type
    return "" if handed >= due else f"{kind}: {due} layers have a sliding window, {handed} tell their attention"
