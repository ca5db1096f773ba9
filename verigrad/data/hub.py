"""Hub data sets through `datasets`: "hub:owner/name", "hub:owner/name/config", with ":split" at the end (train).

A folder of that path beside the recipe is read in the hub's place: a snapshot works without a network, and nothing of
it is copied. Code that a data set brings is never run. Left out: what rows mean.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from verigrad.data.plain import plain_row
from verigrad.data.text import one_line
from verigrad.errors import DataError, RecipeError

_SPEC = re.compile(r"hub:(?P<path>[\w.~-]*(?:/[\w. -]+)+|[\w.~-]+)(?::(?P<split>\w+))?")


@dataclass(frozen=True, kw_only=True)
class Named:
    """What "hub:..." names."""

    path: str
    """The hub's owner/name, or a folder."""
    config: str | None
    """One of its configurations; None: the only one."""
    split: str
    """train, test, ..."""
    local: bool
    """A folder on this machine."""


def named(source: str, *, folder: Path, key: str) -> Named:
    """The data set of a source. RecipeError where it is no name of one."""
    match = _SPEC.fullmatch(source)
    if match is None:
        raise RecipeError(
            f'{key} = "{source}": want "hub:owner/name", "hub:owner/name/config", ":split" after', key=key
        )
    path, split = match["path"], match["split"] or "train"
    for upto, config in ((path, None), path.rpartition("/")[::2]):
        if upto and (folder / upto).is_dir():
            return Named(path=str((folder / upto).resolve()), config=config, split=split, local=True)
    owner_name, config = "/".join(path.split("/")[:2]), "/".join(path.split("/")[2:])
    return Named(path=owner_name, config=config or None, split=split, local=False)


def read(source: str, *, folder: Path, key: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """("hub:owner/name[12]", row) of each row, counted from 0. DataError where it cannot be loaded."""
    asked = named(source, folder=folder, key=key)
    import datasets

    talk = logging.getLogger("huggingface_hub")  # it tells of each of its retries, which our one line stands for
    level = talk.level
    talk.setLevel(logging.CRITICAL)
    try:
        # a folder is streamed: nothing is written to the hub's cache
        found = datasets.load_dataset(asked.path, name=asked.config, split=asked.split, streaming=asked.local)
        for at, row in enumerate(found):
            yield f"{source}[{at}]", plain_row(row, f"{source}[{at}]")
    except DataError:
        raise
    except Exception as error:
        where = f"folder {asked.path}" if asked.local else f"{asked.path}; or put a snapshot into that folder beside it"
        raise DataError(
            f'{key} = "{source}": cannot be loaded: {type(error).__name__}: {one_line(error, 160)} ({where})', key=key
        ) from None
    finally:
        talk.setLevel(level)
