"""reasoning-gym's procedural tasks, "gym:NAME": question as prompt, and a gold that the verifier `logic` reads.

    {"prompt": "...", "gold": {"type": "gym", "task": "chain_sum", "answer": "12", "metadata": {...}}}

A data set of the gym gives item i the seed `seed + i`, so that two neighbouring seeds share all but one item. Here each
item has a data set of its own whose seed is a hash of the task's name and the item's number. Left out: judging.
"""

from __future__ import annotations

import importlib
import json
import warnings
from collections.abc import Iterator
from typing import Any

from verigrad.data.text import one_line
from verigrad.errors import DataError, RecipeError, Refused, nearest
from verigrad.records import seed

ITEMS = 1_000
"""Items of a task; equal ones are left out."""


def read(source: str, *, key: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """("gym:chain_sum[12]", row) of each item. Refused without the package, RecipeError for a task it has not."""
    gym = _gym(source, key)
    name = source.removeprefix("gym:")
    known = importlib.import_module("reasoning_gym.factory").DATASETS
    if name not in known:
        raise RecipeError(f'{key} = "{source}": reasoning-gym has no task {name[:40]}{nearest(name, known)}', key=key)
    for i in range(ITEMS):
        place = f"{source}[{i}]"
        try:
            item = gym.create_dataset(name, seed=item_seed(name, i), size=1)[0]
            row = {
                "prompt": item["question"],
                "gold": {"type": "gym", "task": name, "answer": item["answer"], "metadata": _plain(item["metadata"])},
            }
        except Exception as error:
            raise DataError(f"{place}: not made: {type(error).__name__}: {one_line(error, 120)}", key=key) from None
        yield place, row


def item_seed(name: str, item: int) -> int:
    """The seed of one item, in 31 bits, which every task's generator takes."""
    return seed("gym", name, item) & 0x7FFFFFFF


def _gym(source: str, key: str) -> Any:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return importlib.import_module("reasoning_gym")
    except ImportError:
        raise Refused(
            f'{key} = "{source}": reasoning-gym is not installed; pip install "verigrad[gym]"', key=key
        ) from None


def _plain(metadata: Any) -> Any:
    """As JSON: tuples as lists, what JSON has no word for as text."""
    return json.loads(json.dumps(metadata, default=str))
