"""The strict types of a recipe's values, each with the words it is asked for in. Left out: which key has which.

A value that does not fit raises pydantic's error of type "wants" whose context holds the phrase; `typed` makes the
line of it. Nothing is converted but a whole number where a number is wanted, and a list to a tuple.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Annotated, Any, TypeAlias

from pydantic import BeforeValidator
from pydantic_core import PydanticCustomError

Check: TypeAlias = Callable[..., Any]
"""A user's function, where the recipe is written in Python."""


def refuse(wants: str) -> PydanticCustomError:
    """The error of a value that is not what its key wants."""
    return PydanticCustomError("wants", "wants {wants}", {"wants": wants})


def wants(phrase: str, fits: Callable[[Any], bool]) -> BeforeValidator:
    """A validator that refuses, in these words, what does not fit."""

    def check(value: Any) -> Any:
        if not fits(value):
            raise refuse(phrase)
        return value

    return BeforeValidator(check)


def is_whole(value: Any) -> bool:
    """A whole number; true and false are none."""
    return isinstance(value, int) and not isinstance(value, bool)


def is_number(value: Any) -> bool:
    """A finite number; true and false are none."""
    try:
        return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)
    except OverflowError:
        return False


def whole(low: int, *, high: int | None = None, hint: str = "") -> BeforeValidator:
    """A whole number in [low, high]. Of another type it is refused as such, out of range with the range."""
    reach = f"of at least {low}" if high is None else f"from {low} to {high}"

    def check(value: Any) -> Any:
        if not is_whole(value):
            raise refuse("a whole number")
        if value < low or (high is not None and value > high):
            raise refuse(f"a whole number {reach}{hint}")
        return value

    return BeforeValidator(check)


def number(phrase: str, fits: Callable[[float], bool]) -> BeforeValidator:
    """A finite number that fits; a whole number is taken as one. `phrase` says the range: "above 0"."""

    def check(value: Any) -> float:
        if not is_number(value):
            raise refuse("a number")
        if not fits(value):
            raise refuse(f"a number {phrase}")
        return float(value)

    return BeforeValidator(check)


def word(*allowed: str) -> BeforeValidator:
    """One of these texts."""
    quoted = [f'"{a}"' for a in allowed]
    phrase = quoted[0] if len(quoted) == 1 else f"{', '.join(quoted[:-1])} or {quoted[-1]}"
    return wants(phrase, lambda v: isinstance(v, str) and v in allowed)


def texts(phrase: str, fits: Callable[[str], bool] = bool) -> BeforeValidator:
    """A text or a list of texts, as a tuple."""

    def check(value: Any) -> tuple[str, ...]:
        listed = [value] if isinstance(value, str) else value
        if not isinstance(listed, list | tuple) or not all(isinstance(v, str) and fits(v) for v in listed):
            raise refuse(phrase)
        return tuple(listed)

    return BeforeValidator(check)


def _is_axis(value: Any) -> bool:
    return (isinstance(value, str) and value != "") or isinstance(value, Mapping)


Whole = Annotated[int, wants("a whole number", is_whole)]
Count = Annotated[int, whole(1)]
CountOrNone = Annotated[int, whole(0)]
Positive = Annotated[float, number("above 0", lambda v: v > 0)]
NotNegative = Annotated[float, number("of at least 0", lambda v: v >= 0)]
Share = Annotated[float, number("from 0 to 1", lambda v: 0 <= v <= 1)]
Probability = Annotated[float, number("between 0 and 1", lambda v: 0 < v < 1)]
Flag = Annotated[bool, wants("true or false", lambda v: isinstance(v, bool))]
Text = Annotated[str, wants("a text", lambda v: isinstance(v, str) and v != "")]
Named = Annotated[str | Check, wants("a text", lambda v: (isinstance(v, str) and v != "") or callable(v))]
Options = Annotated[Mapping[str, Any], wants("a table { ... }", lambda v: isinstance(v, Mapping))]
Axis = Annotated[str | Mapping[str, Any], wants("a word or { name = word, parameters }", _is_axis)]


def described(value: Any) -> str:
    """What a wrong value is, for the end of a refusal: `the text "8"`, `1.5`, `a list`."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        short = value if len(value) <= 60 else value[:57] + "..."
        return f'the text "{short}"' if value else "an empty text"
    if isinstance(value, int | float):
        shown = repr(value) if not isinstance(value, int) or abs(value) < 10**20 else "a number beyond 20 digits"
        return shown
    if isinstance(value, Mapping):
        return "a table"
    if isinstance(value, list | tuple):
        return "a list"
    return "a function" if callable(value) else f"a {type(value).__name__}"
