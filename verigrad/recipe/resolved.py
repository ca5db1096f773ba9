"""`resolved.json`'s view of a recipe: every value with its origin. Left out: seeds, versions (runs)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from verigrad.recipe.document import Document
from verigrad.recipe.lines import Path
from verigrad.recipe.recipe import Recipe
from verigrad.recipe.tables import Table
from verigrad.recipe.toml_text import function_name


def resolve(recipe: Recipe) -> dict[str, Any]:
    """See `Recipe.resolved`."""
    tables: dict[str, Any] = {}
    for name in ("model", "data", "reward", "loss", "sampling", "train", "acceptance", "run"):
        tables[name] = _resolved(getattr(recipe, name), (name,), recipe.document)
    loss = tables["loss"]
    axes = loss.pop("axes")
    loss.update({} if set(axes) == {"value", "origin"} and axes["value"] == {} else axes)
    if recipe.flat:
        tables["stage"] = [
            {
                "kind": {"value": flat.stages[0].kind, "origin": recipe.document.origin(("stage", n, "kind"))},
                **resolve(flat),
            }
            for n, flat in enumerate(recipe.flat)
        ]
    return tables


def plain(value: Any) -> Any:
    """A value as JSON has it: dates as text, functions as "module:name"."""
    if isinstance(value, Table):
        return {k: plain(v) for k, v in value}
    if isinstance(value, Mapping):
        return {str(k): plain(v) for k, v in value.items()}
    if isinstance(value, list | tuple):
        return [plain(v) for v in value]
    if value is None or isinstance(value, str | bool | int | float):
        return value
    return function_name(value) if callable(value) else str(value)


def _resolved(value: Any, path: Path, document: Document) -> Any:
    if isinstance(value, tuple) and all(isinstance(v, Table) for v in value) and len(path) == 1:
        return [_resolved(v, (*path, n), document) for n, v in enumerate(value)]
    if isinstance(value, Table | Mapping) and (isinstance(value, Table) or value):
        items = value if isinstance(value, Table) else value.items()
        return {str(k): _resolved(v, _below(path, str(k)), document) for k, v in items}
    return {"value": plain(value), "origin": document.origin(path)}


def _below(path: Path, key: str) -> Path:
    """An axis is a key of [loss] itself."""
    return (path[0], key) if path == ("loss", "axes") else (*path, key)
