"""Options of a reward part: declared by the kind they belong to, checked strictly, nearest name in the error."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from verigrad.errors import RecipeError, nearest


@dataclass(frozen=True, kw_only=True)
class Option:
    """One option a kind understands."""

    default: Any
    """Its value where the recipe does not say."""
    type: type | tuple[type, ...]
    """What its value must be; a whole number may stand for a float."""
    meaning: str
    """One line for a person."""


def checked(given: Mapping[str, Any], known: Mapping[str, Option], *, key: str, whose: str) -> dict[str, Any]:
    """All options with their values. Raises RecipeError for an unknown name or a wrong type."""
    values = {name: option.default for name, option in known.items()}
    for name, value in given.items():
        if name not in known:
            hint = nearest(name, known) or "; it has none"
            raise RecipeError(f"unknown option {key}.{name} of {whose}{hint}", key=f"{key}.{name}")
        values[name] = _typed(value, known[name], key=f"{key}.{name}")
    return values


def pays(value: Any, *, key: str) -> tuple[float, float]:
    """The two numbers of `pays` or `range`: what the low and the high end are paid. Raises RecipeError."""
    pair = tuple(value) if isinstance(value, (list, tuple)) else ()
    if len(pair) != 2 or not all(isinstance(v, (int, float)) and not isinstance(v, bool) for v in pair):
        raise RecipeError(f"{key} wants two numbers such as [0, 1], got {value!r}", key=key)
    if not float("-inf") < pair[0] < pair[1] < float("inf"):
        raise RecipeError(f"{key} = {list(pair)}: the second must be greater than the first", key=key)
    return float(pair[0]), float(pair[1])


def _typed(value: Any, option: Option, *, key: str) -> Any:
    types = option.type if isinstance(option.type, tuple) else (option.type,)
    if isinstance(value, tuple) and list in types:
        value = list(value)
    if float in types and isinstance(value, int) and not isinstance(value, bool):
        value = float(value)
    fits = isinstance(value, types) and (bool in types or not isinstance(value, bool))
    if fits and key.endswith(".seconds") and not 0 < value < float("inf"):
        raise RecipeError(f"{key} wants a number above 0, got {value!r}", key=key)
    if not fits:
        names = {
            int: "a whole number",
            float: "a number",
            bool: "true or false",
            str: "a text",
            list: "a list",
            dict: "a table",
        }
        wanted = " or ".join(names.get(t, t.__name__) for t in types)
        raise RecipeError(f"{key} wants {wanted}, got {value!r}", key=key)
    return value
