"""A stage's own data without what is held out: rows that ask a question somebody is judged on are not trained on.

Left out: finding them (leaks). The data a recipe holds out from is refused instead where it leaks: there the fault is
in the data or the split, here it is what a user has (pairs and demonstrations of her own questions).
"""

from __future__ import annotations

from dataclasses import replace

from verigrad.data.leaks import find_leaks
from verigrad.data.split import Split
from verigrad.errors import DataError


def without_leaks(split: Split) -> tuple[Split, int]:
    """The split with training and validation items taken out that are held out too, and how many were.

    DataError where a source has nothing left to train on.
    """
    gone = 0
    while leaks := find_leaks(split):
        places = {leak.training for leak in leaks}
        at = {key for (side, key), place in split.places.items() if side in ("train", "validation") and place in places}
        before = _items(split)
        train = {name: tuple(t for t in tasks if t.key not in at) for name, tasks in split.train.items()}
        looks = {name: tuple(t for t in tasks if t.key not in at) for name, tasks in split.validation.items()}
        split = replace(split, train=train, validation=looks)
        empty = [name for name, tasks in train.items() if not tasks]
        if empty or _items(split) == before:
            first = leaks[0]
            raise DataError(
                f"{empty[0] if empty else first.training}: all of its questions are held out, as {first.training} is "
                f"{first.test}; this stage needs other ones, or a smaller data.held_out"
            )
        gone += before - _items(split)
    return split, gone


def _items(split: Split) -> int:
    return sum(len(tasks) for side in (split.train, split.validation) for tasks in side.values())
