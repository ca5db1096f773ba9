"""Rows from a user's own function, `file.py:function`. Runs in this process: it is the user's code, on the user's data.

Leaves out checks of answers (rewards runs those in killable processes). The file is imported under a name of its own;
its folder is importable while it runs, the working directory stays as it is (`Path(__file__).parent` finds its files),
and what it prints goes to standard error.
"""

from __future__ import annotations

import contextlib
import hashlib
import importlib.util
import itertools
import json
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from verigrad.data.jsonl import check_text
from verigrad.data.text import one_line
from verigrad.errors import DataError, nearest

MAX_ROWS = 5_000_000


def rows_of(
    source: str | Callable[[], Iterable[Mapping[str, Any]]], *, folder: Path, key: str
) -> Iterator[tuple[str, dict[str, Any]]]:
    """("data.py:rows[12]", row) of each row. DataError in one line for a missing file or function, an exception, a row
    that is not a dict of JSON values, or more than `MAX_ROWS` rows.
    """
    name = source if isinstance(source, str) else getattr(source, "__name__", "function")
    with contextlib.redirect_stdout(sys.stderr), _importable(folder):
        try:
            function = _function(source, folder, key) if isinstance(source, str) else source
            given = function()
            if isinstance(given, (str, bytes, Mapping)) or not isinstance(given, Iterable):
                raise DataError(f"{name} gave {type(given).__name__}; it should return a list of dict rows", key=key)
            rows = list(itertools.islice(given, MAX_ROWS + 1))
        except DataError:
            raise
        except (Exception, SystemExit) as error:
            raise DataError(f"{name} failed: {type(error).__name__}: {one_line(error, 200)}", key=key) from None
    if len(rows) > MAX_ROWS:
        raise DataError(f"{name} gave more than {MAX_ROWS:,} rows", key=key)
    for i, row in enumerate(rows):
        yield f"{name}[{i}]", _checked(row, f"{name}[{i}]")


def _checked(row: Any, place: str) -> dict[str, Any]:
    if not isinstance(row, Mapping) or not all(isinstance(column, str) for column in row):
        raise DataError(f"{place}: a row is a dict of columns, and this is {type(row).__name__}: {one_line(row, 50)}")
    plain = dict(row)
    try:
        json.dumps(plain, allow_nan=False)
    except (TypeError, ValueError, RecursionError) as error:
        raise DataError(f"{place}: values are JSON values: {one_line(error)}") from None
    check_text(plain, place)
    return plain


def _function(source: str, folder: Path, key: str) -> Callable[[], Any]:
    file, _, function = source.rpartition(":")
    path = folder / file
    if not path.is_file():
        raise DataError(f'{key} = "{source}": no file {file} in the recipe\'s folder', key=key)
    module_name = "verigrad_user_data_" + hashlib.blake2b(str(path.resolve()).encode(), digest_size=8).hexdigest()
    spec = importlib.util.spec_from_file_location(module_name, path)
    if spec is None or spec.loader is None:
        raise DataError(f"{file} is not a Python file", key=key)
    module = importlib.util.module_from_spec(spec)
    sys.modules[module_name] = module
    spec.loader.exec_module(module)
    found = getattr(module, function, None)
    if not callable(found):
        names = [name for name, value in vars(module).items() if callable(value) and not name.startswith("_")]
        raise DataError(f"{file} has no {function}{nearest(function, names)}", key=key)
    return found  # type: ignore[no-any-return]


@contextlib.contextmanager
def _importable(folder: Path) -> Iterator[None]:
    sys.path.insert(0, str(folder))
    try:
        yield
    finally:
        with contextlib.suppress(ValueError):
            sys.path.remove(str(folder))
