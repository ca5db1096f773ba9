"""From a file, a text or Python tables to a Recipe: read, laid over each other, typed, checked.

Order of refusals: broken TOML, unknown tables and keys, wrong types, missing keys, tables that do not fit together.
Left out: whether named files exist (files), whether this version has built it (built).
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from verigrad.errors import RecipeError, Refused
from verigrad.recipe.checks import check_recipe
from verigrad.recipe.document import (
    DOUBLED,
    Document,
    copy_tables,
    fill_method,
    flattened,
    method_name,
    normalise,
    one_line,
)
from verigrad.recipe.grammar import check_grammar
from verigrad.recipe.lines import key_lines
from verigrad.recipe.recipe import MethodSets, Recipe
from verigrad.recipe.sets import (
    Setting,
    above_stages,
    apply_settings,
    check_stage_settings,
    read_setting,
    refuse_index,
    settings_for,
)
from verigrad.recipe.tables import Stage
from verigrad.recipe.toml_text import toml_text
from verigrad.recipe.typed import typed, typed_stages

_LARGEST = 1 << 20
"""Bytes a recipe may have."""
_PLACE = re.compile(r" \(at (?:line (\d+), column \d+|end of document)\)$")


def load(path: str | Path, *, sets: Sequence[str] = (), method_sets: MethodSets | None = None) -> Recipe:
    """The recipe in a file. Paths in it start at its folder.

    `sets` are `--set` texts ("train.lr=1e-5"). `method_sets` gives what a method sets outside [loss]; without it
    methods set nothing. Raises RecipeError, one line.
    """
    path = Path(path)
    try:
        with path.open("rb") as file:
            raw = file.read(_LARGEST + 1)
    except OSError as error:
        raise RecipeError(one_line(f"{path}: cannot be read: {(error.strerror or str(error)).lower()}")) from None
    if len(raw) > _LARGEST:
        raise RecipeError(f"{path}: larger than {_LARGEST} bytes, so not a recipe")
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        raise RecipeError(one_line(f"{path.name}:{line}: not UTF-8 text")) from None
    return parse(text, file=path.name, folder=path.parent, sets=sets, method_sets=method_sets)


def parse(
    text: str, *, file: str, folder: Path, sets: Sequence[str] = (), method_sets: MethodSets | None = None
) -> Recipe:
    """The recipe in a TOML text; see `load`. `file` is its name in errors and origins."""
    value = _read_toml(text, file)
    origins = {path: f"{file}:{line}" for path, line in key_lines(text).items()}
    document = Document(file, value, origins)
    return _assemble(document, text, folder, sets, method_sets, name=Path(file).stem)


def from_tables(
    tables: Mapping[str, Any], *, folder: Path, sets: Sequence[str], method_sets: MethodSets | None
) -> Recipe:
    """The recipe in nested Python tables; see `Recipe.of`."""
    for name in tables:
        if not isinstance(name, str):
            raise RecipeError(f"a recipe's tables have texts as names, not {name!r}")
    value = copy_tables(tables)
    document = Document("python", value, {(name,): "python" for name in value})
    return _assemble(document, toml_text(tables), folder, sets, method_sets, name="python")


def _read_toml(text: str, file: str) -> dict[str, Any]:
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        place = _PLACE.search(str(error))
        line = place.group(1) if place and place.group(1) else max(text.rstrip().count("\n") + 1, 1)
        said = _PLACE.sub("", str(error)).rstrip(".")
        hint = ""
        if "overwrite" in said or "twice" in said:
            header = (text.splitlines() or [""])[int(line) - 1].lstrip().startswith("[")
            hint = (
                " (is it written twice? several of one table are [[...]] each)" if header else " (is it written twice?)"
            )
        raise RecipeError(one_line(f"{file}:{line}: not TOML: {said[:1].lower()}{said[1:]}{hint}")) from None
    except (ValueError, RecursionError) as error:
        said = "nested too deeply" if isinstance(error, RecursionError) else "a number of too many digits"
        raise RecipeError(one_line(f"{file}: not TOML: {said}")) from None


def _assemble(
    document: Document, text: str, folder: Path, sets: Sequence[str], method_sets: MethodSets | None, *, name: str
) -> Recipe:
    settings = [read_setting(s) for s in sets]
    normalise(document)
    check_grammar(document)
    count = len(document.value.get("stage", ()))
    check_stage_settings(settings, count)
    stages = typed_stages(document)
    whole = document.copy()
    flats = []
    for stage in stages if count else ():
        flat = flattened(document, stage.number - 1, stage.kind)
        own = [table for table in document.value["stage"][stage.number - 1] if table in DOUBLED]
        _lay_over(flat, settings_for(settings, stage.number, own, stage.kind), stage.kind, method_sets)
        flats.append(flat)
    if count:
        apply_settings(whole, above_stages(settings))
        check_grammar(whole)
    else:
        _lay_over(whole, settings, "rl", method_sets)

    return _typed_recipe(whole, flats, stages, folder=folder, text=text, name=name)


def with_method_sets(recipe: Recipe, method_sets: MethodSets) -> Recipe:
    """The recipe with what its methods set outside [loss], wherever it does not say it: one made without them.

    A recipe that was read with them comes back equal. Raises RecipeError as `parse` does.
    """
    whole, flats = recipe.document.copy(), [flat.document.copy() for flat in recipe.flat]
    for stage, document in zip(recipe.stages, flats or [whole], strict=True):
        _lay_over(document, (), stage.kind, method_sets)
    name = Path(recipe.file).stem
    return _typed_recipe(whole, flats, recipe.stages, folder=recipe.folder, text=recipe.text, name=name)


def _typed_recipe(
    whole: Document, flats: Sequence[Document], stages: tuple[Stage, ...], *, folder: Path, text: str, name: str
) -> Recipe:
    def one(document: Document, stages: tuple[Stage, ...], flat: tuple[Recipe, ...] = ()) -> Recipe:
        tables = vars(typed(document, name=name))
        return Recipe(**tables, stages=stages, file=whole.file, folder=folder, text=text, document=document, flat=flat)

    parts = tuple(one(flat, (stage,)) for flat, stage in zip(flats, stages, strict=bool(flats)))
    recipe = one(whole, stages, parts)
    check_recipe(recipe)
    return recipe


def _lay_over(flat: Document, settings: Sequence[Setting], kind: str, method_sets: MethodSets | None) -> None:
    """--set above the stage; the method below the recipe: it fills what is not said."""
    late = apply_settings(flat, settings)
    check_grammar(flat)
    if kind == "rl" and method_sets is not None:
        name = method_name(flat)
        try:
            sets = method_sets(name)
        except Refused as error:
            raise flat.refusal(flat.path(error.key or "loss.method"), str(error)) from None
        fill_method(flat, sets, f"method {name}")
    for setting in apply_settings(flat, late):
        raise refuse_index(flat, setting)
    check_grammar(flat)
