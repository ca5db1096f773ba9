"""A reward model: a causal body and one linear head that scores an answer at its last token.

    scorer = new_scorer(lm, seed=0)                        # the body a copy of lm's, the head small and seeded
    scores(scorer, [encode(scorer, task.prompt)], [encode_answer(scorer, "It is 12.")])   # [1] float32

Where an answer ends is known, so its position is told, never guessed from padding tokens (transformers' own heads look
for the last token that is no pad, which an answer may contain). Files are those of AutoModelForSequenceClassification
with one label. Left out: its loss (losses.bradley_terry), its loop (training.reward_model), what it pays (rewards).
"""

from __future__ import annotations

import copy
import inspect
import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from safetensors import SafetensorError
from torch import Tensor, nn
from transformers import AutoConfig, AutoModelForSequenceClassification, PreTrainedModel, PreTrainedTokenizerBase

from verigrad.errors import Refused, VerigradError
from verigrad.models.adapters import adapters_of
from verigrad.models.fitness import company
from verigrad.models.language_model import LanguageModel
from verigrad.models.load import KEY, _options, _place, _quiet, _refusal, _tokenizer
from verigrad.models.lora import merge, restore_adapter, save_adapter
from verigrad.models.machine import choose_device, choose_dtype
from verigrad.models.template import choose_template, encode, encode_answer, end_ids
from verigrad.records import Message

TOKENS = 4096
"""Tokens of a forward without gradient, padding included: bounds memory, never a score."""


@dataclass(frozen=True, kw_only=True)
class Scorer:
    """A reward model with all one must know to run it. Its weights change in training, the record does not."""

    module: PreTrainedModel
    """A model for sequence classification with one label; float32 master weights, on `device`."""
    tokenizer: PreTrainedTokenizerBase
    """Its own, which need not be the policy's: it is given texts."""
    name: str
    """Where it came from."""
    template: str | None
    """Jinja text of the chat template; None: the prompt's plain text."""
    eos_ids: tuple[int, ...]
    """Every token that ends an answer, ascending."""
    dtype: torch.dtype
    """Arithmetic of forward and backward: float32, or bfloat16 by autocast over the float32 weights."""
    device: torch.device
    """Where the weights lie."""
    licence: Path | None = None
    """The licence file that came with the weights, if one was found."""

    @property
    def context(self) -> int | None:
        """Most positions it was made for; None where its config does not say."""
        value = getattr(self.module.config.get_text_config(), "max_position_embeddings", None)
        return int(value) if value else None


def new_scorer(lm: LanguageModel, *, seed: int) -> Scorer:
    """A scorer whose body is a copy of the model's (adapters merged) and whose head is drawn from `seed`.

    Head weights are normal with variance 1 / (H + 1) (Stiennon et al., arXiv:2009.01325, appendix B). Raises Refused
    where transformers has no classifier of this kind.
    """
    config = copy.deepcopy(lm.module.config)
    config.num_labels = 1
    config.eos_token_id = list(lm.eos_ids) if len(lm.eos_ids) > 1 else lm.eos_ids[0]
    if config.pad_token_id is None:
        config.pad_token_id = lm.eos_ids[0]
    with _quiet(), torch.random.fork_rng(devices=[]):
        try:
            module = AutoModelForSequenceClassification.from_config(config, dtype=torch.float32)
        except (ValueError, TypeError) as error:
            reason = " ".join(str(error).split())[:200]
            raise Refused(f"{lm.name}: no reward model can be made of it: {reason}", key=KEY) from None
    module.base_model.load_state_dict(merge(lm).module.base_model.state_dict())
    head = _head(module, lm.name)
    generator = torch.Generator().manual_seed(seed)
    with torch.no_grad():
        weight_1H = torch.randn(head.weight.shape, generator=generator) / (head.weight.shape[1] + 1) ** 0.5
        head.weight.copy_(weight_1H)
        if head.bias is not None:
            head.bias.zero_()
    return Scorer(
        module=module.to(lm.device).eval(),
        tokenizer=lm.tokenizer,
        name=lm.name,
        template=lm.template,
        eos_ids=lm.eos_ids,
        dtype=lm.dtype,
        device=lm.device,
        licence=lm.licence,
    )


def load_scorer(
    path: str, *, dtype: str = "auto", device: str = "auto", template: str = "auto", folder: Path = Path(".")
) -> Scorer:
    """The reward model at `path`, a folder or a hub id, with float32 weights. The words are the recipe's, as in `load`.

    template "auto" is its tokenizer's own, plain text where that has none. Raises Refused, one line, for what is
    missing, no reward model, or a tokenizer that is not its own.
    """
    place = _place(path, folder)
    where = choose_device(device)
    arithmetic, _ = choose_dtype(dtype, where)
    tokenizer = _tokenizer(path, place)
    text = None if template == "auto" and not tokenizer.chat_template else choose_template(tokenizer, template, folder)
    with _quiet():
        try:
            module, told = AutoModelForSequenceClassification.from_pretrained(
                place.source, dtype=torch.float32, output_loading_info=True, **_options(place)
            )
        except Exception as error:
            raise _refusal(path, place, "reward model", error) from None
    if missing := sorted(told["missing_keys"]):
        raise Refused(
            f"{path}: no reward model: it has no {missing[0]}; a [[stage]] of kind reward_model trains one", key=KEY
        )
    if module.config.num_labels != 1:
        raise Refused(f"{path}: a reward model gives one number, this one {module.config.num_labels}", key=KEY)
    _head(module, path)
    rows = len(module.get_input_embeddings().weight)
    if len(tokenizer) > rows:
        raise Refused(
            f"{path}: its tokenizer has {len(tokenizer)} tokens and its embedding {rows} rows: it is another model's; "
            "put the tokenizer it was trained with into that folder",
            key=KEY,
        )
    return Scorer(
        module=module.to(where).eval(),
        tokenizer=tokenizer,
        name=path,
        template=text,
        eos_ids=end_ids(module, tokenizer, text),
        dtype=arithmetic,
        device=where,
        licence=place.licence,
    )


def save_scorer(scorer: Scorer, folder: Path, card: str) -> None:
    """Write weights (safetensors, float32), config, tokenizer, template, licence and README.md (`card`).

    The folder is made; `load_scorer` and AutoModelForSequenceClassification load it back. Adapters are merged in.
    """
    folder.mkdir(parents=True, exist_ok=True)
    with _quiet():
        merge(scorer).module.save_pretrained(folder)
        tokenizer = copy.deepcopy(scorer.tokenizer)
        tokenizer.chat_template = scorer.template
        tokenizer.save_pretrained(folder)
    if scorer.licence is not None:
        shutil.copyfile(scorer.licence, folder / scorer.licence.name)
    (folder / "README.md").write_text(card, encoding="utf-8")


def restore_scorer(scorer: Scorer, folder: Path) -> None:
    """Put the weights that `save_scorer` wrote back into the module in place, bit for bit. Raises VerigradError."""
    try:
        with _quiet():
            config = AutoConfig.from_pretrained(folder, local_files_only=True)
            if config.model_type != scorer.module.config.model_type:
                raise ValueError(f"it holds a {config.model_type}, not a {scorer.module.config.model_type}")
            saved = AutoModelForSequenceClassification.from_pretrained(
                folder, dtype=torch.float32, local_files_only=True
            )
        scorer.module.load_state_dict(saved.state_dict())
    except (OSError, SafetensorError, RuntimeError, ValueError) as error:
        reason = " ".join(str(error).split())[:200]
        raise VerigradError(f"{folder}: no weights of this reward model: {reason}") from None


def save_scorer_checkpoint(scorer: Scorer, folder: Path, card: str) -> None:
    """Write what training changes, exactly: `folder`/model, or `folder`/adapter (head and all) with adapters."""
    if adapters_of(scorer.module):
        save_adapter(scorer, folder / "adapter")
    else:
        save_scorer(scorer, folder / "model", card)


def restore_scorer_checkpoint(scorer: Scorer, folder: Path) -> None:
    """Put what `save_scorer_checkpoint` wrote back in place, bit for bit. Raises VerigradError."""
    if adapters_of(scorer.module):
        restore_adapter(scorer, folder / "adapter")
    else:
        restore_scorer(scorer, folder / "model")


def scores(scorer: Scorer, prompt_ids: Sequence[np.ndarray], answer_ids: Sequence[np.ndarray]) -> Tensor:
    """Score of each answer [N] float32 with gradient, read at its last token; rows padded on the right, together.

    `prompt_ids`: N arrays [S]; `answer_ids`: N arrays [T], T at least 1. What is beside a row or behind its end changes
    nothing but rounding.
    """
    rows = [np.concatenate([p, a]) for p, a in zip(prompt_ids, answer_ids, strict=True)]
    if not rows:
        return torch.zeros(0, device=scorer.device)
    if company(scorer.module) and len(rows) > 1:
        return torch.cat([scores(scorer, [p], [a]) for p, a in zip(prompt_ids, answer_ids, strict=True)])
    last_N = torch.tensor([len(row) - 1 for row in rows], device=scorer.device)
    ids_NL = np.zeros((len(rows), int(last_N.max()) + 1), dtype=np.int64)
    mask_NL = np.zeros_like(ids_NL)
    for ids_L, mask_L, row in zip(ids_NL, mask_NL, rows, strict=True):
        ids_L[: len(row)], mask_L[: len(row)] = row, 1
    ids = torch.from_numpy(ids_NL).to(scorer.device)
    body = scorer.module.base_model
    extra: dict[str, Any] = {}
    if "position_ids" in inspect.signature(body.forward).parameters:
        extra["position_ids"] = torch.arange(ids.shape[1], device=scorer.device).expand_as(ids)
    with torch.autocast(scorer.device.type, dtype=torch.bfloat16, enabled=scorer.dtype is torch.bfloat16):
        hidden_NLH = body(
            input_ids=ids, attention_mask=torch.from_numpy(mask_NL).to(scorer.device), use_cache=False, **extra
        )[0]
    hidden_NH = hidden_NLH[torch.arange(len(rows), device=scorer.device), last_N]
    head = _head(scorer.module, scorer.name)
    # One number a row: in float32 whatever the body's arithmetic is.
    return nn.functional.linear(hidden_NH.float(), head.weight, head.bias)[:, 0]


@torch.no_grad()
def score_texts(scorer: Scorer, asked: Sequence[tuple[Sequence[Message], str]], *, tokens: int = TOKENS) -> np.ndarray:
    """Scores [N] float32 of answers (texts) to prompts (turns), read by the scorer's own tokenizer and template.

    In batches of rows of like length. An answer that reaches beyond the scorer's context is scored by what fits.
    """
    read: list[tuple[np.ndarray, np.ndarray]] = []
    for prompt, answer in asked:
        prompt_ids, answer_ids = encode(scorer, prompt), encode_answer(scorer, answer)
        if scorer.context is not None and len(prompt_ids) + len(answer_ids) > scorer.context:
            answer_ids = answer_ids[: max(1, scorer.context - len(prompt_ids))]
            prompt_ids = prompt_ids[-(scorer.context - len(answer_ids)) :]
        read.append((prompt_ids, answer_ids))
    out = np.zeros(len(read), dtype=np.float32)
    for at in batches([len(p) + len(a) for p, a in read], tokens):
        out[at] = scores(scorer, [read[i][0] for i in at], [read[i][1] for i in at]).cpu().numpy()
    return out


def batches(lengths: Sequence[int], tokens: int) -> list[list[int]]:
    """Rows of these lengths put together, the longest first: at most `tokens` with padding, and one row at least."""
    out: list[list[int]] = []
    for i in sorted(range(len(lengths)), key=lambda i: -lengths[i]):
        if out and (len(out[-1]) + 1) * lengths[out[-1][0]] <= tokens:
            out[-1].append(i)
        else:
            out.append([i])
    return out


def _head(module: PreTrainedModel, name: str) -> nn.Linear:
    head = getattr(module, "score", None)
    if not isinstance(head, nn.Linear) or head.out_features != 1:
        raise Refused(f"{name}: its classifier has no one linear head called score", key=KEY)
    return head
