"""Sources: what a [data] table names, read into tasks. Leaves out the split, the leak check and the order.

Built-in name, file.jsonl, file.parquet, hub:owner/name, gym:task, file.py:function, run:NAME or (from Python) a
function. Rows of a well-known form get its prompt and gold where neither they nor the table say them (formats), and a
note says so. What rows with answers in them become is said in shapes, what is mined from a run in mined.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Any, Protocol

from verigrad.data import functions, gym, hub, jsonl, parquet
from verigrad.data.builtin import find, names
from verigrad.data.formats import Format, adapted, recognised
from verigrad.data.mined import mined
from verigrad.data.rows import Reading, asks, check_columns, fits, reading, to_task
from verigrad.data.shapes import Shaped, shaped
from verigrad.data.use import Use
from verigrad.errors import DataError, RecipeError, nearest
from verigrad.recipe import Kind, source_name
from verigrad.records import Task

Function = Callable[[], Iterable[Mapping[str, Any]]]
Placed = Iterator[tuple[str, dict[str, Any]]]


_FILES: Mapping[str, Callable[..., Placed]] = {".jsonl": jsonl.read, ".parquet": parquet.read}


class Table(Protocol):
    """What this room reads of a [data] table."""

    @property
    def source(self) -> Any:
        """Text or function: where the rows come from."""

    @property
    def prompt(self) -> Any:
        """Text, list of turns or None."""

    @property
    def system(self) -> str | None:
        """Text put before the prompt."""

    @property
    def columns(self) -> Mapping[str, str] | None:
        """Ours -> yours."""

    @property
    def held_out(self) -> Any:
        """Share of the families, or another source."""

    @property
    def split_by(self) -> str | None:
        """Column of the families."""

    @property
    def weight(self) -> float | None:
        """Share in a step."""


@dataclass(frozen=True, kw_only=True)
class Source:
    """One source, read: its tasks in file order, each once.

    >>> source = load_source("times_table")
    >>> source.name, len(source.tasks), source.places[0]
    ('times_table', 121, 'times_table[0]')
    """

    name: str
    """File stem, or what follows the prefix; a function's name."""
    tasks: tuple[Task, ...]
    """Tasks in the source's order, one per key."""
    places: tuple[str, ...]
    """"questions.jsonl:12" of each task."""
    weight: float | None = None
    """Share in a step, as the recipe says it; None = by size."""
    held_out: float | Source = 0.0
    """Share of the families kept from training, or the source that is."""
    split_by: bool = False
    """Whether the recipe named the families' column."""
    notes: tuple[str, ...] = ()
    """What a person should know: duplicates left out."""
    key: str = "data"
    """Recipe key of its table, for errors."""


def load(
    data: Sequence[Table],
    *,
    folder: Path = Path("."),
    kind: Kind = "rl",
    labelled: bool = False,
    runs: Path | None = None,
    here: Path | None = None,
    before: int | None = None,
) -> tuple[Source, ...]:
    """Every [data] table's source, read for a stage of this kind, with its held-out source where it names one.

    Rows of "preference" and "reward_model" hold a better and a worse answer (`labelled`: one answer and whether it is
    good), of "sft" the answer to imitate; all become tasks with those as columns (`data.pairs`, `data.labelled`,
    `data.demonstrations`). `runs` is the folder of `run:NAME` (runs/ where it is None), `here` the run that is going
    on, for `run:.`, which is the latest rl stage before stage `before`. DataError for a fault in the data, RecipeError
    for one in the table; one line.
    """
    sources: list[Source] = []
    use = Use(kind=kind, labelled=labelled, runs=runs or Path("runs"), here=here, before=before)
    for i, table in enumerate(data):
        key = "data" if len(data) == 1 else f"data.{i}"
        how = _reading(table, key)
        source = load_source(table.source, how=how, folder=folder, key=f"{key}.source", use=use)
        if source.name in {other.name for other in sources}:
            raise RecipeError(f"two sources are named {source.name}; give one file another name", key=f"{key}.source")
        sources.append(_with_table(source, table, how, folder, key, use))
    return tuple(sources)


def load_source(
    source: str | Function,
    *,
    how: Reading | None = None,
    folder: Path = Path("."),
    key: str = "data.source",
    use: Use | None = None,
) -> Source:
    """One source read as `how` says, by default with the rows' own prompts, for `use`, by default questions."""
    how, use = how or Reading(), use or Use()
    if isinstance(source, str) and source.startswith("run:"):
        found = mined(source, use, key=key)
        return Source(name=source_name(source), tasks=found.tasks, places=found.places, notes=found.notes)
    label, rows, built_in = _open(source, folder, key)
    first = next(rows, None)
    form = _form_of(first[1], how, use) if first else None
    ready = shaped(_formed(first, rows, form, how), how, use, file=label)
    return _collect(ready, name=source_name(source), label=label, built_in=built_in, form=form)


def load_suite(
    source: str | Function,
    data: Sequence[Table] = (),
    *,
    folder: Path = Path("."),
    key: str = "acceptance.source",
    use: Use | None = None,
) -> Source:
    """Items from elsewhere for an acceptance suite, read like the first [data] table whose columns its rows have.

    Rows that fit no table are read with their own `prompt` or `messages`, and with the system text where there is one
    [data] alone. A built-in source keeps its own wording: a table's prompt is put around it only if it shows {prompt}
    and nothing else.
    """
    use = use or Use()
    label, rows, built_in = _open(source, folder, key)
    first = next(rows, None)
    tables = [_reading(t, "data" if len(data) == 1 else f"data.{i}") for i, t in enumerate(data)]
    how, form = _like(first[1] if first else {}, tables, built_in, use)
    ready = shaped(_formed(first, rows, form, how), how, use, file=label)
    return _collect(ready, name=source_name(source), label=label, built_in=built_in, form=form)


def _reading(table: Table, key: str) -> Reading:
    return reading(prompt=table.prompt, system=table.system, columns=table.columns, split_by=table.split_by, key=key)


def _with_table(source: Source, table: Table, how: Reading, folder: Path, key: str, use: Use) -> Source:
    if table.weight is not None and not table.weight > 0:
        raise RecipeError(f"{key}.weight is {table.weight}; a share is above 0", key=f"{key}.weight")
    held_out: float | Source
    if isinstance(table.held_out, (int, float)) and not isinstance(table.held_out, bool):
        if not 0 <= table.held_out < 1:
            raise RecipeError(
                f"{key}.held_out is {table.held_out}; a share is 0 or more and below 1", key=f"{key}.held_out"
            )
        held_out = float(table.held_out)
    else:
        held_out = load_source(table.held_out, how=how, folder=folder, key=f"{key}.held_out", use=use)
    return Source(
        name=source.name,
        tasks=source.tasks,
        places=source.places,
        weight=table.weight,
        held_out=held_out,
        split_by=table.split_by is not None,
        notes=source.notes,
        key=key,
    )


def _collect(ready: Shaped, *, name: str, label: str, built_in: bool, form: Format | None) -> Source:
    how = ready.how
    first_place: dict[str, str] = {}
    tasks: list[Task] = []
    twice: list[tuple[str, str]] = []
    for place, row in ready.rows:
        if not tasks:
            check_columns(row, how, file=label)
        task = to_task(row, how, source=name, place=place, built_in=built_in)
        if tasks and (task.gold is None) != (tasks[0].gold is None):
            without_gold = place if task.gold is None else first_place[tasks[0].key]
            raise DataError(f"{without_gold}: has no gold, and other rows of {label} do")
        if task.key in first_place:
            twice.append((place, first_place[task.key]))
            continue
        first_place[task.key] = place
        tasks.append(task)
    if not tasks:
        raise DataError(f"{label}: no rows; a source has at least one")
    notes: tuple[str, ...] = () if form is None else (f"{label}: read as {form.NAME}: {form.SAYS}",)
    notes += ready.notes
    if twice:
        notes += (f"{label}: {len(twice)} duplicate row(s) left out ({twice[0][0]} repeats {twice[0][1]})",)
    return Source(name=name, tasks=tuple(tasks), places=tuple(first_place.values()), notes=notes)


def _open(source: str | Function, folder: Path, key: str) -> tuple[str, Placed, bool]:
    """What errors call the source, its rows, and whether it is built in."""
    if not isinstance(source, str):
        return source_name(source), functions.rows_of(source, folder=folder, key=key), False
    if source.startswith("run:"):
        raise RecipeError(f'{key} = "{source}": a run\'s answers are for training; it cannot be a suite', key=key)
    if source.startswith("hub:"):
        return source, hub.read(source, folder=folder, key=key), False
    if source.startswith("gym:"):
        return source, gym.read(source, key=key), False
    if re.search(r"\.py:[^:/\\]+$", source):
        return source, functions.rows_of(source, folder=folder, key=key), False
    for ending, read in _FILES.items():
        if source.endswith(ending):
            return source, read(_there(source, ending, folder, key), name=source), False
    if source in names():
        rows = find(source).rows()
        return source, ((f"{source}[{i}]", dict(row)) for i, row in enumerate(rows)), True
    forms = "built-in source, file.jsonl, file.parquet, hub:owner/name, gym:task, file.py:function or run:NAME"
    raise RecipeError(f'{key} = "{source}" is no {forms}{nearest(source, names())}', key=key)


def _there(source: str, ending: str, folder: Path, key: str) -> Path:
    path = folder / source
    if not path.is_file():
        near = nearest(path.name, [p.name for p in path.parent.glob(f"*{ending}")] if path.parent.is_dir() else [])
        raise DataError(f'{key} = "{source}": no such file{near}', key=key)
    return path


def _form_of(row: Mapping[str, Any], how: Reading, use: Use) -> Format | None:
    """The form of rows that have no prompt or no gold of their own and get none from the table.

    Rows that hold pairs or labels are none of these; a demonstration's own answer does for the gold.
    """
    if use.wants in ("pairs", "labels"):
        return None
    answers = {"gold", "completion"} if use.wants == "demonstrations" else {"gold"}
    return None if asks(row, how) and answers & {*row, *how.columns} else recognised(row)


def _formed(first: tuple[str, dict[str, Any]] | None, rest: Placed, form: Format | None, how: Reading) -> Placed:
    rows = chain([first], rest) if first else rest
    return rows if form is None else adapted(rows, form, own_prompt=bool(how.template))


def _like(row: Mapping[str, Any], tables: Sequence[Reading], built_in: bool, use: Use) -> tuple[Reading, Format | None]:
    for how in tables:
        form = _form_of(row, how, use)
        shown = row if form is None else next(adapted(iter([("", dict(row))]), form, own_prompt=bool(how.template)))[1]
        # A pair's prompt may stand in its conversations alone: shapes finds it there, or says that there is none.
        like = fits({"prompt": "", **shown} if use.wants in ("pairs", "labels") else shown, how)
        if like and (not built_in or how.shown <= {"prompt"}):
            return how, form
    own = Reading(system=tables[0].system if len(tables) == 1 else None)
    return own, _form_of(row, own, use)
