"""Writing weights: a folder transformers loads back with equal logits, and reading them back into a module.

Of a model with adapters: the merged weights, and in a checkpoint the adapters alone (lora). Left out: optimizer state,
and writing whole or not at all (the caller hands over a staged folder).
"""

from __future__ import annotations

import copy
import shutil
from pathlib import Path

import torch
from safetensors import SafetensorError
from transformers import AutoConfig, AutoModelForCausalLM

from verigrad.errors import VerigradError
from verigrad.models.adapters import adapters_of
from verigrad.models.language_model import LanguageModel
from verigrad.models.load import _quiet
from verigrad.models.lora import merge, restore_adapter, save_adapter


def save(lm: LanguageModel, folder: Path, card: str) -> None:
    """Write weights (safetensors, float32), config, tokenizer, template, generation config, licence and README.md.

    `card` is the model card's text. The folder is made; AutoModelForCausalLM and AutoTokenizer load it back. Adapters
    are merged into what is written, in float32; the model keeps them.
    """
    folder.mkdir(parents=True, exist_ok=True)
    with _quiet():
        merge(lm).module.save_pretrained(folder)
        tokenizer = copy.deepcopy(lm.tokenizer)
        tokenizer.chat_template = lm.template
        tokenizer.save_pretrained(folder)
        generation = copy.deepcopy(lm.module.generation_config)
        if generation is not None:
            generation.eos_token_id = list(lm.eos_ids)
            generation.save_pretrained(folder)
    if lm.licence is not None:
        shutil.copyfile(lm.licence, folder / lm.licence.name)
    (folder / "README.md").write_text(card, encoding="utf-8")


def restore(lm: LanguageModel, folder: Path) -> None:
    """Put the weights that `save` wrote back into the module in place, bit for bit. Raises VerigradError."""
    try:
        with _quiet():
            config = AutoConfig.from_pretrained(folder, local_files_only=True)
            # Another architecture's config read as this one's falls back to its default sizes: billions of parameters.
            if config.model_type != lm.module.config.model_type:
                raise ValueError(f"it holds a {config.model_type}, not a {lm.module.config.model_type}")
            saved = AutoModelForCausalLM.from_pretrained(folder, dtype=torch.float32, local_files_only=True)
        lm.module.load_state_dict(saved.state_dict())
    except (OSError, SafetensorError, RuntimeError, ValueError) as error:
        reason = " ".join(str(error).split())[:200]
        raise VerigradError(f"{folder}: no weights of this model: {reason}") from None


def save_checkpoint(lm: LanguageModel, folder: Path, card: str) -> None:
    """Write what training changes, exactly: `folder`/model by `save`, or `folder`/adapter where there are adapters."""
    if adapters_of(lm.module):
        save_adapter(lm, folder / "adapter")
    else:
        save(lm, folder / "model", card)


def restore_checkpoint(lm: LanguageModel, folder: Path) -> None:
    """Put what `save_checkpoint` wrote back into the module in place, bit for bit. Raises VerigradError."""
    if adapters_of(lm.module):
        restore_adapter(lm, folder / "adapter")
    else:
        restore(lm, folder / "model")
