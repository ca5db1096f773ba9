"""What transformers' GGUF reader leaves undone: parse the file once, and keep the tokenizer's rule for digits.

The reader dequantises to float32. Left out: any quantised arithmetic.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any
from unittest.mock import patch

import gguf
from transformers import PreTrainedModel, PreTrainedTokenizerBase, modeling_gguf_pytorch_utils


@contextmanager
def parsed_once() -> Iterator[None]:
    """Within it a GGUF file is parsed once, not by config, tokenizer and weights each, and without a progress bar.

    Parsing the tables of a 49,152-token vocabulary takes seconds, and so does the table of tensor names, which the
    reader makes anew for every submodule.
    """
    with ExitStack() as stack:
        for name in ("GGUFReader", "get_tensor_name_map"):
            stack.enter_context(patch.object(gguf, name, functools.cache(getattr(gguf, name))))
        stack.enter_context(patch.object(modeling_gguf_pytorch_utils, "tqdm", _no_bar))
        yield


def _no_bar(items: Any, **_: Any) -> Any:
    return items


def forget_quantisation(module: PreTrainedModel) -> None:
    """The weights are plain float32 now; what says otherwise would make a saved copy unreadable."""
    if hasattr(module.config, "quantization_config"):
        del module.config.quantization_config
    for name in ("hf_quantizer", "quantization_method"):
        if hasattr(module, name):
            setattr(module, name, None)
    module.is_quantized = False


def mend_digits(tokenizer: PreTrainedTokenizerBase, file: Path) -> None:
    r"""SmolLM's tokenizer takes every digit alone; the GGUF reader drops that rule ("a  56" gets other tokens).

    The file names the rule in `tokenizer.ggml.pre` ("smollm": llama.cpp splits \p{N} before the GPT-2 pattern).
    """
    if not names_smollm(file):
        return
    from tokenizers import pre_tokenizers

    digits = pre_tokenizers.Digits(individual_digits=True)
    rest = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=True)
    tokenizer.backend_tokenizer.pre_tokenizer = pre_tokenizers.Sequence([digits, rest])


def names_smollm(file: Path) -> bool:
    """Whether the GGUF header says tokenizer.ggml.pre = smollm. A full parse takes seconds; the header is searched.

    A GGUF text is a little-endian 64-bit length and its bytes; a value follows its key and a 32-bit type, 8 = text.
    """
    key, value = b"tokenizer.ggml.pre", b"smollm"
    with file.open("rb") as stream:
        head = stream.read(1 << 24)
    return key + (8).to_bytes(4, "little") + len(value).to_bytes(8, "little") + value in head
