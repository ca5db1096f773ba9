"""A recipe before it is typed: the nested tables as written, and where each value came from.

Four sources are laid over each other here: recipe < stage < --set, and the method fills what none of them says. Left
out: defaults (tables), types (typed), what a recipe may say (grammar).
"""

from __future__ import annotations

import copy
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from verigrad.errors import RecipeError
from verigrad.recipe.lines import Path

DOUBLED = ("data", "reward", "acceptance")
"""Tables that may be doubled; always a list in a document."""
SHORT = {
    ("model", "lora"): "rank",
    ("train", "schedule"): "name",
    ("train", "optimizer"): "name",
    ("run", "workers"): "kind",
}
"""Keys whose one word stands for a table, and the key of that table it stands for."""
SET = "--set"
DEFAULT = "default"


@dataclass
class Document:
    """Nested tables with origins: under construction, so it changes; a Recipe's own is not touched any more."""

    file: str
    """The recipe's name, as errors show it."""
    value: dict[str, Any] = field(default_factory=dict)
    """The tables; DOUBLED ones and `stage` are lists wherever they have the right shape."""
    origins: dict[Path, str] = field(default_factory=dict)
    """file:line, python, --set, method NAME or default; a path without one has its nearest ancestor's."""

    home: str = ""
    """The place of what is written nowhere: of a flattened stage its [[stage]], else the file."""

    def copy(self) -> Document:
        """One that can be changed without changing this one."""
        return Document(self.file, copy_tables(self.value), dict(self.origins), self.home)

    def get(self, path: Path) -> Any:
        """The value there; raises KeyError where there is none."""
        here: Any = self.value
        for part in path:
            if not _holds(here, part):
                raise KeyError(path)
            here = here[part]
        return here

    def has(self, path: Path) -> bool:
        """Whether something is written there."""
        try:
            self.get(path)
        except KeyError:
            return False
        return True

    def put(self, path: Path, value: Any, origin: str) -> None:
        """Write a value, with the tables above it where they are missing. Raises KeyError where no table can be."""
        here: Any = self.value
        for depth, part in enumerate(path[:-1]):
            if isinstance(here, dict) and part not in here:
                here[part] = {}
                self.origins.setdefault(path[: depth + 1], origin)
            if not _holds(here, part):
                raise KeyError(path)
            here = here[part]
        if not isinstance(here, dict) and not _holds(here, path[-1]):
            raise KeyError(path)
        here[path[-1]] = value
        self.forget(path)
        self.origins[path] = origin

    def forget(self, path: Path) -> None:
        """Drop the origins of this path and of all below."""
        for known in [p for p in self.origins if p[: len(path)] == path]:
            del self.origins[known]

    def adopt(self, path: Path, other: Document, theirs: Path) -> None:
        """Put what another document has at `theirs`, origins and all."""
        self.put(path, copy_tables(other.get(theirs)), other.origin(theirs))
        self.origins.update(
            {path + p[len(theirs) :]: o for p, o in other.origins.items() if p[: len(theirs)] == theirs}
        )

    def origin(self, path: Path) -> str:
        """Where the value came from; "default" where nothing is written."""
        if path in self.origins:
            return self.origins[path]
        if not self.has(path):
            return DEFAULT
        return next((self.origins[p] for p in _ancestors(path) if p in self.origins), self.file)

    def where(self, path: Path) -> str:
        """The nearest place a person can go to: file:line, --set, or the file."""
        for known in (path, *_ancestors(path)):
            origin = self.origins.get(known, DEFAULT)
            if origin == SET or origin == "python" or origin.startswith(f"{self.file}:"):
                return origin
            if origin.startswith("method "):
                return self.where(("loss", "method"))
        return self.home or self.file

    def refusal(self, path: Path, message: str) -> RecipeError:
        """The one line of what is wrong there; a recipe written in Python has no lines, so its keys speak alone."""
        where = self.where(path)
        message = one_line(message)
        return RecipeError(message if where == "python" else f"{where}: {message}", key=shown(path))

    def path(self, key: str) -> Path:
        """The path of a dotted key as a person writes it: stages from 1, the index of an undoubled table left out."""
        parts: list[str | int] = []
        for part in key.split("."):
            above = parts[-1] if parts else None
            if above in DOUBLED and not part.isdecimal() and _is_table(parts):
                parts.append(0)
            if part.isdecimal() and parts:
                parts.append(int(part) - (1 if above == "stage" else 0))
            else:
                parts.append(part)
        return tuple(parts)


def one_line(text: str) -> str:
    """The text with its line ends as blanks; control characters, which a terminal would obey, are shown."""
    return "".join(c if c.isprintable() else f"\\x{ord(c):02x}" for c in " ".join(text.split()))


def shown(path: Path, *, indices: bool = True) -> str:
    """The dotted key of a path. In a file the line tells which of several tables is meant; `indices` says it here."""
    parts = []
    for above, part in zip((None, *path[:-1]), path, strict=True):
        if not isinstance(part, int):
            parts.append(part)
        elif indices:
            parts.append(str(part + 1 if above == "stage" else part))
    return ".".join(parts)


def normalise(document: Document) -> None:
    """Undoubled tables become lists of one, short words the tables they stand for. What has no right shape stays."""
    _lists(document, ())
    _words(document, ())
    for n, stage in enumerate(listed(document.value.get("stage"))):
        if isinstance(stage, dict):
            _lists(document, ("stage", n))
            _words(document, ("stage", n))


def method_name(document: Document) -> str:
    """`loss.method`, or its default."""
    name = document.get(("loss", "method")) if document.has(("loss", "method")) else "grpo"
    return name if isinstance(name, str) else "grpo"


def fill_method(document: Document, sets: Mapping[str, Any], origin: str) -> None:
    """Write what a method sets outside [loss], wherever the recipe does not say it.

    Forms: `train.passes`; `reward.*.options.pays`, every verifier part; `reward.+`, a part (or a list of them) that is
    appended unless one of that shaping is there.
    """
    for key, value in sets.items():
        parts: Path = tuple(key.split("."))
        if parts[1:] == ("+",):
            for part in [value] if isinstance(value, Mapping) else value:
                _append_part(document, str(parts[0]), dict(part), origin)
        elif "*" in parts:
            at = parts.index("*")
            for n, row in enumerate(listed(document.value.get(str(parts[0])))):
                if isinstance(row, dict) and "verifier" in row:
                    _fill(document, (*parts[:at], n, *parts[at + 1 :]), value, origin)
        else:
            _fill(document, parts, value, origin)


def flattened(document: Document, index: int, kind: str) -> Document:
    """The tables of a stage laid over those above it: a table key by key, a list as a whole, no `stage` left.

    A stage counts in its own unit: the other one (steps for rl, epochs for the rest) is not inherited.
    """
    flat = document.copy()
    flat.value.pop("stage", None)
    flat.forget(("stage",))
    flat.value.get("train", {}).pop("epochs" if kind == "rl" else "steps", None)
    stage = document.value["stage"][index]
    flat.home = document.where(("stage", index))
    for table in stage:
        theirs: Path = ("stage", index, table)
        if table in DOUBLED:
            flat.adopt((table,), document, theirs)
        elif table != "kind":
            flat.value.setdefault(table, {})
            flat.origins.setdefault((table,), document.origin(theirs))
            for key in stage[table]:
                flat.adopt((table, key), document, (*theirs, key))
    for n, _ in enumerate(stage.get("data", ())):
        flat.put(("data", n, "held_out"), 0.0, DEFAULT)
    return flat


def copy_tables(value: Any) -> Any:
    """A copy down to the values; functions stay themselves."""
    if isinstance(value, Mapping):
        return {k: copy_tables(v) for k, v in value.items()}
    if isinstance(value, list | tuple):
        return [copy_tables(v) for v in value]
    return value if callable(value) else copy.copy(value)


def listed(value: Any) -> Sequence[Any]:
    """The value if it is a list, else nothing."""
    return value if isinstance(value, list | tuple) else ()


def _holds(container: Any, part: str | int) -> bool:
    if isinstance(container, dict):
        return part in container
    return isinstance(container, list) and isinstance(part, int) and 0 <= part < len(container)


def _ancestors(path: Path) -> Iterator[Path]:
    return (path[:n] for n in range(len(path) - 1, 0, -1))


def _is_table(parts: Sequence[str | int]) -> bool:
    return len(parts) == 1 or (len(parts) == 3 and parts[0] == "stage")


def _lists(document: Document, above: Path) -> None:
    tables = document.get(above) if above else document.value
    for name in DOUBLED:
        if isinstance(tables.get(name), dict):
            tables[name] = [tables[name]]
            at = (*above, name)
            moved = {p: o for p, o in document.origins.items() if p[: len(at)] == at}
            for path, origin in moved.items():
                if path != at:
                    del document.origins[path]
                document.origins[(*at, 0, *path[len(at) :])] = origin


def _words(document: Document, above: Path) -> None:
    tables = document.get(above) if above else document.value
    for (table, key), word in SHORT.items():
        keys = tables.get(table)
        if not isinstance(keys, dict) or key not in keys:
            continue
        value = keys[key]
        if key == "lora" and isinstance(value, int) and not isinstance(value, bool):
            keys[key] = {word: value} if value else None
        elif key != "lora" and isinstance(value, str):
            keys[key] = {word: value}


def _fill(document: Document, path: Path, value: Any, origin: str) -> None:
    if not document.has(path):
        try:
            document.put(path, copy_tables(value), origin)
        except KeyError:
            return  # a value of the wrong type stands in the way; typed says so with its line


def _append_part(document: Document, table: str, part: dict[str, Any], origin: str) -> None:
    rows = document.value.setdefault(table, [])
    if isinstance(rows, list) and not any(
        isinstance(row, dict) and row.get("shaping") == part.get("shaping") for row in rows
    ):
        rows.append(copy_tables(part))
        document.origins[(table, len(rows) - 1)] = origin
