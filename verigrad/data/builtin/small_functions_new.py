r"""Small functions of shapes that small_functions has not: a second suite for acceptance.

{"prompt": "...\n# Return True if x is less than 7, else False.\n# f(31) == False\n", "gold": {"type": "call", ...},
...}. 12 shapes with 4 numbers each; the solved examples before them are those of small_functions.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from verigrad.data.builtin.small_functions import Shape, row

NAME = "small_functions_new"
SHAPES: Mapping[str, Shape] = {
    "less": Shape(
        takes="x", asks="Return True if x is less than {k}, else False.", code="x < {k}", value=lambda x, k: x < k
    ),
    "equals": Shape(
        takes="x", asks="Return True if x equals {k}, else False.", code="x == {k}", value=lambda x, k: x == k
    ),
    "power": Shape(takes="x", asks="Return x to the power of {k}.", code="x ** {k}", value=lambda x, k: x**k),
    "distance": Shape(
        takes="x", asks="Return the absolute value of x minus {k}.", code="abs(x - {k})", value=lambda x, k: abs(x - k)
    ),
    "thrice": Shape(
        takes="x", asks="Return three times x, plus {k}.", code="3 * x + {k}", value=lambda x, k: 3 * x + k
    ),
    "smallest": Shape(
        takes="xs",
        asks="Return the smallest item of xs, minus {k}.",
        code="min(xs) - {k}",
        value=lambda xs, k: min(xs) - k,
    ),
    "all but": Shape(
        takes="xs", asks="Return xs without its last {k} items.", code="xs[:-{k}]", value=lambda xs, k: xs[:-k]
    ),
    "added": Shape(
        takes="xs", asks="Return xs with {k} added at the end.", code="xs + [{k}]", value=lambda xs, k: [*xs, k]
    ),
    "among": Shape(
        takes="xs", asks="Return True if {k} is in xs, else False.", code="{k} in xs", value=lambda xs, k: k in xs
    ),
    "how often": Shape(
        takes="xs", asks="Return how often {k} occurs in xs.", code="xs.count({k})", value=lambda xs, k: xs.count(k)
    ),
    "tail": Shape(takes="s", asks="Return the last {k} characters of s.", code="s[-{k}:]", value=lambda s, k: s[-k:]),
    "cut": Shape(
        takes="s", asks="Return s without its last {k} characters.", code="s[:-{k}]", value=lambda s, k: s[:-k]
    ),
}
NUMBERS = range(2, 6)


def rows() -> list[dict[str, Any]]:
    """48 rows, by shape, then number."""
    return [row(name, shape, k) for name, shape in SHAPES.items() for k in NUMBERS]
