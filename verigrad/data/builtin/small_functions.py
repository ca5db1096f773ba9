r"""Small Python functions from one line: what to return, one call that is shown, four that are not.

{"prompt": "...\n# Return x plus 3.\n# f(14) == 17\n", "gold": {"type": "call", "entry": "f", "tests": [{"args": [14],
"out": 17}, ...]}, "solution": "def f(x):\n    return x + 3", "visible_tests": 1, "family": "plus 3"}. 21 shapes, each
with several numbers; a shape with its number is a family. Three solved examples come first (`model.template = "none"`,
`sampling.stop = ["\n\n", "\n#"]`). The shown call helps to see what is wanted and is never enough to pass.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from verigrad.records import seed

NAME = "small_functions"
TESTS = 5
"""Calls an item is judged by; the first is shown."""
LETTERS = "abcdefghijklmnopqrstuvwxyz"
EXAMPLES = (
    ("Return x plus 1.", "f(6) == 7", "def f(x):\n    return x + 1"),
    ("Return the first item of xs.", "f([4, 8, 1]) == 4", "def f(xs):\n    return xs[0]"),
    ("Return s in upper case.", "f('dog') == 'DOG'", "def f(s):\n    return s.upper()"),
)


@dataclass(frozen=True, kw_only=True)
class Shape:
    """One kind of function, for any number k."""

    takes: str
    """Name of its argument: x a whole number, xs a list of them, s a text."""
    asks: str
    """The line that asks for it, with {k}."""
    code: str
    """What it returns, with {k}."""
    value: Callable[[Any, int], Any]
    """The same, computed here: (argument, k) -> value."""


SHAPES: Mapping[str, Shape] = {
    "plus": Shape(takes="x", asks="Return x plus {k}.", code="x + {k}", value=lambda x, k: x + k),
    "minus": Shape(takes="x", asks="Return x minus {k}.", code="x - {k}", value=lambda x, k: x - k),
    "times": Shape(takes="x", asks="Return x times {k}.", code="x * {k}", value=lambda x, k: x * k),
    "from": Shape(takes="x", asks="Return {k} minus x.", code="{k} - x", value=lambda x, k: k - x),
    "remainder": Shape(
        takes="x", asks="Return the remainder of x divided by {k}.", code="x % {k}", value=lambda x, k: x % k
    ),
    "divided": Shape(
        takes="x", asks="Return x divided by {k}, rounded down.", code="x // {k}", value=lambda x, k: x // k
    ),
    "larger": Shape(takes="x", asks="Return the larger of x and {k}.", code="max(x, {k})", value=max),
    "smaller": Shape(takes="x", asks="Return the smaller of x and {k}.", code="min(x, {k})", value=min),
    "greater": Shape(
        takes="x", asks="Return True if x is greater than {k}, else False.", code="x > {k}", value=lambda x, k: x > k
    ),
    "differs": Shape(
        takes="x", asks="Return True if x differs from {k}, else False.", code="x != {k}", value=lambda x, k: x != k
    ),
    "square": Shape(
        takes="x", asks="Return the square of x, plus {k}.", code="x * x + {k}", value=lambda x, k: x * x + k
    ),
    "twice": Shape(takes="x", asks="Return twice x, minus {k}.", code="2 * x - {k}", value=lambda x, k: 2 * x - k),
    "first": Shape(takes="xs", asks="Return the first {k} items of xs.", code="xs[:{k}]", value=lambda xs, k: xs[:k]),
    "last": Shape(takes="xs", asks="Return the last {k} items of xs.", code="xs[-{k}:]", value=lambda xs, k: xs[-k:]),
    "without": Shape(
        takes="xs", asks="Return xs without its first {k} items.", code="xs[{k}:]", value=lambda xs, k: xs[k:]
    ),
    "sum": Shape(
        takes="xs", asks="Return the sum of xs, plus {k}.", code="sum(xs) + {k}", value=lambda xs, k: sum(xs) + k
    ),
    "largest": Shape(
        takes="xs",
        asks="Return the largest item of xs, plus {k}.",
        code="max(xs) + {k}",
        value=lambda xs, k: max(xs) + k,
    ),
    "length": Shape(
        takes="xs", asks="Return the length of xs, plus {k}.", code="len(xs) + {k}", value=lambda xs, k: len(xs) + k
    ),
    "repeated": Shape(takes="s", asks="Return s repeated {k} times.", code="s * {k}", value=lambda s, k: s * k),
    "head": Shape(takes="s", asks="Return the first {k} characters of s.", code="s[:{k}]", value=lambda s, k: s[:k]),
    "rest": Shape(
        takes="s", asks="Return s without its first {k} characters.", code="s[{k}:]", value=lambda s, k: s[k:]
    ),
}
PRIMES = (17, 19, 23, 29, 31, 37)
"""Numbers shown: above every k, multiples of none."""
ROUNDED = ("remainder", "divided")
"""Shapes that differ below zero by how they round: their number there is no multiple."""
NUMBERS = {"x": range(2, 14), "xs": range(2, 6), "s": range(2, 6)}


def rows() -> list[dict[str, Any]]:
    """180 rows, by shape, then number."""
    return [row(name, shape, k) for name, shape in SHAPES.items() for k in NUMBERS[shape.takes]]


def row(name: str, shape: Shape, k: int) -> dict[str, Any]:
    """One function asked for, with its tests and a solution."""
    arguments = [argument(shape.takes, k, i, name) for i in range(TESTS)]
    tests = [{"args": [a], "out": shape.value(a, k)} for a in arguments]
    shown = "".join(f"# {asks}\n# {call}\n{code}\n\n" for asks, call, code in EXAMPLES)
    return {
        "prompt": f"{shown}# {shape.asks.format(k=k)}\n# f({arguments[0]!r}) == {tests[0]['out']!r}\n",
        "gold": {"type": "call", "entry": "f", "tests": tests},
        "solution": f"def f({shape.takes}):\n    return {shape.code.format(k=k)}",
        "visible_tests": 1,
        "family": f"{name} {k}",
    }


def argument(takes: str, k: int, index: int, name: str) -> int | list[int] | str:
    """The argument of a test: numbers around k and a multiple below zero, lists and texts longer than k."""

    def draw(low: int, high: int, *parts: object) -> int:
        return low + seed(NAME, name, k, index, *parts) % (high - low + 1)

    if takes == "x":
        below_zero = -k * draw(1, 4) - (name in ROUNDED)
        return (PRIMES[draw(0, len(PRIMES) - 1)], below_zero, k - 1, k, k + 1)[index]
    length = draw(6, 7) if index == 0 else draw(6, 10)
    if takes == "s":
        return "".join(LETTERS[draw(0, 25, i)] for i in range(length))
    numbers = [draw(0, 9, i) if index == 0 else draw(-9, 30, i) for i in range(length)]
    return _with(k, numbers, draw(0, length - 1)) if index % 2 else [n for n in numbers if n != k]


def _with(k: int, numbers: Sequence[int], place: int) -> list[int]:
    return [k if i == place else n for i, n in enumerate(numbers)]
