"""`--set key=value`: dotted paths with list indices, values as TOML, bare words as text."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from verigrad.errors import RecipeError
from verigrad.recipe.document import DOUBLED, SET, SHORT, Document, listed, normalise, one_line
from verigrad.recipe.lines import Path
from verigrad.recipe.tables import AXES

_KEY = re.compile(r"[A-Za-z0-9_-]+(\.[A-Za-z0-9_-]+)*\Z")
_DEEPEST = 12


@dataclass(frozen=True, kw_only=True)
class Setting:
    """One `--set`."""

    key: str
    """As written: stage.2.loss.method."""
    value: Any
    """Read."""


def refused(text: str, message: str, *, key: str | None = None) -> RecipeError:
    """The one line of a setting that cannot be written."""
    return RecipeError(one_line(f"{SET} {text}: {message}"), key=key)


def read_setting(text: str) -> Setting:
    """`train.lr=1e-5` read. Raises RecipeError where it has no key, or a value that is neither TOML nor a bare word."""
    key, equals, value = text.partition("=")
    key = key.strip()
    if not equals or not _KEY.match(key) or key.count(".") > _DEEPEST:
        raise refused(text, "write key=value, as in train.lr=1e-5 or reward.0.weight=2")
    return Setting(key=key, value=_read_value(text, value.strip()))


def _read_value(text: str, value: str) -> Any:
    try:
        read = tomllib.loads(f"v = {value}")
    except (ValueError, RecursionError):
        if value[:1] in {'"', "'", "[", "{"}:
            raise refused(text, "the value is not TOML; quote the whole for the shell") from None
        return value
    return read["v"] if list(read) == ["v"] else value


def apply_settings(document: Document, settings: Sequence[Setting]) -> list[Setting]:
    """Write the settings over the document, in order.

    Returns those whose list has no such item, to be tried again once the method has added its parts.
    """
    late = [setting for setting in settings if not _apply(document, setting)]
    normalise(document)
    return late


def refuse_index(document: Document, setting: Setting) -> RecipeError:
    """The refusal of a setting whose list has no such item, or that does not say which."""
    table = next((p for p in setting.key.split(".") if p in DOUBLED or p == "stage"), setting.key.split(".")[0])
    start = setting.key.split(".").index(table)
    path = document.path(".".join(setting.key.split(".")[: start + 1]))
    count = len(listed(document.get(path))) if document.has(path) else 0
    first = 1 if table == "stage" else 0
    there = f"there are {count}, {table}.{first} to {table}.{first + count - 1}" if count > 1 else f"there is {count}"
    return refused(setting.key, f"no such {table}; {there}", key=setting.key)


def above_stages(settings: Sequence[Setting]) -> list[Setting]:
    """The settings without a stage."""
    return [s for s in settings if not s.key.startswith("stage.")]


def settings_for(settings: Sequence[Setting], stage: int, own: Sequence[str], kind: str) -> list[Setting]:
    """The settings of a flattened stage (from 1): those above the stages, then its own, without `stage.N.`, which win.

    An item of a list above is not an item of the stage's `own` list of that name, so it is left out, as is the unit the
    stage does not count in. Raises RecipeError for an item of a list the stage does not have.
    """
    prefix = f"stage.{stage}."
    for setting in settings:
        table = setting.key.removeprefix(prefix).partition(".")[0]
        if setting.key.startswith(prefix) and table == "data" and table not in own:
            text = f"stage {stage} has no [[stage.data]] of its own; write it into the recipe"
            raise refused(setting.key, text, key=setting.key)
    other = "train.epochs" if kind == "rl" else "train.steps"
    plain = [s for s in above_stages(settings) if s.key.partition(".")[0] not in own and s.key != other]
    return plain + [Setting(key=s.key[len(prefix) :], value=s.value) for s in settings if s.key.startswith(prefix)]


def check_stage_settings(settings: Sequence[Setting], count: int) -> None:
    """Raise RecipeError for a setting of a stage that is not there, of no key, or of what a stage cannot override."""
    for setting in settings:
        parts = setting.key.split(".")
        if parts[0] != "stage":
            continue
        if len(parts) < 3 or not parts[1].isdecimal():
            raise refused(setting.key, "write stage.N.table.key, as in stage.2.train.lr", key=setting.key)
        if not 1 <= int(parts[1]) <= count:
            there = f"there are {count} [[stage]]" if count else "the recipe has no [[stage]]"
            raise refused(setting.key, f"{there}", key=setting.key)
        if parts[2] in ("run", "kind") or parts[2:4] == ["model", "path"] or parts[-1] == "held_out":
            raise refused(setting.key, "a stage cannot set this", key=setting.key)


def _apply(document: Document, setting: Setting) -> bool:
    path = document.path(setting.key)
    for depth, part in enumerate(path):
        above = path[:depth]
        if part == 0 and above[-1] in DOUBLED and not document.has(above):
            document.put(above, [{}], SET)
        if isinstance(part, int) and isinstance(_get(document, above), list) and not document.has(path[: depth + 1]):
            return False
    if _ambiguous(document, setting.key, path):
        return False
    _open_word(document, path)
    value = setting.value
    try:
        if isinstance(value, dict) and len(path) == 1 and isinstance(_get(document, path), dict):
            for key, inner in value.items():
                document.put((*path, key), inner, SET)
        else:
            document.put(path, value, SET)
    except KeyError:
        raise refused(setting.key, f"nothing in {document.file} can hold this key", key=setting.key) from None
    return True


def _get(document: Document, path: Path) -> Any:
    return document.get(path) if document.has(path) else None


def _ambiguous(document: Document, key: str, path: Path) -> bool:
    """Whether the index of one of several tables was left out."""
    implied = len(path) > len(key.split("."))
    table = next((path[: n + 1] for n, part in enumerate(path) if part in DOUBLED), path)
    return implied and len(listed(_get(document, table))) > 1


def _open_word(document: Document, path: Path) -> None:
    """`loss.clip.high` where clip is a word, `train.schedule.warmup` where schedule is one: a table takes its place."""
    at = 2 if path[0] == "stage" else 0
    key = path[at : at + 2]
    if len(path) <= at + 2 or len(key) < 2:
        return
    word = "name" if key[0] == "loss" and key[1] in AXES else SHORT.get((str(key[0]), str(key[1])))
    held = _get(document, path[: at + 2])
    if word and document.has(path[: at + 2]) and (held is None or isinstance(held, str | int)):
        origin = document.origin(path[: at + 2])
        document.put(path[: at + 2], {} if held is None else {word: held}, origin)
        document.origins[(*path[: at + 2], word)] = origin
