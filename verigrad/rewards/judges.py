"""Who judges an answer: a built-in kind in this process, or a check of the user's in its workers."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any, Protocol

from verigrad import sandbox
from verigrad.records import BROKE_CHECK, Task, Verdict, ungraded, wrong
from verigrad.rewards import user
from verigrad.rewards.options import Option, checked, pays
from verigrad.rewards.tokens import Unread
from verigrad.rewards.user import OwnCheck
from verigrad.rewards.verifiers import Kind, kind

PAYS: Mapping[str, Option] = {
    "pays": Option(default=(0.0, 1.0), type=(list, tuple), meaning="what wrong and right are paid"),
    "partial": Option(
        default=None, type=bool, meaning="pay a score between 0 and 1 its share; a check of one's own does"
    ),
}


_SLOW = 0.05
"""Seconds of a batch that a kind judges in this thread; the rest goes to threads. No verdict depends on it."""


class Verifier(Protocol):
    """What judges answers in training."""

    name: str
    at_once: int
    """Answers it judges side by side."""

    def verify(self, answer: str, task: Task) -> Verdict:
        """The verdict on one answer. Never raises for what the answer is."""
        ...

    def verify_all(self, pairs: Sequence[tuple[str, Task]]) -> list[Verdict]:
        """The verdicts on many, in order."""
        ...

    def verify_golds(self, tasks: Sequence[Task]) -> list[Verdict | None]:
        """The verdicts on the tasks' golds, written as answers; None where there is none to put through."""
        ...

    def gold_answer(self, task: Task) -> str | None:
        """An answer that must be right for this task; None where the data holds none and none can be made."""
        ...


class BuiltIn:
    """A kind of `verifiers` with its options. Any thread may ask."""

    def __init__(self, module: Kind, options: Mapping[str, Any], *, level: int | None = None) -> None:
        """The options are checked already; `level`: of the sandbox, where the kind runs programs."""
        self.name = module.RULE
        self._module, self._options, self._level = module, dict(options), level
        self._programs = runs_programs(module)
        self.at_once: int = sandbox.cores()

    def verify(self, answer: str, task: Task) -> Verdict:
        """The kind's verdict. A fault of ours is the answer's only if the gold passes the same check."""
        begun = time.perf_counter()
        verdict = self._attempt(answer, task)
        if verdict.status == "ungraded":
            verdict = self._beside_the_gold(verdict, answer, task)
        return replace(verdict, seconds=time.perf_counter() - begun)

    def verify_all(self, pairs: Sequence[tuple[str, Task]]) -> list[Verdict]:
        """In order. A kind that runs programs, or is seen to be slow (it asks processes of its own), by threads."""
        done: list[Verdict] = []
        begun = time.perf_counter()
        while not self._programs and len(done) < len(pairs) and time.perf_counter() - begun < _SLOW:
            done.append(self.verify(*pairs[len(done)]))
        rest = pairs[len(done) :]
        if len(rest) < 2:
            return done + [self.verify(*pair) for pair in rest]
        with ThreadPoolExecutor(max_workers=min(self.at_once, len(rest))) as threads:
            return done + list(threads.map(lambda pair: self.verify(*pair), rest))

    def verify_golds(self, tasks: Sequence[Task]) -> list[Verdict | None]:
        """An unreadable gold is ungraded with its reason; None where the data holds no answer to put through."""
        golds = [self._gold(t) for t in tasks]
        pairs = [(gold, t) for (gold, _), t in zip(golds, tasks, strict=True) if gold is not None]
        verdicts = iter(self.verify_all(pairs))
        return [
            ungraded(f"gold {str(t.gold)[:60]!r}: {fault}", rule=self.name)
            if fault
            else None
            if gold is None
            else next(verdicts)
            for t, (gold, fault) in zip(tasks, golds, strict=True)
        ]

    def gold_answer(self, task: Task) -> str | None:
        """See `Verifier`."""
        return self._gold(task)[0]

    def _gold(self, task: Task) -> tuple[str | None, str]:
        """The gold as an answer, None where the data holds none, and why it cannot be read."""
        if isinstance(task.gold, Mapping) and set(task.gold) == {"unread"}:
            return None, str(task.gold["unread"])  # what data.formats found no gold in
        try:
            fault = self._module.check_gold(task, **self._options)
            return (None, fault) if fault else (self._module.gold_answer(task, **self._options), "")
        except Unread:
            return None, ""  # it can be judged by, but no answer could be made from it
        except Exception as error:
            return None, f"{type(error).__name__}: {error}"[:200]

    def _attempt(self, answer: str, task: Task) -> Verdict:
        at = {"level": self._level} if self._programs else {}
        try:
            return self._module.verify(answer, task, **self._options, **at)
        except Exception as error:
            return ungraded(f"{type(error).__name__}: {error}"[:300], rule=self.name)

    def _beside_the_gold(self, fault: Verdict, answer: str, task: Task) -> Verdict:
        """The fault once more, beside a probe: the gold passes, then it is the answer's."""
        gold, unread = self._gold(task)
        if gold is None:
            return replace(fault, reason=fault.reason or unread)
        probe = self._attempt(gold, task)
        if not probe.correct:
            why = f"{probe.status}: {probe.reason}" if probe.reason else probe.status
            return replace(fault, reason=f"{fault.reason}; the gold too is {why}"[:300])
        again = self._attempt(answer, task)
        if again.status != "ungraded":
            return again
        return replace(wrong(rule=self.name, reason=f"{BROKE_CHECK}: {again.reason}"), isolation=again.isolation)


def runs_programs(module: Kind) -> bool:
    """The kind runs programs the model wrote, so it wants a sandbox."""
    return bool(getattr(module, "PROGRAMS", False))


def verifier_of(
    named: str | Callable[..., Any],
    given: Mapping[str, Any],
    *,
    folder: Path,
    pool: sandbox.Pool,
    seconds: float | None,
    least: int,
    key: str,
) -> tuple[Verifier, tuple[float, float], bool]:
    """The judge a recipe names, what it pays for wrong and right, and whether it pays part of it.

    `seconds` is run.limits.check_seconds; the part's own option wins. `least` is run.sandbox: a kind that runs programs
    is refused where this machine gives less. Raises RecipeError, NotYet or Refused.
    """
    options_key = f"{key}.options"
    own = user.is_own(named)
    module = None if own else kind(str(named), key=f"{key}.verifier")
    declared = {**PAYS, **(user.OPTIONS if module is None else module.OPTIONS)}
    values = checked(given, declared, key=options_key, whose=str(getattr(named, "__name__", named)))
    paid = pays(values.pop("pays"), key=f"{options_key}.pays")
    partial = values.pop("partial")
    if module is not None:
        level = sandbox.require(least, key="run.sandbox") if runs_programs(module) else None
        return BuiltIn(module, values, level=level), paid, bool(partial)
    limit = values["seconds"] if "seconds" in given or seconds is None else seconds
    check = OwnCheck(named, folder=folder, pool=pool, seconds=limit, gold_as=values["gold_as"], key=f"{key}.verifier")
    return check, paid, partial is None or partial
