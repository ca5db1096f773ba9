"""`audit`: attack a shipped verifier or a reward function of one's own, and say what it accepts that is not right.

    verigrad audit number        verigrad audit checks.py:rows_match --recipe sql.toml

Left out: tricks, judging and words (rewards.audit). Held-out rows are not touched: the attacks are built from the rows
that are trained on.
"""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from verigrad.acceptance import Grader, grader_names, open_grader
from verigrad.data import load, split
from verigrad.errors import DataError, Refused, nearest
from verigrad.recipe import Recipe, Reward, judged_sides
from verigrad.records import Task
from verigrad.rewards import OwnCheck, Rewards, kind, user
from verigrad.rewards.audit import (
    SHIPPED,
    Audit,
    FunctionTarget,
    Grading,
    KindTarget,
    Row,
    Target,
    all_tricks,
    audit_target,
    made_kinds,
    made_rows,
    row_of,
)
from verigrad.runs.prepare import placed, read
from verigrad.runs.suites import options_of
from verigrad.runs.talk import Silent, Talk

ROWS = 12
"""Rows by default."""
SECONDS = 5.0
"""Time limit by default of one call of a function of one's own."""
_GUESSED = ("number", "math", "choice", "blank", "schema", "code", "logic", "formal")
"""Kinds whose made rows a function of one's own is shown without a recipe, in this order."""
_FEW_WORDS = 4
"""The first so many of them are answers of a few words; the others are tried where the function takes none of these."""


@dataclass(frozen=True, kw_only=True)
class _Asked:
    """What is to be audited, and where it comes from."""

    named: str | Callable[..., Any]
    folder: Path
    options: Mapping[str, Any]
    sources: tuple[str, ...] | None
    """Sources of the recipe it judges; None: all."""
    sandbox: int


def audit(
    target: str | Callable[..., Any],
    *,
    recipe: Recipe | str | Path | None = None,
    sets: Sequence[str] = (),
    constant: float = 0.5,
    seconds: float | None = None,
    n: int = ROWS,
    only: Sequence[str] = (),
    talk: Talk | None = None,
) -> Audit:
    """The audit of a verifier's kind, of "file.py:function" or "module:function", or of a function.

    `recipe`: attacks are built from its training rows too, the target takes its options there, and its independent
    grader decides. `constant`: the share of rows above which a constant that wins them fails. `seconds`: of one call of
    a function of one's own (5). `n`: rows, at most (12 of each kind). `only`: tricks by name, to look again at what was
    mended. Raises Refused for what cannot be audited.
    """
    _check(constant=constant, seconds=seconds, n=n, only=only)
    talk = talk or Silent()
    with contextlib.ExitStack() as stack:
        whole = None if recipe is None else read(recipe, sets)
        if whole is not None:
            stack.enter_context(placed(whole))
        asked = _asked(target, whole)
        opened = _open(asked, seconds, stack)
        talk.line(opened.said)
        if whole is None:
            rows, notes = _made(opened, n)
            grading = _by_kind(stack)
            graders = dict.fromkeys(r.kind for r in rows)
            notes += _decides({k: _grader_of(k) for k in graders})
        else:
            rows, notes = _from_recipe(asked, whole, n)
            by_source = _suites(whole, stack)
            fallback = _by_kind(stack)

            def grading(row: Row) -> Grading | None:
                return by_source[row.task.source] if row.task.source in by_source else fallback(row)

            notes += _told(whole, by_source)
        notes.append(f"only these tricks: {', '.join(only)}" if only else "the shipped cases of these kinds too")
        return audit_target(
            opened, rows, grading=grading, constant=constant, only=only, notes=notes, progress=_Progress(talk)
        )


def _check(*, constant: float, seconds: float | None, n: int, only: Sequence[str]) -> None:
    if not 0 <= constant <= 1:
        raise Refused(f"--constant is a share of rows, 0 to 1, not {constant:g}")
    if seconds is not None and not 0 < seconds < float("inf"):
        raise Refused(f"--seconds wants a number above 0, not {seconds:g}")
    known = [SHIPPED, *(t.name for t in all_tricks())]
    for name in only:
        if name not in known:
            raise Refused(f'--only "{name}": no such trick{nearest(name, known)}')
    if n < 1:
        raise Refused(f"--n is a number of rows, 1 or more, not {n}")


def _asked(target: str | Callable[..., Any], whole: Recipe | None) -> _Asked:
    """The target as the recipe names it, with its options and sources; else by itself, from this folder."""
    if whole is None:
        return _Asked(named=target, folder=Path("."), options={}, sources=None, sandbox=2)
    recipe = whole.stage(1)
    parts = [p for p in recipe.reward if p.verifier is not None and _same(p.verifier, target, recipe.folder)]
    sandbox = recipe.run.sandbox
    if not parts:
        return _Asked(named=target, folder=Path("."), options={}, sources=None, sandbox=sandbox)
    named = parts[0].verifier
    assert named is not None
    on = [tuple(p.on or ()) for p in parts]
    options = {k: v for k, v in parts[0].options.items() if k not in ("pays", "partial")}
    sources = None if () in on else tuple(s for some in on for s in some)
    return _Asked(named=named, folder=recipe.folder, options=options, sources=sources, sandbox=sandbox)


def _same(verifier: object, target: object, folder: Path) -> bool:
    """The recipe's verifier is the target: the same word, function, or file from another folder."""
    if verifier == target:
        return True
    if not (isinstance(verifier, str) and isinstance(target, str)):
        return False
    (there, _, f), (here, _, g) = verifier.rpartition(":"), target.rpartition(":")
    return (
        f == g and there.endswith(".py") and here.endswith(".py") and (folder / there).resolve() == Path(here).resolve()
    )


def _open(asked: _Asked, seconds: float | None, stack: contextlib.ExitStack) -> Target:
    options = dict(asked.options)
    own = user.is_own(asked.named)
    if own and (seconds is not None or "seconds" not in options):
        options["seconds"] = SECONDS if seconds is None else seconds
    if not own and seconds is not None:
        if "seconds" not in kind(str(asked.named), key="audit").OPTIONS:
            raise Refused(f"{asked.named} has no time limit to set: --seconds is for functions of one's own")
        options["seconds"] = seconds
    if not own:
        kind(str(asked.named), key="audit")
    part = Reward(verifier=asked.named, options=options)
    rewards = Rewards([part], folder=asked.folder, max_tokens=1, workers=1, sandbox=asked.sandbox)
    stack.callback(rewards.close)
    verifier = rewards.judges("")
    if not isinstance(verifier, OwnCheck):
        return KindTarget(verifier)
    return FunctionTarget(verifier)


def _made(target: Target, n: int) -> tuple[list[Row], list[str]]:
    """Rows made up for the kind; for a function, for the kinds whose right answers it pays."""
    if not target.own:
        rows = made_rows(target.name, n)
        more = "" if rows else f"; no rows are made up for {target.name}: --recipe brings yours"
        return rows, [f"{len(rows)} made rows of {target.name}{more}"]
    rows = [row for name in _GUESSED[:_FEW_WORDS] for row in _paid(target, name, n)]
    rows = rows or [row for name in _GUESSED[_FEW_WORDS:] for row in _paid(target, name, n)]
    if not rows:
        tried = ", ".join(k for k in _GUESSED if k in made_kinds())
        raise Refused(
            f"{target.name} pays no right answer of the made rows ({tried}); give --recipe with rows of its own"
        )
    taken = list(dict.fromkeys(r.kind for r in rows))
    return rows, [f"{len(rows)} made rows of {', '.join(taken)}, whose right answers it pays"]


def _paid(target: Target, name: str, n: int) -> list[Row]:
    """The kind's rows of which the function pays a right answer, if these are half of them or more."""
    rows = made_rows(name, n)
    paid = []
    for at, row in enumerate(rows):
        said = target.score([(answer, row.task) for answer in row.right])
        if any((s.score or 0.0) > 0 for s in said):
            paid.append(row)
        elif at >= 2 and not paid:
            return []
    return paid if paid and 2 * len(paid) >= len(rows) else []


def _from_recipe(asked: _Asked, whole: Recipe, n: int) -> tuple[list[Row], list[str]]:
    """The first training rows of the sources the target judges, held-out sides left alone."""
    recipe = whole.stage(1)
    cut = split(load(recipe.data, folder=recipe.folder))
    names = [s for s in cut.train if asked.sources is None or s in asked.sources]
    tasks = [t for s in names for side in (cut.train, cut.validation) for t in side.get(s, ())]
    tasks = [t for t in tasks if t.gold is not None]
    if not tasks:
        raise DataError(
            f"{', '.join(names) or 'the recipe'}: no training row with a gold to build attacks from", key="data"
        )
    own = user.is_own(asked.named)
    gold_as = str(asked.options.get("gold_as", "{gold}"))
    named = "" if own else str(asked.named)
    options = {} if own else asked.options
    rows = [row_of(t, kind=named, options=options, gold_as=gold_as) for t in _spread(tasks, n)]
    return rows, [f"{len(rows)} of {len(tasks):,} training rows of {', '.join(names)}"]


def _spread(tasks: Sequence[Task], n: int) -> list[Task]:
    """So many of them, evenly over the whole."""
    if len(tasks) <= n:
        return list(tasks)
    return [tasks[i * len(tasks) // n] for i in range(n)]


def _suites(whole: Recipe, stack: contextlib.ExitStack) -> dict[str, Grading | None]:
    """Source -> the grader that accepts it; None where that is the training verifier itself."""
    recipe = whole.stage(1)
    out: dict[str, Grading | None] = {}
    for suite, sides in zip(recipe.acceptance, judged_sides(recipe.acceptance, recipe.data), strict=True):
        if suite.grader == "same":
            out |= dict.fromkeys(sides)
        elif sides:
            grader = open_grader(
                suite.grader,
                folder=recipe.folder,
                seconds=recipe.run.limits.check_seconds or 10.0,
                told=functools.partial(options_of, recipe, suite.grader),
            )
            stack.callback(grader.close)
            out |= dict.fromkeys(sides, _grading(grader))
    return out


def _told(whole: Recipe, by_source: Mapping[str, Grading | None]) -> list[str]:
    recipe = whole.stage(1)
    names = {
        side: getattr(suite.grader, "__name__", suite.grader)
        for suite, sides in zip(recipe.acceptance, judged_sides(recipe.acceptance, recipe.data), strict=True)
        for side in sides
    }
    return [
        f"accepted attacks on {source} are judged independently by the recipe's grader {names[source]}"
        if grading
        else f"the recipe's grader of {source} is NOT INDEPENDENT: attacks there are wrong by their construction"
        for source, grading in by_source.items()
    ]


def _by_kind(stack: contextlib.ExitStack) -> Callable[[Row], Grading | None]:
    """The shipped grader of a row's kind, opened on first use."""
    opened: dict[str, Grading | None] = {}

    def grading(row: Row) -> Grading | None:
        if row.kind not in opened:
            name = _grader_of(row.kind)
            opened[row.kind] = None
            if name is not None:
                grader = open_grader(name)
                stack.callback(grader.close)
                opened[row.kind] = _grading(grader)
        return opened[row.kind]

    return grading


def _grader_of(name: str) -> str | None:
    return next((g for g in grader_names() if name and (g == name or g.startswith(f"{name}_"))), None)


def _grading(grader: Grader) -> Grading:
    return lambda answer, task: grader.grade(answer, task).strict


def _decides(graders: Mapping[str, str | None]) -> list[str]:
    by = ", ".join(f"{k or 'other'} by grader {g}" for k, g in graders.items() if g)
    bare = ", ".join(k or "other" for k, g in graders.items() if not g)
    said = [f"accepted attacks are judged independently: {by}"] if by else []
    return [
        *said,
        *([f"no independent grader for {bare}: attacks there are wrong by their construction"] if bare else []),
    ]


class _Progress:
    """The audit's phases as a verb's talk."""

    def __init__(self, talk: Talk) -> None:
        self._talk = talk

    def __call__(self, phase: str, total: int | None, done: int) -> None:
        if done:
            self._talk.advance(done)
        else:
            self._talk.phase(phase, total)
