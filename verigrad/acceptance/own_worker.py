"""What runs in the killable process for a user's grader: load the function, call it, make its value plain JSON.

Left out: what the value means (own.py), and any trust in it.
"""

from __future__ import annotations

import dataclasses
import functools
import importlib
import importlib.util
import inspect
import sys
from pathlib import Path
from typing import Any

from verigrad.records import Grade, Task, Verdict


def check(place: str, name: str, answer: str, task: dict[str, Any]) -> dict[str, Any]:
    """{"grade": fields}, {"verdict": fields} or {"value": bool, number or None} of place's `name(answer, task)`.

    `place` is a file below the working directory ("checks.py") or a module. Raises what the function raises, and
    TypeError for a value of another type.
    """
    said = _function(place, name)(answer, Task(**{**task, "prompt": tuple(task["prompt"])}))
    if isinstance(said, Grade):
        return {"grade": dataclasses.asdict(said)}
    if isinstance(said, Verdict):
        return {"verdict": dataclasses.asdict(said)}
    if hasattr(said, "item") and getattr(said, "ndim", None) == 0:  # numpy's own bool and float
        said = said.item()
    if said is None or isinstance(said, (bool, int, float)):
        return {"value": said}
    raise TypeError(f"returned {type(said).__name__}, not bool, a number in [0, 1], None, Verdict or Grade")


def load(place: str, name: str) -> None:
    """Imports the function and what it needs, so that no answer's deadline pays for it. TypeError: not one to call."""
    must_take_two(_function(place, name), name)


def must_take_two(function: Any, name: str) -> None:
    """TypeError unless it can be called with an answer and a task. What does not tell its signature is believed."""
    if not callable(function):
        raise TypeError(f"{name} is {type(function).__name__}, no function")
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):
        return
    try:
        signature.bind("", None)
    except TypeError:
        raise TypeError(f"{name}{signature} cannot be called as {name}(answer, task)") from None


@functools.cache
def _function(place: str, name: str) -> Any:
    if not place.endswith(".py"):
        return getattr(importlib.import_module(place), name)
    sys.path.insert(0, str(Path(place).resolve().parent))
    spec = importlib.util.spec_from_file_location(Path(place).stem, Path(place).resolve())
    if spec is None or spec.loader is None:
        raise ImportError(place)
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return getattr(module, name)
