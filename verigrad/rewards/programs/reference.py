"""An answer that must be right: the data's solution, or a program that is a table of the tests.

The table takes every gold through the whole way (into the box, back as typed data, compared) where the data has no
solution; it says nothing about whether the tests are good. Left out: unit tests, checkers and repositories without a
solution, for which there is none.
"""

from __future__ import annotations

from collections.abc import Mapping

from verigrad.records import Task
from verigrad.rewards.programs import calls, repository, truth, typed
from verigrad.rewards.programs.extraction import fenced
from verigrad.rewards.programs.plan import Plan
from verigrad.rewards.programs.stdin import StdinTest


def answer(task: Task, plan: Plan) -> str | None:
    """The answer, or None where the data holds nothing to make one of."""
    if plan.type == "repo":
        files = task.gold.get("solution") if isinstance(task.gold, Mapping) else None
        files = files if files is not None else task.columns.get("solution")
        if isinstance(files, Mapping):
            return repository.spelled({str(name): str(body) for name, body in files.items()})
        return files if isinstance(files, str) else None
    source = truth.solution_of(task) or _table(plan)
    if source is None:
        return None
    return source if "```" in source and source.lstrip().startswith("```") else fenced(source, plan.runs_as.tags[0])


def _table(plan: Plan) -> str | None:
    if plan.lookup and "." not in plan.entry:
        lines = ["def _key(*args, **named):", "    return repr((args, sorted(named.items())))", "_table = {}"]
        for call, (wire, _) in plan.lookup.items():
            lines.append(f"_table[_key{call[len(plan.entry) :]}] = {calls.literal(typed.value(wire))}")
        return "\n".join([*lines, f"def {plan.entry}(*args, **named):", "    return _table[_key(*args, **named)]"])
    if plan.type == "stdin" and plan.language == "python":
        pairs = {t.given.encode(): t.out.encode() for t in plan.tests if isinstance(t, StdinTest)}
        return f"import sys\ntable = {pairs!r}\nsys.stdout.buffer.write(table[sys.stdin.buffer.read()])"
    return None
