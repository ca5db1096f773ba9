r"""`code`: a program that passes every test, each in a fresh process of the sandbox.

Right, for {"type": "call", "entry": "add", "tests": [{"args": [1, 2], "out": 3}, {"args": [4, 5], "out": 9}]}:
"```python\ndef add(a, b): return a + b\n```". Refused: a program that prints "passed", leaves with exit(0), returns
an object that equals everything, knows the shown tests only, or reads the expected value out of its own process, where
it never was: inputs go in, plain typed data comes back, and this process compares.

Which program an answer commits to: `programs.extraction`; golds and the shapes of data sets: `programs.truth`. Tests
run in an order drawn from the task. A program that hangs, floods, is killed or breaks a check is `wrong`, broke_check.
What shares the candidate's process (repository tests, and with `shared` what cannot be compiled to calls) is marked
"code:TYPE shared" in the verdict's rule and is no reward for training unless `shared = true`. Left out: partial credit.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from verigrad.records import BROKE_CHECK, Task, Verdict, right, ungraded, unreadable, wrong
from verigrad.rewards.options import Option
from verigrad.rewards.programs import extraction, reference, repository, running, truth
from verigrad.rewards.programs.plan import Plan, Settings, Unjudged
from verigrad.rewards.tokens import TooBig, Unread

RULE = "code"
PROGRAMS = True
OPTIONS: Mapping[str, Option] = {
    "seconds": Option(default=5.0, type=float, meaning="a test that computes longer is failed, or runs twice as long"),
    "memory_mb": Option(default=512, type=int, meaning="address space of a process, in MB; more where a language asks"),
    "shared": Option(default=False, type=bool, meaning="tests that share the candidate's process may pay a reward"),
    "command": Option(default=[], type=list, meaning='stdin tests: what runs the program, ["node", "main.js"]'),
    "compile": Option(default=[], type=list, meaning='stdin tests: what makes "program" first, in a box of its own'),
}


def verify(answer: str, task: Task, *, level: int | None = None, **options: Any) -> Verdict:
    """The verdict on the one program the answer commits to. `level`: of the sandbox, None: the best there is."""
    rule = RULE
    try:
        plan = truth.plan_of(task, shared=bool(options.get("shared")))
        rule = f"{RULE}:{plan.type}{' shared' if plan.shared else ''}"
        settings = _settings(options)
        try:
            files, read = _program(answer, plan)
        except Unread as error:
            return unreadable(str(error), rule=rule)
        except TooBig as error:
            return wrong(rule=rule, reason=f"{BROKE_CHECK}: {error}")
        files, failed, at = running.compiled(plan, files, settings, level=level)
        if failed:
            return replace(wrong(read, rule=rule, reason=failed), isolation=at)
        passed = running.run(plan, files, settings, key=task.key, level=level)
    except Unjudged as error:
        return ungraded(str(error)[:300], rule=rule)
    if not passed.failed:
        return replace(right(read, rule=rule), isolation=passed.level)
    reason = passed.failed
    if passed.hidden:
        broke = reason.startswith(BROKE_CHECK)
        reason = f"{reason}; visible passed, hidden failed" if broke else f"visible passed, hidden failed: {reason}"
    return replace(wrong(read, rule=rule, reason=reason[:300]), isolation=passed.level)


def check_gold(task: Task, **options: Any) -> str | None:
    """Why this task cannot pay a reward: no test, a test that is not read, a shared process; None where it can."""
    try:
        plan = truth.plan_of(task, shared=bool(options.get("shared")))
    except Unjudged as error:
        return str(error)
    if plan.shared and not options.get("shared"):
        return f"{plan.shared}, where it can forge the outcome; options.shared = true allows that"
    return repository.missing() if plan.type == "repo" else None


def gold_answer(task: Task, **options: Any) -> str | None:
    """The data's reference solution as an answer; without one a table made of the tests; None where neither is."""
    return reference.answer(task, truth.plan_of(task, shared=bool(options.get("shared"))))


def committed(answer: str, task: Task, **options: Any) -> str:
    """What `verify` would run for this answer, shown to a person; runs nothing. Raises Unjudged, Unread, TooBig."""
    return _program(answer, truth.plan_of(task, shared=bool(options.get("shared"))))[1]


def _program(answer: str, plan: Plan) -> tuple[Mapping[str, bytes], str]:
    """The program's files, and how it is shown to a person."""
    if plan.type == "repo":
        files = repository.written(answer, plan)
        return files, ", ".join(sorted(n for n, b in files.items() if plan.base.get(n) != b))[:200]
    language = plan.runs_as
    source = extraction.program(answer, tags=language.tags, entry=plan.entry, prefix=plan.prefix)
    return {language.file: source.encode("utf-8", "replace")}, source[:200]


def _settings(options: Mapping[str, Any]) -> Settings:
    words = {name: options.get(name) or [] for name in ("command", "compile")}
    for name, value in words.items():
        if not all(isinstance(word, str) for word in value):
            raise Unjudged(f"options.{name} is a list of texts")
    return Settings(
        seconds=float(options.get("seconds", OPTIONS["seconds"].default)),
        memory_bytes=int(options.get("memory_mb", OPTIONS["memory_mb"].default)) << 20,
        command=tuple(words["command"]),
        compile=tuple(words["compile"]),
        shared=bool(options.get("shared")),
    )
