"""What the loaded model can be trusted with, tried on it and not guessed from its name.

The engine hands the module positions of our own and keeps keys and values outside it; an architecture that ignores
them (ALiBi models, recurrent layers) would be wrong without an error. And whether a row's numbers depend on how many
rows stand beside it depends on the product routines of this machine. Both are tried, on the weights as they are.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import torch
from torch import Tensor
from transformers.cache_utils import DynamicCache

from verigrad.models import LanguageModel, adapter_of, company, filled
from verigrad.sampling.engine import CHUNK, COLUMNS, MULTIPLE, GroupEngine, PlainEngine, Size, Unit, round_up
from verigrad.sampling.weights import Weights, packs

TOLERANCE = 1e-3
"""Largest difference of a log-probability, in nats, that float32 rounding may make between engine and plain forward."""
COARSE = 0.5
"""Most that log-probabilities may differ on average where weights are packed in bfloat16: a wrong layout is far off."""
GRAIN = 32_768
"""Numbers from which torch shares an elementwise operation out to its threads."""
LANES = 8
"""Answers a block has room for where rows must round alike whatever the batch: always as many."""


@dataclass(frozen=True, kw_only=True)
class Fit:
    """What the probe found."""

    why_plain: str
    """Why the engine cannot be used; empty where it can."""
    packs: bool
    """Whether linear weights are laid out for the CPU."""
    rows: int
    """Most rows of a forward in which, in float32 on a CPU, a row rounds as among MULTIPLE; else the rows asked for."""
    together: bool
    """Whether prompts may share a forward: where rounding is promised, only if that changes no bit."""
    why_not_exact: str
    """Why equal requests may give different answers in different company; empty where they give the same."""
    numbers: int
    """Numbers kept for every token: keys and values of all layers."""


def probe(lm: LanguageModel, dtype: torch.dtype, rows: int) -> Fit:
    """Try the engine against plain recomputation, in float32 first, and row counts up to `rows`. Once a sampler.

    Fresh adapters add nothing, so their products are tried with other numbers in them.
    """
    lm = replace(lm, module=filled(lm.module))
    why_not = _why_never_exact(lm, dtype)
    with torch.inference_mode():
        why, numbers = _differs(lm)
        if why:
            return Fit(why_plain=why, packs=False, rows=rows, together=False, why_not_exact=why, numbers=0)
        pack = packs(lm.device) and _packing_agrees(lm, dtype)
        if why_not := why_not or _odd_widths(lm):
            return Fit(why_plain="", packs=pack, rows=rows, together=True, why_not_exact=why_not, numbers=numbers)
        weights = Weights(lm, dtype, pack=pack)
        alike, together = _row_limit(weights, lm, rows), _together(weights, lm)
    why_not = "" if alike else f"a row among {MULTIPLE} rounds otherwise than among {2 * MULTIPLE}"
    return Fit(why_plain="", packs=pack, rows=alike or rows, together=together, why_not_exact=why_not, numbers=numbers)


def _odd_widths(lm: LanguageModel) -> str:
    """Why rows of this width cannot be promised the same bits; "" where they can.

    Torch takes 32 numbers at once through another `exp` than the few that are left at the end, of a tensor or of a
    thread's part of one (GRAIN numbers and more are shared out): MULTIPLE rows must leave none.
    """
    # What leaves an adapter's narrow side goes into a product, through no activation.
    narrow = {id(adapter.down_RI) for adapter in map(adapter_of, lm.module.modules()) if adapter}
    linear = [m for m in lm.module.modules() if isinstance(m, torch.nn.Linear) and id(m.weight) not in narrow]
    for width in {m.out_features for m in linear} - {lm.vocabulary}:
        size = MULTIPLE * width
        parts = torch.get_num_threads() if size >= GRAIN else 1
        if size % (32 * parts):
            return f"{type(lm.module).__name__} has layers of {width}: activations of some rows round otherwise"
    return ""


def _why_never_exact(lm: LanguageModel, dtype: torch.dtype) -> str:
    """Why this arithmetic on this device promises nothing; "" where it may."""
    if dtype is not torch.float32:
        return "bfloat16 arithmetic: a row's rounding depends on its batch"
    return "" if lm.device.type == "cpu" else f"not promised on {lm.device.type}"


def _differs(lm: LanguageModel) -> tuple[str, int]:
    """Three prompts, one of them beyond any sliding window and, where that is small, a chunk; an answer between two
    ends. The largest difference to plain recomputation must be rounding. Also the numbers kept a token.
    """
    kind = type(lm.module).__name__
    if why := company(lm.module):
        return why, 0
    if not getattr(lm.module, "_supports_attention_backend", False):
        return f"{kind} takes no attention from outside", 0
    tokens = np.arange(2, 2 + _long(lm)) * 7919 % lm.vocabulary
    units = [Unit(prompt_ids=tokens[:5], answers=2), Unit(prompt_ids=tokens, answers=1), Unit(prompt_ids=tokens[3:15],
             answers=1)]  # fmt: skip
    size = Size(rows=MULTIPLE, own=COLUMNS, blocks=4, prompt=round_up(len(tokens), COLUMNS), lanes=2)
    try:
        engine = GroupEngine(Weights(lm, torch.float32, pack=False).module, lm.device, size)
        plain = PlainEngine(lm.module, lm.device)
        worst = _apart(engine.admit(units), plain.admit(units))
        for t in range(2):
            worst = max(worst, _apart(*(e.step(tokens[t : t + 4]) for e in (engine, plain))))
        for e in (engine, plain):
            e.move([0], [3], 3)
        worst = max(worst, _apart(*(e.step(tokens[7:10]) for e in (engine, plain))))
    except Exception as error:
        return f"{kind} does not follow the engine: {' '.join(str(error).split())[:120]}", 0
    if not worst <= TOLERANCE:
        return f"{kind} does not follow the engine: log-probs differ by {worst:.2g}", 0
    return "", sum(x.shape[2] * x.shape[3] for k, v, _, _ in engine.store.layers.values() for x in (k, v))


def _long(lm: LanguageModel) -> int:
    """Tokens of the long prompt: past the longest sliding window of any layer, and past a chunk where cheap."""
    layers = DynamicCache(config=lm.module.config.get_text_config(decoder=True)).layers
    windows = [int(layer.sliding_window) for layer in layers if getattr(layer, "sliding_window", None)]
    room = (lm.context or CHUNK) - 8
    return max(min(max(windows, default=24) + 8, room), 16)


def _apart(ours: Tensor, right: Tensor) -> float:
    difference = (ours.float().log_softmax(-1) - right.float().log_softmax(-1)).abs()
    return float(difference.max()) if bool(torch.isfinite(difference).all()) else float("inf")


def _small(weights: Weights, lm: LanguageModel, rows: int) -> GroupEngine:
    size = Size(rows=round_up(rows), own=COLUMNS, blocks=rows, prompt=COLUMNS, lanes=LANES)
    return GroupEngine(weights.module, lm.device, size)


def _packing_agrees(lm: LanguageModel, dtype: torch.dtype) -> bool:
    """Packed weights against plain ones, by what a short text predicts."""
    ids = np.arange(2, 26) * 7919 % lm.vocabulary
    try:
        packed = _small(Weights(lm, dtype, pack=True), lm, 1).admit([Unit(prompt_ids=ids, answers=1)])
    except Exception:  # whatever a private operator does not take
        return False
    plain = PlainEngine(lm.module, lm.device).admit([Unit(prompt_ids=ids, answers=1)])
    apart = (packed.float().log_softmax(-1) - plain.float().log_softmax(-1)).abs()
    return bool(apart.max() <= TOLERANCE if dtype is torch.float32 else apart.mean() <= COARSE)


def _row_limit(weights: Weights, lm: LanguageModel, rows: int) -> int:
    """The largest multiple of MULTIPLE, up to `rows` rounded up, at which the first rows get the same bits as among
    MULTIPLE; 0 where already twice as many differ.
    """
    prompt, most = np.arange(2, 5) % lm.vocabulary, round_up(rows)
    tokens = np.arange(most) * 7919 % lm.vocabulary

    def among(n: int) -> Tensor:
        engine = _small(weights, lm, n)
        engine.admit([Unit(prompt_ids=prompt, answers=n)])
        engine.step(tokens[:n])
        return engine.step(tokens[:n])[:MULTIPLE]

    first = among(MULTIPLE)
    for n in range(2 * MULTIPLE, most + 1, MULTIPLE):
        if not torch.equal(among(n), first):
            return 0 if n == 2 * MULTIPLE else n - MULTIPLE
    return most


def _together(weights: Weights, lm: LanguageModel) -> bool:
    """Whether prompts computed in one forward get the same bits as alone."""
    prompts = [np.arange(2, 2 + n) * 7919 % lm.vocabulary for n in (3, 37, 20)]
    units = [Unit(prompt_ids=ids, answers=1) for ids in prompts]
    alone = torch.cat([_small(weights, lm, 1).admit([unit]) for unit in units])
    return torch.equal(_small(weights, lm, len(units)).admit(units), alone)
