"""Who judges an answer: a built-in kind in this process, or a check of the user's in its workers."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Protocol

from verigrad.records import BROKE_CHECK, Task, Verdict, ungraded, wrong
from verigrad.rewards import user
from verigrad.rewards.options import Option, checked, pays
from verigrad.rewards.user import OwnCheck
from verigrad.rewards.verifiers import Kind, kind
from verigrad.sandbox import Pool

PAYS: Mapping[str, Option] = {
    "pays": Option(default=(0.0, 1.0), type=(list, tuple), meaning="what wrong and right are paid"),
    "partial": Option(
        default=None, type=bool, meaning="pay a score between 0 and 1 its share; a check of one's own does"
    ),
}


class Verifier(Protocol):
    """What judges answers in training."""

    name: str

    def verify(self, answer: str, task: Task) -> Verdict:
        """The verdict on one answer. Never raises for what the answer is."""
        ...

    def verify_all(self, pairs: Sequence[tuple[str, Task]]) -> list[Verdict]:
        """The verdicts on many, in order."""
        ...

    def gold_answer(self, task: Task) -> str | None:
        """The gold written as an answer; None where there is none to put through."""
        ...


class BuiltIn:
    """A kind of `verifiers` with its options."""

    def __init__(self, module: Kind, options: Mapping[str, Any]) -> None:
        """The options are checked already."""
        self.name = module.RULE
        self._module, self._options = module, dict(options)

    def verify(self, answer: str, task: Task) -> Verdict:
        """The kind's verdict. A fault of ours is the answer's only if the gold passes the same check."""
        begun = time.perf_counter()
        try:
            verdict = self._module.verify(answer, task, **self._options)
        except Exception as error:
            verdict = self._fault(f"{type(error).__name__}: {error}"[:300], task)
        return replace(verdict, seconds=time.perf_counter() - begun)

    def verify_all(self, pairs: Sequence[tuple[str, Task]]) -> list[Verdict]:
        """One after the other: a kind is bounded and takes well under a millisecond."""
        return [self.verify(answer, task) for answer, task in pairs]

    def gold_answer(self, task: Task) -> str | None:
        """The gold as the kind writes it; None where it cannot be read."""
        readable = self._module.check_gold(task, **self._options) is None
        return self._module.gold_answer(task, **self._options) if readable else None

    def _fault(self, fault: str, task: Task) -> Verdict:
        try:
            probe = self._module.verify(self._module.gold_answer(task, **self._options), task, **self._options)
        except Exception as error:
            return ungraded(f"{fault}; the gold too: {type(error).__name__}: {error}"[:300], rule=self.name)
        if not probe.correct:
            return ungraded(f"{fault}; the gold is {probe.status}", rule=self.name)
        return wrong(rule=self.name, reason=f"{BROKE_CHECK}: {fault}")


def verifier_of(
    named: str | Callable[..., Any],
    given: Mapping[str, Any],
    *,
    folder: Path,
    pool: Pool,
    seconds: float | None,
    key: str,
) -> tuple[Verifier, tuple[float, float], bool]:
    """The judge a recipe names, what it pays for wrong and right, and whether it pays part of it.

    `seconds` is run.limits.check_seconds; the part's own option wins. Raises RecipeError or NotYet.
    """
    options_key = f"{key}.options"
    own = user.is_own(named)
    module = None if own else kind(str(named), key=f"{key}.verifier")
    declared = {**PAYS, **(user.OPTIONS if module is None else module.OPTIONS)}
    values = checked(given, declared, key=options_key, whose=str(getattr(named, "__name__", named)))
    paid = pays(values.pop("pays"), key=f"{options_key}.pays")
    partial = values.pop("partial")
    if module is not None:
        return BuiltIn(module, values), paid, bool(partial)
    limit = values["seconds"] if "seconds" in given or seconds is None else seconds
    check = OwnCheck(named, folder=folder, pool=pool, seconds=limit, gold_as=values["gold_as"], key=f"{key}.verifier")
    return check, paid, partial is None or partial
