from __future__ import annotations

import json
from types import SimpleNamespace

import pytest


@pytest.fixture
def table():
    """A [data] table as this room reads it."""

    def make(source, **said):
        default = {"prompt": None, "system": None, "columns": {}, "held_out": 0.1, "split_by": None, "weight": None}
        return SimpleNamespace(source=source, **(default | said))

    return make


@pytest.fixture
def jsonl(tmp_path):
    """Writes rows (dicts, texts or bytes) as lines of a file in tmp_path."""

    def write(name, *rows, end=b"\n"):
        lines = [
            r
            if isinstance(r, bytes)
            else r.encode()
            if isinstance(r, str)
            else json.dumps(r, ensure_ascii=False).encode()
            for r in rows
        ]
        (tmp_path / name).write_bytes(b"".join(line + end for line in lines))
        return name

    return write
