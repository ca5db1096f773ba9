"""Parquet files, read in batches of rows: a large one is never whole in memory twice. Leaves out what rows mean."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from verigrad.data.plain import plain_row
from verigrad.data.text import one_line
from verigrad.errors import DataError

BATCH = 1_000


def read(path: Path, *, name: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """("rows.parquet[12]", row) of each row, counted from 0; `name` is what the recipe calls the file. DataError."""
    import pyarrow
    import pyarrow.parquet

    try:
        with pyarrow.parquet.ParquetFile(path) as file:
            at = 0
            for batch in file.iter_batches(batch_size=BATCH):
                for row in batch.to_pylist():
                    yield f"{name}[{at}]", plain_row(row, f"{name}[{at}]")
                    at += 1
    except (pyarrow.ArrowException, OSError) as error:
        raise DataError(f"{name}: no Parquet file that can be read: {one_line(error, 120)}") from None
