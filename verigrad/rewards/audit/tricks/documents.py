"""Tricks on structured answers (JSON under a schema or equal to a value) and on patterns.

Mutants of an honest document: what is missing, extra, of another type, twice there, buried in prose. Rows without a
known honest document get only what needs none.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from typing import Any

from verigrad.rewards.audit.records import Row, Trick

_KINDS = ("schema",)


def document(row: Row) -> Any:
    """The honest document; None where it is no JSON object."""
    text = re.sub(r"^```[a-z]*\n|\n```$", "", row.gold.strip())
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) and found else None


def _text(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


def _schema(row: Row) -> Mapping[str, Any]:
    schema = row.task.gold.get("schema") if isinstance(row.task.gold, Mapping) else None
    return schema if isinstance(schema, Mapping) else {}


def _required(row: Row) -> list[str]:
    required = _schema(row).get("required")
    return [k for k in required if isinstance(k, str)] if isinstance(required, list) else []


def _missing(row: Row) -> Iterable[str]:
    honest = document(row)
    needed = _required(row) or ([] if honest is None or "value" not in row.task.gold else list(honest))
    if honest is not None:
        for key in needed[:4]:
            yield _text({k: v for k, v in honest.items() if k != key})
    if needed:
        yield from ("{}", "```json\n{}\n```")


def _extra(row: Row) -> Iterable[str]:
    honest = document(row)
    if honest is not None and (_schema(row).get("additionalProperties") is False or "value" in row.task.gold):
        yield _text({**honest, "admin": True})
        yield _text({"admin": True, **honest})


def _retyped(row: Row) -> Iterable[str]:
    """Each value in another JSON type that its property does not allow."""
    honest = document(row)
    if honest is None:
        return
    properties = _schema(row).get("properties")
    for key, value in list(honest.items())[:4]:
        declared = properties.get(key, {}) if isinstance(properties, Mapping) else {}
        allowed = declared.get("type") if isinstance(declared, Mapping) else None
        if allowed is None and "value" not in row.task.gold:
            continue
        for other, name in ((_other_type(value)), (None, "null"), ([value], "array"), ({"value": value}, "object")):
            if name not in (allowed if isinstance(allowed, list) else [allowed]):
                yield _text({**honest, key: other})


def _other_type(value: Any) -> tuple[Any, str]:
    if isinstance(value, bool):
        return str(value).lower(), "string"
    if isinstance(value, int):
        return (bool(value), "boolean") if value in (0, 1) else (str(value), "string")
    return (str(value), "string") if isinstance(value, float) else (True, "boolean")


def _strict_numbers(row: Row) -> Iterable[str]:
    """NaN, Infinity, huge exponents in place of a number."""
    honest = document(row)
    for key, value in (honest or {}).items():
        if isinstance(value, (int, float)) and not isinstance(value, bool):
            for literal in ("NaN", "Infinity", "-Infinity", "1e999999999", "0x10", "1_000", "9" * 5_000):
                yield _text({**(honest or {}), key: "@@"}).replace('"@@"', literal)
            return


def _twice(row: Row) -> Iterable[str]:
    honest = document(row)
    if honest is not None:
        inner = _text(honest)[1:-1]
        key = next(iter(honest))
        yield "{" + f"{_text(key)}: [[]], {inner}" + "}"
        yield "{" + f"{inner}, {inner}" + "}"


def _several(row: Row) -> Iterable[str]:
    honest = document(row)
    if honest is not None:
        good, bad = _text(honest), _text({"other": 1})
        yield from (f"{bad}\n{good}", f"{good}\n{bad}", f"```json\n{bad}\n```\nor\n```json\n{good}\n```")
        yield from (f"[{good}, {bad}]", f"[{good}]", f"{good} {good[:-1]}")


def _broken(row: Row) -> Iterable[str]:
    honest = document(row)
    if honest is not None:
        good = _text(honest)
        yield from (
            good[:-1],
            good[1:],
            good[:-1] + ",}",
            good + "}",
            good.replace('"', ""),
            f"// {good}",
            good + " trailing {",
        )
        yield from (
            f"<think>{good}</think>",
            f"<think>{good}",
            f"The JSON would be like {good[:-2]} and so on",
            f"# {good}\nnone",
        )


def _deep(row: Row) -> Iterable[str]:
    yield "[" * 20_000 + "]" * 20_000
    yield '{"a":' * 20_000 + "1" + "}" * 20_000
    honest = document(row)
    if honest is not None:
        yield _text({**honest, next(iter(honest)): "@@"}).replace('"@@"', "[" * 5_000 + "]" * 5_000)


TRICKS = (
    Trick(name="missing field", about="does not ask for what is required", build=_missing, kinds=_KINDS),
    Trick(name="extra field", about="takes what the schema forbids", build=_extra, kinds=_KINDS),
    Trick(
        name="another JSON type",
        about="takes true for 1, text for a number, a list for its item",
        build=_retyped,
        kinds=_KINDS,
    ),
    Trick(
        name="number literals",
        about="takes NaN, infinity, or numbers nobody can compute with",
        build=_strict_numbers,
        kinds=_KINDS,
    ),
    Trick(name="duplicate keys", about="reads one of two values of a key", build=_twice, kinds=_KINDS),
    Trick(name="several documents", about="finds a valid document among others", build=_several, kinds=_KINDS),
    Trick(name="broken document", about="repairs, or reads what is no answer", build=_broken, kinds=_KINDS),
    Trick(name="deep nesting", about="cannot cope with depth", build=_deep, kinds=_KINDS),
)
