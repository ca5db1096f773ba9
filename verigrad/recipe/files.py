"""Whether the files a recipe names are there, and the functions in them: looked at, never run.

Paths start at the recipe's folder. Left out: hub names and packages (models), what stands in a file (data, rewards).
"""

from __future__ import annotations

import ast
import difflib
from collections.abc import Iterator
from pathlib import Path

from verigrad.errors import Refused, nearest
from verigrad.recipe.document import one_line
from verigrad.recipe.recipe import Recipe
from verigrad.recipe.words import Check

_SUFFIXES = (".jsonl", ".json", ".parquet", ".csv", ".tsv", ".txt", ".gz", ".zst")
_PREFIXES = ("hub:", "gym:", "run:")


def check_paths(recipe: Recipe) -> None:
    """Raise Refused, with its key, for the first named file, folder or function that does not exist."""
    _check_model(recipe)
    for each in (recipe, *recipe.flat):
        at = f"stage.{each.stages[0].number}." if each is not recipe else ""
        for key, source in _sources(each):
            _check_source(recipe.folder, source, f"{at}{key}", {d.name for d in recipe.data})
        for n, part in enumerate(each.reward):
            for name in ("verifier", "shaping"):
                _check_function(recipe.folder, getattr(part, name), f"{at}reward.{n}.{name}")
            if part.model is not None and not part.model.startswith("stage:"):
                _check_there(recipe.folder, part.model, f"{at}reward.{n}.model")
        for n, suite in enumerate(each.acceptance):
            _check_function(recipe.folder, suite.grader, f"{at}acceptance.{n}.grader")
        if each.model.template not in ("auto", "none"):
            _check_there(recipe.folder, each.model.template, f"{at}model.template")


def _sources(recipe: Recipe) -> Iterator[tuple[str, str | Check]]:
    for n, data in enumerate(recipe.data):
        yield f"data.{n}.source", data.source
        if isinstance(data.held_out, str):
            yield f"data.{n}.held_out", data.held_out
    for n, suite in enumerate(recipe.acceptance):
        if suite.source is not None:
            yield f"acceptance.{n}.source", suite.source


def _check_source(folder: Path, source: str | Check, key: str, names: set[str]) -> None:
    if not isinstance(source, str) or source.startswith(_PREFIXES) or source in names:
        return
    if ":" in source:
        _check_function(folder, source, key)
    elif source.endswith(_SUFFIXES) or "/" in source:
        _check_there(folder, source, key)


def _check_model(recipe: Recipe) -> None:
    """A folder or a .gguf must be there; `owner/name` and a bare word may be the hub's, unless a folder says else."""
    path = recipe.model.path
    if path.startswith("package:"):
        return
    local = path.startswith((".", "/", "~")) or path.endswith((".gguf", "/")) or path.count("/") > 1 or "\\" in path
    if local or ("/" in path and (recipe.folder / path.split("/")[0]).is_dir()):
        _check_there(recipe.folder, path, "model.path")


def _check_there(folder: Path, name: str, key: str) -> None:
    path = folder / Path(name).expanduser()
    if not path.exists():
        shown = ".".join(p for p in key.split(".") if not p.isdecimal())
        there = sorted(p.name for p in path.parent.iterdir()) if path.parent.is_dir() else []
        close = difflib.get_close_matches(path.name, there, n=1, cutoff=0.75)
        near = f"; did you mean {close[0]}?" if close else "; paths start at the recipe's folder"
        raise Refused(one_line(f'{shown} = "{name}" does not exist{near}'), key=key)


def _check_function(folder: Path, named: str | Check | None, key: str) -> None:
    """`file.py:function` by its text alone: names bound at the top of the file, whatever they turn out to be."""
    if not isinstance(named, str):
        return
    file, colon, function = named.rpartition(":")
    if not colon or not file.endswith(".py"):
        return
    _check_there(folder, file, key)
    path = folder / Path(file).expanduser()
    try:
        tree = ast.parse(path.read_bytes())
    except (SyntaxError, ValueError, OSError, RecursionError, MemoryError) as error:
        line = f":{error.lineno}" if isinstance(error, SyntaxError) and error.lineno else ""
        raise Refused(one_line(f"{file}{line}: not Python: {error}"), key=key) from None
    names = set(_bound(tree.body))
    if "*" not in names and function not in names:
        raise Refused(one_line(f"{file} has no {function}{nearest(function, _functions(tree) or names)}"), key=key)


def _functions(tree: ast.Module) -> set[str]:
    return {node.name for node in tree.body if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)}


def _bound(body: list[ast.stmt]) -> Iterator[str]:
    """Names a module's statements bind, branches included; "*" for an import of everything."""
    for node in body:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            yield node.name
        elif isinstance(node, ast.Import | ast.ImportFrom):
            yield from (alias.asname or alias.name.split(".")[0] for alias in node.names)
        else:
            for inner in ast.walk(node):
                if isinstance(inner, ast.Name) and isinstance(inner.ctx, ast.Store):
                    yield inner.id
                elif isinstance(inner, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
                    yield inner.name
                elif isinstance(inner, ast.Import | ast.ImportFrom):
                    yield from (alias.asname or alias.name.split(".")[0] for alias in inner.names)
