"""TOML 1.0. Dates and times become their text; inf and nan are refused. Runs in a killable process.

The reader is the standard library's, so duplicate keys are refused by it. Left out: a document in prose without a
block around it: nearly every line would be one.
"""

from __future__ import annotations

import datetime
import json
import re
import tomllib
from typing import Any

from verigrad.rewards.documents.limits import MAX_DIGITS, Malformed, depth_fits, text_fits, value_fits
from verigrad.rewards.tokens import TooBig

FENCES = frozenset(("toml",))
BARE = False
SLOW = True


def read(text: str) -> Any:
    """The value, always a table. Raises Malformed or TooBig."""
    text_fits(text)
    depth_fits(re.sub(r'"(?:[^"\\\n]|\\.)*"', '""', text))
    if re.search(rf"[0-9a-fA-F_]{{{MAX_DIGITS + 1}}}", re.sub(r"\"[^\"\n]*\"|'[^'\n]*'", '""', text)):
        raise TooBig(f"a number of more than {MAX_DIGITS} digits")
    try:
        value = tomllib.loads(text.strip() + "\n")
    except RecursionError:
        raise TooBig("nested too deep") from None
    except ValueError as error:
        raise Malformed(f"not TOML: {str(error)[:100]}") from None
    if not value:
        raise Malformed("an empty document")
    value = _plain(value, 0)
    value_fits(value)
    return value


def write(value: Any) -> str:
    """The table as TOML, nested tables inline. Raises Malformed for what TOML cannot say (null, a document that is no
    table).
    """
    if not isinstance(value, dict):
        raise Malformed("a TOML document is a table")
    return "\n".join(f"{json.dumps(key)} = {_inline(child)}" for key, child in value.items())


def _inline(value: Any) -> str:
    if value is None:
        raise Malformed("TOML has no null")
    if isinstance(value, dict):
        return "{" + ", ".join(f"{json.dumps(k)} = {_inline(v)}" for k, v in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(_inline, value)) + "]"
    return json.dumps(value, ensure_ascii=False)


def _plain(value: Any, depth: int) -> Any:
    if depth > 2 * 64:
        raise TooBig("nested too deep")
    if isinstance(value, dict):
        return {key: _plain(child, depth + 1) for key, child in value.items()}
    if isinstance(value, list):
        return [_plain(child, depth + 1) for child in value]
    if isinstance(value, (datetime.datetime, datetime.date, datetime.time)):
        return value.isoformat()
    return value
