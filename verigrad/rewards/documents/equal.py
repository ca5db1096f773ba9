"""Whether two JSON values are the same: types count, order of keys does not.

A truth value is never a number. A whole number may stand where the gold is a decimal (4 for 4.0); with `strict_types`
a decimal never where the gold is a whole number (4.0 for 4). Doubles are compared as doubles (RFC 8259, 6).
"""

from __future__ import annotations

from typing import Any


def same(gold: Any, value: Any, *, strict_types: bool = True) -> bool:
    """Whether `value` is `gold`; both bounded by `limits.value_fits`."""
    if isinstance(gold, dict):
        return (
            isinstance(value, dict)
            and gold.keys() == value.keys()
            and all(same(child, value[key], strict_types=strict_types) for key, child in gold.items())
        )
    if isinstance(gold, list):
        return (
            isinstance(value, list)
            and len(gold) == len(value)
            and all(same(a, b, strict_types=strict_types) for a, b in zip(gold, value, strict=True))
        )
    if isinstance(gold, bool) or isinstance(value, bool) or gold is None or value is None:
        return gold is value
    if isinstance(gold, str) or isinstance(value, str):
        return isinstance(gold, str) and isinstance(value, str) and gold == value
    if strict_types and isinstance(gold, int) and isinstance(value, float):
        return False
    return isinstance(value, (int, float)) and bool(gold == value)
