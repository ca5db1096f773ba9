"""JSONL files: one JSON object a line, read strictly. Leaves out what the rows mean.

Blank lines, a byte order mark at the start and CRLF line ends are fine; everything else that is not one object a line
is refused, naming file and line.
"""

from __future__ import annotations

import codecs
import json
import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from verigrad.data.text import one_line
from verigrad.errors import DataError


def read(path: Path, *, name: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """("questions.jsonl:12", row) of each row; `name` is what the recipe calls the file. DataError at a fault."""
    try:
        with path.open("rb") as file:
            for number, line in enumerate(file, start=1):
                if number == 1:
                    line = line.removeprefix(codecs.BOM_UTF8)
                if line.strip():
                    yield f"{name}:{number}", _row(line, f"{name}:{number}")
    except OSError as error:
        raise DataError(f"{name}: cannot be read: {error.strerror or error}") from None


def check_text(value: Any, place: str) -> None:
    """DataError where a text in `value` holds half a surrogate pair: no tokenizer and no file could take it."""
    try:
        json.dumps(value, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        raise DataError(f"{place}: a text holds half a surrogate pair (\\ud800 to \\udfff)") from None


def _row(line: bytes, place: str) -> dict[str, Any]:
    try:
        text = line.decode()
    except UnicodeDecodeError as error:
        raise DataError(f"{place}: not UTF-8 (byte {error.start + 1} of the line); save the file as UTF-8") from None
    try:
        row = json.loads(
            text, object_pairs_hook=_object, parse_constant=_no_constant, parse_float=_float, parse_int=_int
        )
    except json.JSONDecodeError as error:
        raise DataError(f"{place}: not JSON: {error.msg} at column {error.colno}: {one_line(text, 50)}") from None
    except _Fault as error:
        raise DataError(f"{place}: {error}") from None
    except RecursionError:
        raise DataError(f"{place}: nested too deeply") from None
    if not isinstance(row, dict):
        kind = {list: "a list", str: "a text", type(None): "null"}.get(type(row), "a number or a truth value")
        raise DataError(f"{place}: a row is one object {{...}} on its line, and this is {kind}")
    check_text(row, place)
    return row


class _Fault(Exception):
    """A fault inside a row; its text is for a person."""


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    row = dict(pairs)
    if len(row) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise _Fault(f'the key "{one_line(twice)}" stands twice in one object')
    return row


def _no_constant(text: str) -> Any:
    raise _Fault(f"{text} is not JSON; write null or leave the column out")


def _float(text: str) -> float:
    value = float(text)
    if not math.isfinite(value):
        raise _Fault(f"the number {one_line(text, 30)} is too large")
    return value


def _int(text: str) -> int:
    if len(text) > 4000:
        raise _Fault(f"a number of {len(text)} digits; write it as a text")
    return int(text)
