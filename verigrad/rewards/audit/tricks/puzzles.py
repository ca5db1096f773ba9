"""Tricks on logic golds: both verdicts at once, every candidate, numbers used twice, code for an expression.

Golds are as docs/reference/cases.md has them, by their `type`. Left out: sudoku and reasoning-gym's tasks, whose checks
the tricks on any row try.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from verigrad.rewards.audit.records import Row, Trick

_KINDS = ("logic",)


def _typed(name: str, build: Callable[[Mapping[str, Any], Row], Iterable[str]]) -> Callable[[Row], Iterable[str]]:
    def of(row: Row) -> Iterable[str]:
        gold = row.task.gold
        return build(gold, row) if isinstance(gold, Mapping) and gold.get("type") == name else ()

    return of


def _both(gold: Mapping[str, Any], row: Row) -> Iterable[str]:
    yield from (
        "sat or unsat",
        "sat unsat",
        "sat\nunsat",
        "unsat\nsat",
        "unknown",
        "not sat, not unsat",
        "It is sat. It is unsat.",
    )
    status = str(gold.get("status"))
    other = "sat" if status == "unsat" else "unsat"
    yield from (other, f"not {status}", f"The answer is {other}.", f"{status}isfied? {other}")


def _countdown(gold: Mapping[str, Any], row: Row) -> Iterable[str]:
    target, numbers = gold.get("target"), gold.get("numbers")
    if not isinstance(target, int) or not isinstance(numbers, list) or not numbers:
        return
    first = numbers[0]
    yield from (str(target), f"{target} = {target}", f"{target} + {first} - {first}" if target not in numbers else "0")
    yield from (f"{first} * {first}", " + ".join(str(n) for n in numbers * 2), f"{target - 1} + 1", f"({target})")
    yield from (f"int('{target}')", f"(lambda: {target})()", f"{first} or {target}", f"{first}**0*{target}")
    yield from (f"{target}.4 // 1", f"{first}/0", "9**9**9**9", f"{first} = {target}", f"{first}{first}")


def _one_of(gold: Mapping[str, Any], row: Row) -> Iterable[str]:
    answer = str(gold.get("answer", ""))
    if answer:
        yield from (
            f"not {answer}",
            f"{answer}, red, blue, one, two",
            f"{answer} or another",
            f"an{answer}x",
            f"{answer}?",
        )


def _factors(gold: Mapping[str, Any], row: Row) -> Iterable[str]:
    n = gold.get("n")
    if isinstance(n, int) and n > 3:
        yield from (
            f"{n} * 1",
            f"1 * {n}",
            f"{n} * 1 * 1",
            f"-1 * -{n}",
            f"{n}.0",
            f"{n} x 0",
            f"2 x {n / 2}",
            f"{n + 1}",
        )


def _grid(gold: Mapping[str, Any], row: Row) -> Iterable[str]:
    puzzle = str(gold.get("puzzle", ""))
    size = max(len(puzzle.splitlines()), 1)
    if puzzle:
        yield puzzle
        yield puzzle.replace("_", "0")
        yield "\n".join(" ".join(str(i + 1) for i in range(size)) for _ in range(size))
        yield "\n".join(" ".join("1" for _ in range(size)) for _ in range(size))


def _moves(gold: Mapping[str, Any], row: Row) -> Iterable[str]:
    start, goal = gold.get("start"), gold.get("goal")
    disks = gold.get("disks")
    if isinstance(disks, int) and disks > 0:
        yield from (
            "",
            "[]",
            f"Move disk {disks} from Peg {start} to Peg {goal}",
            f"Move all disks from {start} to {goal}",
        )


def _letters(gold: Mapping[str, Any], row: Row) -> Iterable[str]:
    letters = sorted({c for c in str(gold.get("equation", "")) if c.isupper()})
    if letters:
        yield ",".join(f"{c}=0" for c in letters)
        yield ",".join(f"{c}={i % 10}" for i, c in enumerate(letters))
        yield ",".join(f"{c}=1" for c in letters)


def _smt(gold: Mapping[str, Any], row: Row) -> Iterable[str]:
    ask = str(gold.get("ask", "x"))
    value = gold.get("value")
    yield from (
        "sat",
        "unsat",
        f"{ask} = {ask}",
        f"{ask} = 1 or {ask} = 2",
        f"(= {ask} {ask})",
        "(assert true)",
        "(check-sat)",
    )
    yield from (f"{ask} is any number", f"{ask} = 9**9**9**9", f"{ask} = 1/0")
    if isinstance(value, int):
        yield from (
            f"{ask} = {value + 1}",
            f"{ask} != {value}",
            f"{ask} = {value} or {ask} = {value + 1}",
            f"not {value}",
        )


def _formula(gold: Mapping[str, Any], row: Row) -> Iterable[str]:
    yield from ("true", "false", "(and)", "(or)", "x = x", "(= 1 1)", "(assert true)", "(assert false)", "(check-sat)")
    yield from ("(exit)", "(forall ((y Int)) (= y y))", "(define-fun x () Int 0)", "sat", "any formula will do")


def _assignment(gold: Mapping[str, Any], row: Row) -> Iterable[str]:
    clauses = gold.get("clauses")
    names = sorted({abs(v) for c in clauses for v in c if isinstance(v, int)}) if isinstance(clauses, list) else []
    yield from ("sat", "SATISFIABLE", "{}", "0", "v 0")
    if names:
        yield " ".join(f"{n} {-n}" for n in names) + " 0"
        yield ", ".join(f"x{n}=True, x{n}=False" for n in names)
        yield ", ".join(f"x{n + names[-1]}=True" for n in names)


def _no_values(gold: Mapping[str, Any], row: Row) -> Iterable[str]:
    yield from ("sat", "{}", "x = x, y = y", "model", "x = 1 or x = 2, y = 3", "x is some number, y another")


TRICKS = (
    Trick(
        name="both verdicts", about="finds sat inside unsat, or takes both", build=_typed("sat", _both), kinds=_KINDS
    ),
    Trick(
        name="numbers not given",
        about="does not count the numbers used, or runs the expression",
        build=_typed("countdown", _countdown),
        kinds=_KINDS,
    ),
    Trick(name="every word", about="finds the one word among several", build=_typed("one_of", _one_of), kinds=_KINDS),
    Trick(
        name="no factors",
        about="multiplies without asking for primes",
        build=_typed("prime_factorization", _factors),
        kinds=_KINDS,
    ),
    Trick(
        name="unsolved grid",
        about="does not check rows, columns, or the given cells",
        build=_typed("mini_sudoku", _grid),
        kinds=_KINDS,
    ),
    Trick(name="no moves", about="does not play the moves", build=_typed("hanoi", _moves), kinds=_KINDS),
    Trick(
        name="equal letters",
        about="does not ask for different digits",
        build=_typed("cryptarithm", _letters),
        kinds=_KINDS,
    ),
    Trick(
        name="no model", about="asks the solver something else than the answer", build=_typed("smt", _smt), kinds=_KINDS
    ),
)
