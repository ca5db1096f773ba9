"""The split: families, never items, into training, validation and held-out. Leaves out the leak check.

A family's side is a hash of its name alone, without the run's seed or the source's name, so that every seed and every
source share one held-out side, and adding rows moves no family that is there (docs/design.md 6). Validation is 10% of
the training families by a second hash, at most 200 items; only where that cap or the rule of one family a source binds
can added rows move a family between training and validation.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from verigrad.data.sources import Source
from verigrad.data.text import one_line
from verigrad.errors import DataError
from verigrad.records import Task, seed

VALIDATION_SHARE = 0.1
VALIDATION_ITEMS = 200

Tasks = Mapping[str, tuple[Task, ...]]


@dataclass(frozen=True, kw_only=True)
class Split:
    """The sides of a run's data, each by source name, in the sources' order.

    >>> cut = split([replace(load_source("times_table"), held_out=0.2)])
    >>> [sum(map(len, side.values())) for side in (cut.train, cut.validation, cut.held_out)]
    [71, 16, 34]
    """

    train: Tasks
    """What is trained on; every source has some."""
    validation: Tasks
    """What is looked at during training; at most 200 items in all."""
    held_out: Tasks
    """Sampled at a stage's boundaries only; empty for a source with held_out = 0."""
    suites: Tasks = field(default_factory=dict)
    """Items of acceptance suites from elsewhere, by the suite's source name."""
    places: Mapping[tuple[str, str], str] = field(default_factory=dict)
    """("train" | "validation" | "held_out" | "suite", task key) -> "questions.jsonl:12", for messages."""
    notes: tuple[str, ...] = ()
    """What a person should know: duplicates left out, families cut."""


def on_held_out_side(family: str, share: float) -> bool:
    """Whether a family is kept from training at this share: its hash, read as a number in [0, 1), is below it."""
    return seed("split", family) < share * 2**64


def split(sources: Sequence[Source], *, suites: Sequence[Source] = ()) -> Split:
    """Cut every source. DataError where a side would be empty; leaks are `check_leaks`' to find."""
    by_name = {suite.name: suite for suite in suites}
    for suite in suites:
        if by_name[suite.name].places != suite.places:
            raise DataError(f"two acceptance sources are named {suite.name}; give one file another name")
    learn: dict[str, list[Task]] = {}
    held_out: dict[str, tuple[Task, ...]] = {}
    for source in sources:
        learn[source.name], held_out[source.name] = _cut(source)
    validation, left_out = _validation(learn)
    aside = {task.key for tasks in validation.values() for task in tasks} | {task.key for task in left_out}
    train = {name: tuple(t for t in tasks if t.key not in aside) for name, tasks in learn.items()}
    for source in sources:
        if not train[source.name]:
            raise DataError(
                f"{_too_few(source)} leave nothing to train on; more data, or another {source.key}.split_by"
            )
    sides = {"train": train, "validation": validation, "held_out": held_out}
    notes = [note for source in (*sources, *suites) for note in source.notes]
    if left_out:
        notes.append(
            f"{len(left_out)} items of a family larger than the validation slice ({VALIDATION_ITEMS}) are on no side"
        )
    return Split(
        train=train,
        validation=validation,
        held_out=held_out,
        suites={name: suite.tasks for name, suite in by_name.items()},
        places=_places(sources, suites, sides),
        notes=tuple(notes),
    )


def _cut(source: Source) -> tuple[list[Task], tuple[Task, ...]]:
    """Tasks to learn from and tasks held out."""
    if isinstance(source.held_out, Source):
        _check_families(source, source.held_out)
        return list(source.tasks), source.held_out.tasks
    share = source.held_out
    learn = [task for task in source.tasks if not on_held_out_side(task.family, share)]
    kept = tuple(task for task in source.tasks if on_held_out_side(task.family, share))
    if share > 0 and not kept:
        raise DataError(
            f"{_too_few(source)} leave no held-out item at {source.key}.held_out = {share:g}; more data, a larger "
            f"share, or another source there"
        )
    if not learn:
        raise DataError(f"{_too_few(source)} are all held out at {source.key}.held_out = {share:g}; a smaller share")
    return learn, kept


def _check_families(source: Source, held_out: Source) -> None:
    """DataError where the named families' column has one value in training and in the held-out source."""
    if not source.split_by:
        return
    both = sorted({task.family for task in source.tasks} & {task.family for task in held_out.tasks})
    if both:
        raise DataError(
            f'{source.name}: {len(both)} value(s) of {source.key}.split_by are both trained on and held out, as "'
            f'{one_line(both[0], 40)}"; the held_out source should have others'
        )


def _validation(learn: Mapping[str, Sequence[Task]]) -> tuple[dict[str, tuple[Task, ...]], list[Task]]:
    """Validation by source, and the rest of a family that was cut to fit.

    One family of each source first (the lowest hash that fits and leaves the source another), then the 10% in the order
    of their hash, as long as they fit.
    """
    members: dict[str, list[Task]] = {}
    for tasks in learn.values():
        for task in tasks:
            members.setdefault(task.family, []).append(task)
    ranked = sorted(members, key=_rank)
    families_left = {name: {task.family for task in tasks} for name, tasks in learn.items()}
    chosen: dict[str, None] = {}
    room = VALIDATION_ITEMS

    def take(family: str) -> bool:
        nonlocal room
        fits = len(members[family]) <= room
        if family in chosen or not fits or any(left == {family} for left in families_left.values()):
            return family in chosen
        chosen[family] = None
        room -= len(members[family])
        for left in families_left.values():
            left.discard(family)
        return True

    for name in learn:
        own = {task.family for task in learn[name]}
        any(take(family) for family in ranked if family in own)
    for family in ranked:
        if _rank(family)[0] >= VALIDATION_SHARE * 2**64:
            break
        take(family)
    left_out: list[Task] = []
    if not chosen:
        family = _smallest(members, families_left)
        by_hash = sorted(members[family], key=lambda task: seed("validation", task.key))
        members[family], left_out = by_hash[:VALIDATION_ITEMS], by_hash[VALIDATION_ITEMS:]
        chosen[family] = None
    keys = {task.key for family in chosen for task in members[family]}
    return {name: tuple(task for task in tasks if task.key in keys) for name, tasks in learn.items()}, left_out


def _smallest(members: Mapping[str, Sequence[Task]], families: Mapping[str, set[str]]) -> str:
    """The smallest family that is not a source's only one."""
    free = [family for family in members if not any(own == {family} for own in families.values())]
    if not free:
        raise DataError(
            "the training side has one family a source, so that none is left for validation; more data, or another "
            "data.split_by"
        )
    return min(free, key=lambda family: (len(members[family]), _rank(family)))


def _rank(family: str) -> tuple[int, str]:
    return seed("validation", family), family


def _too_few(source: Source) -> str:
    families = len({task.family for task in source.tasks})
    return f"{source.name}: {len(source.tasks)} item(s) in {families} famil{'y' if families == 1 else 'ies'}"


def _places(
    sources: Sequence[Source], suites: Sequence[Source], sides: Mapping[str, Tasks]
) -> dict[tuple[str, str], str]:
    where: dict[str, str] = {}
    for source in sources:
        where |= dict(zip((task.key for task in source.tasks), source.places, strict=True))
    kept = dict(where)
    for source in sources:
        if isinstance(source.held_out, Source):
            kept |= dict(zip((task.key for task in source.held_out.tasks), source.held_out.places, strict=True))
    places = {
        (side, task.key): (kept if side == "held_out" else where)[task.key]
        for side, by_source in sides.items()
        for tasks in by_source.values()
        for task in tasks
    }
    for suite in suites:
        places |= {("suite", task.key): place for task, place in zip(suite.tasks, suite.places, strict=True)}
    return places
