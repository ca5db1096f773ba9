"""JSON as RFC 8259 has it, and stricter: no duplicate key, no NaN or Infinity, no lone surrogate, bounded.

A number spelled without a point or exponent is an integer, any other a double. Left out: what Python's reader adds to
JSON, comments, trailing commas.
"""

from __future__ import annotations

import json
import re
from typing import Any

from verigrad.rewards.documents.limits import Malformed, decimal, depth_fits, integer, text_fits, value_fits

FENCES = frozenset(("json", "jsonc", "json5", "jsonl", "application/json"))
BARE = True
SLOW = False

_STRING = re.compile(r'"(?:[^"\\]|\\.)*"', re.DOTALL)


def read(text: str) -> Any:
    """The value. Raises Malformed or TooBig, before any harm."""
    text_fits(text)
    depth_fits(_STRING.sub('""', text))
    try:
        value = json.loads(
            text.strip(" \t\r\n"),
            object_pairs_hook=_object,
            parse_constant=_constant,
            parse_int=integer,
            parse_float=decimal,
        )
    except ValueError as error:
        raise Malformed(f"not JSON: {str(error)[:100]}") from None
    value_fits(value)
    return value


def write(value: Any) -> str:
    """The value as JSON."""
    return json.dumps(value, ensure_ascii=False, allow_nan=False)


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    value = dict(pairs)
    if len(value) != len(pairs):
        seen = [key for key, _ in pairs]
        raise Malformed(f"the key {next(k for k in seen if seen.count(k) > 1)[:40]!r} twice")
    return value


def _constant(name: str) -> Any:
    raise Malformed(f"{name} is no JSON")
