"""From a row to a Task: columns under our names, the prompt written out, the family named. Leaves out reading files."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from verigrad.data.template import Template, Turn, fill, message_fault, turns, unknown
from verigrad.data.text import normalise
from verigrad.errors import DataError, RecipeError
from verigrad.records import Message, Task

OWN = ("prompt", "messages", "gold", "family")
"""Columns that become fields of the Task; the others stay its columns. `family` is read from built-in sources only."""


@dataclass(frozen=True, kw_only=True)
class Reading:
    """How rows are read: a [data] table's prompt, system, columns and split_by, parsed once.

    >>> reading(prompt="What is {a} * {b}?", columns={"gold": "product"}).columns
    {'gold': 'product'}
    """

    template: tuple[tuple[str, Template], ...] = ()
    """(role, template) of each turn; empty = the rows' own `prompt` or `messages`."""
    system: str | None = None
    """Text put before the prompt as a system turn."""
    columns: Mapping[str, str] = field(default_factory=dict)
    """Ours -> yours. A mapped name hides the row's own column of that name."""
    split_by: str | None = None
    """Column, by your name or ours, whose equal values are one family; None = the prompt, normalised."""
    key: str = "data"
    """Recipe key of the table, for errors."""

    @property
    def shown(self) -> frozenset[str]:
        """Columns the template shows."""
        return frozenset().union(*(template.columns for _, template in self.template))


def reading(
    *,
    prompt: str | Sequence[Mapping[str, Any] | Turn] | None = None,
    system: str | None = None,
    columns: Mapping[str, str] | None = None,
    split_by: str | None = None,
    key: str = "data",
) -> Reading:
    """A table's way of reading rows. RecipeError where its prompt is none, or shows the gold under any name."""
    template = turns(prompt, key=f"{key}.prompt") if prompt is not None else ()
    yours = columns or {}
    for name in sorted(frozenset().union(*(text.columns for _, text in template))):
        if yours.get(name, name) == yours.get("gold", "gold"):
            raise RecipeError(
                f"{key}.prompt shows {{{name}}}: the answer would stand in the question", key=f"{key}.prompt"
            )
    return Reading(template=template, system=system, columns=dict(columns or {}), split_by=split_by, key=key)


def fits(row: Mapping[str, Any], how: Reading) -> bool:
    """Whether the row has every column this way of reading asks for."""
    ours = set(row) | set(how.columns)
    wanted = set(how.shown) if how.template else set()
    return asks(row, how) and set(how.columns.values()) <= set(row) and wanted <= ours


def asks(row: Mapping[str, Any], how: Reading) -> bool:
    """Whether table or row has a prompt."""
    return bool(how.template) or bool({"prompt", "messages"} & {*row, *how.columns})


def check_columns(row: Mapping[str, Any], how: Reading, *, file: str) -> None:
    """DataError naming the file alone where its first row shows that the table does not fit the file."""
    for ours, yours in how.columns.items():
        if yours not in row:
            raise DataError(no_column(file, how, ours, yours, row))
    shown = visible(row, how)
    for _, template in how.template:
        for name in template.columns - set(shown):
            raise DataError(f"{file}: {unknown(template, name, shown)}")
    if not how.template and not {"prompt", "messages"} & set(shown):
        raise DataError(
            f"{file}: no column prompt or messages, and no {how.key}.prompt; the columns are {', '.join(row)}"
        )
    if how.split_by is not None and how.split_by not in shown:
        raise DataError(f'{file}: {how.key}.split_by = "{how.split_by}", but the columns are {", ".join(shown)}')


def to_task(row: Mapping[str, Any], how: Reading, *, source: str, place: str, built_in: bool = False) -> Task:
    """The task a row is. DataError naming `place` where a column is missing or is not what it should be."""
    for ours, yours in how.columns.items():
        if yours not in row:
            raise DataError(no_column(place, how, ours, yours, row))
    shown = visible(row, how)
    prompt = _with_system(_prompt(shown, how, place), how, place)
    renamed = set(how.columns.values()) - set(how.columns)
    dropped = set(OWN if built_in else OWN[:3]) | renamed
    return Task.make(
        prompt=prompt,
        gold=shown.get("gold"),
        family=_family(shown, how, prompt, place, built_in=built_in),
        columns={name: value for name, value in shown.items() if name not in dropped},
        source=source,
    )


def visible(row: Mapping[str, Any], how: Reading) -> dict[str, Any]:
    """The row under your names and ours; ours win."""
    return {**row, **{ours: row[yours] for ours, yours in how.columns.items()}}


def _prompt(shown: Mapping[str, Any], how: Reading, place: str) -> tuple[Message, ...]:
    if how.template:
        filled = tuple(Message(role=role, content=fill(text, shown, place=place)) for role, text in how.template)
        if fault := message_fault(filled):
            raise DataError(f"{place}: {fault}")
        return filled
    hidden = set(how.columns.values()) - set(how.columns)
    text, messages = (None if name in hidden else shown.get(name) for name in ("prompt", "messages"))
    if text is not None and messages is not None:
        raise DataError(f"{place}: has both prompt and messages; leave one out, or say which with {how.key}.prompt")
    if messages is not None:
        if fault := message_fault(messages):
            raise DataError(f"{place}: column messages: {fault}")
        return tuple(Message(role=turn["role"], content=turn["content"]) for turn in messages)
    if isinstance(text, list):
        raise DataError(f'{place}: column prompt is a list; say {how.key}.columns = {{ messages = "prompt" }}')
    if not isinstance(text, str) or not text.strip():
        raise DataError(f"{place}: column prompt holds no text")
    return (Message(role="user", content=text),)


def _with_system(prompt: tuple[Message, ...], how: Reading, place: str) -> tuple[Message, ...]:
    if how.system is None:
        return prompt
    if prompt[0]["role"] == "system":
        raise DataError(f"{place}: the prompt has a system turn of its own; leave out {how.key}.system or that turn")
    return (Message(role="system", content=how.system), *prompt)


def _family(shown: Mapping[str, Any], how: Reading, prompt: tuple[Message, ...], place: str, *, built_in: bool) -> str:
    if how.split_by is not None:
        if shown.get(how.split_by) is None:
            raise DataError(f"{place}: no value in {how.split_by}, the column of {how.key}.split_by")
        value = shown[how.split_by]
        return value if isinstance(value, str) else json.dumps(value, sort_keys=True, ensure_ascii=False)
    if built_in and "family" in shown:
        return str(shown["family"])
    return normalise("\n".join(turn["content"] for turn in prompt if turn["role"] != "system"))


def no_column(where: str, how: Reading, ours: str, yours: str, row: Mapping[str, Any]) -> str:
    """The line for a mapped column that is not there."""
    return f'{where}: {how.key}.columns.{ours} = "{yours}", but the columns are {", ".join(row)}'
