"""`verigrad audit KIND_OR_FUNCTION [--recipe R]`: attack a verifier, or a reward function of your own."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from verigrad.cli.out import emit, finish
from verigrad.errors import Refused


def command(
    target: Annotated[str, typer.Argument(help="a verifier's kind, or file.py:function, or module:function")],
    recipe: Annotated[Path | None, typer.Option(help="attacks are built from its training rows")] = None,
    set_: Annotated[list[str], typer.Option("--set", help="key=value over the recipe")] = [],  # noqa: B006
    constant: Annotated[float, typer.Option(help="share of rows above which a constant that wins them fails")] = 0.5,
    seconds: Annotated[float | None, typer.Option(help="time limit of one call of your function; default 5")] = None,
    n: Annotated[int, typer.Option("--n", help="most rows of a kind")] = 12,
    only: Annotated[list[str], typer.Option(help="a trick by name, more than once for several; default: all")] = [],  # noqa: B006
    markdown: Annotated[str | None, typer.Option(help="a page: a file to write, or - for stdout")] = None,
    json: Annotated[bool, typer.Option("--json", help="the result as JSON on stdout")] = False,
) -> None:
    """Say what the check accepts that is not right. Exit 1 on any false accept or failing finding."""
    from verigrad.cli.talk import Terminal
    from verigrad.runs import audit

    if json and markdown == "-":
        raise Refused("--json and --markdown - both want stdout: give --markdown a file")
    if set_ and recipe is None:
        raise Refused("--set goes with --recipe")
    with Terminal() as talk:
        result = audit(target, recipe=recipe, sets=set_, constant=constant, seconds=seconds, n=n, only=only, talk=talk)
    if markdown == "-":
        typer.echo(result.markdown())
    else:
        if markdown is not None:
            try:
                Path(markdown).write_text(result.markdown(), encoding="utf-8")
            except OSError as error:
                raise Refused(f"cannot write {markdown}: {error.strerror}") from None
        emit(result.as_json(), result.lines(), as_json=json)
    finish(result.clean)
