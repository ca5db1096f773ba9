"""What runs in a killable process: reading YAML and TOML, and validating by JSON Schema.

A schema's pattern may never end and its $ref may point into itself; the outer clock is the caller's. No reference is
ever fetched. Left out: what a fault means for the answer (killable).
"""

from __future__ import annotations

import functools
import json
import re
from typing import Any

from verigrad.rewards import regular
from verigrad.rewards.documents import formats
from verigrad.rewards.documents.limits import Malformed
from verigrad.rewards.tokens import TooBig


def read(form: str, text: str) -> dict[str, Any]:
    """{value}, {malformed: why} or {big: why}."""
    try:
        return {"value": formats.find(form).read(text)}
    except Malformed as error:
        return {"malformed": str(error)}
    except TooBig as error:
        return {"big": str(error)}


def validate(schema: str, value: Any, strict_types: bool) -> dict[str, str]:
    """{} where the value is valid, {why} where it is not, {schema: why} where the schema itself cannot be used."""
    import jsonschema
    import referencing.exceptions

    try:
        validator = _validator(schema, strict_types)
        error = next(iter(validator.iter_errors(value)), None)
    except (jsonschema.SchemaError, referencing.exceptions.Unresolvable, _BadPattern) as fault:
        return {"schema": " ".join(str(getattr(fault, "message", fault)).split())[:200]}
    if error is None:
        return {}
    where = "/".join(str(part) for part in list(error.absolute_path)[:8])
    return {"why": f"{where or 'the document'}: {error.message}"[:200]}


class _BadPattern(Exception):
    """A pattern of the schema that is no regular expression."""


@functools.lru_cache(maxsize=64)
def _validator(text: str, strict_types: bool) -> Any:
    import jsonschema
    from jsonschema_specifications import REGISTRY

    schema = json.loads(text)
    base = jsonschema.validators.validator_for(schema, default=jsonschema.Draft202012Validator)
    base.check_schema(schema)
    kind = jsonschema.validators.extend(base, {"pattern": _pattern, "patternProperties": _pattern_properties})
    if strict_types:
        checker = kind.TYPE_CHECKER.redefine("integer", _is_integer)
        kind = jsonschema.validators.extend(kind, type_checker=checker)
    return kind(schema, registry=REGISTRY)


def _is_integer(checker: Any, value: Any) -> bool:
    """Spelled as an integer: 4.0 is none."""
    return isinstance(value, int) and not isinstance(value, bool)


def _search(pattern: str, text: str) -> bool:
    try:
        return regular.slow(pattern, text, "search", False)
    except re.error as error:
        raise _BadPattern(f"pattern {pattern[:60]!r}: {error}") from None


def _pattern(validator: Any, pattern: str, value: Any, schema: Any) -> Any:
    from jsonschema import ValidationError

    if validator.is_type(value, "string") and not _search(pattern, value):
        yield ValidationError(f"{value[:60]!r} does not match {pattern[:60]!r}")


def _pattern_properties(validator: Any, patterns: Any, value: Any, schema: Any) -> Any:
    if validator.is_type(value, "object"):
        for pattern, part in patterns.items():
            for key, child in value.items():
                if _search(pattern, key):
                    yield from validator.descend(child, part, path=key, schema_path=pattern)
