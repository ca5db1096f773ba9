r"""An example for a gold that only states a rule: a text a pattern matches, a value a JSON Schema accepts.

Best effort, always checked by the verifier itself before it counts: the gold check puts it through, so that a rule
nobody can satisfy is found before training. Left out: rules whose examples need search (give the gold an `example`).
"""

from __future__ import annotations

import importlib
import warnings
from collections.abc import Mapping
from typing import Any

_MAX_DEPTH = 24
_MAX_REPEATS = 400


class NoExample(Exception):
    """None could be made."""


def of_pattern(pattern: str) -> str:
    """A text the pattern probably matches. Raises NoExample."""
    parser: Any = importlib.import_module("re._parser")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            text = _pieces(parser.parse(pattern), {}, 0)
    except (NoExample, RecursionError, OverflowError, importlib.import_module("re").error) as error:
        raise NoExample(f"no example of the pattern: {error}") from None
    return text


def _pieces(parsed: Any, groups: dict[int, str], depth: int) -> str:
    if depth > _MAX_DEPTH:
        raise NoExample("nested too deep")
    return "".join(_piece(str(name), argument, groups, depth + 1) for name, argument in parsed)


def _piece(name: str, argument: Any, groups: dict[int, str], depth: int) -> str:
    if name == "LITERAL":
        return chr(argument)
    if name in ("AT", "ASSERT_NOT"):
        return ""
    if name in ("ANY", "NOT_LITERAL"):
        return next(c for c in "ab" if ord(c) != argument)
    if name == "IN":
        return _member(argument)
    if name == "BRANCH":
        return _pieces(argument[1][0], groups, depth)
    if name in ("MAX_REPEAT", "MIN_REPEAT", "POSSESSIVE_REPEAT"):
        low, _, part = argument
        if low > _MAX_REPEATS:
            raise NoExample("many repeats")
        return "".join(_pieces(part, groups, depth) for _ in range(low))
    if name == "SUBPATTERN":
        text = _pieces(argument[-1], groups, depth)
        if argument[0] is not None:
            groups[argument[0]] = text
        return text
    if name == "ATOMIC_GROUP":
        return _pieces(argument, groups, depth)
    if name == "GROUPREF":
        return groups.get(argument, "")
    if name == "ASSERT":
        return ""
    raise NoExample(name.lower())


_CATEGORIES = {"CATEGORY_DIGIT": "1", "CATEGORY_WORD": "a", "CATEGORY_SPACE": " "}
_TRIED = "a1 A_-.,:b2;!?/()[]{}@#%&*+=<>|~^$'\"\\`zZ09\t"


def _member(members: Any) -> str:
    names = [(str(name), argument) for name, argument in members]
    if names[0][0] != "NEGATE":
        name, argument = names[0]
        if name == "LITERAL":
            return chr(argument)
        if name == "RANGE":
            return chr(argument[0])
        if str(argument) in _CATEGORIES:
            return _CATEGORIES[str(argument)]
        return "a" if str(argument) == "CATEGORY_NOT_DIGIT" else "-" if "NOT_WORD" in str(argument) else "a"
    for c in _TRIED:
        if not any(_is_in(c, name, argument) for name, argument in names[1:]):
            return c
    raise NoExample("a negated class")


def _is_in(c: str, name: str, argument: Any) -> bool:
    if name == "LITERAL":
        return bool(ord(c) == argument)
    if name == "RANGE":
        return bool(argument[0] <= ord(c) <= argument[1])
    kind = str(argument)
    inside = {"DIGIT": c.isdigit(), "WORD": c.isalnum() or c == "_", "SPACE": c.isspace()}[kind.rpartition("_")[2]]
    return inside != ("_NOT_" in kind)


def of_schema(schema: Any) -> Any:
    """A value the schema probably accepts. Raises NoExample."""
    return _value(schema, schema, 0)


def _value(schema: Any, root: Any, depth: int) -> Any:
    if depth > _MAX_DEPTH:
        raise NoExample("a schema nested too deep")
    if schema is True:
        return None
    if not isinstance(schema, Mapping):
        raise NoExample("a schema that accepts nothing")
    for key in ("const", "default"):
        if key in schema:
            return schema[key]
    for key in ("examples", "enum"):
        if schema.get(key):
            return schema[key][0]
    if isinstance(ref := schema.get("$ref"), str):
        return _value(_resolved(ref, root), root, depth + 1)
    if schema.get("allOf"):
        merged: dict[str, Any] = {key: part for key, part in schema.items() if key != "allOf"}
        for part in schema["allOf"]:
            part = _resolved(part["$ref"], root) if isinstance(part, Mapping) and "$ref" in part else part
            if isinstance(part, Mapping):
                merged = _merged(merged, part)
        return _value(merged, root, depth + 1)
    for key in ("oneOf", "anyOf"):
        if schema.get(key) and isinstance(schema[key][0], Mapping):
            rest = {k: part for k, part in schema.items() if k != key}
            return _value(_merged(rest, schema[key][0]), root, depth + 1)
    kind = schema.get("type")
    kind = kind[0] if isinstance(kind, list) and kind else kind
    return _of_type(kind or _implied(schema), schema, root, depth)


def _merged(a: Mapping[str, Any], b: Mapping[str, Any]) -> dict[str, Any]:
    out = {**a, **b}
    for key in ("properties",):
        if key in a and key in b:
            out[key] = {**a[key], **b[key]}
    if "required" in a and "required" in b:
        out["required"] = [*a["required"], *b["required"]]
    return out


def _implied(schema: Mapping[str, Any]) -> str:
    for kind, keys in {
        "object": ("properties", "required", "minProperties"),
        "array": ("items", "minItems", "prefixItems"),
        "string": ("pattern", "minLength"),
        "number": ("minimum", "maximum", "multipleOf"),
    }.items():
        if any(key in schema for key in keys):
            return kind
    return "null"


def _of_type(kind: Any, schema: Mapping[str, Any], root: Any, depth: int) -> Any:
    if kind == "object":
        properties = schema.get("properties", {})
        names = dict.fromkeys([*schema.get("required", ()), *properties])
        value = {n: _value(properties.get(n, True), root, depth + 1) for n in names if n in schema.get("required", ())}
        for i in range(min(_MAX_REPEATS, schema.get("minProperties", 0)) - len(value)):
            value[f"key{i}"] = None
        return value
    if kind == "array":
        first = [_value(part, root, depth + 1) for part in schema.get("prefixItems", ())]
        more = min(_MAX_REPEATS, schema.get("minItems", 0)) - len(first)
        item = _value(schema.get("items", True), root, depth + 1) if more > 0 else None
        if more > 1 and schema.get("uniqueItems"):
            return first + [item + i if isinstance(item, int) else f"{item}{i}" for i in range(more)]
        return first + [item] * max(0, more)
    if kind == "string":
        text = of_pattern(schema["pattern"]) if "pattern" in schema else ""
        return text + "a" * (min(_MAX_REPEATS, schema.get("minLength", 0)) - len(text))
    if kind in ("integer", "number"):
        return _number(kind, schema)
    return {"boolean": True}.get(str(kind))


def _number(kind: str, schema: Mapping[str, Any]) -> Any:
    step = schema.get("multipleOf", 1)
    low, high = schema.get("minimum"), schema.get("maximum")
    above, below = schema.get("exclusiveMinimum"), schema.get("exclusiveMaximum")
    if low is None and isinstance(above, (int, float)) and not isinstance(above, bool):
        low = above + step if kind == "integer" or step != 1 else above + 0.5
    if high is None and isinstance(below, (int, float)) and not isinstance(below, bool):
        high = below - step if kind == "integer" or step != 1 else below - 0.5
    value = low if low is not None else high if high is not None and high < 0 else 0
    if isinstance(value, float) and kind == "integer":
        value = -int(-value // 1)
    return value if value % step == 0 or (kind == "number" and step == 1) else (value // step + 1) * step


def _resolved(ref: str, root: Any) -> Any:
    if not ref.startswith("#"):
        raise NoExample("a reference out of the schema")
    part = root
    for name in ref[1:].split("/"):
        if name:
            name = name.replace("~1", "/").replace("~0", "~")
            part = part.get(name) if isinstance(part, Mapping) else None
    if part is None:
        raise NoExample(f"no {ref} in the schema")
    return part
