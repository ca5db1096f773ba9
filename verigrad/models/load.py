"""Any causal language model from a folder, a hub id, a GGUF file or a file inside an installed package.

Left out: adapters (lora) and reward heads; quantised arithmetic (a GGUF file is dequantised to float32).
"""

from __future__ import annotations

import importlib.util
import os
import socket
import urllib.parse
import warnings
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from transformers import AutoModelForCausalLM, AutoTokenizer, PreTrainedModel, PreTrainedTokenizerBase
from transformers.utils import logging as hf_logging

from verigrad.errors import Refused
from verigrad.models.gguf_file import forget_quantisation, mend_digits, parsed_once
from verigrad.models.language_model import LanguageModel
from verigrad.models.machine import choose_device, choose_dtype
from verigrad.models.template import choose_template, end_ids

KEY = "model.path"
TOKENIZER_FILES = ("tokenizer.json", "tokenizer.model", "vocab.json", "tokenizer_config.json", "vocab.txt")


@dataclass(frozen=True, kw_only=True)
class _Place:
    """Where the weights are."""

    source: str
    """Folder or hub id handed to transformers."""
    gguf: str | None
    """File name of a GGUF inside that folder."""
    offline: bool
    """Only files that are already on this machine."""
    licence: Path | None
    """Licence file beside the weights."""


def load(
    path: str,
    *,
    dtype: str = "auto",
    device: str = "auto",
    template: str = "auto",
    folder: Path = Path("."),
) -> LanguageModel:
    """The model at `path` with float32 weights on `device`, in evaluation mode.

    `path`: a folder, "file.gguf", "package:NAME/FILE.gguf" (the package is found, never imported) or a hub id;
    folders and files are looked for from `folder`. `dtype`, `device`, `template`: the recipe's words. Raises Refused,
    one line, for what is missing, unreachable or no causal language model.
    """
    place = _place(path, folder)
    where = choose_device(device)
    arithmetic, why = choose_dtype(dtype, where)
    with parsed_once() if place.gguf is not None else nullcontext():
        tokenizer = _tokenizer(path, place)
        text = choose_template(tokenizer, template, folder)
        module = _module(path, place).to(where).eval()
    return LanguageModel(
        module=module,
        tokenizer=tokenizer,
        name=path,
        template=text,
        eos_ids=end_ids(module, tokenizer, text),
        dtype=arithmetic,
        why_dtype=why,
        device=where,
        licence=place.licence,
    )


def _place(path: str, folder: Path) -> _Place:
    if path.startswith("package:"):
        file = _package_file(path)
    else:
        local = folder / Path(path).expanduser()
        if local.is_dir():
            return _folder(path, local)
        if not path.endswith(".gguf"):
            return _hub(path, local)
        file = local
        if not file.is_file():
            raise Refused(f"{path}: no such file (looked for {file})", key=KEY)
    return _Place(source=str(file.parent), gguf=file.name, offline=True, licence=_licence(file.parent))


def _package_file(path: str) -> Path:
    name, slash, inside = path.removeprefix("package:").partition("/")
    if not (slash and name and inside):
        raise Refused(f'{path}: a file in a package is written "package:NAME/FILE.gguf"', key=KEY)
    try:
        spec = importlib.util.find_spec(name) if name.isidentifier() else None
    except (ImportError, ValueError):
        spec = None
    if spec is None or not spec.submodule_search_locations:
        raise Refused(f"{path}: no package {name} is installed; pip install it first", key=KEY)
    root = Path(next(iter(spec.submodule_search_locations)))
    if not (root / inside).is_file():
        there = ", ".join(sorted(p.name for p in root.glob("*.gguf"))) or "no .gguf file"
        raise Refused(f"{path}: package {name} has no {inside}; it has {there}", key=KEY)
    if not inside.endswith(".gguf"):
        raise Refused(f"{path}: only a .gguf file is read from a package", key=KEY)
    return root / inside


def _folder(path: str, local: Path) -> _Place:
    if (local / "adapter_config.json").is_file() and not (local / "config.json").is_file():
        raise Refused(f"{path}: the folder holds adapters, no model; a run's model/ has them merged in", key=KEY)
    if not (local / "config.json").is_file():
        raise Refused(f"{path}: the folder has no config.json, so it is no model", key=KEY)
    if not any((local / name).is_file() for name in TOKENIZER_FILES):
        raise Refused(f"{path}: the folder has no tokenizer; copy the model's tokenizer.json there", key=KEY)
    return _Place(source=str(local), gguf=None, offline=True, licence=_licence(local))


def _hub(path: str, local: Path) -> _Place:
    if path.startswith(("/", ".", "~")) or path.count("/") != 1 or path.endswith("/"):
        raise Refused(f"{path}: no such folder or file (looked for {local}), nor a hub id owner/name", key=KEY)
    return _Place(source=path, gguf=None, offline=not _hub_answers(), licence=None)


def _hub_answers(seconds: float = 3.0) -> bool:
    """Whether the hub's host can be reached at all. The client retries for half a minute; a recipe should not."""
    from huggingface_hub import constants

    if constants.HF_HUB_OFFLINE:
        return False
    if any(os.environ.get(name) for name in ("HTTPS_PROXY", "https_proxy", "ALL_PROXY", "all_proxy")):
        return True
    url = urllib.parse.urlsplit(constants.ENDPOINT)
    try:
        socket.create_connection((url.hostname or "", url.port or 443), timeout=seconds).close()
    except OSError:
        return False
    return True


def _licence(folder: Path) -> Path | None:
    """A licence file in the folder, or in the metadata of the installed package the folder is."""
    folder = folder.resolve()
    for pattern in ("LICEN[CS]E*", f"../{folder.name}-*.dist-info/LICEN[CS]E*",
                    f"../{folder.name}-*.dist-info/licenses/LICEN[CS]E*"):  # fmt: skip
        for file in sorted(folder.glob(pattern)):
            if file.is_file():
                return file
    return None


def _tokenizer(path: str, place: _Place) -> PreTrainedTokenizerBase:
    with _quiet():
        try:
            tokenizer = AutoTokenizer.from_pretrained(place.source, **_options(place))
        except Exception as error:
            raise _refusal(path, place, "tokenizer", error) from None
    if place.gguf is not None:
        mend_digits(tokenizer, Path(place.source) / place.gguf)
    return tokenizer


def _module(path: str, place: _Place) -> PreTrainedModel:
    with _quiet():
        try:
            module = AutoModelForCausalLM.from_pretrained(place.source, dtype=torch.float32, **_options(place))
        except Exception as error:
            raise _refusal(path, place, "causal language model", error) from None
    if place.gguf is not None:
        forget_quantisation(module)
    return module


def _options(place: _Place) -> dict[str, Any]:
    options: dict[str, Any] = {"local_files_only": place.offline, "trust_remote_code": False}
    return options if place.gguf is None else {**options, "gguf_file": place.gguf}


def _refusal(path: str, place: _Place, what: str, error: Exception) -> Refused:
    if place.offline and not Path(place.source).is_dir():
        return Refused(
            f"{path}: not on this machine, and the hub cannot be reached (or HF_HUB_OFFLINE is set); "
            "download it where there is a network, or name a folder",
            key=KEY,
        )
    reason = " ".join(str(error).split())[:200] or type(error).__name__
    return Refused(f"{path}: cannot read its {what}: {reason}", key=KEY)


@contextmanager
def _quiet() -> Iterator[None]:
    """Reading a model without its progress bars and its notes; errors still speak."""
    bars, level = hf_logging.is_progress_bar_enabled(), hf_logging.get_verbosity()
    hf_logging.disable_progress_bar()
    hf_logging.set_verbosity_error()
    try:
        with warnings.catch_warnings():
            # numpy's notes on read-only buffers that the GGUF reader maps
            warnings.filterwarnings("ignore", message="The given NumPy array is not writable", category=UserWarning)
            yield
    finally:
        hf_logging.set_verbosity(level)
        if bars:
            hf_logging.enable_progress_bar()
