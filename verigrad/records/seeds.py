"""Seeds and uniform numbers: every random choice of a run is a hash of what it is for.

A seed is never a sum (neighbouring seeds of summed schemes share their draws), and no room derives another
room's seed: it is handed over in the request. Left out: generators with state.
"""

from __future__ import annotations

import hashlib
import json

import numpy as np
from numpy.typing import NDArray

_GOLDEN = np.uint64(0x9E3779B97F4A7C15)
_M1 = np.uint64(0xBF58476D1CE4E5B9)
_M2 = np.uint64(0x94D049BB133111EB)


def seed(purpose: str, *parts: object) -> int:
    """A 64-bit unsigned integer that depends on the purpose and on every part, in order.

    Parts are JSON values (str, int, float, bool, None, lists, dicts); `1` and `"1"` differ.
    >>> seed("draw", 0, 1, 7, "a", 0) == seed("draw", 0, 1, 7, "a", 1)
    False
    """
    text = json.dumps([purpose, *parts], sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    return int.from_bytes(hashlib.blake2b(text.encode(), digest_size=8).digest(), "big")


def uniforms(seeds_B: np.ndarray, t_B: np.ndarray | int) -> np.ndarray:
    """Uniform numbers in [0, 1) for token `t` of each draw: [B] float64.

    `seeds_B` [B] uint64; `t_B` [B] or one number, the token's index in its answer. Counter-based (SplitMix64, Steele,
    Lea and Flood 2014, finaliser applied twice so that neighbouring seeds and tokens are unrelated), so a token's
    number does not depend on the batch it was drawn in.
    """
    with np.errstate(over="ignore"):
        z = _mix(np.asarray(seeds_B, dtype=np.uint64)) + _GOLDEN * (np.asarray(t_B, dtype=np.uint64) + np.uint64(1))
        return (_mix(z) >> np.uint64(11)).astype(np.float64) * 2.0**-53


def uniform(seed_: int, t: int) -> float:
    """The uniform number of token `t` of one draw; see `uniforms`."""
    return float(uniforms(np.array([seed_], dtype=np.uint64), t)[0])


def _mix(z: NDArray[np.uint64]) -> NDArray[np.uint64]:
    z = (z ^ (z >> np.uint64(30))) * _M1
    z = (z ^ (z >> np.uint64(27))) * _M2
    return z ^ (z >> np.uint64(31))
