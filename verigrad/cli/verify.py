"""`verigrad verify [KIND] --file CASES.jsonl`: put stored answers through a verifier, one JSON verdict a line."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def command(
    kind: Annotated[
        str | None, typer.Argument(help="a verifier, or file.py:function; default: each case's `kind`")
    ] = None,
    file: Annotated[Path, typer.Option(help="cases, one JSON object a line: id, completion, truth, ...")] = ...,  # type: ignore[assignment]
) -> None:
    """Judge cases. Exit 0 where every case that states an `expected` got it, else 1."""
    from verigrad.cli.out import finish, printable
    from verigrad.runs import verify

    agreed = True
    for row in verify(kind, file=file):
        agreed = agreed and row.get("agrees", True)
        typer.echo(printable(row))
    finish(agreed)
