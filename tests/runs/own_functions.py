"""Checks a user would write; a module of their own, which a worker imports in no time."""

from __future__ import annotations

from typing import Any

LETTERS = "abcdefghijkl"


def begins(answer: str, task: Any) -> bool:
    return bool(answer) and any(c in LETTERS for c in answer[:2])


def begins_so(answer: str, task: Any) -> bool:
    return len(set(answer[:2]) & set(task.gold)) > 0
