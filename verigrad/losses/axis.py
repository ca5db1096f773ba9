"""What every axis value has in common: how a recipe's table becomes a frozen record, and how bad values are refused.

An axis value is a frozen record with two class constants, `axis` ("clip") and `word` ("pessimistic"). Its fields are
its parameters. Left out: what the values compute (one file an axis) and which methods choose them (methods.py).
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import MISSING, dataclass, field, fields, replace
from types import UnionType
from typing import Any, ClassVar, Literal, Union, get_args, get_origin, get_type_hints

from verigrad.errors import Refused, nearest


@dataclass(frozen=True, kw_only=True)
class AxisValue:
    """Base of the records of every axis."""

    axis: ClassVar[str]
    word: ClassVar[str]

    @classmethod
    def key(cls, parameter: str) -> str:
        """The recipe key path of one parameter: "loss.clip.high"."""
        return f"loss.{cls.axis}.{said(parameter)}"

    def in_range(
        self,
        parameter: str,
        *,
        low: int | float = -math.inf,
        high: int | float = math.inf,
        above: int | float = -math.inf,
    ) -> None:
        """Refuses a parameter that is not finite, or not in [low, high], or not above `above`. None is let through."""
        value = getattr(self, parameter)
        if value is None:
            return
        if not math.isfinite(value) or not low <= value <= high or not value > above:
            wants = [f"above {above:g}"] if above > -math.inf else [f"at least {low:g}"] if low > -math.inf else []
            wants += [f"at most {high:g}"] if high < math.inf else []
            text = " and ".join(wants) or "finite"
            raise Refused(
                f"{self.key(parameter)} is {value:g}; it must be {text}",
                key=self.key(parameter),
            )


def said(parameter: str) -> str:
    """A field as a recipe writes it: "lambda" for `lambda_`, which Python keeps for itself."""
    return parameter.rstrip("_")


def parameters(value: AxisValue) -> dict[str, Any]:
    """Parameter, as a recipe writes it -> value, in declared order."""
    return {said(f.name): getattr(value, f.name) for f in fields(value)}


def quiet(default: Any) -> Any:
    """A field that output names only where it is not its default: a switch that is off and what hangs on it."""
    return field(default=default, metadata={"quiet": True})


def told(value: AxisValue) -> dict[str, Any]:
    """The parameters worth a reader's line: not none, and no quiet one at its default."""
    hidden = {said(f.name) for f in fields(value) if f.metadata.get("quiet") and getattr(value, f.name) == f.default}
    return {name: v for name, v in parameters(value).items() if v is not None and name not in hidden}


def chosen(
    axis: str,
    words: Sequence[type[AxisValue]],
    current: AxisValue,
    given: Any,
) -> AxisValue:
    """The axis value a recipe asks for.

    `given` is "word", {"name": "word", parameters} or {parameters}; without a name the method's word stays, and where
    the word stays so do its other parameters. A method whose word is "none" takes the axis's only other word, if there
    is just one.

    Raises:
        Refused: unknown word or parameter, wrong type, value out of range; key "loss.clip" or "loss.clip.high".
    """
    where = f"loss.{axis}"
    by_word = {w.word: w for w in words}
    if isinstance(given, str):
        name, values = given, dict[str, Any]()
    elif isinstance(given, Mapping):
        values = dict(given)
        others = [w for w in by_word if w != "none"]
        stays = others[0] if current.word == "none" and len(others) == 1 else current.word
        name = values.pop("name", stays)
        if not isinstance(name, str):
            raise Refused(f"{where}.name wants text, got {name!r}", key=f"{where}.name")
    else:
        raise Refused(f"{where} wants a word or a table of its parameters, got {given!r}", key=where)
    if name not in by_word:
        raise Refused(f'unknown {where} = "{name}"{nearest(name, by_word)}', key=where)
    kind = by_word[name]
    hints = get_type_hints(kind)
    known = {said(f.name): f.name for f in fields(kind)}
    typed: dict[str, Any] = {}
    for parameter, value in values.items():
        if parameter not in known:
            named = isinstance(given, Mapping) and "name" in given
            takes = [w for w, k in by_word.items() if parameter in {said(f.name) for f in fields(k)}]
            if name == current.word and not named and (takes or not known):
                of = f'of "{name}"' if known else f': the method\'s word "{name}" takes no parameters'
                hint = f"; say {axis} = {{ name = {_toml(takes[0])}, {parameter} = {_toml(value)} }}" if takes else ""
                gap = " " if known else ""
                raise Refused(f"unknown key {where}.{parameter}{gap}{of}{hint}", key=f"{where}.{parameter}")
            hint = nearest(parameter, known) or "; it takes no parameters"
            raise Refused(f'unknown key {where}.{parameter} of "{name}"{hint}', key=f"{where}.{parameter}")
        typed[known[parameter]] = _typed(f"{where}.{parameter}", hints[known[parameter]], value)
    if name == current.word:
        return replace(current, **typed)
    for parameter, own in known.items():
        if next(f for f in fields(kind) if f.name == own).default is MISSING and own not in typed:
            raise Refused(
                f'{where} = "{name}" needs {parameter}: {axis} = {{ name = "{name}", {parameter} = ... }}',
                key=f"{where}.{parameter}",
            )
    return kind(**typed)


def _typed(key: str, hint: Any, value: Any) -> Any:
    """`value` if it is of the field's type (a whole number may stand for a number, true and false may not)."""
    if get_origin(hint) in (Union, UnionType):
        options = get_args(hint)
        if value in (None, "none") and type(None) in options:  # TOML has no null; "none" is how output writes it
            return None
        hint = next(o for o in options if o is not type(None))
    if get_origin(hint) is Literal:
        if value not in get_args(hint) or not isinstance(value, str):
            raise Refused(f"{key} is one of {', '.join(get_args(hint))}, not {_shown(value)}", key=key)
        return value
    if hint is bool and isinstance(value, bool):
        return value
    if hint is int and isinstance(value, int) and not isinstance(value, bool):
        return value
    if hint is float and isinstance(value, (int, float)) and not isinstance(value, bool):
        return float(value)
    wants = {bool: "true or false", int: "a whole number", float: "a number"}[hint]
    raise Refused(f"{key} wants {wants}, got {_shown(value)}", key=key)


def _toml(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    return f'"{value}"' if isinstance(value, str) else str(value)


def _shown(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    return f'the text "{value}"' if isinstance(value, str) else repr(value)
