"""Assertions compiled to calls: what goes into the box, what is expected of it, what cannot be compiled."""

import pytest

from verigrad.rewards.programs import typed
from verigrad.rewards.programs.assertions import Uncompiled, compiled
from verigrad.rewards.programs.calls import Equal, Holds, Raises
from verigrad.rewards.programs.plan import Unjudged


def seen(source, entry="f", **more):
    """(calls, wanted) of each test."""
    out = []
    for test in compiled(source, entry=entry, **more):
        want = test.want
        wanted = (
            typed.value(want.value)
            if isinstance(want, Equal)
            else want.check
            if isinstance(want, Holds)
            else want.names
        )
        out.append((*test.calls, wanted))
    return out


@pytest.mark.parametrize(
    ("source", "tests"),
    [
        ("assert f(1, 2) == 3", [("f(1, 2)", 3)]),
        ("assert 3 == f(1, b=2), 'said'", [("f(1, b=2)", 3)]),
        ("self.assertEqual(f(1), (1, 2))", [("f(1)", (1, 2))]),
        ("for x, y in [(1, 2), (3, 6)]:\n    assert f(x) == y", [("f(1)", 2), ("f(3)", 6)]),
        ("for x in range(2):\n    with self.subTest():\n        self.assertEqual(f(x), 5)", [("f(0)", 5), ("f(1)", 5)]),
        ("assert f(1) == 2 and f(2) == 3", [("f(1)", 2), ("f(2)", 3)]),
        ("assert all(f(i) == i * i for i in range(2))", [("f(0)", 0), ("f(1)", 1)]),
        ("assert set(f(1)) == {1, 2}", [("set(f(1))", {1, 2})]),
        ("assert [f(i) for i in range(3)] == [0, 1, 4]", [("[f(i) for i in range(3)]", [0, 1, 4])]),
        ("want = sorted([3, 1])\nassert f([3, 1]) == want", [("f([3, 1])", [1, 3])]),
        ("x = 3\nx += 1\nassert f(x) == 1", [("f(3 + 1)", 1)]),
        ("assert f(2) != 5", [("f(2)", "out_0 != 5")]),
        ("assert abs(f(2) - 0.5) < 1e-6", [("f(2)", "abs(out_0 - 0.5) < 1e-06")]),
        ("assert f(1) == pytest.approx(0.3)", [("f(1)", "out_0 == approx(0.3)")]),
        ("self.assertAlmostEqual(f(1), 0.3, places=3)", [("f(1)", "almost(out_0, 0.3, places=3)")]),
        ("assert not f(0)", [("f(0)", "not out_0")]),
        ("assert f(1) is None", [("f(1)", "out_0 is None")]),
        ("with pytest.raises(ValueError):\n    f(-1)", [("f(-1)", ("ValueError",))]),
        ("self.assertRaises((TypeError, KeyError), f, 'a')", [("f('a')", ("TypeError", "KeyError"))]),
        ("self.assertRaises(ValueError, lambda: f(0))", [("f(0)", ("ValueError",))]),
        ("try:\n    f(-1)\n    assert False\nexcept ValueError:\n    pass", [("f(-1)", ("ValueError",))]),
        ("def check(candidate):\n    assert True\n    assert candidate('a' * 3) == 'x'\n", [("f('a' * 3)", "x")]),
        (
            "class T(unittest.TestCase):\n    def setUp(self):\n        self.x = [1, 2]\n"
            "    def test_a(self):\n        self.assertEqual(f(self.x), 3)\n",
            [("f([1, 2])", 3)],
        ),
        ("def test_a():\n    assert f(1) == 2\n\ndef test_b():\n    assert f(2) == 3", [("f(1)", 2), ("f(2)", 3)]),
        ("assert Solution().f([1]) == 1", [("Solution().f([1])", 1)]),
    ],
)  # fmt: skip
def test_compiled(source, tests):
    assert seen(source) == tests


def test_what_is_expected_never_stands_in_what_the_box_is_given():
    source = "want = 91827364\nfor k, v in {1: 55443322}.items():\n    assert f(k) == v\nr = f(2)\nassert r == want"
    for test in compiled(source, entry="f"):
        assert "91827364" not in test.setup + "".join(test.calls)
        assert "55443322" not in test.setup + "".join(test.calls)


def test_a_state_is_built_in_the_box_and_only_when_it_is_used():
    first, second, third = compiled(
        "s = S()\ns.push(1)\nassert s.pop() == 1\nassert s.n == 0\nassert S().n == 0", entry="S"
    )
    assert (first.setup, first.calls) == ("s = S()\ns.push(1)", ("s.pop()",))
    assert (second.setup, second.calls) == ("s = S()\ns.push(1)\ns.pop()", ("s.n",))
    assert (third.setup, third.calls) == ("", ("S().n",))


def test_an_argument_changed_in_place_is_looked_at_in_the_box():
    (test,) = compiled("x = [3, 1]\nf(x)\nassert x == [1, 3]", entry="f")
    assert (test.setup, test.calls, test.want) == ("x = [3, 1]\nf(x)", ("x",), Equal(value=[1, 3], rule="python"))


def test_modules_and_helpers_go_along_as_inputs():
    (test,) = compiled("import math\ndef twice(x):\n    return 2 * x\nassert f(twice, math.pi) == 1", entry="f")
    assert test.setup == "import math\ndef twice(x):\n    return 2 * x"


def test_a_pattern_of_the_message():
    (test,) = compiled("with self.assertRaisesRegex(ValueError, 'neg.*'):\n    f(-1)", entry="f")
    assert test.want == Raises(names=("ValueError",), match="neg.*")


@pytest.mark.parametrize(
    ("source", "why"),
    [
        ("import random\nassert f(random.random()) < 1", "random"),
        ("import numpy as np\nassert np.allclose(f(1), 2)", "np"),
        ("assert abs(poly([1], f([1]))) < 1e-4", "poly"),
        ("while True:\n    assert f(1)", "While"),
        ("with open('x') as h:\n    assert f(h)", "with"),
        ("for x in f(1):\n    assert x == 1", "loop"),
        ("assert f(1) is (1, 2)", "identity"),
        ("assert 1 == 2", "does not hold"),
        ("self.fail()", "fail"),
        ("@pytest.fixture\ndef test_a(tmp_path):\n    assert f(tmp_path) == 1", "test_a"),
        ("try:\n    f(1)\n    assert False\nexcept Exception:\n    pass", "catches its own failure"),
        ("assert f(", "no Python"),
        ("assert (lambda: f(1))() == 2", "lambda"),
        ("for i in range(10**9):\n    assert f(i)", "computed|turns"),
    ],
)
def test_not_compiled(source, why):
    with pytest.raises((Uncompiled, Unjudged), match=why):
        compiled(source, entry="f")
