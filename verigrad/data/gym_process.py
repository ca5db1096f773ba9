"""The process in which reasoning-gym makes items: [name, seeds] as JSON in, one JSON object a line out.

    {"question", "answer", "metadata"}: an item   {"missing"}: no package   {"known": [...]}: no such task   {"fault"}

Left out: what rows are (gym).
"""

from __future__ import annotations

import importlib
import json
import random
import sys
from typing import Any, TextIO

import numpy


def main() -> None:
    """Reads standard input, writes standard output; what tasks print goes to standard error."""
    out, sys.stdout = sys.stdout, sys.stderr
    name, seeds = json.load(sys.stdin)
    try:
        gym, tasks = importlib.import_module("reasoning_gym"), importlib.import_module("reasoning_gym.factory").DATASETS
    except ImportError as error:
        return _say(out, {"missing": str(error)})
    if name not in tasks:
        return _say(out, {"known": sorted(tasks)})
    for seed in seeds:
        random.seed(seed)  # some tasks draw from the shared generators too
        numpy.random.seed(seed)
        try:
            item = gym.create_dataset(name, seed=seed, size=1)[0]
            reply = {"question": str(item["question"]), "answer": item["answer"], "metadata": item["metadata"]}
            _say(out, reply)
        except Exception as error:
            return _say(out, {"fault": " ".join(f"{type(error).__name__}: {error}".split())[:120]})
    return None


def _say(out: TextIO, reply: dict[str, Any]) -> None:
    # metadata may hold what JSON has no word for: as text
    out.write(json.dumps(reply, default=str) + "\n")
    out.flush()


if __name__ == "__main__":
    main()
