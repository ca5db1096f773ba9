"""From the recipe's word to a grader that can be called: built-in, "file.py:function", a callable, or "same".

Left out: which items it judges.
"""

from __future__ import annotations

import ast
import dataclasses
import functools
import importlib.util
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Any

from verigrad.acceptance import graders, own
from verigrad.acceptance.golds import Probe, Spell
from verigrad.acceptance.own_worker import must_take_two
from verigrad.acceptance.workers import Broke, Calling
from verigrad.errors import RecipeError, nearest
from verigrad.records import Grade, Task, Verdict
from verigrad.sandbox import Worker


@dataclass(frozen=True, kw_only=True)
class Grader:
    """A grader ready to be called; `with` ends its process."""

    name: str
    """The recipe's word for it."""
    independent: bool
    """False for "same": NOT INDEPENDENT wherever its numbers stand."""
    grade: Callable[[str, Task], Grade]
    """answer, task -> Grade. Raises nothing for what an answer holds."""
    unaccepted: Callable[[Task], str]
    """Why it says right to the task's gold in none of its plain spellings; empty where it does."""
    close: Callable[[], None] = field(default=lambda: None)
    """Ends the grader's process, if it has one."""

    def __enter__(self) -> Grader:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def open_grader(
    grader: str | Callable[..., Any],
    *,
    folder: Path = Path("."),
    options: Mapping[str, Any] | None = None,
    told: Callable[[Task], Mapping[str, Any]] | None = None,
    seconds: float = 10.0,
    training_verdict: Callable[[str, Task], Verdict] | None = None,
    spell: Spell | None = None,
) -> Grader:
    """The grader that the recipe's acceptance.grader names, paths from `folder`.

    `told` gives the options that the verifier of the grader's name has for a task: of these a built-in grader takes
    those that say how golds are written (GOLD_OPTIONS). `seconds` bounds one call of a user's function. A callable that
    another process can import by name runs there; a lambda or a notebook's function runs here, without a deadline. A
    user's function is loaded at once. `spell` gives spellings of a gold beside the plain ones. RecipeError: an unknown
    name, a missing file, a function that cannot be loaded or does not take (answer, task), "same" without a training
    verifier.
    """
    if callable(grader):
        address = _address(grader)
        if address is None:
            name = getattr(grader, "__qualname__", type(grader).__name__)
            try:
                must_take_two(grader, name)
            except TypeError as error:
                raise RecipeError(f"acceptance.grader: {error}", key="acceptance.grader") from error
            return _own(name, own.guarded(grader), spell)
        grader = address
    if grader == "same":
        if training_verdict is None:
            raise RecipeError('grader = "same" needs a training verifier', key="acceptance.grader")
        same = functools.partial(own.grade_same, training_verdict=training_verdict)
        return Grader(name="same", independent=False, grade=same, unaccepted=Probe(same, spell))
    if ":" not in grader:
        return _built_in(grader, options or {}, told, spell)
    place, _, name = grader.rpartition(":")
    if not place or ":" in place or not name.isidentifier():
        raise RecipeError(
            f'acceptance.grader: "{grader}" is no file.py:function and no module:function', key="acceptance.grader"
        )
    if place.endswith(".py"):
        _check_file(folder / place, name)
    worker, own_worker = Worker(), "verigrad.acceptance.own_worker"
    check = Calling(
        worker,
        f"{own_worker}:check",
        seconds=seconds,
        folder=folder.resolve(),
        load=f"{own_worker}:load",
        loads=(place, name),
    )
    try:
        check.load()
    except Broke as broke:
        worker.close()
        why = " ".join(str(broke).split())[:300]
        raise RecipeError(f"acceptance.grader: {grader} cannot be used: {why}", key="acceptance.grader") from broke
    return _own(
        grader,
        lambda answer, task: check(place, name, answer, dataclasses.asdict(task)),
        spell,
        fresh=check.fresh,
        close=worker.close,
    )


def _own(
    name: str,
    call: own.Call,
    spell: Spell | None,
    *,
    fresh: Callable[[], None] = lambda: None,
    close: Callable[[], None] = lambda: None,
) -> Grader:
    probe = Probe(functools.partial(own.once, call=call, name=name), spell)
    grade = functools.partial(own.grade, call=call, name=name, probe=probe, fresh=fresh)
    return Grader(name=name, independent=True, grade=grade, unaccepted=probe, close=close)


def _built_in(
    name: str,
    options: Mapping[str, Any],
    told: Callable[[Task], Mapping[str, Any]] | None,
    more: Spell | None,
) -> Grader:
    module = graders.module(name)
    taken = getattr(module, "GOLD_OPTIONS", ())
    spell = getattr(module, "gold_as", None)

    def of(task: Task) -> dict[str, Any]:
        return {**{k: v for k, v in (told(task) if told else {}).items() if k in taken}, **options}

    def grade(answer: str, task: Task) -> Grade:
        grade: Grade = module.grade(answer, task, **of(task))
        return grade

    def gold(task: Task) -> Sequence[str]:
        """The gold in the grader's own words, where its data has others (an index for a label), and in the caller's."""
        return [*(spell(task, **of(task)) if spell else ()), *(more(task) if more else ())]

    probe = Probe(grade, gold)

    def unaccepted(task: Task) -> str:
        """A gold that says how to check and holds no answer, to a grader that knows of such, is no fault."""
        why = probe(task)
        return "" if spell and why and not why.startswith("ungraded") and not gold(task) else why

    return Grader(name=name, independent=True, grade=grade, unaccepted=unaccepted)


def _address(function: Callable[..., Any]) -> str | None:
    """module:function where another process can import just this function, else None (lambdas, a notebook's)."""
    module, name = getattr(function, "__module__", None), getattr(function, "__name__", None)
    if not isinstance(module, str) or not isinstance(name, str) or module == "__main__":
        return None
    try:
        found = importlib.util.find_spec(module) is not None
    except (ImportError, ValueError):
        found = False
    return f"{module}:{name}" if found and getattr(sys.modules.get(module), name, None) is function else None


def _check_file(path: Path, name: str) -> None:
    """RecipeError unless the file can be read and defines `name`; nothing in it is run."""
    try:
        tree = ast.parse(path.read_bytes())
    except OSError as error:
        raise RecipeError(
            f"acceptance.grader: no file {path.name} can be read here", key="acceptance.grader"
        ) from error
    except (SyntaxError, ValueError) as error:
        raise RecipeError(f"{path.name} is not Python: {error}", key="acceptance.grader") from error
    defined = {n.name for n in tree.body if isinstance(n, (ast.FunctionDef, ast.ClassDef))}
    defined |= {a.asname or a.name for n in tree.body if isinstance(n, (ast.Import, ast.ImportFrom)) for a in n.names}
    defined |= {t.id for n in tree.body if isinstance(n, ast.Assign) for t in n.targets if isinstance(t, ast.Name)}
    if name not in defined:
        raise RecipeError(f"{path.name} has no {name}{nearest(name, defined)}", key="acceptance.grader")
