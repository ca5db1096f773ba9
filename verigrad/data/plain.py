"""Values of typed tables as JSON values, so that a row is the same whatever file it came from.

Dates and times become ISO texts, decimals texts, NaN null (pandas writes missing numbers so); bytes (images, sound) and
infinities are refused. Left out: reading files (parquet, hub).
"""

from __future__ import annotations

import datetime
import decimal
import math
from collections.abc import Mapping
from typing import Any

from verigrad.data.jsonl import check_text
from verigrad.errors import DataError

_DEEPEST = 60


def plain_row(row: Mapping[str, Any], place: str) -> dict[str, Any]:
    """The row in JSON values. DataError naming place and column."""
    out = {str(name): _plain(value, place, str(name), 0) for name, value in row.items()}
    check_text(out, place)
    return out


def _plain(value: Any, place: str, column: str, depth: int) -> Any:
    if value is None or isinstance(value, str | bool | int):
        return value
    if isinstance(value, float):
        if math.isinf(value):
            raise DataError(f"{place}: column {column} holds an infinity, which is not JSON")
        return None if math.isnan(value) else value
    if isinstance(value, datetime.date | datetime.time):
        return value.isoformat()
    if isinstance(value, decimal.Decimal | datetime.timedelta):
        return str(value)
    if depth > _DEEPEST:
        raise DataError(f"{place}: column {column} is nested too deeply")
    if isinstance(value, Mapping):
        return {str(k): _plain(v, place, column, depth + 1) for k, v in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(v, place, column, depth + 1) for v in value]
    raise DataError(f"{place}: column {column} holds {type(value).__name__}; rows are texts, numbers and lists of them")
