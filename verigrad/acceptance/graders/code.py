r"""Grader `code`: a program beside a reference solution, on the given tests, held-out tests and inputs drawn for it.

Accepted for {"type": "call", "entry": "f", "tests": [{"args": [2], "out": 4}]} with the solution `def f(x): return 2 *
x`: "```python\ndef f(x):\n    return x + x\n```". Not accepted: `return 4` (wrong at another input), two blocks that
define `f` in two ways (strict: unread), a program that raises, hangs or gives no plain value.

Gold, or the task's columns: `solution` (the reference) and `held_out_tests` (in the form of `tests`). With a reference
both are asked the given inputs and 20 more of the same kind (code_inputs); inputs the reference fails at are left out.
Without one the given and held-out tests alone speak, and the reason says so. Assertions are read where they are
`entry(literals) == literal`; at the inputs of others the reference speaks, and without one the item is ungraded.
Programs that read text get given and held-out inputs only. Repositories: pytest's own JUnit report, in a process the
answer's code shares. Left out: everything but Python, save that C and Coq compile.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from verigrad import sandbox
from verigrad.acceptance import code_box, code_inputs, code_repo
from verigrad.acceptance.code_asserts import asserted
from verigrad.acceptance.code_box import NoBox, Said
from verigrad.acceptance.reading import after_reasoning
from verigrad.records import Grade, Status, Task, seed

MORE = 20
"""Inputs drawn beside the known ones."""
_BLOCK = re.compile(
    r"^[ \t]{0,3}(```+|~~~+)[ \t]*([A-Za-z0-9+#]*)[^\n]*\n(.*?)(?:^[ \t]{0,3}\1[ \t]*$|\Z)", re.M | re.S
)
_OURS = ("", "python", "py", "python3")
_WORKER = sandbox.Pool(1)

Asked = tuple[list[Any], dict[str, Any]]
Judged = tuple[Status, str]


def grade(answer: str, task: Task, *, seconds: float = 20.0) -> Grade:
    """Strict by the one program, lenient by the last one; ungraded where the gold holds nothing to judge by.

    `seconds`: wall time of one box; a program that takes longer is wrong.
    """
    gold = _gold(task)
    if isinstance(gold, str):
        return Grade(strict="ungraded", lenient="ungraded", reason=gold)
    judge = _JUDGES[gold["type"]]
    try:
        if gold["type"] == "repo":
            status, reason = code_repo.judge(answer, gold, seconds=seconds)
            return Grade(strict=status, lenient=status, read=None, reason=reason)
        found = _programs(answer, str(gold.get("entry") or ""), str(gold.get("language") or "python"))
        if not found:
            return Grade(strict="unreadable", lenient="unreadable", reason="no program")
        lenient, why = judge(_whole(found[-1], gold), gold, task, seconds)
    except NoBox as error:
        return Grade(strict="ungraded", lenient="ungraded", reason=f"the sandbox: {error}"[:200])
    if len({p.strip() for p in found}) > 1:
        return Grade(strict="unreadable", lenient=lenient, reason="several programs")
    return Grade(strict=lenient, lenient=lenient, read=found[-1][:200], reason=why)


def gold_as(task: Task, **_: Any) -> tuple[str, ...]:
    """The reference solution as an answer; without one a program that knows the given tests by heart."""
    gold = _gold(task)
    if isinstance(gold, str):
        return ()
    solution = _reference(gold, task)
    if isinstance(solution, Mapping):
        return ("\n".join(f"--- {name} ---\n{body}" for name, body in solution.items()),)
    if isinstance(solution, str):
        return (solution if "--- " in solution[:5] else f"````python\n{solution}\n````",)
    tests = gold.get("tests") or []
    if gold["type"] == "call":
        known = [(_text(t["args"]), _text(t["out"])) for t in tests]
        table = "".join(f"    if list(args) == {a}:\n        return {o}\n" for a, o in known)
        return (f"````python\ndef {gold['entry']}(*args):\n{table}    return None\n````",)
    if gold["type"] == "stdin":
        pairs = {t["in"]: t["out"] for t in tests}
        return (f"````python\nimport sys\nprint({pairs!r}[sys.stdin.read()], end='')\n````",)
    return ()


def _call(source: str, gold: Mapping[str, Any], task: Task, seconds: float) -> Judged:
    tests = [*gold["tests"], *_held_out(gold, task)]
    asked: list[Asked] = [(list(t["args"]), dict(t.get("kwargs") or {})) for t in tests]
    outs: list[Any] = [code_box.literal(t["out"]) for t in tests]
    return _beside(source, gold, task, asked, outs, seconds, listed=True)


def _unittest(source: str, gold: Mapping[str, Any], task: Task, seconds: float) -> Judged:
    found = asserted(gold)
    if not found.plain and not found.inputs:
        return "ungraded", "no assertion calls the function with literals"
    if found.others and _reference(gold, task) is None:
        return "ungraded", f"{found.others} assertions of another form, and no reference"
    asked: list[Asked] = [(args, {}) for args in [*(a for a, _ in found.plain), *found.inputs]]
    outs = [code_box.literal(out) for _, out in found.plain]
    loose = {"tolerance": found.tolerance or gold.get("tolerance"), "unordered": found.any_order}
    return _beside(source, {**gold, **loose}, task, asked, outs, seconds, listed=False)


def _checker(source: str, gold: Mapping[str, Any], task: Task, seconds: float) -> Judged:
    tests = [*gold["tests"], *_held_out(gold, task)]
    asked: list[Asked] = [(list(t["args"]), dict(t.get("kwargs") or {})) for t in tests]
    reference = _reference(gold, task)
    given = len(asked)
    if isinstance(reference, str):
        asked += [(args, {}) for args in _more(asked, task)]
    iterate = bool(gold.get("generator"))
    got = code_box.values(source, gold["entry"], asked, seconds=seconds, iterate=iterate)
    wanted = (
        code_box.values(reference, gold["entry"], asked, seconds=seconds, iterate=iterate)
        if isinstance(reference, str)
        else [Said(value=None)] * len(asked)
    )
    for i, (said, ours) in enumerate(zip(got, wanted, strict=True)):
        if ours.fault or (i >= given and not _holds(gold["check"], ours.value, asked[i])):
            continue  # no input for the reference either
        if said.fault:
            return "wrong", said.fault
        if not _holds(gold["check"], said.value, asked[i]):
            return "wrong", "the check is false"
    return "right", "" if isinstance(reference, str) else "no reference: given tests only"


def _beside(
    source: str,
    gold: Mapping[str, Any],
    task: Task,
    asked: list[Asked],
    outs: list[Any],
    seconds: float,
    *,
    listed: bool,
) -> Judged:
    """Given tests by their outcome, and more inputs by what the reference gives."""
    entry, tolerance = gold["entry"], float(gold.get("tolerance") or 0.0)
    iterate = bool(gold.get("generator")) or not listed
    reference = _reference(gold, task)
    drawn = _more(asked, task) if isinstance(reference, str) and not any(named for _, named in asked) else []
    everything = [*asked, *((args, {}) for args in drawn)]
    got = code_box.values(source, entry, everything, seconds=seconds, iterate=iterate)
    for said, out in zip(got, outs, strict=False):
        if said.fault:
            return "wrong", said.fault
        if not _matches(said.value, out, gold, tolerance, listed=listed):
            return "wrong", "another value at a given input"
    if not isinstance(reference, str):
        return "right", "no reference: given tests only"
    wanted = code_box.values(reference, entry, everything, seconds=seconds, iterate=iterate)
    for ours, out in zip(wanted, outs, strict=False):
        if ours.fault or not _matches(ours.value, out, gold, tolerance, listed=listed):
            return "ungraded", "the reference solution fails the given tests"
    for said, ours in zip(got[len(outs) :], wanted[len(outs) :], strict=True):
        if ours.fault:
            continue
        if said.fault:
            return "wrong", f"{said.fault} at a drawn input"
        if not _matches(said.value, ours.value, gold, tolerance, listed=listed):
            return "wrong", "another value at a drawn input"
    return "right", "" if drawn else "no input could be drawn: given tests only"


def _matches(got: Any, want: Any, gold: Mapping[str, Any], tolerance: float, *, listed: bool) -> bool:
    if isinstance(got, (list, tuple)) and isinstance(want, (list, tuple)) and gold.get("unordered") and not listed:
        want = type(got)(want)
    if gold.get("unordered") and isinstance(got, (list, tuple)) and isinstance(want, (list, tuple)):
        got, want = sorted(got, key=repr), sorted(want, key=repr)
    loose = listed and not gold.get("strict_types")
    if not listed and isinstance(got, (bool, int, float)) and isinstance(want, (bool, int, float)) and got == want:
        return True  # what == of an assertion says
    return code_box.same(got, want, tolerance=tolerance or (0.0 if listed else 1e-12), listed=loose)


def _stdin(source: str, gold: Mapping[str, Any], task: Task, seconds: float) -> Judged:
    tolerance = gold.get("tolerance")
    for test in [*gold["tests"], *_held_out(gold, task)]:
        ran = code_box.box(
            [sandbox.python(), "-I", "answer.py"],
            files={"answer.py": source}, stdin=test["in"].encode("utf-8", "replace"), seconds=seconds,
        )  # fmt: skip
        if not ran.ok:
            return "wrong", ran.kind if ran.kind != "exited" else f"exit status {ran.status}"
        got, want = (
            [line.split() if tolerance else [line.rstrip()] for line in text.rstrip().split("\n")]
            for text in (ran.stdout.decode("utf-8", "replace"), test["out"])
        )
        if len(got) != len(want) or not all(_line(a, b, tolerance) for a, b in zip(got, want, strict=True)):
            return "wrong", "another output"
    return "right", "given tests only"


def _line(got: Sequence[str], want: Sequence[str], tolerance: float | None) -> bool:
    def word(a: str, b: str) -> bool:
        number = r"[-+]?[0-9]{1,30}(?:\.[0-9]{0,30})?(?:[eE][-+]?[0-9]{1,2})?"
        if tolerance and re.fullmatch(number, a) and re.fullmatch(number, b):
            return abs(float(a) - float(b)) <= tolerance
        return a == b

    return len(got) == len(want) and all(map(word, got, want))


def _compiles(source: str, gold: Mapping[str, Any], task: Task, seconds: float) -> Judged:
    language = gold.get("language", "python")
    name, command = {
        "python": ("answer.py", [sandbox.python(), "-I", "-m", "py_compile", "answer.py"]),
        "c": ("answer.c", ["gcc", "-w", "-c", "-o", "answer.o", "answer.c"]),
        "coq": ("answer.v", ["coqc", "answer.v"]),
    }.get(language, ("", []))
    if not command:
        return "ungraded", f"no compiler for {language}"
    ran = code_box.box(command, files={name: source}, seconds=seconds, memory_bytes=2 << 30)
    return ("right", "") if ran.ok else ("wrong", "does not compile")


_JUDGES: Mapping[str, Callable[[str, Mapping[str, Any], Task, float], Judged]] = {
    "call": _call,
    "stdin": _stdin,
    "unittest": _unittest,
    "checker": _checker,
    "compiles": _compiles,
    "repo": _call,
}


def _gold(task: Task) -> Mapping[str, Any] | str:
    """The gold, or what is wrong with it."""
    gold = task.gold
    if isinstance(gold, str):
        try:
            gold = json.loads(gold)
        except (ValueError, RecursionError):
            return "the gold is no JSON"
    if not isinstance(gold, Mapping) or gold.get("type") not in _JUDGES:
        return "the gold has no type of test"
    kind, tests = gold["type"], gold.get("tests")
    if kind in ("call", "checker", "unittest") and not isinstance(gold.get("entry"), str):
        return "no function is asked for"
    needed = {"call": {"args", "out"}, "checker": {"args"}, "stdin": {"in", "out"}}.get(kind)
    if needed is not None and not (
        isinstance(tests, list) and tests and all(isinstance(t, Mapping) and needed <= set(t) for t in tests)
    ):
        return "no tests"
    if kind == "unittest" and not (isinstance(tests, list) and tests and all(isinstance(t, str) for t in tests)):
        return "no tests"
    return gold


def _reference(gold: Mapping[str, Any], task: Task) -> Any:
    return gold.get("solution") or task.columns.get("solution")


def _held_out(gold: Mapping[str, Any], task: Task) -> list[Mapping[str, Any]]:
    tests = gold.get("held_out_tests") or task.columns.get("held_out_tests") or []
    return [t for t in tests if isinstance(t, Mapping)]


def _more(asked: Sequence[Asked], task: Task) -> list[list[Any]]:
    return code_inputs.more([args for args, _ in asked], MORE, seed=seed("code grader", task.key))


def _whole(source: str, gold: Mapping[str, Any]) -> str:
    """With the prompt's code: all of it where the answer goes on from it, else its imports and helpers."""
    entry, prefix = gold.get("entry") or "", gold.get("prefix") or ""
    if not (prefix and entry) or "__future__" in source:
        return source
    return f"{prefix.partition(f'def {entry}')[0]}\n{source}" if _has(source, entry) else f"{prefix.rstrip()}\n{source}"


def _programs(answer: str, entry: str, language: str) -> list[str]:
    """The programs an answer holds, in order: blocks that define the entry, else blocks, else all of it."""
    text = after_reasoning(answer) if len(answer) < 300_000 else None
    if text is None:
        return []
    if "<answer>" in text and "</answer>" in text:
        text = text.rpartition("<answer>")[2].partition("</answer>")[0]
    tags = _OURS if language == "python" else ("", language)
    found = [_inside(m) for m in _BLOCK.finditer(text) if m[2].lower() in tags]
    tagged = [_inside(m) for m in _BLOCK.finditer(text) if m[2] and m[2].lower() in tags]
    if not found:
        return [text] if text.strip() and not _BLOCK.search(text) else []
    defining = [b for b in found if entry and _has(b, entry)]
    return defining or tagged or found


def _inside(block: re.Match[str]) -> str:
    """What a block holds, without the indentation its fence has: that of a list's item."""
    width = block.start(1) - block.start()
    return "".join(line[min(width, len(line) - len(line.lstrip(" \t"))) :] for line in block[3].splitlines(True))


def _has(source: str, entry: str) -> bool:
    return re.search(rf"\b(?:def|class)\s+{re.escape(entry)}\b|^{re.escape(entry)}\s*=", source, re.M) is not None


def _holds(check: str, out: Any, asked: Asked) -> bool:
    outcome = _WORKER.call("verigrad.acceptance.code_check:holds", [check, repr(out), repr(asked[0])], seconds=5.0)
    return outcome.kind == "value" and outcome.value is True


def _text(value: Any) -> str:
    return repr(value).replace("inf", "1e999")
