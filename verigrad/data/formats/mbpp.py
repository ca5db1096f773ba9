"""MBPP: {"task_id": 1, "text": "Write a function to add two numbers.", "code": "def add(a, b): return a + b",
"test_list": ["assert add(1, 2) == 3", "assert add(4, 5) == 9"], "test_setup_code": "", "challenge_test_list": []}.

The sanitized half has `prompt` for `text` and `test_imports` for `test_setup_code`.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping
from typing import Any

from verigrad.data.formats import texts

NAME = "MBPP"
SAYS = "prompt = text and the first test, gold = the assertions of test_list, the first one visible; for code"
_CALL = re.compile(r"assert\s+(?:not\s+)?\(?\s*([A-Za-z_]\w*)\s*\(")


def fits(row: Mapping[str, Any]) -> bool:
    """A task in words, code that solves it and a list of assertions."""
    tests = row.get("test_list")
    said = texts(row, "text") or texts(row, "prompt")
    return said and texts(row, "code") and isinstance(tests, list) and all(isinstance(t, str) for t in tests)


def prompt(row: Mapping[str, Any]) -> str:
    """The task and the test that shows the function's name. ValueError without a test."""
    text = row["text"] if texts(row, "text") else row["prompt"]
    return f"{text}\nYour code should pass this test:\n\n{_tests(row)[0]}\n\nAnswer with a ```python block."


def columns(row: Mapping[str, Any]) -> dict[str, Any]:
    """The tests as gold, with what they import and the reference solution. ValueError without a test."""
    setup = [row.get("test_setup_code") or "", *(row.get("test_imports") or [])]
    gold = {
        "type": "unittest",
        "entry": _entry(row),
        "tests": _tests(row),
        "setup": "\n".join(line for line in setup if line),
        "visible_tests": 1,
        "solution": row["code"],
    }
    return {"gold": gold}


def _tests(row: Mapping[str, Any]) -> list[str]:
    tests = [*row["test_list"], *(row.get("challenge_test_list") or [])]
    if not tests:
        raise ValueError("test_list is empty")
    return tests


def _entry(row: Mapping[str, Any]) -> str:
    """The function the first test calls, where the code defines it; else the last one the code defines."""
    try:
        body = ast.parse(row["code"]).body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        raise ValueError("code is not Python") from None
    defined = [node.name for node in body if isinstance(node, ast.FunctionDef | ast.ClassDef)]
    if not defined:
        raise ValueError("code defines no function")
    named = [name for name in _CALL.findall(_tests(row)[0]) if name in defined]
    return named[0] if named else defined[-1]
