"""`sampling.options` of the local engine: { rows, cache_gb, dtype }, and top_p, top_k where they are off."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import torch

from verigrad.errors import Refused, nearest

ROWS = 128
"""Answers in one forward: a CPU's products gain little beyond."""
CACHE_GB = 2.0
"""Memory for keys and values."""
DTYPES = {"float32": torch.float32, "bfloat16": torch.bfloat16}


def read_options(options: Mapping[str, Any]) -> dict[str, Any]:
    """Arguments of LocalSampler. Raises Refused, with the recipe's key, for what it does not know."""
    for name, off in (("top_p", (False, "off", 1)), ("top_k", (False, "off", 0, -1))):
        if options.get(name, False) not in off:
            raise Refused(
                f"sampling.options.{name}: the local engine draws from the whole distribution; leave it out",
                key=f"sampling.options.{name}",
            )
    for name in options:
        if name not in ("rows", "cache_gb", "dtype", "top_p", "top_k"):
            raise Refused(
                f"unknown option sampling.options.{name} of the local engine"
                + nearest(name, ["rows", "cache_gb", "dtype"]),
                key=f"sampling.options.{name}",
            )
    rows, cache_gb, dtype = options.get("rows", ROWS), options.get("cache_gb", CACHE_GB), options.get("dtype", "auto")
    if isinstance(rows, bool) or not isinstance(rows, int):
        raise Refused(f"sampling.options.rows wants a whole number, got {rows!r}", key="sampling.options.rows")
    if isinstance(cache_gb, bool) or not isinstance(cache_gb, int | float) or not cache_gb > 0:
        raise Refused(
            f"sampling.options.cache_gb wants a number above 0, got {cache_gb!r}", key="sampling.options.cache_gb"
        )
    if dtype not in (*DTYPES, "auto"):
        raise Refused(
            f'sampling.options.dtype is "float32", "bfloat16" or "auto" (the model\'s), got {dtype!r}',
            key="sampling.options.dtype",
        )
    return {"rows": rows, "cache_gb": float(cache_gb), "dtype": DTYPES.get(dtype)}
