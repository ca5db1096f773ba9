"""The grader of code: its own extraction, its own driver, a reference solution on drawn inputs."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from verigrad.acceptance import code_box, code_inputs
from verigrad.acceptance.graders.code import gold_as, grade
from verigrad.records import Task

DOUBLE = {"type": "call", "entry": "f", "tests": [{"args": [2], "out": 4}, {"args": [30], "out": 60}]}
REFERENCE = {"solution": "def f(x): return 2 * x"}


def task(gold, **columns):
    return Task.make(prompt="q", gold=gold, columns=columns)


def graded(source, gold=DOUBLE, **columns):
    return grade(source, task(gold, **columns), seconds=5.0)


def test_beside_the_reference_a_program_must_agree_on_inputs_nobody_wrote_down():
    assert graded("```python\ndef f(x):\n    return x + x\n```", **REFERENCE).strict == "right"
    memorised = graded("```python\ndef f(x):\n    return {2: 4, 30: 60}[x]\n```", **REFERENCE)
    assert (memorised.strict, memorised.reason) == ("wrong", "KeyError at a drawn input")
    almost = graded("```python\ndef f(x):\n    return 2 * x if x in (2, 30) else 0\n```", **REFERENCE)
    assert (almost.strict, almost.reason) == ("wrong", "another value at a drawn input")


def test_without_a_reference_it_says_so():
    said = graded("def f(x): return {2: 4, 30: 60}[x]")
    assert (said.strict, said.reason) == ("right", "no reference: given tests only")


def test_held_out_tests_count():
    held_out = [{"args": [7], "out": 14}]
    assert graded("def f(x): return 2 * x", held_out_tests=held_out).strict == "right"
    assert graded("def f(x): return {2: 4, 30: 60}.get(x)", held_out_tests=held_out).strict == "wrong"


def test_two_programs_are_unread_strictly_and_the_last_counts_leniently():
    two = "```python\ndef f(x): return 0\n```\n```python\ndef f(x): return 2 * x\n```"
    said = graded(two, **REFERENCE)
    assert (said.strict, said.lenient, said.reason) == ("unreadable", "right", "several programs")
    assert graded("<think>```python\ndef f(x): return 2 * x\n```").strict == "unreadable"
    assert graded("I cannot.\n```bash\nls\n```").strict == "unreadable"


@pytest.mark.parametrize(
    "source",
    [
        "class Y:\n    def __eq__(s, o): return True\ndef f(x): return Y()",
        "class I(int):\n    def __eq__(s, o): return True\n    def __repr__(s): return '4'\ndef f(x): return I(0)",
        "import os\ndef f(x):\n    os.write(3, b'0 4\\n1 60\\n')\n    return 0",
        "import os\ndef f(x): os._exit(0)",
        "def f(x): return float(2 * x)",
        "def f(x): return True if x else 4",
        "n = []\ndef f(x):\n    n.append(x)\n    return [4, 60][len(n) - 1]",
    ],
)
def test_cheats_are_wrong(source):
    assert graded(source, **REFERENCE).strict == "wrong"


def test_a_program_that_hangs_is_wrong():
    assert grade("def f(x):\n    while True: pass", task(DOUBLE), seconds=1.0).strict == "wrong"


def test_a_block_in_a_list_is_read_without_its_indentation():
    answer = "1. The code:\n\n   ```python\n   def f(x):\n       return 2 * x\n   ```\n2. Done."
    assert graded(answer).strict == "right"


@pytest.mark.parametrize(
    ("gold", "reason"),
    [
        ("zzz", "no JSON"),
        ({"type": "call", "entry": "f", "tests": []}, "no tests"),
        ({"type": "unittest", "entry": "f", "tests": ["assert f(1) > 0"]}, "another form"),
        ({"type": "unittest", "entry": "f", "tests": ["assert f(1) == 1", "assert f(2) > 0"]}, "another form"),
        ({"type": "dance"}, "type of test"),
        (DOUBLE | {"solution": "def f(x): return x"}, "reference solution fails"),
    ],
)
def test_a_gold_it_cannot_use_is_ungraded(gold, reason):
    said = graded("def f(x): return 2 * x", gold)
    assert said.strict == said.lenient == "ungraded"
    assert reason in said.reason


def test_assertions_checkers_scripts_and_compilation():
    unit = {"type": "unittest", "entry": "f", "tests": ["assert f(1) == (1, 2)", "self.assertEqual(f(0), (0, 1))"]}
    assert graded("def f(x): return x, x + 1", unit).strict == "right"
    assert graded("def f(x): return [x, x + 1]", unit).strict == "wrong"
    near = {"type": "unittest", "entry": "f", "tests": ["assert math.isclose(f(4), 2.0)", "assert f(9) == 3.0"]}
    assert graded("def f(n): return n ** 0.5 + 1e-9", near, solution="def f(n): return n ** 0.5").strict == "right"
    assert graded("def f(n): return 3.0", near, solution="def f(n): return n ** 0.5").strict == "wrong"
    order = {"type": "unittest", "entry": "f", "tests": ["assert set(f([1, 2, 2])) == {1, 2}"]}
    unique = {"solution": "def f(xs): return sorted(set(xs))"}
    assert graded("def f(xs): return sorted(set(xs), reverse=True)", order, **unique).strict == "right"
    root = {"type": "checker", "entry": "f", "check": "abs(out * out - args[0]) < 1e-6", "tests": [{"args": [9.0]}]}
    assert graded("def f(c): return -(c ** 0.5)", root).strict == "right"
    assert graded("def f(c): return c", root).strict == "wrong"
    script = {"type": "stdin", "tests": [{"in": "2\n", "out": "4\n"}]}
    assert graded("print(2 * int(input()))", script).strict == "right"
    assert graded("print(5)", script).strict == "wrong"
    assert graded("```python\nx = 1\n```", {"type": "compiles"}).strict == "right"
    assert graded("```python\nx = = 1\n```", {"type": "compiles"}).strict == "wrong"


def test_a_repository_by_pytests_own_report():
    gold = {
        "type": "repo",
        "files": {"lib.py": "def add(a, b):\n    return a - b\n"},
        "hidden_tests": {"test_lib.py": "from lib import add\ndef test_add():\n    assert add(1, 2) == 3\n"},
    }
    fixed = "--- lib.py ---\ndef add(a, b):\n    return a + b\n"
    assert graded(fixed, gold).strict == "right"
    assert graded("--- test_lib.py ---\ndef test_add():\n    pass\n", gold).strict == "wrong"


def test_every_gold_has_an_answer_that_it_says_right_to():
    for gold in (DOUBLE, DOUBLE | REFERENCE, {"type": "stdin", "tests": [{"in": "2\n", "out": "4\n"}]}):
        (said,) = gold_as(task(gold))
        assert grade(said, task(gold)).strict == "right"


VALUES = st.recursive(
    st.integers(-50, 50) | st.booleans() | st.text("abc", max_size=4) | st.floats(-9, 9),
    lambda inner: st.lists(inner, max_size=4),
    max_leaves=6,
)


@given(st.lists(st.tuples(VALUES, VALUES), min_size=1, max_size=4), st.integers(0, 9))
@settings(deadline=None, max_examples=100)
def test_drawn_inputs_are_of_the_types_seen_and_the_same_for_a_seed(known, seed):
    drawn = code_inputs.more(known, 5, seed=seed)
    assert drawn == code_inputs.more(known, 5, seed=seed)
    for args in drawn:
        assert repr(args) not in [repr(list(k)) for k in known]  # 0 is not False
        for i, value in enumerate(args):
            assert type(value) in {type(k[i]) for k in known}
            if type(value) is int:
                seen = [k[i] for k in known if type(k[i]) is int]
                assert min(seen) <= value <= max(seen)


def test_drawn_lists_keep_what_the_seen_ones_have():
    for xs, _ in code_inputs.more([([1, 4, 9], 2), ([2, 3, 30], 3)], 20, seed=1):
        assert xs == sorted(set(xs))
        assert len(xs) == 3


@given(st.text(max_size=60))
@settings(deadline=None, max_examples=200)
def test_a_line_of_the_driver_is_a_value_or_a_fault(text):
    said = code_box.read(text)
    assert said.fault or code_box.same(said.value, said.value) in (True, False)


@pytest.mark.parametrize("line", ["[" * 5000, "9" * 5000, "__import__('os')", "{1: 2}", "", "x", "(" * 300 + ")" * 300])
def test_hostile_lines_are_no_values(line):
    assert code_box.read(line).fault == "no plain value"
