"""The leak check: no held-out or acceptance item may be one that is trained on or looked at. Leaves out paraphrases.

Three readings: by key (prompt, gold and columns), by the prompt as it stands, and by the prompt normalised (`text.
normalise`). Turns that every prompt of a source opens with (a system text, few-shot examples) are set aside first, so
that the same question under other instructions is found.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from verigrad.data.split import Split
from verigrad.data.text import normalise, one_line
from verigrad.errors import DataError
from verigrad.records import Task


@dataclass(frozen=True, kw_only=True)
class Leak:
    """A test item that is also a training item."""

    how: str
    """"the same item", "the same prompt", "the same prompt but for its form" or "shown in the few-shot turns"."""
    test: str
    """Where the held-out or suite item is: "questions.jsonl:12"."""
    training: str
    """Where the training or validation item is."""
    text: str
    """The question, shortened to one line."""


def find_leaks(split: Split) -> tuple[Leak, ...]:
    """Every leak, each test item once, by the closest reading that finds it."""
    openings = _openings(split)
    known: list[dict[str, str]] = [{} for _ in _READINGS]
    few_shot = {
        normalise(turn["content"]): f"{name}'s prompt"
        for name, tasks in split.train.items()
        for turn in tasks[0].prompt[: openings["train", name][0]]
        if turn["role"] == "user"
    }
    for task, place, (opening,) in _each(split, ("train", "validation"), openings):
        for (_, read), places in zip(_READINGS, known, strict=True):
            places.setdefault(read(task, opening), place)
    leaks: dict[str, Leak] = {}
    for task, place, own in _each(split, ("held_out", "suite"), openings):
        last = task.prompt[-1]["content"]
        found = [
            (how, places.get(read(task, opening)))
            for (how, read), places in zip(_READINGS, known, strict=True)
            for opening in own
        ]
        found.append(("shown in the few-shot turns", few_shot.get(normalise(last))))
        for how, training in found:
            if training is not None:
                leaks.setdefault(place, Leak(how=how, test=place, training=training, text=one_line(last)))
    return tuple(leaks.values())


def check_leaks(split: Split) -> None:
    """DataError naming how many items leak and one of them; nothing where none does."""
    leaks = find_leaks(split)
    if leaks:
        first = leaks[0]
        where = f"{first.test} is also {first.training}"
        raise DataError(
            f'{len(leaks)} held-out item(s) are in training or validation: {where} ({first.how}): "{first.text}"; '
            f"take them out of one side, or let both sources have the same split_by and held_out share"
        )


_Seen = tuple[Task, str, tuple[int, ...]]


def _openings(split: Split) -> dict[tuple[str, str], tuple[int, ...]]:
    """(side, source name) -> turns its prompts open with; a held-out side is also read as its training side."""
    openings: dict[tuple[str, str], tuple[int, ...]] = {}
    for name in split.train:
        learn, kept = (*split.train[name], *split.validation.get(name, ())), split.held_out.get(name, ())
        length = _opening(learn)
        openings["train", name] = openings["validation", name] = (length,)
        same = all(task.prompt[:length] == learn[0].prompt[:length] and len(task.prompt) > length for task in kept)
        openings["held_out", name] = (*([length] if same else []), *([_opening(kept)] if kept else []))
    # A stage that is trained on data of its own is held out from other sources.
    others = {name: kept for name, kept in split.held_out.items() if name not in split.train and kept}
    openings |= {("held_out", name): (_opening(kept),) for name, kept in others.items()}
    return openings | {("suite", name): (_opening(tasks),) for name, tasks in split.suites.items()}


def _opening(tasks: Sequence[Task]) -> int:
    """How many turns all prompts open with, the last never among them."""
    first = tasks[0].prompt
    length = min(len(task.prompt) for task in tasks) - 1
    while not all(task.prompt[:length] == first[:length] for task in tasks):
        length -= 1
    return length


def _each(split: Split, sides: Sequence[str], openings: Mapping[tuple[str, str], tuple[int, ...]]) -> Iterator[_Seen]:
    tasks_of = {"train": split.train, "validation": split.validation, "held_out": split.held_out, "suite": split.suites}
    for side in sides:
        for name, tasks in tasks_of[side].items():
            for task in tasks:
                yield task, split.places.get((side, task.key), task.source), openings[side, name]


def _question(task: Task, opening: int) -> str:
    return "\n".join(turn["content"] for turn in task.prompt[opening:] if turn["role"] != "system")


_READINGS: tuple[tuple[str, Callable[[Task, int], str]], ...] = (
    ("the same item", lambda task, opening: task.key),
    ("the same prompt", _question),
    ("the same prompt but for its form", lambda task, opening: normalise(_question(task, opening))),
)
