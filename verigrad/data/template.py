"""Prompt templates: text with {column}s. Leaves out everything else Python's format strings can do.

No attribute access, no indexing, no conversions, no format specifications: what stands between braces is a column's
name, whole. A literal brace is doubled. A value is put in as it is and never read as a template again.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from verigrad.data.text import one_line
from verigrad.errors import DataError, RecipeError, nearest

ROLES = ("system", "user", "assistant")


class Turn(Protocol):
    """A turn as the recipe holds it."""

    @property
    def role(self) -> str:
        """system, user or assistant."""

    @property
    def content(self) -> str:
        """The turn's template."""


@dataclass(frozen=True, kw_only=True)
class Template:
    """A parsed text.

    >>> parse("{{{a}}} is {b}", key="data.prompt").parts
    (('text', '{'), ('column', 'a'), ('text', '} is '), ('column', 'b'))
    """

    parts: tuple[tuple[str, str], ...]
    """("text", literal) and ("column", name), in order."""
    key: str
    """The recipe key it came from."""

    @property
    def columns(self) -> frozenset[str]:
        """Names of the columns it shows."""
        return frozenset(value for kind, value in self.parts if kind == "column")


def parse(text: str, *, key: str) -> Template:
    """The template a text is. RecipeError where a brace is not closed, not opened or empty."""
    parts: list[tuple[str, str]] = []
    literal, i = "", 0
    while i < len(text):
        char = text[i]
        if char in "{}" and text[i : i + 2] == char * 2:
            literal, i = literal + char, i + 2
        elif char == "}":
            raise RecipeError(f"{key}: a }} without its {{ in {_around(text, i)}; a literal brace is doubled", key=key)
        elif char == "{":
            end = text.find("}", i)
            name = text[i + 1 : end] if end >= 0 else ""
            if not name.strip() or "{" in name:
                raise RecipeError(
                    f"{key}: braces hold one column's name, but here is {_around(text, i)}; a literal brace is doubled",
                    key=key,
                )
            parts += [("text", literal)] if literal else []
            parts.append(("column", name))
            literal, i = "", end + 1
        else:
            literal, i = literal + char, i + 1
    parts += [("text", literal)] if literal else []
    return Template(parts=tuple(parts), key=key)


def fill(template: Template, columns: Mapping[str, Any], *, place: str) -> str:
    """The text with the row's values in it; a value that is no text is put in as JSON.

    DataError naming `place` ("questions.jsonl:12") where the row lacks a column or holds null in it.
    """
    out = []
    for kind, value in template.parts:
        if kind == "text":
            out.append(value)
            continue
        if value not in columns:
            raise DataError(f"{place}: {unknown(template, value, columns)}")
        if columns[value] is None:
            raise DataError(f"{place}: column {value} is null, but {template.key} shows it")
        out.append(columns[value] if isinstance(columns[value], str) else _json(columns[value]))
    return "".join(out)


def unknown(template: Template, name: str, columns: Mapping[str, Any]) -> str:
    """Why {name} cannot be shown: names what there is."""
    hint = ""
    if any(mark in name for mark in ".[!:"):
        hint = " (braces hold a column's name alone: no attribute, index, conversion or format)"
    near = nearest(name, columns)
    near = near if near.startswith("; did") else ""
    return f"{template.key} shows {{{one_line(name)}}}{hint}, but the columns are {', '.join(columns)}{near}"


def turns(prompt: str | Sequence[Mapping[str, Any] | Turn], *, key: str) -> tuple[tuple[str, Template], ...]:
    """(role, template) of each turn of `data.prompt`, a text being one user turn. RecipeError where it is no prompt."""
    if isinstance(prompt, str):
        if not prompt.strip():
            raise RecipeError(f"{key} is empty: leave it out to use the column prompt or messages", key=key)
        return (("user", parse(prompt, key=key)),)
    plain = [turn if isinstance(turn, Mapping) else {"role": turn.role, "content": turn.content} for turn in prompt]
    if fault := message_fault(plain):
        raise RecipeError(f"{key}: {fault}", key=key)
    return tuple((turn["role"], parse(turn["content"], key=key)) for turn in plain)


def message_fault(messages: object) -> str:
    """What keeps `messages` from being a prompt, in a few words; empty where nothing does."""
    if not isinstance(messages, Sequence) or isinstance(messages, str) or not messages:
        return "a prompt of turns is a list of { role, content } with at least one of them"
    for i, turn in enumerate(messages):
        if not isinstance(turn, Mapping) or set(turn) != {"role", "content"}:
            return f"turn {i + 1} is not {{ role, content }} alone: {one_line(turn)}"
        if turn["role"] not in ROLES:
            return f"turn {i + 1} has the role {one_line(repr(turn['role']))}; roles are {', '.join(ROLES)}"
        if not isinstance(turn["content"], str) or not turn["content"].strip():
            return f"turn {i + 1} has no text as its content"
        if turn["role"] == "system" and i:
            return f"turn {i + 1} is a system turn; only the first may be"
    if messages[-1]["role"] != "user":
        return f"the last turn is the {messages[-1]['role']}'s; the model answers a user's turn"
    return ""


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


def _around(text: str, i: int) -> str:
    return json.dumps(one_line(text[max(0, i - 12) : i + 20]), ensure_ascii=False)
