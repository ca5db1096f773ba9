"""From a recipe's words to a Method, and from a Method to words.

Left out: the recipe's own grammar (recipe), which hands over only the axes its author wrote.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from verigrad.errors import Refused, nearest
from verigrad.losses import aggregations, baselines, clips, entropies, keeps, kls, mismatches, ratios, scales
from verigrad.losses.axis import AxisValue, chosen
from verigrad.losses.method import AXES, Method, diff
from verigrad.losses.methods import METHODS

WORDS: Mapping[str, tuple[type[AxisValue], ...]] = {
    "baseline": baselines.WORDS,
    "scale": scales.WORDS,
    "ratio": ratios.WORDS,
    "clip": clips.WORDS,
    "aggregation": aggregations.WORDS,
    "kl": kls.WORDS,
    "keep": keeps.WORDS,
    "mismatch": mismatches.WORDS,
    "entropy": entropies.WORDS,
}


def build(name: str, axes: Mapping[str, Any]) -> Method:
    """The method `name` with the axes a recipe changes: "word", {"name": "word", parameters} or {parameters}.

    >>> build("dr_grpo", {"clip": {"high": 0.28}}).clip
    Pessimistic(low=0.2, high=0.28, dual=None)

    Raises:
        Refused: unknown method, axis, word or parameter, wrong type, value out of range, choices that do not go
            together; `key` is the recipe's key path.
    """
    method = named(name)
    changed: dict[str, Any] = {}
    for axis, given in axes.items():
        if axis not in WORDS:
            raise Refused(f"unknown key loss.{axis}{nearest(axis, WORDS)}", key=f"loss.{axis}")
        changed[axis] = chosen(axis, WORDS[axis], getattr(method, axis), given)
    return replace(method, **changed)


def named(name: str) -> Method:
    """The method of this name as it stands. Raises Refused with key "loss.method"."""
    if name not in METHODS:
        raise Refused(f'unknown loss.method = "{name}"{nearest(name, METHODS)}', key="loss.method")
    return METHODS[name]


def sets_elsewhere(name: str) -> Mapping[str, Any]:
    """Recipe key -> value that the method sets outside [loss]: {"reward.*.options.pays": [-1, 1], ...} for dapo.

    `reward.*` is every verifier part that does not say it; `reward.+` a part appended unless one with that shaping
    exists. Raises as `named`.
    """
    return dict(named(name).elsewhere)


def describe(method: Method) -> str:
    """What ran: "grpo", "dr_grpo, changed: clip.high 0.2 -> 0.28", or the name the method has become."""
    own = METHODS.get(method.name)
    for known in ([own] if own else []) + list(METHODS.values()):
        if same(known, method):
            return known.name
    return f"{method.name}, changed: {', '.join(diff(own, method))}" if own else method.name


def same(a: Method, b: Method) -> bool:
    """Equal on every axis, whatever they are called."""
    return a.gamma == b.gamma and all(getattr(a, axis) == getattr(b, axis) for axis in AXES)
