"""A check of the user's own, run in killable workers: `f(answer: str, task: Task) -> bool | float | None | Verdict`.

Named "file.py:function", "module:function" or given as a Python function. TRL's `f(completions, **columns)` (called
with one completion at a time), verl's `compute_score(data_source, solution_str, ground_truth, extra_info)`,
`f(completion, answer)` whose second parameter is named as a gold (it gets the gold, not the task) and functions of more
parameters with known names (prompt, completion, answer) are recognised by them, async ones too; negative rewards of
libraries' signatures count as 0. `OwnCheck.said` is the line that says which it was.

A fault (exception, None, nan, a value out of range, no answer in time, a dead process) is retried once in a fresh
worker beside a probe, this task's gold through the same check: the probe passes, then the fault was the answer's, which
is wrong (`broke_check`); it does not, then nobody could have been judged (`ungraded`). Left out: paying for verdicts.
"""

from __future__ import annotations

import contextlib
import importlib.util
import inspect
import json
import weakref
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any, TypeVar

from verigrad.errors import RecipeError
from verigrad.records import BROKE_CHECK, Task, Verdict, from_value, ungraded, wrong
from verigrad.rewards.given import source_of
from verigrad.rewards.options import Option
from verigrad.sandbox import Outcome, Pool, Worker, level

T = TypeVar("T")

LOAD_SECONDS = 60.0
"""Loading a check's file may take this long; it is not counted as judging."""
OPTIONS: Mapping[str, Option] = {
    "seconds": Option(default=10.0, type=float, meaning="an answer not judged by then breaks the check"),
    "gold_as": Option(default="{gold}", type=str, meaning="the gold as an answer, for the gold check and the probe"),
}
_HOME = "verigrad.rewards.check_process"
_CALLED = {
    "task": "f(answer, task)",
    "gold": "f(completion, gold)",
    "named": "f(prompt, completion, gold, ...) by the names of its parameters",
    "trl text": "TRL's f(completions, **columns), completions as texts, one at a time",
    "trl chat": "TRL's f(completions, **columns), completions as chat turns, one at a time",
    "verl": "verl's compute_score(data_source, solution_str, ground_truth, extra_info)",
}


class OwnCheck:
    """A function of the user's and the workers it runs in. Constructing it loads the function once, in a worker."""

    def __init__(
        self, named: str | Callable[..., Any], *, folder: Path, pool: Pool, seconds: float, gold_as: str, key: str
    ) -> None:
        """Raises RecipeError (with `key`) where the function is not there or cannot be called."""
        self.spec = spec_of(named, folder=folder, key=key)
        self.name = self.spec["name"].rpartition(".")[2]
        self._folder, self._pool, self._seconds, self._gold_as = folder, pool, seconds, gold_as
        self.at_once: int = pool.size
        self._loaded: weakref.WeakKeyDictionary[Worker, int] = weakref.WeakKeyDictionary()
        outcome = pool.use(self._load)
        about = outcome.value if outcome.kind == "value" else {"refused": f"{self._where}: {outcome.error}"}
        if "refused" in about:
            raise RecipeError(about["refused"], key=key)
        self.source: str = about["source"]
        """Text of the file the function stands in; empty for a compiled module."""
        self.sha256: str = about["sha256"]
        """Of that text."""
        self.file: str = about["file"] or f"{self.name}.py"
        """Name to keep it under in a run."""
        self.signature: str = about["signature"]
        """task | gold | named | trl text | trl chat | verl."""
        self.said = f"{self._where} is called as {_CALLED[self.signature]}"
        """One line for a person."""

    def verify(self, answer: str, task: Task) -> Verdict:
        """The verdict on one answer."""
        return self._pool.use(lambda worker: self.judge(worker, answer, task))

    def verify_all(self, pairs: Sequence[tuple[str, Task]]) -> list[Verdict]:
        """The verdicts on many, over all workers."""
        return self._pool.map(lambda worker, pair: self.judge(worker, *pair), pairs)

    def verify_golds(self, tasks: Sequence[Task]) -> list[Verdict | None]:
        """The verdicts on the golds written as answers; None where a task has none."""
        answers = [self.gold_answer(t) for t in tasks]
        verdicts = iter(self.verify_all([(a, t) for a, t in zip(answers, tasks, strict=True) if a is not None]))
        return [None if a is None else next(verdicts) for a in answers]

    def gold_answer(self, task: Task) -> str | None:
        """The gold written as an answer; None where the task has none."""
        if task.gold is None:
            return None
        text = task.gold if isinstance(task.gold, str) else json.dumps(task.gold, ensure_ascii=False, default=str)
        return self._gold_as.replace("{gold}", text)

    def judge(self, worker: Worker, answer: str, task: Task) -> Verdict:
        """One answer on this worker, faults judged by the rule above."""
        verdict, fault = self._attempt(worker, answer, task)
        if verdict:
            return verdict
        worker.restart()
        gold = self.gold_answer(task)
        if gold is None:
            return self._ungraded(f"{fault}; and the task has no gold to probe the check with")
        probe, probe_fault = self._attempt(worker, gold, task)
        if not (probe and probe.correct):
            why = probe_fault or (probe.reason if probe and probe.reason else "not right")
            return self._ungraded(f"{fault}; the gold through the same check: {why}")
        again, fault_again = self._attempt(worker, answer, task)
        if again:
            return again
        return replace(wrong(rule=self.name, reason=f"{BROKE_CHECK}: {fault_again}"), isolation=level())

    @property
    def batched(self) -> bool:
        """It judges many answers in one call."""
        return self.signature.startswith("trl")

    def use(self, work: Callable[[Worker], T]) -> T:
        """Hands one of its workers to `work`, alone."""
        return self._pool.use(work)

    def call(self, worker: Worker, answer: str, task: Task) -> Outcome:
        """What became of one call: a value of {value}, {verdict} or {fault} (see check_process.judge), or no value."""
        return self._loaded_call(worker, "judge", [self.spec, answer, asdict(task)])

    def call_together(self, worker: Worker, pairs: Sequence[tuple[str, Task]]) -> Outcome:
        """The same of one call on all of them, for a batched function: a list of such values."""
        args = [self.spec, [answer for answer, _ in pairs], [asdict(task) for _, task in pairs]]
        return self._loaded_call(worker, "judge_together", args)

    def attempt(self, worker: Worker, answer: str, task: Task) -> tuple[float | None, str]:
        """One raw number of a shaping function, or None and the fault."""
        value, _, fault, _ = self._raw(worker, answer, task)
        if fault is None and isinstance(value, (bool, int, float)):
            return float(value), ""
        return None, fault or "returned None"

    def _attempt(self, worker: Worker, answer: str, task: Task) -> tuple[Verdict | None, str]:
        value, fields, fault, seconds = self._raw(worker, answer, task)
        if fault is not None:
            return None, fault
        try:
            verdict = _verdict(fields) if fields is not None else from_value(value, rule=self.name)
            if verdict.process_ends and verdict.process_ends[-1] > len(answer):
                raise ValueError(
                    f"a step of the verdict ends at character {verdict.process_ends[-1]} of an answer of {len(answer)}"
                )
        except (TypeError, ValueError) as error:
            return None, str(error)
        if verdict.status == "ungraded":
            return None, f"could not judge: {verdict.reason}"
        return replace(verdict, rule=verdict.rule or self.name, isolation=level(), seconds=seconds), ""

    def _raw(self, worker: Worker, answer: str, task: Task) -> tuple[Any, dict[str, Any] | None, str | None, float]:
        """Value, or a verdict's fields, or a fault; and the seconds."""
        outcome = self.call(worker, answer, task)
        if outcome.kind == "timed_out":
            return None, None, f"timed_out: {outcome.error}", outcome.seconds
        if outcome.kind != "value":
            return None, None, outcome.error, outcome.seconds
        reply = outcome.value
        if "fault" in reply:
            return None, None, str(reply["fault"]), outcome.seconds
        return reply.get("value"), reply.get("verdict"), None, outcome.seconds

    def _ungraded(self, reason: str) -> Verdict:
        return replace(ungraded(reason, rule=self.name), isolation=level())

    def _loaded_call(self, worker: Worker, name: str, args: Sequence[object]) -> Outcome:
        if not worker.running or self._loaded.get(worker) != worker.starts:
            self._load(worker)
        return worker.call(f"{_HOME}:{name}", args, seconds=self._seconds, folder=self._folder)

    def _load(self, worker: Worker) -> Outcome:
        outcome = worker.call(f"{_HOME}:describe", [self.spec], seconds=LOAD_SECONDS, folder=self._folder)
        self._loaded[worker] = worker.starts
        return outcome

    @property
    def _where(self) -> str:
        return f"{self.spec.get('file') or self.spec.get('module') or 'given'}:{self.spec['name']}"


def is_own(named: object) -> bool:
    """The name of a function of the user's, or one itself; not a kind."""
    return callable(named) or (isinstance(named, str) and ":" in named)


def spec_of(named: str | Callable[..., Any], *, folder: Path, key: str) -> dict[str, str]:
    """Where a worker finds the function: {file, name}, {module, name} or {source, name}. Raises RecipeError."""
    if isinstance(named, str):
        where, _, name = named.rpartition(":")
        if not where or not name:
            raise RecipeError(f'{key} = "{named}": want "file.py:function" or "module:function"', key=key)
        return {"file": where, "name": name} if where.endswith(".py") else {"module": where, "name": name}
    module = inspect.getmodule(named)
    name = getattr(named, "__qualname__", "")
    file = getattr(module, "__file__", None)
    if module is not None and file and module.__name__ != "__main__" and name.isidentifier():
        found = None
        with contextlib.suppress(ImportError, ValueError):
            found = importlib.util.find_spec(module.__name__)
        if found is not None and found.origin == file:
            return {"module": module.__name__, "name": name}
    return {"source": source_of(named, key=key), "name": name}


def _verdict(fields: dict[str, Any]) -> Verdict:
    several = {n: None if fields.get(n) is None else tuple(fields[n]) for n in ("process", "process_ends")}
    return Verdict(**{**fields, **several})
