"""Writing weights: a folder transformers loads back with equal logits, and reading them back into a module.

Left out: adapters, optimizer state, and writing whole or not at all (the caller hands over a staged folder).
"""

from __future__ import annotations

import copy
import shutil
from pathlib import Path

import torch
from safetensors import SafetensorError
from transformers import AutoConfig, AutoModelForCausalLM

from verigrad.errors import VerigradError
from verigrad.models.language_model import LanguageModel
from verigrad.models.load import _quiet


def save(lm: LanguageModel, folder: Path, card: str) -> None:
    """Write weights (safetensors, float32), config, tokenizer, template, generation config, licence and README.md.

    `card` is the model card's text. The folder is made; AutoModelForCausalLM and AutoTokenizer load it back.
    """
    folder.mkdir(parents=True, exist_ok=True)
    with _quiet():
        lm.module.save_pretrained(folder)
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
