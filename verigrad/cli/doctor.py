"""`verigrad doctor [RUN]`: this machine, or what a run's files say of its health."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from verigrad.cli.out import emit, finish


def command(
    run: Annotated[Path | None, typer.Argument(help="a run's folder; without it: this machine")] = None,
    json: Annotated[bool, typer.Option("--json", help="the result as JSON on stdout")] = False,
) -> None:
    """Say what is here, or what is wrong with a run and what to try. Exit 1 where there is a finding."""
    from verigrad.reporting import doctor

    result = doctor(run)
    emit(result.as_json(), result.lines(), as_json=json)
    finish(result.healthy)
