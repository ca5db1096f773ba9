"""JSON under a schema, equal to a value, and both."""

from __future__ import annotations

import json
from typing import Any

from verigrad.records import Task
from verigrad.rewards.audit.records import Row

_PERSON = {
    "type": "object",
    "properties": {"name": {"type": "string"}, "age": {"type": "integer", "minimum": 0}},
    "required": ["name", "age"],
    "additionalProperties": False,
}
_ORDER = {
    "type": "object",
    "properties": {
        "item": {"enum": ["tea", "coffee"]},
        "count": {"type": "integer", "minimum": 1, "maximum": 10},
        "paid": {"type": "boolean"},
        "notes": {"type": "array", "items": {"type": "string"}, "maxItems": 2},
    },
    "required": ["item", "count", "paid"],
}
_POINT = {
    "type": "object",
    "properties": {"x": {"type": "number", "maximum": 5}, "y": {"type": "number"}},
    "required": ["x", "y"],
}

_ASKED: tuple[tuple[str, Any, Any], ...] = (
    ("Describe Ann, 4, as JSON.", {"schema": _PERSON}, {"name": "Ann", "age": 4}),
    ("Describe Bo, 1, as JSON.", {"schema": _PERSON, "value": {"name": "Bo", "age": 1}}, {"name": "Bo", "age": 1}),
    ("Order two teas, paid, as JSON.", {"schema": _ORDER}, {"item": "tea", "count": 2, "paid": True}),
    ("Order a coffee, as JSON.", {"schema": _ORDER}, {"item": "coffee", "count": 1, "paid": False, "notes": ["hot"]}),
    ("A point right of 0 and left of 5.", {"schema": _POINT}, {"x": 2.5, "y": 1}),
    ("The settings as JSON.", {"value": {"depth": 3, "name": "deep"}}, {"depth": 3, "name": "deep"}),
)


def rows() -> list[Row]:
    """One a question; the document bare, fenced, and after closed reasoning."""
    return [
        Row(kind="schema", task=Task.make(prompt=question, gold=gold, source="made"), right=_spelt(json.dumps(value)))
        for question, gold, value in _ASKED
    ]


def _spelt(text: str) -> tuple[str, ...]:
    return (
        text,
        f"```json\n{text}\n```",
        f"<think>Which fields?</think>\n{text}",
        json.dumps(json.loads(text), indent=2),
    )
