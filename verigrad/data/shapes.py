"""Rows with answers in them: pairs, labelled answers and demonstrations, brought to one form. Formats in, tasks later.

What comes out has a prompt and, beside the row's other columns, `chosen`, `rejected` and perhaps `margin` (preference,
reward_model), `completion` and `label` (labelled) or `completion` (sft), as text. Those columns are never shown in a
prompt. Left out: files (sources), pairs mined from a run (mined), the records of the loops (examples), answers of
several turns (only a conversation's last turn is learnt from).
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import chain
from typing import Any

from verigrad.data.rows import Reading, no_column, visible
from verigrad.data.text import one_line
from verigrad.data.turns import Turns, answer_of, ends_in_answer, turns_of
from verigrad.data.use import Use
from verigrad.errors import DataError, RecipeError
from verigrad.records import Message

Placed = Iterator[tuple[str, dict[str, Any]]]
Row = Mapping[str, Any]


@dataclass(frozen=True, kw_only=True)
class Shaped:
    """Rows in one form and how they are to be read from now on."""

    rows: Placed
    """(place, row)."""
    how: Reading
    """The table's reading without what is done."""
    notes: tuple[str, ...] = ()
    """What a person should know: what was taken as the answer."""


_ANSWERS: Mapping[str, tuple[str, ...]] = {
    "questions": (),
    "demonstrations": ("completion",),
    "labels": ("completion", "label", "chosen", "rejected"),
    "pairs": ("chosen", "rejected", "margin"),
}


def shaped(rows: Placed, how: Reading, use: Use, *, file: str) -> Shaped:
    """The rows in the form of `use`. RecipeError where the prompt shows an answer, DataError naming a row at fault."""
    ours = _ANSWERS[use.wants]
    for name in ours:
        for shown in {name, how.columns.get(name, name)} & how.shown:
            raise RecipeError(
                f"{how.key}.prompt shows {{{shown}}}: the answer would stand in the question", key=f"{how.key}.prompt"
            )
    first = next(rows, None)
    if not ours or first is None:
        return Shaped(rows=rows if first is None else chain([first], rows), how=how)
    maker, note = _maker(_seen(first[1], how, file), how, use, file)
    taken = {*ours} if how.template else {*ours, "prompt", "messages"}
    gone = taken | {how.columns.get(name, name) for name in taken}
    rest = {name: yours for name, yours in how.columns.items() if name not in taken and yours not in gone}
    # A column may be an answer and something else too (gold = "better", chosen = "better"): kept under that name.
    also = {name: yours for name, yours in how.columns.items() if name not in taken and yours in gone}

    def one(place: str, row: Row) -> Placed:
        try:
            for more in maker(_seen(row, how, place)):
                kept = {name: value for name, value in row.items() if name not in gone}
                yield place, {**kept, **{name: row[yours] for name, yours in also.items()}, **more}
        except ValueError as error:
            raise DataError(f"{place}: {one_line(error, 240)}") from None

    made = (shaped_row for place, row in chain([first], rows) for shaped_row in one(place, row))
    return Shaped(rows=made, how=replace(how, columns=rest), notes=(f"{file}: {note}",) if note else ())


Maker = Callable[[Row], list[dict[str, Any]]]


def _seen(row: Row, how: Reading, place: str) -> dict[str, Any]:
    """The row under our names; a column that was given another name is seen under that one alone."""
    for ours, yours in how.columns.items():
        if yours not in row:
            raise DataError(no_column(place, how, ours, yours, row))
    renamed = set(how.columns.values()) - set(how.columns)
    return {name: value for name, value in visible(row, how).items() if name not in renamed}


def _maker(first: Row, how: Reading, use: Use, file: str) -> tuple[Maker, str]:
    """What makes a row's tasks, chosen by the first row, and what to say of it. DataError where none can."""
    if use.wants == "pairs":
        _must_have(first, how, file, "chosen", "rejected")
        return lambda row: [_pair(row, how)], ""
    if use.wants == "labels":
        if {"chosen", "rejected"} <= set(first) and "completion" not in first:
            return lambda row: _two(row, how), "each pair read as a good and a bad answer"
        _must_have(first, how, file, "completion", "label")
        return lambda row: [_labelled(row, how)], ""
    if "completion" in first:
        return lambda row: [_demonstration(row, "completion", how)], ""
    if "messages" in first and ends_in_answer(first["messages"]):
        return lambda row: [_demonstration(row, "messages", how)], ""
    if "gold" in first:
        return lambda row: [_from_gold(row, how)], "no column completion: the gold is the answer to imitate"
    raise DataError(
        f"{file}: no column completion, no messages that end in the assistant's turn and no gold to imitate; the "
        f"columns are {', '.join(first)}: say {how.key}.columns = {{ completion = ... }}"
    )


def _must_have(first: Row, how: Reading, file: str, *names: str) -> None:
    for name in names:
        if name not in first:
            raise DataError(
                f"{file}: no column {name}; the columns are {', '.join(first)}: say which is it with "
                f'{how.key}.columns = {{ {name} = "..." }}'
            )


def _pair(row: Row, how: Reading) -> dict[str, Any]:
    better, worse = _name("chosen", how), _name("rejected", how)
    prompt = _prompt(row, how)
    one, chosen = _answer(row, "chosen", prompt, how)
    other, rejected = _answer(row, "rejected", prompt, how)
    if not how.template:
        if one is None or other is None:
            raise ValueError(f"no prompt: no column prompt or messages, and {better} and {worse} are no conversations")
        if one != other:
            raise ValueError(f"the prompt is no prefix of both: {better} and {worse} differ before their last turn")
    if chosen.strip() == rejected.strip():
        raise ValueError(f"{better} and {worse} are the same answer; a pair needs a better and a worse one")
    return {**_asked(one, how), "chosen": chosen, "rejected": rejected, **_margin(row, how)}


def _two(row: Row, how: Reading) -> list[dict[str, Any]]:
    pair = _pair(row, how)
    chosen, rejected = pair.pop("chosen"), pair.pop("rejected")
    pair.pop("margin", None)
    return [{**pair, "completion": chosen, "label": True}, {**pair, "completion": rejected, "label": False}]


def _labelled(row: Row, how: Reading) -> dict[str, Any]:
    if "label" not in row:
        raise ValueError(f"no column {_name('label', how)} like the first row")
    value = row["label"]
    if not isinstance(value, bool | int | float) or value not in (0, 1):
        raise ValueError(
            f"column {_name('label', how)} is {one_line(json.dumps(value, ensure_ascii=False), 40)}; a label is true "
            "or false, or 1 or 0"
        )
    return {**_demonstration(row, "completion", how), "label": bool(value)}


def _demonstration(row: Row, column: str, how: Reading) -> dict[str, Any]:
    prompt = _prompt(row, how)
    if column == "messages":
        # A text prompt beside a whole conversation is its first question (UltraChat); the conversation says all.
        turns = turns_of(row.get("messages"), _name("messages", how))
        users = [turn["content"].strip() for turn in turns if turn["role"] == "user"]
        if prompt is not None and (not users or prompt[-1]["content"].strip() != users[0]):
            raise ValueError(f"column {_name('messages', how)} does not begin with the prompt")
        prompt = None
    asked, answer = _answer(row, column, prompt, how)
    if asked is None and not how.template:
        raise ValueError(f"no prompt: no column prompt or messages, and {_name(column, how)} is no conversation")
    return {**_asked(asked, how), "completion": answer}


def _from_gold(row: Row, how: Reading) -> dict[str, Any]:
    gold = row.get("gold")
    if isinstance(gold, bool) or not isinstance(gold, str | int | float) or not str(gold).strip():
        raise ValueError(
            f"no completion, and its gold is no text or number to imitate: {one_line(json.dumps(gold), 60)}; say "
            f"{how.key}.columns = {{ completion = ... }}"
        )
    whole = isinstance(gold, float) and gold.is_integer()
    prompt = _prompt(row, how)
    if prompt is None and not how.template:
        raise ValueError("no prompt: no column prompt or messages")
    return {**_asked(prompt, how), "completion": str(int(gold) if whole else gold)}


def _answer(row: Row, column: str, prompt: Turns | None, how: Reading) -> tuple[Turns | None, str]:
    """(prompt, answer) of a column; with a prompt written by the table a conversation has no place for its own."""
    name = _name(column, how)
    if column not in row:
        raise ValueError(f"no column {name} like the first row")
    asked, answer = answer_of(row[column], prompt, name)
    if how.template and asked is not None:
        raise ValueError(
            f"column {name} is a whole conversation, and {how.key}.prompt writes the prompt: leave that out"
        )
    return asked, answer


def _prompt(row: Row, how: Reading) -> Turns | None:
    """The row's own explicit prompt; None where it has none or the table writes it."""
    if how.template:
        return None
    text, messages = row.get("prompt"), row.get("messages")
    asks = messages is not None and not ends_in_answer(messages)
    if text is not None and asks:
        raise ValueError(f"has both prompt and messages; leave one out, or say which with {how.key}.prompt")
    if asks:
        return turns_of(messages, _name("messages", how))
    if text is None:
        return None
    if isinstance(text, str):
        if not text.strip():
            raise ValueError(f"column {_name('prompt', how)} holds no text")
        return (Message(role="user", content=text),)
    return turns_of(text, _name("prompt", how))


def _asked(prompt: Turns | None, how: Reading) -> dict[str, Any]:
    return {} if how.template or prompt is None else {"messages": [dict(turn) for turn in prompt]}


def _margin(row: Row, how: Reading) -> dict[str, float]:
    value = row.get("margin")
    if value is None:
        return {}
    if isinstance(value, bool) or not isinstance(value, int | float) or not (math.isfinite(value) and value >= 0):
        raise ValueError(
            f"column {_name('margin', how)} is {one_line(json.dumps(value), 40)}; a margin is a number of at least 0"
        )
    return {"margin": float(value)}


def _name(ours: str, how: Reading) -> str:
    """The column as the user calls it."""
    return how.columns.get(ours, ours)
