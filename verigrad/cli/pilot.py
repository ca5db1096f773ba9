"""`verigrad pilot RECIPE`: the signal check; trains nothing."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from verigrad.cli.out import emit, finish


def command(
    recipe: Annotated[Path, typer.Argument(help="the recipe, a .toml file")],
    set_: Annotated[list[str], typer.Option("--set", help="key=value over the recipe")] = [],  # noqa: B006
    anyway: Annotated[bool, typer.Option(help="leave out rows whose golds fail, instead of a refusal")] = False,
    json: Annotated[bool, typer.Option("--json", help="the result as JSON on stdout")] = False,
) -> None:
    """Sample, verify, check the golds, show what groups would teach. Exit 1 where there is nothing to learn from."""
    from verigrad.cli.talk import Terminal
    from verigrad.runs import pilot

    with Terminal() as talk:
        result = pilot(recipe, sets=set_, anyway=anyway, talk=talk)
    emit(result.as_json(), result.lines(), as_json=json)
    finish(result.advice is None)
