"""Preference losses, by name: from a recipe's words to a method, and from a method to words.

    method = build_preference("dpo", {"link": {"beta": 0.2}})
    method(Side(logp_B=..., tokens_B=..., ref_B=...), Side(...), pairs=2).value

Left out: what the records compute (preference_records.py, preference_axes.py), the recipe's grammar (recipe).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, cast

from verigrad.errors import Refused, nearest
from verigrad.losses.axis import chosen, parameters, told
from verigrad.losses.method import shown
from verigrad.losses.preference_axes import PREFERENCE_AXES
from verigrad.losses.preference_methods import PREFERENCES
from verigrad.losses.preference_records import PreferenceLoss, PreferenceMethod, Side

preferences = PREFERENCES

__all__ = ["PreferenceLoss", "PreferenceMethod", "Side", "build_preference", "describe_preference", "preferences"]


def build_preference(name: str, axes: Mapping[str, Any]) -> PreferenceMethod:
    """The method `name` with the axes a recipe changes: "word", {"name": "word", parameters} or {parameters}.

    >>> build_preference("dpo", {"link": {"beta": 0.2}}).link.beta
    0.2

    Raises:
        Refused: unknown method, axis, word or parameter, an axis the method does not have, wrong type, value out of
            range; `key` is the recipe's key path ("loss.link.beta").
    """
    if name not in PREFERENCES:
        raise Refused(f'unknown loss.method = "{name}"{nearest(name, PREFERENCES)}', key="loss.method")
    method = PREFERENCES[name]
    changed: dict[str, Any] = {}
    for axis, given in axes.items():
        if axis not in PREFERENCE_AXES:
            raise Refused(f"unknown key loss.{axis}{nearest(axis, PREFERENCE_AXES)}", key=f"loss.{axis}")
        if axis not in method.words:
            raise Refused(
                f"loss.{axis} is not a choice of {name}; it has {' and '.join(method.words)}", key=f"loss.{axis}"
            )
        changed[axis] = chosen(axis, method.words[axis], getattr(method, axis), given)
    return cast(PreferenceMethod, replace(cast(Any, method), **changed))


def describe_preference(method: PreferenceMethod) -> str:
    """What ran: "dpo", "dpo, changed: link.beta 0.1 -> 0.2", or the name the method has become."""
    own = PREFERENCES.get(method.name)
    for known in ([own] if own else []) + list(PREFERENCES.values()):
        if type(known) is type(method) and replace(cast(Any, known), name=method.name, source=method.source) == method:
            return known.name
    return f"{method.name}, changed: {', '.join(_diff(own, method))}" if own else method.name


def _diff(a: PreferenceMethod, b: PreferenceMethod) -> list[str]:
    changes: list[str] = []
    for axis in a.words:
        old, new = getattr(a, axis), getattr(b, axis)
        then, now = parameters(old), parameters(new)
        if old.word != new.word:
            with_what = ", ".join(f"{k} {shown(v)}" for k, v in told(new).items())
            changes.append(f"{axis} {old.word} -> {new.word}" + (f" ({with_what})" if with_what else ""))
        else:
            changes += [f"{axis}.{k} {shown(then[k])} -> {shown(now[k])}" for k in now if then[k] != now[k]]
    return changes
