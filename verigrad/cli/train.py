"""`verigrad train RECIPE` and `verigrad train --resume RUN`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from verigrad.cli.out import emit, finish
from verigrad.errors import Refused


def command(
    recipe: Annotated[Path | None, typer.Argument(help="the recipe, a .toml file")] = None,
    resume: Annotated[Path | None, typer.Option(help="go on with this run; needs no recipe")] = None,
    set_: Annotated[list[str], typer.Option("--set", help="key=value over the recipe, e.g. train.lr=1e-5")] = [],  # noqa: B006
    anyway: Annotated[bool, typer.Option(help="go on over a refusal of the pilot or of golds; recorded")] = False,
    json: Annotated[bool, typer.Option("--json", help="the result as JSON on stdout")] = False,
) -> None:
    """Train by a recipe, accept or refuse the result, leave a report. Exit 0 only where it was accepted."""
    from verigrad.cli.talk import Terminal
    from verigrad.runs import resume as resume_run
    from verigrad.runs import train

    if (recipe is None) == (resume is None):
        raise Refused("give a recipe, or --resume RUN")
    with Terminal() as talk:
        if resume is not None:
            run = resume_run(resume, sets=set_, talk=talk)
        else:
            assert recipe is not None
            run = train(recipe, sets=set_, anyway=anyway, talk=talk)
    emit(run.summary(), run.lines(), as_json=json)
    finish(run.accepted)
