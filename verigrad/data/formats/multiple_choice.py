"""Multiple choice: {"question": "Which is a fruit?", "choices": ["chair", "apple"], "answer": 1} as MMLU has it, or
{"question": "...", "choices": {"text": ["chair", "apple"], "label": ["A", "B"]}, "answerKey": "B"} as ARC has it.

OpenBookQA's `question_stem` and a column `options` in the place of `choices` are read too.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

NAME = "multiple choice"
SAYS = "prompt = question and the lettered choices, gold = the right letter, choices by letter; for choice"
_ASKED = ("question", "question_stem")
_OFFERED = ("choices", "options")
_RIGHT = ("answerKey", "answer", "answer_idx", "answer_index")


def fits(row: Mapping[str, Any]) -> bool:
    """A question, a list of choices and which of them is right."""
    return _named(row, _ASKED, str) and _named(row, _OFFERED, list | Mapping) and _named(row, _RIGHT, str | int)


def prompt(row: Mapping[str, Any]) -> str:
    """The question and its choices, one a line. ValueError for choices that cannot be read."""
    lines = [f"{letter}. {text}" for letter, text in _choices(row)[0].items()]
    return "\n".join([str(_value(row, _ASKED)), *lines, "Answer with one letter."])


def columns(row: Mapping[str, Any]) -> dict[str, Any]:
    """The right letter as gold and the choices by letter. ValueError where none of them is right."""
    by_letter, labels = _choices(row)
    given = _value(row, _RIGHT)
    letters = list(by_letter)
    if isinstance(given, int):
        if isinstance(given, bool) or not 0 <= given < len(letters):
            raise ValueError(f"no choice has the index {given}")
        return {"gold": letters[given], "choices": by_letter}
    found = [letter for letter, label in zip(letters, labels, strict=True) if label == given.strip()]
    found = found or [letter for letter, text in by_letter.items() if text.strip() == given.strip()]
    if len(found) != 1:
        raise ValueError(f"the answer {given[:40]!r} is {'several' if found else 'none'} of the choices")
    return {"gold": found[0], "choices": by_letter}


def _choices(row: Mapping[str, Any]) -> tuple[dict[str, str], list[str]]:
    """Text by letter, and the labels the data set gives them."""
    offered = _value(row, _OFFERED)
    if isinstance(offered, Mapping) and isinstance(offered.get("text"), list):
        found, labels = offered["text"], offered.get("label")
    elif isinstance(offered, Mapping):
        found, labels = list(offered.values()), list(offered)
    else:
        found, labels = offered, None
    if not 2 <= len(found) <= 26 or not all(isinstance(text, str) and text.strip() for text in found):
        raise ValueError("choices are 2 to 26 texts")
    letters = [chr(65 + i) for i in range(len(found))]
    labels = letters if labels is None else [str(label).strip() for label in labels]
    if len(labels) != len(found):
        raise ValueError("choices have as many labels as texts")
    return dict(zip(letters, found, strict=True)), labels


def _named(row: Mapping[str, Any], names: tuple[str, ...], kind: Any) -> bool:
    return isinstance(_value(row, names), kind)


def _value(row: Mapping[str, Any], names: tuple[str, ...]) -> Any:
    return next((row[name] for name in names if row.get(name) is not None), None)
