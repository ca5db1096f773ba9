"""`verigrad init DIR`: asks what you have and writes a recipe that runs."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def command(
    folder: Annotated[Path, typer.Argument(help="a new folder, or an empty one")],
    have: Annotated[
        str | None, typer.Option(help="checker | answers | pairs | judge | nothing; without it: asks")
    ] = None,
) -> None:
    """Write a recipe that runs, with data and a check to replace by yours."""
    from verigrad.runs import KITS, init

    if have is None:
        typer.echo("What do you have?", err=True)
        for name, kit in KITS.items():
            typer.echo(f"  {name:<8} {kit.about}", err=True)
        have = typer.prompt("one of " + ", ".join(KITS), default="nothing", err=True)
    for path in init(folder, have):
        typer.echo(path)
    typer.echo(f"next: verigrad train {folder / 'recipe.toml'}", err=True)
