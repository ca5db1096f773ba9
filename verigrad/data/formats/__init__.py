"""Well-known data sets by their columns: what their rows ask and what would be right. One format a file.

Such a module gives `NAME`, `SAYS` (what becomes prompt and gold, and which verifiers read it), `fits(row)`,
`prompt(row)` and `columns(row)` (gold and what else a verifier reads). It opens with a row in the real form. A format
sets defaults only: what the table's prompt and columns say wins, and a row with a prompt and a gold of its own is left
alone. A row whose gold cannot be read keeps a gold that no verifier reads, {"unread": why}, so that it is listed before
training. Left out: where rows come from (sources), and any data set whose answer no column holds.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any, Protocol, cast

from verigrad.data.text import one_line
from verigrad.errors import DataError


class Format(Protocol):
    """What a module in this package gives."""

    NAME: str
    SAYS: str

    def fits(self, row: Mapping[str, Any]) -> bool:
        """Whether the row has this form."""

    def prompt(self, row: Mapping[str, Any]) -> str:
        """The question as it is asked. ValueError where a column is not what it should be."""

    def columns(self, row: Mapping[str, Any]) -> dict[str, Any]:
        """`gold` and what else a verifier reads. ValueError where a column is not what it should be."""


@cache
def formats() -> tuple[Format, ...]:
    """All formats, by listing this package."""
    modules = (importlib.import_module(f"{__name__}.{m.name}") for m in pkgutil.iter_modules(__path__))
    return tuple(cast(Format, m) for m in modules)


def recognised(row: Mapping[str, Any]) -> Format | None:
    """The format of a row; None where there is none."""
    return next((f for f in formats() if f.fits(row)), None)


def adapted(
    rows: Iterator[tuple[str, dict[str, Any]]], form: Format, *, own_prompt: bool
) -> Iterator[tuple[str, dict[str, Any]]]:
    """Each row with the prompt and the columns of its format. DataError naming a row that is not of it.

    `own_prompt`: the table writes the prompt itself, so the row's columns stay as they are.
    """
    for place, row in rows:
        try:
            more: dict[str, Any] = {} if own_prompt else {"prompt": form.prompt(row)}
            try:
                more |= form.columns(row)
            except ValueError as error:
                more["gold"] = {"unread": one_line(error, 160)}
        except ValueError as error:
            raise DataError(f"{place}: read as {form.NAME}, but {one_line(error, 160)}") from None
        except (KeyError, TypeError, AttributeError):
            raise DataError(f"{place}: not {form.NAME} like the first row; the columns are {', '.join(row)}") from None
        yield place, {**{k: v for k, v in row.items() if own_prompt or k != "messages"}, **more}


def texts(row: Mapping[str, Any], *names: str) -> bool:
    """Whether these columns are there and are texts."""
    return all(isinstance(row.get(name), str) for name in names)
