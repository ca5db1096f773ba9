"""Whether two runs are the same: weights, metrics.jsonl, rollouts without `seconds` (docs/design.md 8).

What a resumed run must reproduce bit for bit; also what a reader wants to know of two runs of one recipe. Left out:
everything with a clock in it.
"""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any

from verigrad.store import codec, files
from verigrad.store.run_directory import RunDirectory

_WEIGHTS = ("*.safetensors", "*.bin", "*.pt", "*.npz", "*.npy")


def compare_runs(a: Path | str, b: Path | str) -> list[str]:
    """Every difference as one line; [] where the runs are equal.

    Compared are the weights files of `model/`, `adapter/`, of every stage's and every checkpoint's folders by SHA-256,
    metrics.jsonl value by value, and the stored rollouts field by field without the verdicts' `seconds`.
    """
    one, two = RunDirectory.read(a), RunDirectory.read(b)
    return [*_weights(one.folder, two.folder), *_metrics(one, two), *_rollouts(one, two)]


def _weights(a: Path, b: Path) -> list[str]:
    mine, yours = _hashes(a), _hashes(b)
    lines = [_missing(name, name in mine, a, b) for name in sorted(mine.keys() ^ yours.keys())]
    return lines + [
        f"{name}: the weights differ" for name in sorted(mine.keys() & yours.keys()) if mine[name] != yours[name]
    ]


def _hashes(folder: Path) -> dict[str, str]:
    found: dict[str, str] = {}
    steps = [p for kind in ("model", "adapter") for p in folder.glob(f"[0-9][0-9]_*/checkpoints/step_*/{kind}")]
    for where in (folder / "model", folder / "adapter", *steps):
        for pattern in _WEIGHTS:
            for path in where.rglob(pattern):
                with open(path, "rb") as handle:
                    found[str(path.relative_to(folder))] = hashlib.file_digest(handle, "sha256").hexdigest()
    return found


def _metrics(a: RunDirectory, b: RunDirectory) -> list[str]:
    mine, yours = a.read_metrics(), b.read_metrics()
    lines = []
    if len(mine) != len(yours):
        lines.append(f"metrics.jsonl: {len(mine)} lines and {len(yours)}")
    for n, (x, y) in enumerate(zip(mine, yours, strict=False), 1):
        for key in sorted(x.keys() | y.keys()):
            if codec.line_of(x.get(key)) != codec.line_of(y.get(key)) or (key in x) != (key in y):
                lines.append(f"metrics.jsonl:{n}: {key} is {x.get(key)!r} and {y.get(key)!r}")
    return lines


def _rollouts(a: RunDirectory, b: RunDirectory) -> list[str]:
    mine, yours = _step_files(a.folder), _step_files(b.folder)
    lines = [_missing(name, name in mine, a.folder, b.folder) for name in sorted(mine ^ yours)]
    for name in sorted(mine & yours):
        x = [codec.without_seconds(v) for v in files.unpack(a.folder / name)]
        y = [codec.without_seconds(v) for v in files.unpack(b.folder / name)]
        if len(x) != len(y):
            lines.append(f"{name}: {len(x)} groups and {len(y)}")
        for n, (g, h) in enumerate(zip(x, y, strict=False)):
            if codec.line_of(g) != codec.line_of(h):
                lines.append(f"{name}: group {n} differs at {_where(g, h)[1:]}")
    return lines


def _step_files(folder: Path) -> set[str]:
    return {str(p.relative_to(folder)) for p in folder.glob("[0-9][0-9]_*/rollouts/step_*.jsonl.zst")}


def _missing(name: str, in_first: bool, a: Path, b: Path) -> str:
    return f"{name}: only in {a if in_first else b}"


def _where(x: Any, y: Any) -> str:
    """Path and values of the first difference of two stored values: `members.2.reward: 1.0 and 0.0`."""
    if isinstance(x, dict) and isinstance(y, dict) and x.keys() == y.keys():
        key: Any = next(k for k in x if codec.line_of(x[k]) != codec.line_of(y[k]))
    elif isinstance(x, list) and isinstance(y, list) and len(x) == len(y):
        key = next(i for i in range(len(x)) if codec.line_of(x[i]) != codec.line_of(y[i]))
    else:
        return f": {x!r:.60} and {y!r:.60}"
    return f".{key}{_where(x[key], y[key])}"
