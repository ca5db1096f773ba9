"""`verigrad compare A B`: whether B is better than A."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from verigrad.cli.out import emit, finish


def command(
    a: Annotated[str, typer.Argument(help='a run, several with commas between, or "before": what B started from')],
    b: Annotated[str, typer.Argument(help="a run, or training seeds of one recipe with commas between")],
    recipe: Annotated[Path | None, typer.Option(help="measure both afresh by its suites; models will do too")] = None,
    set_: Annotated[list[str], typer.Option("--set", help="key=value over the recipe")] = [],  # noqa: B006
    json: Annotated[bool, typer.Option("--json", help="the result as JSON on stdout")] = False,
) -> None:
    """Compare two runs on their stored held-out answers, or two models by a recipe. Exit 0 where B is shown better."""
    from verigrad.cli.talk import Terminal
    from verigrad.errors import Refused
    from verigrad.runs import compare

    if set_ and recipe is None:
        raise Refused("--set goes with --recipe: stored answers were drawn under their own settings")
    with Terminal() as talk:
        result = compare(a, b, recipe=recipe, sets=set_, talk=talk)
    emit(result.as_json(), result.lines(), as_json=json)
    finish(result.better)
