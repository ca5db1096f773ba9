"""What every command does at its end: data on stdout, as JSON or as lines, and the exit status of the answer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import typer


def emit(data: Mapping[str, Any] | Sequence[Any], lines: Sequence[str], *, as_json: bool) -> None:
    """Print the data as one JSON document, or the lines for a person."""
    if as_json:
        import json

        typer.echo(json.dumps(data, ensure_ascii=False, indent=2))
    else:
        for line in lines:
            typer.echo(line)


def finish(yes: bool) -> None:
    """Exit 0 where the answer is yes, 1 where it is no."""
    raise typer.Exit(0 if yes else 1)


def printable(row: Mapping[str, Any]) -> str:
    """One JSON line that any terminal and any file takes, whatever an answer held."""
    import json

    text = json.dumps(row, ensure_ascii=False)
    return text if text.isprintable() else json.dumps(row)
