"""Digits for letters so that a sum of words holds.

Right, for {"equation": "SEND + MORE = MONEY"}: "S=9, E=5, N=6, D=7, M=1, O=0, R=8, Y=2", in any order, or as JSON.
Refused: a letter missing, one that is not there, two digits for a letter, one digit for two letters, a word that
begins with 0, a sum that does not hold.

The gold holds `equation` (words with + - * and one =; the layout with a rule under the addends too) and optionally
`oracle` and `allow_leading_zero`.
"""

from __future__ import annotations

import itertools
import json
import re
from collections.abc import Mapping
from typing import Any

from verigrad.records import Task
from verigrad.rewards.logic import Judged
from verigrad.rewards.solving import arithmetic
from verigrad.rewards.spans import committed_text
from verigrad.rewards.tokens import Unread

MAX_EQUATION = 400


def check(truth: Mapping[str, Any]) -> str:
    """Why this gold cannot be read."""
    try:
        letters = {c for side in _sides(truth.get("equation")) for c in side if c.isalpha()}
    except Unread as error:
        return str(error)
    if any(len(word) > 18 for side in _sides(truth["equation"]) for word in re.findall("[A-Z]+", side)):
        return "a word of more than 18 letters"
    return "" if 1 <= len(letters) <= 10 else f"an equation of {len(letters)} letters"


def judge(answer: str, truth: Mapping[str, Any], *, task: Task, seconds: float) -> Judged:
    """Whether the one assignment the answer commits itself to is a solution."""
    said = assignment(committed_text(answer))
    read = ", ".join(f"{c}={d}" for c, d in sorted(said.items()))
    why = broken(said, truth)
    return Judged(ok=not why, read=read, reason=why)


def example(truth: Mapping[str, Any]) -> str | None:
    """The oracle, or the first solution of all digits in order where the letters are few."""
    for key in ("oracle", "answer"):
        if isinstance(truth.get(key), str):
            return str(truth[key])
        if isinstance(truth.get(key), Mapping):
            return ",".join(f"{c}={d}" for c, d in truth[key].items())
    letters = sorted({c for side in _sides(truth["equation"]) for c in side if c.isalpha()})
    if len(letters) > 6:
        return None
    for digits in itertools.permutations(range(10), len(letters)):
        said = dict(zip(letters, digits, strict=True))
        if not broken(said, truth):
            return ", ".join(f"{c}={d}" for c, d in said.items())
    return None


def broken(said: Mapping[str, int], truth: Mapping[str, Any]) -> str:
    """Which rule the assignment breaks; empty where it solves the puzzle."""
    left, right = _sides(truth["equation"])
    letters = {c for c in left + right if c.isalpha()}
    if missing := letters - set(said):
        return f"{min(missing)} has no digit"
    if more := set(said) - letters:
        return f"{min(more)} is no letter of it"
    if len(set(said.values())) != len(said):
        return "two letters share a digit"
    words = re.findall(r"[A-Z]+", left + " " + right)
    if not truth.get("allow_leading_zero") and any(len(w) > 1 and said[w[0]] == 0 for w in words):
        return "a word begins with 0"
    values = [
        arithmetic.evaluate("".join(str(said[c]) if c.isalpha() else c for c in side))[0] for side in (left, right)
    ]
    return "" if values[0] == values[1] else "the sum does not hold"


def assignment(text: str) -> dict[str, int]:
    """Letter = digit pairs and nothing else. Raises Unread."""
    if text.startswith("{"):
        try:
            pairs = json.loads(text, object_pairs_hook=lambda pairs: pairs)
        except (ValueError, RecursionError):
            raise Unread("no assignment") from None
        text = ",".join(f"{name}={value}" for name, value in pairs if not isinstance(value, (list, bool, float)))
    pieces = [p for p in re.split(r"[,;\n]|\band\b", text) if p.strip(" .")]
    out: dict[str, int] = {}
    if not 1 <= len(pieces) <= 40:
        raise Unread("no assignment")
    for piece in pieces:
        match = re.fullmatch(r"[\s*_-]*([A-Za-z])[\s*_]*(?:=|:|->|→)\s*([0-9])[\s.*_]*", piece)
        if match is None:
            raise Unread(f"no letter and digit: {piece.strip()[:20]!r}")
        letter, digit = match[1].upper(), int(match[2])
        if out.setdefault(letter, digit) != digit:
            raise Unread(f"two digits for {letter}")
    return out


def _sides(equation: Any) -> tuple[str, str]:
    """Both sides in capitals, blanks aside. Raises Unread."""
    if not isinstance(equation, str) or len(equation) > MAX_EQUATION:
        raise Unread("equation wants a text")
    text = equation.upper()
    if "=" not in text:
        # addends in a column, a rule of dashes, the sum
        head, rule, tail = [*re.split(r"\n\s*(-{2,})\s*\n", text, maxsplit=1), "", ""][:3]
        if not rule:
            raise Unread("an equation without =")
        lines = [line.strip(" +") for line in head.split("\n") if line.strip(" +")]
        text = " + ".join(lines) + " = " + tail.strip()
    sides = re.sub(r"={2,}", "=", text.replace("×", "*")).split("=")
    bare = [re.sub(r"\s+", "", side) for side in sides]
    if len(bare) != 2 or not all(re.fullmatch(r"\(*[A-Z]+(?:[-+*()]+[A-Z]+)*\)*", side) for side in bare):
        raise Unread("an equation that is no sum of words")
    return bare[0], bare[1]
