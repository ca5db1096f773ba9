"""Which device and which arithmetic: what "auto" means for `model.device` and `model.dtype`.

Left out: moving anything there.
"""

from __future__ import annotations

from pathlib import Path

import torch

from verigrad.errors import Refused

BF16_FLAGS = ("amx_bf16", "avx512_bf16", "bf16")
"""Processor flags as Linux names them (the last is Arm's) that mean products of bfloat16 numbers in hardware."""


def choose_device(word: str) -> torch.device:
    """The device `model.device` asks for; auto is cuda if there, else cpu. Raises Refused where it is not there."""
    if word == "auto":
        return torch.device("cuda" if torch.cuda.is_available() else "cpu")
    there = {"cpu": True, "cuda": torch.cuda.is_available(), "mps": torch.backends.mps.is_available()}
    if word not in there:
        raise Refused(f'model.device is "auto", "cpu", "cuda" or "mps", not "{word}"', key="model.device")
    if not there[word]:
        raise Refused(f'model.device = "{word}": this machine has none; say "auto" or "cpu"', key="model.device")
    return torch.device(word)


def choose_dtype(word: str, device: torch.device, *, cpuinfo: Path = Path("/proc/cpuinfo")) -> tuple[torch.dtype, str]:
    """The arithmetic `model.dtype` asks for on this device, and why (docs/design.md 6). Raises Refused."""
    named = {"float32": torch.float32, "bfloat16": torch.bfloat16}
    if word in named:
        return named[word], "as the recipe says"
    if word != "auto":
        raise Refused(f'model.dtype is "auto", "float32" or "bfloat16", not "{word}"', key="model.dtype")
    if device.type == "cuda":
        if torch.cuda.is_bf16_supported(including_emulation=False):
            return torch.bfloat16, "auto: CUDA with bfloat16 products"
        return torch.float32, "auto: this GPU has no bfloat16 products"
    if device.type == "cpu":
        flags = _cpu_flags(cpuinfo)
        for flag in BF16_FLAGS:
            if flag in flags:
                return torch.bfloat16, f"auto: this CPU multiplies bfloat16 ({flag})"
        return torch.float32, "auto: this CPU names no bfloat16 instructions"
    return torch.float32, f"auto: float32 on {device.type}"


def _cpu_flags(cpuinfo: Path) -> frozenset[str]:
    """Flags of the first processor; none where the system does not list them."""
    try:
        text = cpuinfo.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return frozenset()
    for line in text.splitlines():
        name, _, value = line.partition(":")
        if name.strip() in ("flags", "Features"):
            return frozenset(value.split())
    return frozenset()
