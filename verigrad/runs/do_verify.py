"""`verify`: stored answers through a verifier. A case is one JSON object a line; see `docs/reference/cases.md`.

    {"id": "a", "kind": "number", "problem": "...", "completion": "8 * 10 = 80", "truth": "80", "expected": true}

Left out: judging (rewards).
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from verigrad.errors import DataError
from verigrad.recipe import Reward
from verigrad.records import Task, Verdict
from verigrad.rewards import Rewards

_EXPECTED: dict[Any, tuple[str, ...]] = {True: ("right",), False: ("wrong", "unreadable"), "error": ("ungraded",)}


def verify(kind: str | Callable[..., Any] | None = None, *, file: str | Path) -> Iterator[dict[str, Any]]:
    """One row a case, in order: id, status, score, reason, read, rule, isolation, seconds; with `expected`, `agrees`.

    `kind`: a verifier for every case, or "file.py:function"; None: each case's own `kind`. Raises DataError for a file
    that is none, RecipeError or NotYet for a kind there is not.
    """
    judges: dict[Any, Rewards] = {}
    try:
        for where, case in _cases(Path(file)):
            named = kind or case.get("kind")
            if named is None:
                raise DataError(f'{where}: the case names no "kind"; say one: verigrad verify KIND --file {file}')
            if not isinstance(named, str) and not callable(named):
                raise DataError(f'{where}: "kind" is the name of a verifier, a text')
            if named not in judges:
                judges[named] = Rewards([Reward(verifier=named)], folder=Path("."), max_tokens=1)
            expected = case.get("expected")
            if not (expected is None or isinstance(expected, bool) or expected == "error"):
                raise DataError(f'{where}: "expected" is true, false or "error", not {str(expected)[:40]}')
            yield _row(case, judges[named].verify(_answer(case, where), _task(case)))
    finally:
        for judge in judges.values():
            judge.close()


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


def _task(case: dict[str, Any]) -> Task:
    columns = {
        k: v for k, v in case.items() if k not in ("id", "kind", "completion", "truth", "expected", "why", "note")
    }
    return Task.make(prompt=str(case.get("problem", "")), gold=case.get("truth"), columns=columns, source="cases")


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
