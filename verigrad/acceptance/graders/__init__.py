"""One grader a file: `grade(answer: str, task: Task, **options) -> Grade`. A file put here is found by its name.

Each reads for itself, strictly first, and shares no function with the verifier of the same kind. Left out: opening one
by the recipe's word (acceptance/opening.py), the user's own (acceptance/own.py).
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable
from types import ModuleType

from verigrad.errors import RecipeError, nearest
from verigrad.records import Grade


def names() -> tuple[str, ...]:
    """The built-in graders, sorted."""
    return tuple(sorted(m.name for m in pkgutil.iter_modules(__path__)))


def find(name: str) -> Callable[..., Grade]:
    """The grader's `grade`. RecipeError for a name that is none."""
    grade: Callable[..., Grade] = module(name).grade
    return grade


def module(name: str) -> ModuleType:
    """The grader's module, whose docstring says how it reads. RecipeError for a name that is none."""
    if name not in names():
        raise RecipeError(f"no grader {name}{nearest(name, [*names(), 'same'])}", key="acceptance.grader")
    return importlib.import_module(f"{__name__}.{name}")
