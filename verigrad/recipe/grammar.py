"""What a recipe may say: every table and key, and the line that says what is wrong where it says something else.

Left out: the types of the values (typed) and how tables fit together (checks).
"""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Mapping
from typing import Any

from verigrad.recipe import tables
from verigrad.recipe.document import DOUBLED, Document, shown
from verigrad.recipe.lines import Path


def _keys(table: type[tables.Table]) -> tuple[str, ...]:
    return tuple(table.model_fields)


TABLES: Mapping[str, tuple[str, ...]] = {
    "model": _keys(tables.Model),
    "data": _keys(tables.Data),
    "reward": _keys(tables.Reward),
    "loss": ("method", *tables.AXES),
    "sampling": _keys(tables.Sampling),
    "train": _keys(tables.Train),
    "acceptance": _keys(tables.Suite),
    "run": _keys(tables.Run),
}
"""Every table and its keys; [[stage]] has `kind` and these tables again."""
INNER: Mapping[tuple[str, str], tuple[str, ...]] = {
    ("model", "lora"): _keys(tables.Lora),
    ("data", "prompt"): _keys(tables.Message),
    ("train", "schedule"): _keys(tables.Schedule),
    ("train", "optimizer"): _keys(tables.Optimizer),
    ("acceptance", "rule"): _keys(tables.Rule),
    ("run", "workers"): _keys(tables.Workers),
    ("run", "limits"): _keys(tables.Limits),
}
"""Keys that hold a table of the grammar; every other inline table belongs to the room that checks it."""
KEYS = (*(f"{t}.{k}" for t, keys in TABLES.items() for k in keys), "stage.kind")
"""All 60."""


def check_grammar(document: Document) -> None:
    """Raise RecipeError for the first table or key that does not exist, or table of the wrong shape, in file order."""
    found = [(document.where(path), path, message) for path, message in _wrong(document, (), document.value)]
    if found:
        _, path, message = min(found, key=lambda f: line_number(f[0]))
        raise document.refusal(path, message)


def line_number(where: str) -> int:
    """The line of `file:line`; beyond every line where there is none, so that what has a line comes first."""
    tail = where.rpartition(":")[2]
    return int(tail) if tail.isdecimal() else 10**9


def name_of(document: Document, path: Path) -> str:
    """A key as errors show it: with its index only where no line tells which table is meant."""
    return shown(path, indices=line_number(document.where(path)) == 10**9)


def _wrong(document: Document, above: Path, written: Mapping[str, Any]) -> Iterator[tuple[Path, str]]:
    for name, value in written.items():
        path = (*above, name)
        if above and name == "kind":
            continue
        if name == "stage" and not above:
            yield from _wrong_stages(document, path, value)
        elif name not in TABLES:
            yield path, _unknown_top(name, value, above)
        elif name in DOUBLED:
            yield from _wrong_list(document, path, value)
        elif isinstance(value, list) and value and all(isinstance(v, Mapping) for v in value):
            yield (
                path,
                f"[[{shown(path, indices=False)}]] may not be doubled; only data, reward, acceptance and stage may",
            )
        elif not isinstance(value, Mapping):
            yield path, f"{shown(path, indices=False)} is a table: write [{shown(path, indices=False)}] and its keys"
        else:
            yield from _wrong_keys(document, path, name, value)


def _wrong_stages(document: Document, path: Path, value: Any) -> Iterator[tuple[Path, str]]:
    if not isinstance(value, list) or not all(isinstance(v, Mapping) for v in value):
        yield path, "a stage is written [[stage]], with two brackets, and its tables [stage.train]"
        return
    for n, stage in enumerate(value):
        yield from _wrong(document, (*path, n), stage)


def _wrong_list(document: Document, path: Path, value: Any) -> Iterator[tuple[Path, str]]:
    name = shown(path, indices=False)
    if not isinstance(value, list) or not all(isinstance(v, Mapping) for v in value):
        yield path, f"{name} is a table: write [{name}] or [[{name}]] and its keys"
        return
    for n, row in enumerate(value):
        yield from _wrong_keys(document, (*path, n), str(path[-1]), row)


def _wrong_keys(document: Document, above: Path, table: str, written: Mapping[str, Any]) -> Iterator[tuple[Path, str]]:
    for key, value in written.items():
        path = (*above, key)
        if key not in TABLES[table]:
            yield path, _unknown(document, path, TABLES[table], table)
            continue
        inner = INNER.get((table, key), ())
        for n, row in enumerate(value if isinstance(value, list) else [value]):
            if inner and isinstance(row, Mapping):
                at = (*path, n) if isinstance(value, list) else path
                for word in row:
                    if word not in inner:
                        yield (*at, word), _unknown(document, (*at, word), inner, table)


def _unknown(document: Document, path: Path, known: tuple[str, ...], table: str) -> str:
    """Exactly right elsewhere, nearly right here, nearly right elsewhere, or what there is here."""
    key = str(path[-1])
    stem = name_of(document, path[:-1])
    text = f"unknown key {stem}.{key}"
    prefix = "stage." if path[0] == "stage" else ""
    if elsewhere := _homes(key):
        return f"{text}; it is {' or '.join(prefix + e for e in elsewhere)}"
    if near := difflib.get_close_matches(key, known, n=1, cutoff=0.6):
        return f"{text}; did you mean {stem}.{near[0]}?"
    everywhere = sorted({k.rpartition(".")[2] for k in KEYS})
    if near := difflib.get_close_matches(key, everywhere, n=1, cutoff=0.75):
        return f"{text}; did you mean {prefix}{_homes(near[0])[0]}?"
    return f"{text}; there is {', '.join(known)}"


def _unknown_top(name: str, value: Any, above: Path) -> str:
    prefix = "stage." if above else ""
    is_table = isinstance(value, Mapping) or (isinstance(value, list) and any(isinstance(v, Mapping) for v in value))
    what = "table" if is_table else "key"
    allowed = [*TABLES] if above else [*TABLES, "stage"]
    if elsewhere := _homes(name):
        return f"unknown {what} {prefix}{name}; it is {' or '.join(prefix + e for e in elsewhere)}"
    if near := difflib.get_close_matches(name, allowed, n=1, cutoff=0.6):
        return f"unknown {what} {prefix}{name}; did you mean {prefix}{near[0]}?"
    return f"unknown {what} {prefix}{name}; there is {', '.join(allowed)}"


def _inner_keys() -> tuple[str, ...]:
    return tuple(f"{t}.{k}.{inner}" for (t, k), keys in INNER.items() for inner in keys)


def _homes(key: str) -> list[str]:
    """Where a key of exactly this name lives: among the 60 first, else within one of their tables."""
    return [k for k in KEYS if k.rpartition(".")[2] == key] or [k for k in _inner_keys() if k.endswith(f".{key}")]
