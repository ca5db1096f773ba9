"""`verigrad list data|rewards|methods|graders [A [B]]`: what there is, one of them, or what two methods differ in."""

from __future__ import annotations

from typing import Annotated

import typer

from verigrad.cli.out import emit


def command(
    what: Annotated[str, typer.Argument(help="data | rewards | methods | graders")],
    a: Annotated[str | None, typer.Argument(help="one of them, in full")] = None,
    b: Annotated[str | None, typer.Argument(help="a second method: prints the difference")] = None,
    json: Annotated[bool, typer.Option("--json", help="as JSON on stdout")] = False,
) -> None:
    """List what a recipe may name."""
    from verigrad.runs import listing

    data, lines = listing(what, a, b)
    emit(data, lines, as_json=json)
