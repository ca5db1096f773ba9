"""A gold as tests, by its type.

    {"type": "call", "entry", "tests": [{"args", "kwargs", "out"}], "tolerance", "strict_types", "unordered",
     "generator"}
    {"type": "stdin", "tests": [{"in", "out"}], "tolerance", "language"}
    {"type": "unittest", "entry", "tests": [source, ...], "setup"}
    {"type": "checker", "entry", "check", "tests": [{"args"}], "generator"}
    {"type": "repo", "files", "hidden_tests" | "fail_to_pass", "pass_to_pass"}
    {"type": "compiles", "language"}

Beside them: "prefix" (code of the prompt that the answer goes on from), "solution", "visible_tests" (how many leading
tests the prompt shows; the row's column of that name too). Left out: running.
"""

from __future__ import annotations

import json
import keyword
import threading
from collections.abc import Callable, Mapping
from typing import Any

from verigrad.records import Task
from verigrad.rewards.programs import assertions, calls, checking, repository, typed
from verigrad.rewards.programs.calls import CallTest, Equal, Holds
from verigrad.rewards.programs.compiles import CompileTest
from verigrad.rewards.programs.languages import LANGUAGES
from verigrad.rewards.programs.plan import Plan, Test, Unjudged
from verigrad.rewards.programs.stdin import StdinTest

MAX_TESTS = 2_000
_KEPT = 256
_LOCK = threading.Lock()
_PLANS: dict[tuple[str, bool], Plan] = {}
"""Plans by the task's key, which is a hash of its gold and columns: a group of answers reads its gold once."""


def plan_of(task: Task, *, shared: bool = False) -> Plan:
    """The tests of a task. Raises Unjudged, whose text says what is wrong with its gold.

    `shared`: what cannot be compiled to calls may run in the candidate's process.
    """
    with _LOCK:
        known = _PLANS.get((task.key, shared))
    if known is not None:
        return known
    plan = _read(task, shared)
    with _LOCK:
        if len(_PLANS) >= _KEPT:
            _PLANS.clear()
        _PLANS[task.key, shared] = plan
    return plan


def _read(task: Task, shared: bool) -> Plan:
    gold = as_truth(task)
    kind = gold.get("type")
    reader = _READERS.get(str(kind))
    if reader is None:
        raise Unjudged(f"no type of test is called {str(kind)[:20]!r}; there is {', '.join(_READERS)}")
    visible = gold.get("visible_tests", task.columns.get("visible_tests", 0))
    if not isinstance(visible, int) or isinstance(visible, bool) or visible < 0:
        raise Unjudged("visible_tests is the number of leading tests that the prompt shows")
    plan = reader(gold, visible, shared)
    if not plan.tests:
        raise Unjudged("zero tests")
    if len(plan.tests) > MAX_TESTS:
        raise Unjudged(f"more than {MAX_TESTS} tests")
    return plan


def solution_of(task: Task) -> str | None:
    """The reference solution of the gold or of the row, or None."""
    places: list[Mapping[str, Any]] = [task.gold] if isinstance(task.gold, Mapping) else []
    for place in (*places, task.columns):
        if isinstance(text := place.get("solution"), str) and text.strip():
            return text
    return None


def as_truth(task: Task) -> Mapping[str, Any]:
    """The gold as an object; a text is read as JSON. Raises Unjudged."""
    gold = task.gold
    if isinstance(gold, str):
        try:
            gold = json.loads(gold)
        except (ValueError, RecursionError):
            raise Unjudged("the gold is no JSON object") from None
    if not isinstance(gold, Mapping):
        raise Unjudged("the gold is no JSON object")
    return gold


def _call(gold: Mapping[str, Any], visible: int, shared: bool) -> Plan:
    entry, tolerance = _entry(gold), _tolerance(gold)
    rule: typed.Rule = "exact" if gold.get("strict_types") else "json"
    tests: list[Test] = []
    lookup: dict[str, tuple[typed.Wire, typed.Rule]] = {}
    for i, test in enumerate(_tests(gold, ("args", "out"))):
        call, value = _called(entry, test), typed.wire(test["out"])
        want = Equal(value=value, rule=rule, tolerance=tolerance, ordered=not gold.get("unordered"))
        tests.append(CallTest(calls=(call,), want=want, iterate=bool(gold.get("generator")), visible=i < visible))
        lookup[call] = (value, rule)
    return Plan(type="call", tests=tuple(tests), entry=entry, prefix=_prefix(gold), lookup=lookup)


def _checker(gold: Mapping[str, Any], visible: int, shared: bool) -> Plan:
    entry, check = _entry(gold), gold.get("check")
    if not isinstance(check, str):
        raise Unjudged("check is an expression over out and args, a text")
    if why := checking.readable(check, frozenset({"out", "args", "kwargs"})):
        raise Unjudged(f"check: {why}")
    tests: list[Test] = []
    for i, test in enumerate(_tests(gold, ("args",))):
        names = {"args": typed.wire(test["args"]), "kwargs": typed.wire(test.get("kwargs") or {})}
        want = Holds(check=check, names=names, outs=("out",))
        iterate = bool(gold.get("generator"))
        tests.append(CallTest(calls=(_called(entry, test),), want=want, iterate=iterate, visible=i < visible))
    return Plan(type="checker", tests=tuple(tests), entry=entry, prefix=_prefix(gold))


def _stdin(gold: Mapping[str, Any], visible: int, shared: bool) -> Plan:
    tests: list[Test] = []
    for i, test in enumerate(_tests(gold, ("in", "out"))):
        if not isinstance(test["in"], str) or not isinstance(test["out"], str):
            raise Unjudged("in and out of a stdin test are texts")
        tests.append(StdinTest(given=test["in"], out=test["out"], tolerance=_tolerance(gold), visible=i < visible))
    return Plan(type="stdin", tests=tuple(tests), language=_language(gold), prefix=_prefix(gold), builds=True)


def _unittest(gold: Mapping[str, Any], visible: int, shared: bool) -> Plan:
    sources, setup = gold.get("tests"), gold.get("setup") or ""
    entry = _entry(gold) if gold.get("entry") else ""
    if not isinstance(sources, list) or not all(isinstance(s, str) for s in sources) or not isinstance(setup, str):
        raise Unjudged("tests of a unittest are a list of sources")
    try:
        tests: list[Test] = []
        for i, source in enumerate(sources):
            some = assertions.compiled(source, entry=entry, setup=setup)
            if not some:
                raise Unjudged("a source with no assertion about the program")
            tests += [assertions.shown(test, visible=i < visible) for test in some]
    except (assertions.Uncompiled, RecursionError) as error:
        if not shared:
            raise Unjudged(f"not compiled to calls: {error}") from None
        return _whole(gold, sources, setup, visible, why=str(error))
    return Plan(type="unittest", tests=tuple(tests), entry=entry, prefix=_prefix(gold))


def _whole(gold: Mapping[str, Any], sources: list[str], setup: str, visible: int, *, why: str) -> Plan:
    entry = _entry(gold) if gold.get("entry") else ""
    try:
        whole = [assertions.whole(s, entry=entry, setup=setup, visible=i < visible) for i, s in enumerate(sources)]
    except assertions.Uncompiled as error:
        raise Unjudged(f"not compiled to calls: {why}; and not run as it is: {error}") from None
    return Plan(type="unittest", tests=tuple(whole), entry=entry, prefix=_prefix(gold), shared=why)


def _compiles(gold: Mapping[str, Any], visible: int, shared: bool) -> Plan:
    return Plan(type="compiles", tests=(CompileTest(),), language=_language(gold), prefix=_prefix(gold))


def _repo(gold: Mapping[str, Any], visible: int, shared: bool) -> Plan:
    return repository.plan_of(gold)


_READERS: Mapping[str, Callable[[Mapping[str, Any], int, bool], Plan]] = {
    "call": _call,
    "stdin": _stdin,
    "unittest": _unittest,
    "checker": _checker,
    "repo": _repo,
    "compiles": _compiles,
}


def _entry(gold: Mapping[str, Any]) -> str:
    entry = gold.get("entry")
    parts = entry.split(".") if isinstance(entry, str) else []
    if not parts or not all(part.isidentifier() and not keyword.iskeyword(part) for part in parts):
        raise Unjudged("entry is the name of a function")
    return str(entry)


def _called(entry: str, test: Mapping[str, Any]) -> str:
    args, kwargs = test["args"], test.get("kwargs") or {}
    if not isinstance(args, list) or not isinstance(kwargs, Mapping):
        raise Unjudged("args is a list, kwargs an object")
    if not all(isinstance(name, str) and name.isidentifier() for name in kwargs):
        raise Unjudged("kwargs has names that are none")
    given = [calls.literal(a) for a in args] + [f"{name}={calls.literal(value)}" for name, value in kwargs.items()]
    return f"{entry}({', '.join(given)})"


def _tests(gold: Mapping[str, Any], needed: tuple[str, ...]) -> list[Mapping[str, Any]]:
    tests = gold.get("tests")
    if not isinstance(tests, list) or not all(isinstance(t, Mapping) and set(needed) <= set(t) for t in tests):
        raise Unjudged(f"tests is a list of objects with {' and '.join(needed)}")
    return tests


def _tolerance(gold: Mapping[str, Any]) -> float | None:
    tolerance = gold.get("tolerance")
    if tolerance is None:
        return None
    if isinstance(tolerance, bool) or not isinstance(tolerance, (int, float)) or not 0 <= tolerance < float("inf"):
        raise Unjudged("tolerance is a number, 0 or more")
    return float(tolerance)


def _language(gold: Mapping[str, Any]) -> str:
    language = gold.get("language", "python")
    if language not in LANGUAGES:
        raise Unjudged(f"no language is called {str(language)[:20]!r}; there is {', '.join(LANGUAGES)}")
    return str(language)


def _prefix(gold: Mapping[str, Any]) -> str:
    prefix = gold.get("prefix", "")
    if not isinstance(prefix, str):
        raise Unjudged("prefix is a text")
    return prefix
