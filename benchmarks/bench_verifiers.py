"""`make bench-verifiers`: answers judged a second by `math`, beside math-verify on the same answers.

    python -m benchmarks.bench_verifiers [--smoke]

Two sets: numbers in the notations models use, and expressions (polynomials, surds, fractions of sums, equations, sets).
Every round draws fresh values, so no side meets a gold or an answer twice, and times one side after the other on them:
gold and answer read, and compared. math-verify is called as its README says, `verify(parse(gold), parse(answer))`, its
answer in a box. Half of the answers are right. Left out: imports, and sympy's process, which no answer here needs.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Sequence
from importlib.metadata import version
from typing import Any

from math_verify import parse
from math_verify import verify as compare

from benchmarks.common import arguments, facts, heading, rows, store
from verigrad.records import Task
from verigrad.rewards.verifiers import math

Pair = tuple[str, str, bool]
"""Gold, answer, whether it is right."""


def numbers(draw: random.Random, count: int) -> list[Pair]:
    """Integers, thousands, decimals, fractions, mixed numbers, percents, powers of ten."""
    out: list[Pair] = []
    for _ in range(count):
        n, d = draw.randint(1000, 999_999), draw.choice((3, 7, 9, 11, 13))
        whole, rest = divmod(n, d)
        forms = [
            (f"{n}", f"\\boxed{{{n}}}"),
            (f"{n}", f"\\boxed{{{n:,}}}"),
            (f"{n}", f"So the answer is \\boxed{{{n}.0}}."),
            (f"{n / 1000:.3f}", f"$\\boxed{{{n / 1000:.3f}}}$"),
            (f"\\frac{{{n}}}{{{d}}}", f"\\boxed{{\\frac{{{2 * n}}}{{{2 * d}}}}}"),
            (f"\\frac{{{n}}}{{{d}}}", f"\\boxed{{{whole}\\frac{{{rest or d}}}{{{d}}}}}"),
            (f"{n}", f"\\boxed{{-{n}}}"),
            (f"{n}\\%", f"\\boxed{{{n}\\%}}"),
        ]
        gold, answer = draw.choice(forms[:5] if rest == 0 else forms)
        right = "-" not in answer
        if draw.random() < 0.5:  # another gold
            for old, new in ((f"{n / 1000:.3f}", f"{(n + d) / 1000:.3f}"), (f"{n}", f"{n + d}")):
                if old in gold:
                    gold, right = gold.replace(old, new), False
                    break
        out.append((gold, answer, right))
    return out


def expressions(draw: random.Random, count: int) -> list[Pair]:
    """Polynomials expanded and factored, surds, fractions of sums, lines, sets."""
    out: list[Pair] = []
    for _ in range(count):
        a, b, c = (draw.randint(2, 99) for _ in range(3))
        shift = draw.choice((0, 0, 1))
        forms = [
            (f"x^2+{a + b}x+{a * b}", f"\\boxed{{(x+{a})(x+{b + shift})}}"),
            (f"{a}x^3+{b}x^2+{c}x+{a}", f"\\boxed{{{a}+{c}x+{b}x^2+{a + shift}x^3}}"),
            (f"{a}+{b}\\sqrt{{3}}", f"\\boxed{{{b}\\sqrt{{3}}+{a + shift}}}"),
            (f"\\frac{{{a}\\sqrt{{{2 * b * b}}}}}{{{b}}}", f"\\boxed{{{a + shift}\\sqrt{{2}}}}"),
            (f"\\frac{{{a}\\pi}}{{{b}}}", f"\\boxed{{\\frac{{{2 * a}\\pi}}{{{2 * b + shift}}}}}"),
            (f"\\frac{{1}}{{x+{a}}}+\\frac{{1}}{{x+{b}}}",
             f"\\boxed{{\\frac{{2x+{a + b + shift}}}{{(x+{a})(x+{b})}}}}"),
            (f"y={a}x+{b}", f"\\boxed{{y={a}x+{b + shift}}}"),
            (f"\\{{{a},{b + 100},{c + 200}\\}}", f"\\boxed{{\\{{{c + 200},{a},{b + 100 + shift}\\}}}}"),
        ]  # fmt: skip
        gold, answer = draw.choice(forms)
        out.append((gold, answer, not shift))
    return out


def ours(pairs: Sequence[Pair]) -> tuple[float, int]:
    """Seconds, and how often the verdict is the wanted one."""
    tasks = [Task.make(prompt="", gold=gold) for gold, _, _ in pairs]
    begun, agreed = time.perf_counter(), 0
    for task, (_, answer, right) in zip(tasks, pairs, strict=True):
        agreed += math.verify(answer, task).correct == right
    return time.perf_counter() - begun, agreed


def theirs(pairs: Sequence[Pair]) -> tuple[float, int]:
    """The same by math-verify."""
    begun, agreed = time.perf_counter(), 0
    for gold, answer, right in pairs:
        agreed += compare(parse(f"${gold}$"), parse(answer)) == right
    return time.perf_counter() - begun, agreed


def measured(given: Any) -> dict[str, Any]:
    """Every round: fresh pairs, one side after the other, the first of them in turn."""
    result = facts() | {"math_verify": version("math-verify"), "sets": {}}
    sets: dict[str, tuple[Callable[[random.Random, int], list[Pair]], int]] = {
        "numbers": (numbers, 20 if given.smoke else 400),
        "expressions": (expressions, 10 if given.smoke else 120),
    }
    for name, (make, count) in sets.items():
        ours(make(random.Random(-1), 20)), theirs(make(random.Random(-1), 20))
        rounds = []
        for at in range(given.rounds):
            pairs = make(random.Random(at), count)
            sides = {"ours": ours, "theirs": theirs}
            order = list(sides) if at % 2 == 0 else list(sides)[::-1]
            took = {side: sides[side](pairs) for side in order}
            rounds.append({
                "ours_a_second": round(count / took["ours"][0], 1),
                "theirs_a_second": round(count / took["theirs"][0], 1),
                "ratio": round(took["theirs"][0] / took["ours"][0], 2),
                "ours_as_wanted": took["ours"][1],
                "theirs_as_wanted": took["theirs"][1],
                "answers": count,
            })  # fmt: skip
        result["sets"][name] = rounds
    return result


def table(result: dict[str, Any]) -> str:
    """Medians, and every round's ratio."""
    body = []
    for name, rounds in result["sets"].items():
        middle = sorted(rounds, key=lambda r: r["ratio"])[len(rounds) // 2]
        body.append([
            name,
            f"{middle['ours_a_second']:,.0f}",
            f"{middle['theirs_a_second']:,.0f}",
            f"{middle['ratio']:.1f}",
            ", ".join(f"{r['ratio']:.1f}" for r in rounds),
            " / ".join(f"{sum(r[k] for r in rounds)} of {sum(r['answers'] for r in rounds)}"
                       for k in ("ours_as_wanted", "theirs_as_wanted")),
        ])  # fmt: skip
    head = ("answers", "ours a second", "math-verify a second", "ratio", "every round", "as wanted, ours / theirs")
    return f"{heading(result)}math-verify {result['math_verify']}.\n\n{rows(head, body)}"


def main(given: Sequence[str] | None = None) -> None:
    """Measure and store."""
    options, begun = arguments(__doc__, given, rounds=5), time.monotonic()
    store("verifiers", measured(options), options, table, begun)


if __name__ == "__main__":
    main()
