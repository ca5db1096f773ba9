"""`verigrad accept MODEL_OR_RUN --recipe R`: acceptance alone."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from verigrad.cli.out import emit, finish


def command(
    model: Annotated[str, typer.Argument(help="a run's folder, or a model as model.path takes it")],
    recipe: Annotated[Path | None, typer.Option(help="the recipe whose suites judge; a run brings its own")] = None,
    set_: Annotated[list[str], typer.Option("--set", help="key=value over the recipe")] = [],  # noqa: B006
    json: Annotated[bool, typer.Option("--json", help="the result as JSON on stdout")] = False,
) -> None:
    """Put a trained model against the model the recipe starts from, on the held-out side. Exit 0 where accepted."""
    from verigrad.cli.talk import Terminal
    from verigrad.runs import accept

    with Terminal() as talk:
        result = accept(model, recipe=recipe, sets=set_, talk=talk)
    emit(result.as_json(), result.lines(), as_json=json)
    finish(result.accepted)
