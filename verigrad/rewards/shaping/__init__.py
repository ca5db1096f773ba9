"""Shaping: what an answer is paid for besides being right. One kind a file; a new one is a new file.

Such a module gives `OPTIONS` and `payer(values, setting) -> Pay`, and opens with what it pays. Every part is weighted,
gated and logged on its own (compose), so that a policy that earns from shaping alone is seen: `reward/part/NAME` rises
while `reward/right` does not. Left out: judging (verifiers), functions of the user's (paying).
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable, Mapping
from typing import Any, Protocol, cast

from verigrad.errors import RecipeError, nearest
from verigrad.rewards.options import Option
from verigrad.rewards.shaping.setting import Pay, Setting

_NO_KINDS = ("setting",)
OWN_OPTIONS: Mapping[str, Option] = {
    "seconds": Option(default=10.0, type=float, meaning="an answer not shaped by then is paid the low end"),
    "range": Option(
        default=(0.0, 1.0), type=(list, tuple), meaning="lowest and highest number the function may return"
    ),
    "gold_as": Option(
        default="{gold}", type=str, meaning="the gold as an answer, to tell a broken function from an answer"
    ),
}


class Shaping(Protocol):
    """What a module in this package gives."""

    OPTIONS: Mapping[str, Option]
    payer: Callable[[Mapping[str, Any], Setting], Pay]


def shapings() -> tuple[str, ...]:
    """Names of all kinds, by listing this package."""
    return tuple(sorted(m.name for m in pkgutil.iter_modules(__path__) if m.name not in _NO_KINDS))


def shaping_of(name: str, *, key: str = "reward.shaping") -> Shaping:
    """The module of that kind. Raises RecipeError for an unknown one."""
    if name not in shapings():
        raise RecipeError(f'{key} = "{name}" is unknown{nearest(name, shapings())}', key=key)
    return cast(Shaping, importlib.import_module(f"{__name__}.{name}"))
