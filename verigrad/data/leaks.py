"""The leak check: no held-out or acceptance item may be one that is trained on or looked at. Leaves out paraphrases.

Three readings: by key (prompt, gold and columns), by the prompt as it stands, and by the prompt normalised (`text.
normalise`). Turns that every prompt of a source opens with (a system text, few-shot examples) are set aside first, so
that the same question under other instructions is found. Last, an item's last user turn is compared with every user
turn of a conversation that is trained on, where its answer may stand; greetings and follow-ups ("go on") are no leaks.
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
    """"the same item", "the same prompt", "the same prompt but for its form", "shown in the few-shot turns" or "a
    turn of its conversation"."""
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
    asked: dict[str, str] = {}
    behind: dict[str, set[str]] = {}
    for task, place, (opening,) in _each(split, ("train", "validation"), openings):
        before: list[str] = []
        for turn in _user_turns(task, opening):
            asked.setdefault(turn, place)
            behind.setdefault(turn, set()).add("\n".join(before))
            before.append(turn)
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
        turns = _user_turns(task, 0)
        # A turn that follows on different conversations is a phrase, unless it is all that this item's user says.
        if turns and _is_question(turns[-1]) and (len(turns) == 1 or len(behind.get(turns[-1], ())) < 2):
            found.append(("a turn of its conversation", asked.get(turns[-1])))
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


def _user_turns(task: Task, opening: int) -> list[str]:
    """What the user says past the opening, turn by turn, normalised."""
    return [normalise(turn["content"]) for turn in task.prompt[opening:] if turn["role"] == "user"]


def _is_question(turn: str) -> bool:
    """Whether a turn says enough to be one item and no other: "hello" and "go on" do not, "7 * 8" does."""
    return len(turn) >= _LEAST_CHARACTERS or any(char.isdigit() for char in turn)


_LEAST_CHARACTERS = 16
_READINGS: tuple[tuple[str, Callable[[Task, int], str]], ...] = (
    ("the same item", lambda task, opening: task.key),
    ("the same prompt", _question),
    ("the same prompt but for its form", lambda task, opening: normalise(_question(task, opening))),
)
