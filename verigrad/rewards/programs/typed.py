"""Plain Python values as JSON that keeps their types, and what it means that two of them are the same.

A list is an array; {"t"} tuple, {"s"} set, {"z"} frozenset, {"d"} dict as pairs, {"D"} a dict of `collections`, {"b"}
bytes, {"a"} bytearray, {"c"} complex, {"f"} nan and inf, {"i"} an int in hex, {"g"} an iterable that was asked to be
run through, {"o"} anything else, by its type's name: it equals nothing. What came out of a box is never made into sets
or dicts here, so nothing it holds can make hashing slow; comparing is by text.

Three rules of equality: "json" (exact type and value, but JSON writes no tuple and no key but text, so a tuple stands
for a list and the key 1 for "1"), "exact" (not even that), "python" (what == says between plain values). Left out: the
side in the box (in_box).
"""

from __future__ import annotations

import json
import math
from typing import Any, Literal

Wire = Any
"""A decoded JSON value of the form above."""
Rule = Literal["json", "exact", "python"]

MAX_DEPTH = 100
MAX_BYTES = 1 << 20
_SEQUENCES = ("t", "s", "z", "g")
_HUGE = 1 << 12000  # str() of more than 4300 digits is refused


class Malformed(ValueError):
    """What came back is no frame of this form."""


def parse(text: bytes) -> Wire:
    """The JSON value of a frame, checked by `check`. Raises Malformed."""
    if len(text) > MAX_BYTES:
        raise Malformed(f"more than {MAX_BYTES} bytes")
    try:
        return json.loads(text, parse_constant=_refuse)
    except (ValueError, RecursionError) as error:
        raise Malformed(f"no JSON: {str(error)[:80]}") from None


def check(wire: Wire, depth: int = 0) -> None:
    """Raises Malformed unless this is the form above, at most MAX_DEPTH deep (a dict is two arrays deep)."""
    if depth > 2 * MAX_DEPTH + 10:
        raise Malformed(f"nested deeper than {MAX_DEPTH}")
    if isinstance(wire, list):
        for item in wire:
            check(item, depth + 1)
    elif isinstance(wire, dict):
        if len(wire) != 1:
            raise Malformed("a tag of several keys")
        ((tag, inside),) = wire.items()
        if tag in _SEQUENCES and isinstance(inside, list):
            check(inside, depth + 1)
        elif tag in ("d", "D") and isinstance(inside, list):
            for pair in inside:
                if not isinstance(pair, list) or len(pair) != 2:
                    raise Malformed("an entry that is no pair")
                check(pair, depth + 1)
        elif tag == "c":
            if not (isinstance(inside, list) and len(inside) == 2 and all(_is_float(x) for x in inside)):
                raise Malformed("no complex number")
        elif tag == "i" or tag == "b" or tag == "a":
            _scalar(wire)
        elif not (tag == "f" and inside in ("nan", "inf", "-inf")) and not (tag == "o" and isinstance(inside, str)):
            raise Malformed("an unknown tag")


def wire(value: Any, depth: int = 0) -> Wire:
    """A plain value of this process in the form above; {"o"} for anything else."""
    if depth > MAX_DEPTH:
        return {"o": f"nested deeper than {MAX_DEPTH}"}
    kind = type(value)
    if value is None or kind in (bool, str):
        return value
    if kind is int:
        return value if -_HUGE < value < _HUGE else {"i": hex(value)}
    if kind is float:
        return value if math.isfinite(value) else {"f": repr(value)}
    if kind is complex:
        return {"c": [wire(value.real), wire(value.imag)]}
    if kind in (bytes, bytearray):
        return {"b" if kind is bytes else "a": value.hex()}
    if kind is list:
        return [wire(item, depth + 1) for item in value]
    if kind is dict:
        return {"d": [[wire(k, depth + 1), wire(v, depth + 1)] for k, v in value.items()]}
    tag = "t" if kind is tuple else "s" if kind is set else "z" if kind is frozenset else None
    return {tag: [wire(item, depth + 1) for item in value]} if tag else {"o": kind.__name__}


def value(wire: Wire) -> Any:
    """The value itself. Raises Malformed for {"o"}. Only in a killable worker for what came out of a box."""
    if isinstance(wire, list):
        return [value(item) for item in wire]
    if not isinstance(wire, dict):
        return wire
    ((tag, inside),) = wire.items()
    if tag == "o":
        raise Malformed(f"{inside} is no plain value")
    if tag in ("d", "D"):
        return {value(k): value(v) for k, v in inside}
    if tag in _SEQUENCES:
        of = {"t": tuple, "s": set, "z": frozenset, "g": list}[tag]
        return of(value(item) for item in inside)
    return _scalar(wire)


def is_plain(wire: Wire) -> bool:
    """Nothing in it is {"o"}."""
    if isinstance(wire, list):
        return all(is_plain(item) for item in wire)
    return not isinstance(wire, dict) or ("o" not in wire and all(is_plain(item) for item in wire.values()))


def canonical(wire: Wire, rule: Rule) -> str | None:
    """A text that two values share iff they are the same by `rule`; None where it equals nothing."""
    if isinstance(wire, dict):
        ((tag, inside),) = wire.items()
        if tag == "o":
            return None
        if tag in ("d", "D"):
            pairs = [(_key(k, rule), canonical(v, rule)) for k, v in inside]
            if any(k is None or v is None for k, v in pairs):
                return None
            name = tag if rule == "exact" else "d"
            return name + "{" + ",".join(sorted(f"{k}:{v}" for k, v in pairs)) + "}"
        if tag in _SEQUENCES:
            return _sequence(tag, inside, rule)
        return _number(_scalar(wire), rule)
    if isinstance(wire, list):
        return _sequence("l", wire, rule)
    return json.dumps(wire) if wire is None or isinstance(wire, str) else _number(wire, rule)


def same(out: Wire, want: Wire, *, rule: Rule = "exact", tolerance: float | None = None, ordered: bool = True) -> bool:
    """Whether a value that came back is the one wanted.

    `tolerance`: numbers may differ by that much (or by a relative 1e-9 where that is more and the tolerance allows
    it); `ordered` False: a sequence of the same items in any order.
    """
    if not ordered:
        got, wanted = _items(out), _items(want)
        if got is None or wanted is None or len(got) != len(wanted):
            return False
        pairs = zip(_sorted(got, rule), _sorted(wanted, rule), strict=True)
        return all(same(a, b, rule=rule, tolerance=tolerance) for a, b in pairs)
    if tolerance is not None:
        return _close(out, want, rule, tolerance)
    text = canonical(out, rule)
    return text is not None and text == canonical(want, rule)


def said(wire: Wire) -> str:
    """At most 80 characters that show it to a person."""
    return " ".join(json.dumps(wire, ensure_ascii=True).split())[:80]


def _sequence(tag: str, inside: list[Wire], rule: Rule) -> str | None:
    items = [canonical(item, rule) for item in inside]
    if any(item is None for item in items):
        return None
    unordered = tag in ("s", "z")
    if tag == "g" or (tag == "t" and rule == "json"):
        tag = "l"
    if tag == "z" and rule == "python":
        tag = "s"
    texts = [item for item in items if item is not None]
    return tag + "[" + ",".join(sorted(texts) if unordered else texts) + "]"


def _key(wire: Wire, rule: Rule) -> str | None:
    if rule == "json" and isinstance(wire, int) and not isinstance(wire, bool):
        return json.dumps(str(wire))
    return canonical(wire, rule)


def _number(number: Any, rule: Rule) -> str | None:
    if isinstance(number, (bytes, bytearray)):
        name = "b" if rule == "python" else type(number).__name__
        return f"{name}:{number.hex()}"
    if isinstance(number, float) and math.isnan(number):
        return None if rule == "python" else "float:nan"
    if isinstance(number, complex):
        if rule == "python" and number.imag == 0:
            return _number(number.real, rule)
        real, imag = _number(number.real, rule), _number(number.imag, rule)
        return None if real is None or imag is None else f"complex:{real}:{imag}"
    if rule == "python":
        number = int(number) if not isinstance(number, float) or number.is_integer() else number
        return f"{number:#x}" if isinstance(number, int) else repr(number)
    if isinstance(number, float):
        return f"float:{number + 0.0!r}"  # -0.0 is 0.0
    return f"{type(number).__name__}:{number:#x}"


def _scalar(wire: dict[str, Any]) -> Any:
    ((tag, inside),) = wire.items()
    try:
        if tag == "i":
            return int(inside, 16)
        if tag == "f":
            return float(inside)
        if tag == "c":
            return complex(*(float(x["f"]) if isinstance(x, dict) else x for x in inside))
        return bytes.fromhex(inside) if tag == "b" else bytearray.fromhex(inside)
    except (ValueError, TypeError) as error:
        raise Malformed(str(error)[:80]) from None


def _close(out: Wire, want: Wire, rule: Rule, tolerance: float) -> bool:
    a, b = _real(out, rule), _real(want, rule)
    if a is not None and b is not None:
        try:
            if math.isnan(a) or math.isnan(b):
                return math.isnan(a) and math.isnan(b)
            if math.isinf(a) or math.isinf(b):
                return a == b
            return abs(a - b) <= max(tolerance, min(tolerance, 1e-9) * abs(b))
        except OverflowError:
            return a == b
    if isinstance(want, dict) and ("d" in want or "D" in want):
        got = next((out[tag] for tag in ("d", "D") if isinstance(out, dict) and tag in out), None)
        wanted = want["d"] if "d" in want else want["D"]
        if got is None or len(got) != len(wanted):
            return False
        by_key = {_key(k, rule): v for k, v in got}
        return len(by_key) == len(got) and all(
            (key := _key(k, rule)) in by_key and _close(by_key[key], v, rule, tolerance) for k, v in wanted
        )
    got, wanted = _items(out), _items(want)
    if got is None or wanted is None:
        return same(out, want, rule=rule)
    if _shape(out, rule) != _shape(want, rule) or len(got) != len(wanted):
        return False
    if _shape(want, rule) == "s":
        got, wanted = _sorted(got, rule), _sorted(wanted, rule)
    return all(_close(a, b, rule, tolerance) for a, b in zip(got, wanted, strict=True))


def _shape(wire: Wire, rule: Rule) -> str:
    tag = "l" if isinstance(wire, list) else next(iter(wire))
    if tag == "g" or (tag == "t" and rule == "json"):
        return "l"
    return "s" if tag == "z" and rule == "python" else tag


def _items(wire: Wire) -> list[Wire] | None:
    if isinstance(wire, list):
        return wire
    return next((wire[tag] for tag in _SEQUENCES if tag in wire), None) if isinstance(wire, dict) else None


def _sorted(items: list[Wire], rule: Rule) -> list[Wire]:
    """Numbers by value, so that nearly equal ones meet; then the rest by text."""
    reals = sorted((x for x in items if _sortable(x, rule)), key=lambda x: _real(x, rule) or 0)
    rest = sorted((x for x in items if not _sortable(x, rule)), key=lambda x: canonical(x, rule) or "")
    return reals + rest


def _sortable(wire: Wire, rule: Rule) -> bool:
    real = _real(wire, rule)
    return real is not None and not (isinstance(real, float) and math.isnan(real))


def _real(wire: Wire, rule: Rule) -> int | float | None:
    if isinstance(wire, bool):
        return None if rule == "exact" else int(wire)
    if isinstance(wire, (int, float)):
        return wire
    if isinstance(wire, dict) and ("i" in wire or "f" in wire):
        number: int | float = _scalar(wire)
        return number
    return None


def _is_float(wire: Wire) -> bool:
    return isinstance(wire, float) or (isinstance(wire, dict) and wire.get("f") in ("nan", "inf", "-inf"))


def _refuse(constant: str) -> None:
    raise Malformed(f"the literal {constant}")
