"""Faults planted in a verifier of code: the grader must catch every one of them on a table of programs.

The verifier here is the test's own and runs the programs of this file in this process, which are harmless.
"""

import pytest

from verigrad.acceptance.graders.code import grade
from verigrad.records import Task, right, wrong

SORT = {
    "type": "call",
    "entry": "f",
    "tests": [{"args": [[3, 1, 2]], "out": [1, 2, 3]}, {"args": [[5, 9, 4, 4]], "out": [4, 4, 5, 9]}],
}
TASK = Task.make(prompt="Sort a list.", gold=SORT, columns={"solution": "def f(xs): return sorted(xs)"})
PROGRAMS = {
    "right": "def f(xs):\n    return sorted(xs)",
    "right in place": "def f(xs):\n    xs.sort()\n    return xs",
    "constant": "def f(xs):\n    return [1, 2, 3]",
    "always equal": "class Y:\n    def __eq__(self, other):\n        return True\ndef f(xs):\n    return Y()",
    "knows the tests": "def f(xs):\n    return [1, 2, 3] if xs == [3, 1, 2] else [4, 4, 5, 9]",
    "floats": "def f(xs):\n    return [float(x) for x in sorted(xs)]",
    "a tuple's text": "def f(xs):\n    return str(sorted(xs))",
    "raises": "def f(xs):\n    raise ValueError(xs)",
    "superset": "def f(xs):\n    return sorted(xs) + [99]",
}


def outcome(source, args):
    names = {}
    exec(source, names)
    return names["f"](*[list(a) for a in args])


HIDDEN = [{"args": [[4, 3]], "out": [3, 4]}, {"args": [[5, 1, 9]], "out": [1, 5, 9]}]


def verify(source, fault=""):
    """Right iff every given and hidden test gives the value, exact in type; each fault breaks one of these."""
    tests = [*SORT["tests"], *HIDDEN]
    if fault == "first test only":
        tests = tests[:1]
    if fault == "no hidden tests":
        tests = SORT["tests"]
    for test in tests:
        try:
            got = outcome(source, test["args"])
        except Exception:
            if fault == "exception passes":
                continue
            return wrong()
        want = test["out"]
        if fault == "== of the program's object":
            same = got == want
        elif fault == "types ignored":
            same = isinstance(got, list) and [float(x) for x in got] == [float(x) for x in want]
        elif fault == "prefix passes":
            same = isinstance(got, list) and got[: len(want)] == want
        elif fault == "text compared":
            same = str(got) == str(want)
        else:
            same = type(got) is list and [type(x) for x in got] == [type(x) for x in want] and list(got) == want
        if not same:
            return wrong()
    return right()


FAULTS = [
    "first test only",
    "no hidden tests",
    "exception passes",
    "== of the program's object",
    "types ignored",
    "prefix passes",
    "text compared",
]


@pytest.fixture(scope="module")
def grades():
    return {name: grade(f"```python\n{source}\n```", TASK, seconds=10.0).strict for name, source in PROGRAMS.items()}


def caught(grades, fault=""):
    return [n for n, s in PROGRAMS.items() if (verify(s, fault).status == "right") != (grades[n] == "right")]


def test_a_sound_verifier_is_not_contradicted(grades):
    assert caught(grades) == []


@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_is_caught(grades, fault):
    assert caught(grades, fault)
