"""Verifiers: training's checks, one kind a file. A new kind is a new file; nothing else needs to know it.

Such a module gives `RULE` (its name), `OPTIONS`, `verify(answer, task, **options) -> Verdict` and, with these options,
`check_gold(task)` (why its gold cannot be read, or None) and `gold_answer(task)` (the answer that must be right for
it). It opens with an accepted and a refused answer.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable, Mapping
from typing import Protocol, cast

from verigrad.errors import RecipeError, nearest
from verigrad.records import Verdict
from verigrad.rewards.options import Option

OPEN = (
    *("writing", "creative_writing", "story", "poem", "essay", "style", "summary", "summarization", "translation"),
    *("empathy", "helpfulness", "helpful", "harmlessness", "harmless", "honesty", "safety", "politeness", "humor"),
    *("chat", "dialogue", "conversation", "roleplay", "preference", "quality", "judge", "llm_judge"),
)
"""Open tasks: no program can say that an answer is right, so there is no verifier of that name and none is planned."""


class Kind(Protocol):
    """What a module in this package gives."""

    RULE: str
    OPTIONS: Mapping[str, Option]
    verify: Callable[..., Verdict]
    check_gold: Callable[..., str | None]
    gold_answer: Callable[..., str | None]


def kinds() -> tuple[str, ...]:
    """Names of all kinds, by listing this package."""
    return tuple(sorted(m.name for m in pkgutil.iter_modules(__path__)))


def kind(name: str, *, key: str = "reward.verifier") -> Kind:
    """The module of that kind. Raises RecipeError for an open task and for any other name."""
    if name in kinds():
        return cast(Kind, importlib.import_module(f"{__name__}.{name}"))
    if name.casefold().replace("-", "_").replace(" ", "_") in OPEN:
        raise RecipeError(
            f'{key} = "{name}": an open task, no program can say that such an answer is right; collect pairs of a '
            'better and a worse answer and take the preference route ([[stage]] kind = "preference")',
            key=key,
        )
    raise RecipeError(f'{key} = "{name}" is unknown{nearest(name, kinds())}', key=key)
