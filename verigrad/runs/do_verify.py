"""`verify`: stored answers through a verifier. A case is one JSON object a line; see `docs/reference/cases.md`.

    {"id": "a", "kind": "number", "problem": "...", "completion": "8 * 10 = 80", "truth": "80", "expected": true}

Left out: judging (rewards).
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from itertools import groupby, islice
from operator import itemgetter
from pathlib import Path
from typing import Any

from verigrad.errors import DataError, Refused
from verigrad.recipe import Reward
from verigrad.records import Task, Verdict
from verigrad.rewards import Rewards, Verifier, user
from verigrad.rewards import kind as kind_of

_EXPECTED: dict[Any, tuple[str, ...]] = {True: ("right",), False: ("wrong", "unreadable"), "error": ("ungraded",)}


_AT_ONCE = 64
"""Cases taken from the file at a time."""
_TO_LOOK = ("shared",)
"""Options of a kind that a recipe must allow for training and that are allowed here, where nothing is trained."""


def verify(kind: str | Callable[..., Any] | None = None, *, file: str | Path) -> Iterator[dict[str, Any]]:
    """One row a case, in order: id, status, score, reason, read, rule, isolation, seconds; with `expected`, `agrees`.

    `kind`: a verifier for every case, or "file.py:function"; None: each case's own `kind`. Cases whose verifier has
    processes of its own are judged side by side. Raises DataError for a file that is none, RecipeError for a kind
    there is not, Refused where this machine cannot run the programs of a kind.
    """
    held: dict[Any, Rewards] = {}
    try:
        cases = _named(kind, _cases(Path(file)), Path(file))
        fault: Refused | None = None
        while fault is None:
            some: list[tuple[Verifier, Task, dict[str, Any], str]] = []
            try:
                for where, named, case in islice(cases, _AT_ONCE):
                    if named not in held:
                        held[named] = Rewards([_reward(named)], folder=Path("."), max_tokens=1)
                    some.append((held[named].judges("cases"), _task(case, where), case, _answer(case, where)))
            except Refused as error:
                fault = error
            for verifier, group in groupby(some, key=itemgetter(0)):
                asked = list(group)
                width = 4 * verifier.at_once
                for few in (asked[i : i + width] for i in range(0, len(asked), width)):
                    verdicts = verifier.verify_all([(answer, task) for _, task, _, answer in few])
                    yield from (_row(case, verdict) for (_, _, case, _), verdict in zip(few, verdicts, strict=True))
            if fault is not None:
                raise fault
            if len(some) < _AT_ONCE:
                return
    finally:
        for judge in held.values():
            judge.close()


def _reward(named: str | Callable[..., Any]) -> Reward:
    """The verifier with its defaults, and with what only training must be asked for."""
    options = () if user.is_own(named) else kind_of(str(named), key="kind").OPTIONS
    return Reward(verifier=named, options={name: True for name in _TO_LOOK if name in options})


def _named(
    kind: str | Callable[..., Any] | None, cases: Iterator[tuple[str, dict[str, Any]]], file: Path
) -> Iterator[tuple[str, Any, dict[str, Any]]]:
    """Each case with its place and its verifier's name, seen to be one."""
    for where, case in cases:
        named = kind or case.get("kind")
        if named is None:
            raise DataError(f'{where}: the case names no "kind"; say one: verigrad verify KIND --file {file}')
        if not isinstance(named, str) and not callable(named):
            raise DataError(f'{where}: "kind" is the name of a verifier, a text')
        expected = case.get("expected")
        if not (expected is None or isinstance(expected, bool) or expected == "error"):
            raise DataError(f'{where}: "expected" is true, false or "error", not {str(expected)[:40]}')
        yield where, named, case


def _cases(file: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    """Each case with its place. Texts are taken as they are: an answer may hold anything."""
    try:
        lines = file.read_text(encoding="utf-8").split("\n")
    except (OSError, UnicodeDecodeError) as error:
        raise DataError(f"{file}: cannot be read: {getattr(error, 'strerror', None) or error}") from None
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        where = f"{file}:{number}"
        try:
            case = json.loads(line)
        except (ValueError, RecursionError) as error:
            raise DataError(f"{where}: not JSON: {str(error)[:100]}") from None
        if not isinstance(case, dict):
            raise DataError(f"{where}: a case is one JSON object a line")
        yield where, case


def _answer(case: dict[str, Any], where: str) -> str:
    answer = case.get("completion")
    if not isinstance(answer, str):
        raise DataError(f'{where}: the case needs "completion", the model\'s whole output as a text')
    return answer


def _task(case: dict[str, Any], where: str) -> Task:
    columns = {
        k: v for k, v in case.items() if k not in ("id", "kind", "completion", "truth", "expected", "why", "note")
    }
    try:
        return Task.make(prompt=str(case.get("problem", "")), gold=case.get("truth"), columns=columns, source="cases")
    except UnicodeEncodeError:
        raise DataError(f"{where}: only a completion may hold half a surrogate pair (\\ud800 to \\udfff)") from None


def _row(case: dict[str, Any], verdict: Verdict) -> dict[str, Any]:
    row = {
        "id": case.get("id"),
        "status": verdict.status,
        "score": verdict.score,
        "reason": verdict.reason,
        "read": verdict.read,
        "rule": verdict.rule,
        "isolation": verdict.isolation,
        "seconds": round(verdict.seconds, 6),
    }
    expected = case.get("expected")
    return row if expected not in _EXPECTED else {**row, "agrees": verdict.status in _EXPECTED[expected]}
