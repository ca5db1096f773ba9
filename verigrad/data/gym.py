"""reasoning-gym's procedural tasks, "gym:NAME": question as prompt, and a gold that the verifier `logic` reads.

    {"prompt": "...", "gold": {"type": "gym", "task": "chain_sum", "answer": "12", "metadata": {...}}}

A data set of the gym gives item i the seed `seed + i`, so that two neighbouring seeds share all but one item. Here each
item has a data set of its own whose seed is a hash of the task's name and the item's number. They are made in a process
of their own (gym_process) whose text hashes do not change from start to start: some tasks walk through sets. Left out:
judging.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from verigrad.errors import DataError, RecipeError, Refused, nearest
from verigrad.records import seed

ITEMS = 1_000
"""Items of a task; equal ones are left out."""

NOT_THE_SAME = {"codeio": "some of its items hold the time of day, so no two readings give the same data"}
"""Tasks that are refused, with the reason."""


def read(source: str, *, key: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """("gym:chain_sum[12]", row) of each item. Refused without the package, RecipeError for a task it has not."""
    name, said = source.removeprefix("gym:"), f'{key} = "{source}"'
    if name in NOT_THE_SAME:
        raise RecipeError(f"{said}: {NOT_THE_SAME[name]}; take another task", key=key)
    seeds = [item_seed(name, i) for i in range(ITEMS)]
    made = _made(json.dumps([name, seeds])).split("\n")[:-1]
    for at, line in enumerate(made):
        reply = json.loads(line)
        if "missing" in reply:
            raise Refused(f'{said}: reasoning-gym is not installed; pip install "verigrad[gym]"', key=key)
        if "known" in reply:
            raise RecipeError(f"{said}: reasoning-gym has no task {name[:40]}{nearest(name, reply['known'])}", key=key)
        if "fault" in reply:
            raise DataError(f"{source}[{at}]: not made: {reply['fault']}", key=key)
        gold = {"type": "gym", "task": name, "answer": reply["answer"], "metadata": reply["metadata"]}
        yield f"{source}[{at}]", {"prompt": reply["question"], "gold": gold}
    if len(made) < len(seeds):
        raise DataError(f"{said}: the process that makes its items ended early", key=key)


def item_seed(name: str, item: int) -> int:
    """The seed of one item, in 31 bits, which every task's generator takes."""
    return seed("gym", name, item) & 0x7FFFFFFF


def _made(asked: str) -> str:
    # From a checkout that is not installed too; -P leaves the working directory out, where a user's files lie.
    home, before = str(Path(__file__).resolve().parents[2]), filter(None, [os.environ.get("PYTHONPATH")])
    return subprocess.run(
        [sys.executable, "-P", "-m", "verigrad.data.gym_process"],
        input=asked,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env={**os.environ, "PYTHONHASHSEED": "0", "PYTHONPATH": os.pathsep.join([home, *before])},
        encoding="utf-8",
        check=False,
    ).stdout
