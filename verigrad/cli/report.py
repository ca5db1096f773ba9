"""`verigrad report RUN...`: the static page of one run, or of several over each other."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def command(
    runs: Annotated[list[Path], typer.Argument(help="folders of runs")],
    out: Annotated[Path | None, typer.Option(help="where to write it; default: report.html in the first run")] = None,
) -> None:
    """Write one self-contained HTML page under the four questions and print where it is."""
    from verigrad.reporting import report

    path = out or runs[0] / "report.html"
    text = report(runs)
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        from verigrad.errors import Refused

        raise Refused(f"cannot write {path}: {error.strerror}") from None
    typer.echo(path)
