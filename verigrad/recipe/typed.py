"""From a document to typed tables, from a type error to its one line. Left out: what needs two tables (checks)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, TypeVar, cast

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from verigrad.recipe.document import Document, listed, shown
from verigrad.recipe.grammar import INNER, line_number, name_of
from verigrad.recipe.lines import Path
from verigrad.recipe.tables import Data, Loss, Model, Reward, Run, Sampling, Stage, Suite, Table, Train
from verigrad.recipe.words import described

T = TypeVar("T", bound=Table)

_MISSING = {
    "path": 'a hub name, a folder, a file.gguf or "package:NAME/FILE.gguf"',
    "source": 'a built-in, a file.jsonl, "file.py:function", ...',
    "grader": 'a name, "file.py:function" or "same"',
    "kind": '"sft", "reward_model", "rl" or "preference"',
    "rank": "the rank of the adapters",
    "role": '"system", "user" or "assistant"',
    "content": "the text of the turn",
}
"""What a required key wants, for the line that misses it."""
_TABLES = {
    "lora": "0, a rank or { rank, ... }",
    "schedule": '"constant", "linear", "cosine" or { name, ... }',
    "optimizer": '"adamw" or { name, ... }',
    "workers": '"inline", "processes", "ray" or { kind, ... }',
}
"""What a key wants that may be a word or a table; every other is a table."""


@dataclass(frozen=True, kw_only=True)
class Tables:
    """All tables of a recipe, or of one of its stages."""

    model: Model
    data: tuple[Data, ...]
    reward: tuple[Reward, ...]
    loss: Loss
    sampling: Sampling
    train: Train
    acceptance: tuple[Suite, ...]
    run: Run


@dataclass(frozen=True)
class _Wrong:
    """A value that does not fit."""

    path: Path
    message: str
    missing: bool


def typed(document: Document, *, name: str) -> Tables:
    """The tables with their defaults; `name` is the run's where the recipe gives none.

    Raises RecipeError for the first value that does not fit, in file order; for what is missing after all others.
    """
    wrong: list[_Wrong] = []
    written = document.value
    loss = dict(written.get("loss", {}))
    loss = {**({"method": loss.pop("method")} if "method" in loss else {}), "axes": loss}
    tables: dict[str, Any] = {
        "model": _read(Model, written.get("model", {}), ("model",), wrong),
        "data": _read_list(Data, written, "data", wrong),
        "reward": _read_list(Reward, written, "reward", wrong),
        "loss": _read(Loss, loss, ("loss",), wrong),
        "sampling": _read(Sampling, written.get("sampling", {}), ("sampling",), wrong),
        "train": _read(Train, written.get("train", {}), ("train",), wrong),
        "acceptance": _read_list(Suite, written, "acceptance", wrong),
        "run": _read(Run, {"name": name, **written.get("run", {})}, ("run",), wrong),
    }
    _refuse(document, wrong)
    return Tables(**tables)


def typed_stages(document: Document) -> tuple[Stage, ...]:
    """The stages; without any, one of kind rl. Raises RecipeError for a kind that is missing or unknown."""
    rows = listed(document.value.get("stage"))
    if not rows:
        return (Stage(number=1, kind="rl"),)
    wrong: list[_Wrong] = []
    found = [
        _read(Stage, {"number": n + 1, **({"kind": row["kind"]} if "kind" in row else {})}, ("stage", n), wrong)
        for n, row in enumerate(rows)
    ]
    _refuse(document, wrong)
    return tuple(found)


def _refuse(document: Document, wrong: list[_Wrong]) -> None:
    if wrong:
        first = min(wrong, key=lambda w: (w.missing, line_number(document.where(w.path))))
        if first.missing and not document.has(first.path[:1]):
            message = f"[{first.path[0]}] is missing: it needs {shown(first.path)}, {first.message}"
        elif first.missing:
            message = f"{name_of(document, first.path)} is missing: {first.message}"
        else:
            message = f"{name_of(document, first.path)} {first.message}"
        raise document.refusal(first.path, message)


def _read_list(table: type[T], written: Mapping[str, Any], name: str, wrong: list[_Wrong]) -> tuple[T, ...]:
    return tuple(_read(table, row, (name, n), wrong) for n, row in enumerate(listed(written.get(name))))


def _read(table: type[T], written: Any, path: Path, wrong: list[_Wrong]) -> T:
    try:
        return table.model_validate(written)
    except ValidationError as error:
        wrong.extend(_explained(e, path) for e in error.errors())
        return cast(T, table.model_construct())


def _explained(error: ErrorDetails, table: Path) -> _Wrong:
    at = tuple(p for p in error["loc"] if p != "axes" or table != ("loss",))
    path = (*table, *at)
    key = str(path[-1])
    if error["type"] == "missing":
        return _Wrong(path, _MISSING.get(key, "it has no default"), True)
    if error["type"] == "extra_forbidden":
        known = next((k for (_, name), k in INNER.items() if len(path) > 1 and name == path[-2]), ())
        return _Wrong(path, f"is unknown; there is {', '.join(known)}", False)
    phrase = error.get("ctx", {}).get("wants") or _TABLES.get(key, "a table { ... }")
    return _Wrong(path, f"wants {phrase}, got {described(error['input'])}", False)
