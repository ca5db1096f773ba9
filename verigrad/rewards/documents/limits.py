"""How large a document may be, checked before anything is built from it and once more on what was built."""

from __future__ import annotations

import math
import re
from typing import Any

from verigrad.rewards.tokens import TooBig

MAX_TEXT = 100_000
"""Characters of one document."""
MAX_DEPTH = 64
"""Nested arrays and objects."""
MAX_DIGITS = 128
"""Digits of one number."""
MAX_NODES = 20_000
"""Values and keys of one document."""

_SURROGATE = re.compile("[\ud800-\udfff]")


class Malformed(Exception):
    """Not a document of the format; the text says why."""


def text_fits(text: str) -> None:
    """Raises TooBig."""
    if len(text) > MAX_TEXT:
        raise TooBig(f"a document of more than {MAX_TEXT:,} characters")


def depth_fits(text: str) -> None:
    """Raises TooBig where more than MAX_DEPTH brackets are open at once, whatever they are."""
    depth = 0
    for match in re.finditer(r"[\[{]|[\]}]", text):
        depth += 1 if match[0] in "[{" else -1
        if depth > MAX_DEPTH:
            raise TooBig(f"nested more than {MAX_DEPTH} deep")


def integer(text: str) -> int:
    """A decimal integer literal. Raises TooBig before any arithmetic."""
    if len(text) > MAX_DIGITS:
        raise TooBig(f"a number of more than {MAX_DIGITS} digits")
    return int(text)


def decimal(text: str) -> float:
    """A decimal literal as the nearest double. Raises TooBig for many digits or no finite double."""
    if len(text) > MAX_DIGITS:
        raise TooBig(f"a number of more than {MAX_DIGITS} digits")
    value = float(text)
    if not math.isfinite(value):
        raise TooBig("a number beyond the range of a double")
    return value


def value_fits(value: Any) -> None:
    """Raises TooBig or Malformed for a value that is no bounded JSON value. Never recurses."""
    waiting, nodes = [(value, 1)], 0
    while waiting:
        node, depth = waiting.pop()
        nodes += 1
        if nodes > MAX_NODES:
            raise TooBig(f"more than {MAX_NODES:,} values")
        if isinstance(node, (dict, list)) and depth > MAX_DEPTH:
            raise TooBig(f"nested more than {MAX_DEPTH} deep")
        if isinstance(node, dict):
            if not all(isinstance(key, str) for key in node):
                raise Malformed("a key that is no text")
            waiting += [(key, depth + 1) for key in node]
            waiting += [(child, depth + 1) for child in node.values()]
        elif isinstance(node, list):
            waiting += [(child, depth + 1) for child in node]
        elif isinstance(node, str):
            if _SURROGATE.search(node):
                raise Malformed("half a character (a lone surrogate)")
        elif isinstance(node, float):
            if not math.isfinite(node):
                raise Malformed("a number that is not finite")
        elif isinstance(node, int) and not isinstance(node, bool):
            if node.bit_length() > 3.4 * MAX_DIGITS:
                raise TooBig(f"a number of more than {MAX_DIGITS} digits")
        elif node is not None and not isinstance(node, bool):
            raise Malformed(f"a value of type {type(node).__name__}")
