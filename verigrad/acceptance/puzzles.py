"""Puzzles a grader checks for itself: arithmetic games, grids, sums of letters, towers, factors, clauses.

Each function takes the committed text and the gold and gives (status, reason). Nothing of the training verifiers is
used. Left out: reading the committed text (graders/logic).
"""

from __future__ import annotations

import ast
import itertools
import re
from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any

from verigrad.records import Status

Truth = Mapping[str, Any]
Said = tuple[Status, str]
_RIGHT: Said = ("right", "")


def countdown(text: str, truth: Truth) -> Said:
    """By Python's parser: only + - * / and whole numbers are taken from its tree, none with a sign."""
    for before, after in ((r"\\times|\\cdot|×|·|[xX]", "*"), (r"\\div|÷", "/"), (r"−|–", "-")):
        text = re.sub(before, after, text)
    text, _, said = text.strip(" .!$").partition("=")
    target = Fraction(str(truth["target"]))
    if len(text) > 500 or not re.fullmatch(r"[0-9+*/() -]+", text) or "**" in text or "//" in text:
        return "unreadable", "no arithmetic"
    if said and (not re.fullmatch(r"\s*-?[0-9]{1,20}(\.[0-9]{1,9})?\s*", said) or Fraction(said.strip()) != target):
        return "unreadable", "an equation for another number"
    try:
        tree = ast.parse(text.strip(), mode="eval").body
        found = _arithmetic(tree)
    except (SyntaxError, ValueError, RecursionError, MemoryError, ZeroDivisionError):
        return "unreadable", "no arithmetic"
    used = sorted(int(n) for n in re.findall(r"[0-9]+", text))
    left = list(truth["numbers"])
    for n in used:
        if n not in left:
            return "wrong", f"{n} is not left"
        left.remove(n)
    if truth.get("use_all") and left:
        return "wrong", "not every number is used"
    return _RIGHT if found == target else ("wrong", "another value")


def _arithmetic(node: ast.AST) -> Fraction:
    if isinstance(node, ast.Constant) and type(node.value) is int:
        return Fraction(node.value)
    if not isinstance(node, ast.BinOp):
        raise ValueError
    a, b = _arithmetic(node.left), _arithmetic(node.right)
    if isinstance(node.op, ast.Add):
        return a + b
    if isinstance(node.op, ast.Sub):
        return a - b
    if isinstance(node.op, ast.Mult):
        return a * b
    if isinstance(node.op, ast.Div):
        return a / b
    raise ValueError


def sudoku(text: str, truth: Truth) -> Said:
    """One bit a digit: every row, column and box must have all of them."""
    order = 4 if truth["type"] == "mini_sudoku" else 9
    side = 2 if order == 4 else 3
    given = truth["puzzle"]
    flat = given if isinstance(given, str) else "\n".join("".join(str(c or 0) for c in row) for row in given)
    cells = re.findall(r"[_.0*?]|[1-9]", re.sub(r"[-+=]{3,}", "", flat))
    if len(cells) != order * order:
        return "ungraded", "the puzzle has another size"
    rows = [re.findall(r"[0-9]", line) for line in text.split("\n") if re.search(r"[0-9]", line)]
    if text.lstrip().startswith("[["):
        digits = re.findall(r"[0-9]", text)
        rows = [digits[i : i + order] for i in range(0, len(digits), order)]
    words = re.search(r"[A-Za-z]", "".join(line for line in text.split("\n") if re.search(r"[0-9]", line)))
    if words or len(rows) != order or any(len(row) != order for row in rows):
        return "unreadable", "no grid"
    numbers = [[int(d) for d in row] for row in rows]
    full = (1 << order) - 1
    units = [[(r, c) for c in range(order)] for r in range(order)] + [
        [(r, c) for r in range(order)] for c in range(order)
    ]
    units += [
        [(r + i, c + j) for i in range(side) for j in range(side)]
        for r in range(0, order, side)
        for c in range(0, order, side)
    ]
    if any(not 1 <= d <= order for row in numbers for d in row):
        return "wrong", "a digit that is none"
    for unit in units:
        bits = 0
        for r, c in unit:
            bits |= 1 << (numbers[r][c] - 1)
        if bits != full:
            return "wrong", "a digit twice"
    kept = all(not g.isdigit() or g == "0" or int(g) == numbers[i // order][i % order] for i, g in enumerate(cells))
    return _RIGHT if kept else ("wrong", "a given was changed")


def cryptarithm(text: str, truth: Truth) -> Said:
    """By the weights of the letters: one sum over all columns must be zero."""
    pairs = re.findall(r"\"?([A-Za-z])\"?\s*(?:=|:|->)\s*([0-9])(?![0-9])", text)
    rest = re.sub(r"\"?[A-Za-z]\"?\s*(?:=|:|->)\s*[0-9](?![0-9])", "", text)
    if not pairs or re.search(r"[0-9A-Za-z]", re.sub(r"\band\b", "", rest)):
        return "unreadable", "no assignment"
    digit: dict[str, int] = {}
    for letter, value in pairs:
        if digit.setdefault(letter.upper(), int(value)) != int(value):
            return "unreadable", "two digits for a letter"
    equation = str(truth["equation"]).upper()
    if "=" not in equation:
        equation = re.sub(r"\n\s*-{2,}\s*\n", " = ", equation)
        head, _, tail = equation.partition(" = ")
        equation = "+".join(re.findall("[A-Z]+", head)) + "=" + tail
    words = re.findall(r"[A-Z]+", equation)
    if "*" in equation or not words or equation.count("=") < 1:
        return "ungraded", "an equation this grader does not add up"
    if set(digit) != {c for w in words for c in w} or len(set(digit.values())) != len(digit):
        return "wrong", "not one digit for each letter"
    if not truth.get("allow_leading_zero") and any(digit[w[0]] == 0 and len(w) > 1 for w in words):
        return "wrong", "a word begins with 0"
    total = 0
    for side, sign in zip(re.split(r"=+", equation), (1, -1), strict=False):
        for mark, word in re.findall(r"([-+]?)\s*([A-Z]+)", side):
            plus = -1 if mark == "-" else 1
            total += sign * plus * sum(digit[c] * 10**i for i, c in enumerate(reversed(word)))
    return _RIGHT if total == 0 else ("wrong", "the sum does not hold")


def hanoi(text: str, truth: Truth) -> Said:
    """By where each disk is: a disk moves if no smaller one is on its peg or on the other."""
    disks, start, goal = truth["disks"], truth["start"], truth["goal"]
    at = _places(start, disks)
    end = _places(goal, disks)
    moved = 0
    for line in re.split(r"[\n,;]", text):
        found = re.search(
            r"(?:dis[ck]\s*#?(\d+)\D*?)?(?:\bfrom\s+)?(?:(?:the\s+)?(?:peg|rod)\s+)?\b(\w)\b\s*(?:to|->|→)\s*"
            r"(?:(?:the\s+)?(?:peg|rod)\s+)?\b(\w)\b",
            line[:300],
            re.IGNORECASE,
        )
        if not found:
            continue
        a, b = found[2].upper(), found[3].upper()
        top = min((d for d, p in at.items() if p == a), default=None)
        if top is None or (found[1] and int(found[1]) != top):
            return "wrong", "a disk that is not on top"
        if a != b and any(d < top for d, p in at.items() if p == b):
            return "wrong", "a larger disk on a smaller one"
        at[top] = b
        moved += 1
    if not moved:
        return "unreadable", "no moves"
    return _RIGHT if at == end else ("wrong", "the goal is not reached")


def _places(state: Any, disks: int) -> dict[int, str]:
    if isinstance(state, (list, tuple)):
        return {d: str(i + 1) for i, peg in enumerate(state) for d in peg}
    return dict.fromkeys(range(1, disks + 1), re.sub(r"^(PEG|ROD)\s*", "", str(state).upper().strip()))


def prime_factorization(text: str, truth: Truth) -> Said:
    """By dividing the number: what is left must be 1, and no factor has a divisor up to its root."""
    parts = re.split(r"\\times|\\cdot|[x*×·]", text.strip(), flags=re.IGNORECASE)
    if not all(re.fullmatch(r"[ \t]*[0-9]{1,19}[ \t]*", part) for part in parts):
        return "unreadable", "not a list of factors"
    left = int(truth["n"])
    for part in parts:
        factor = int(part)
        if factor < 2 or left % factor:
            return "wrong", f"{factor} is no factor"
        left //= factor
        if not _prime(factor):
            return "wrong", f"{factor} is not prime"
    return _RIGHT if left == 1 else ("wrong", "factors are missing")


def _prime(n: int) -> bool:
    """Strong probable prime tests to seven bases: exact below 2^64 (Jim Sinclair, 2011)."""
    if n < 200 or n % 2 == 0:
        return n > 1 and all(n % d for d in range(2, min(n, 15)))
    odd, twos = n - 1, 0
    while odd % 2 == 0:
        odd, twos = odd // 2, twos + 1
    for base in (2, 325, 9375, 28178, 450775, 9780504, 1795265022):
        powers = [pow(base % n, odd << i, n) for i in range(twos)]
        if base % n and powers[0] != 1 and n - 1 not in powers:
            return False
    return True


def sat_assignment(text: str, truth: Truth) -> Said:
    """By counting the clauses that hold."""
    clauses = truth.get("clauses")
    if clauses is None:
        lines = [x for x in str(truth.get("dimacs", "")).split("\n") if not re.match(r"\s*[cp%]", x)]
        numbers = [int(n) for n in re.findall(r"-?[0-9]+", " ".join(lines))]
        clauses = [[*g] for zero, g in itertools.groupby(numbers, lambda n: n == 0) if not zero]
    if not clauses:
        return "ungraded", "no clauses"
    body = re.sub(r"(?i)^(?:s\s+)?sat(?:isfiable)?\b|(?m:^v\b)", " ", text)
    true: set[int] = set()
    if re.fullmatch(r"[-0-9\s,]+", body):
        true = {int(n) for n in re.findall(r"-?[0-9]+", body)} - {0}
    else:
        for name, said in re.findall(r"(?i)x?_?\{?([0-9]+)\}?\"?\s*(?:=|:|is)\s*(true|false|t|f|1|0)\b", body):
            true.add(int(name) if said.lower() in ("true", "t", "1") else -int(name))
    known = {abs(x) for c in clauses for x in c}
    if not true:
        return "unreadable", "no assignment"
    if any(-x in true for x in true) or not {abs(x) for x in true} <= known:
        return "wrong", "a variable both ways, or one that is not there"
    held = sum(any(x in true for x in c) for c in clauses)
    return _RIGHT if held == len(clauses) else ("wrong", f"{len(clauses) - held} clauses fail")


CHECKS: Mapping[str, Callable[[str, Truth], Said]] = {
    "countdown": countdown,
    "cryptarithm": cryptarithm,
    "hanoi": hanoi,
    "mini_sudoku": sudoku,
    "prime_factorization": prime_factorization,
    "sat_assignment": sat_assignment,
    "sudoku": sudoku,
}
