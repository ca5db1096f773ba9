"""Each type of test with right and wrong programs, in real boxes."""

import threading

import pytest

from tests.rewards.code_tasks import ADD, call, stdin, unit, verdict
from verigrad import sandbox
from verigrad.records import Task
from verigrad.rewards.programs import calls, running
from verigrad.rewards.programs.plan import Box
from verigrad.rewards.verifiers import code


@pytest.mark.parametrize(
    ("source", "gold"),
    [
        ("def add(a, b): return a + b", ADD),
        ("class Solution:\n    def add(self, a, b): return a + b", ADD),
        ("add = lambda a, b: a + b", ADD),
        ("import sys\ndef add(a, b):\n    print('noise'); sys.stderr.write('x'); return a + b\n", ADD),
        ("if __name__ == '__main__': exit(1)\ndef add(a, b): return a + b", ADD),
        ("def f(x): return (x, [x])", call([3, [3]], 3)),
        ("def f(x): return {1: x}", call({"1": 2}, 2)),
        ("from collections import Counter\ndef f(s): return Counter(s)", call({"a": 2, "b": 1}, "aab")),
        ("def f(x): return x * 10**400", call(10**400, 1)),
        ("def f(x): return None", call(None, 1)),
        ("def f(x): return x[::-1]", call(["b", "a", "é😀\0"], ["é😀\0", "a", "b"])),
        ("def f(x, k=1): return x + k",
         {"type": "call", "entry": "f", "tests": [{"args": [1], "kwargs": {"k": 4}, "out": 5}]}),
        ("def f(n): yield from range(n)", call([0, 1, 2], 3, generator=True)),
        ("def f(xs): return list(reversed(xs))", call([1, 2, 2], [2, 1, 2], unordered=True)),
        ("def f(xs): return sum(xs)", call(0.3, [0.1, 0.2], tolerance=1e-9)),
        ("def f(c): return -(c ** 0.5)", {"type": "checker", "entry": "f", "check": "abs(out * out - args[0]) < 1e-6",
                                         "tests": [{"args": [9.0]}, {"args": [2.0]}]}),
        ("def f(x):\n    if x < 0: raise ValueError('negative')\n    return {x}",
         unit("with pytest.raises(ValueError, match='neg'):\n    f(-1)\nassert f(1) == {1}")),
        ("class S(list):\n    def push(self, v): self.append(v)",
         unit("s = S()\ns.push(1)\ns.push(2)\nassert s.pop() == 2\nassert s.pop() == 1", entry="S")),
        ("def f(x): return x == 1", unit("assert f(1) == 1")),
        ("def f(xs): return (x * 2 for x in xs)", unit("assert list(f([1, 2])) == [2, 4]")),
        ("    return a + b", ADD | {"prefix": "def add(a, b):\n"}),
    ],
)  # fmt: skip
def test_right_programs(source, gold):
    judged = verdict(source, gold)
    assert (judged.status, judged.reason) == ("right", "")
    assert judged.isolation >= 2
    assert judged.rule == f"code:{gold['type']}"


@pytest.mark.parametrize(
    ("source", "gold", "reason"),
    [
        ("def add(a, b): return a - b", ADD, "another value"),
        ("def add(a, b): return (", ADD, "raised SyntaxError on import"),
        ("def sub(a, b): return a + b", ADD, "raised NameError"),
        ("def add(a, b): raise KeyError(1)", ADD, "raised KeyError"),
        ("def add(a, b): return [a + b]", ADD, "another value"),
        ("def add(a, b): return float(a + b)", ADD, "another value"),
        ("def f(x): return True", call(1, 1), "another value"),
        ("def f(x): return (x,)", call([1], 1, strict_types=True), "another value"),
        ("def f(x): return float('nan')", call(1.0, 1, tolerance=1e-3), "another value"),
        ("def f(x): return iter([1])", call([1], 1), "no plain value"),
        ("def f(n):\n    while True: yield n", call([1], 1, generator=True), "no plain value"),
        ("def f(x):\n    y = []\n    y.append(y)\n    return y", call([], 1), "no plain value"),
        ("def f(x): return 'x' * 5_000_000", call("x", 1), "broke_check: flooded"),
        ("def f(x): return None", {"type": "checker", "entry": "f", "check": "abs(out) > 0", "tests": [{"args": [1]}]},
         "broke_check: the check: TypeError"),
        ("def f(x): return 0", {"type": "checker", "entry": "f", "check": "(y := out) if out else y == 0",
         "tests": [{"args": [1]}]}, "broke_check: the check: NameError"),
        ("def f(x): return [0] * 100_000", {"type": "checker", "entry": "f", "tests": [{"args": [1]}],
         "check": "all(out[i] <= out[j] for i in range(len(out)) for j in range(len(out)))"}, "broke_check: timed_out"),
        ("def f(x): return x", unit("with pytest.raises(ValueError):\n    f(-1)"), "raised nothing"),
        ("def g(x): return x", unit("self.assertRaises(Exception, f, 1)"), "raised NameError"),
        ("def f(x): raise ValueError('x')", unit("with pytest.raises(ValueError, match='neg'):\n    f(-1)"), "false"),
        ("import resource\ndef f(x):\n    y = bytearray(3 << 30)\n    return x", call(1, 1), "raised MemoryError"),
        ("import ctypes\ndef f(x): ctypes.string_at(0)", call(1, 1), "broke_check: killed"),
    ],
)  # fmt: skip
def test_wrong_programs(source, gold, reason, monkeypatch):
    monkeypatch.setattr(calls, "CHECK_SECONDS", 2.0)
    judged = verdict(source, gold, seconds=4.0)
    assert judged.status == "wrong"
    assert reason in judged.reason


SUM = stdin(("3\n1\n2\n3\n", "6\n"), ("1\n40\n", "40\n"))


@pytest.mark.parametrize(
    ("source", "right"),
    [
        ("import sys\nprint(sum(map(int, sys.stdin.read().split()[1:])), ' ')\nprint()", True),
        ("n = int(input())\nprint(sum(int(input()) for _ in range(n)))\nquit()", True),
        ("import sys\nprint(sum(map(int, sys.stdin.buffer.read().split()[1:])))\nsys.exit(0)", True),
        ("print(sum(map(int, open(0).read().split()[1:])))", True),
        ("import os\nif __name__ == '__main__': print(sum(map(int, os.read(0, 999).split()[1:])))", True),
        (
            "import pickle\nclass Held:\n    def __init__(self, n): self.n = n\n"
            "n = pickle.loads(pickle.dumps(Held(int(input())))).n\nprint(sum(int(input()) for _ in range(n)))",
            True,
        ),
        ("print(6)", False),
        ("import sys\nprint(sum(map(int, sys.stdin.read().split()[1:])))\nsys.exit(3)", False),
        ("import sys\nprint(sum(map(int, sys.stdin.read().split()[1:])))\n1 / 0", False),
        ("while True: print('6')", False),
    ],
)  # fmt: skip
def test_programs_that_read_text(source, right):
    judged = verdict(source, SUM, seconds=4.0)
    assert judged.correct is right, judged.reason


def test_c_is_compiled_in_one_box_and_run_in_others():
    good = (
        '```c\n#include <stdio.h>\nint main(){int n,s=0,x;scanf("%d",&n);while(scanf("%d",&x)==1)s+=x;'
        'printf("%d\\n",s);}\n```'
    )
    gold = SUM | {"language": "c"}
    assert verdict(good, gold).correct
    assert verdict(good.replace("s+=x", "s-=x"), gold).reason == "another output"
    assert verdict(good.replace("int n", "in n"), gold).reason == "does not compile"


def test_javascript_and_a_command_of_the_recipe():
    good = (
        "```js\nconst d = require('fs').readFileSync(0, 'utf8').split(/\\s+/).map(Number);\n"
        "console.log(d.slice(1).reduce((a, b) => a + b, 0))\n```"
    )
    gold = SUM | {"language": "javascript"}
    judged = verdict(good, gold)
    assert judged.correct, judged.reason
    assert verdict(good, gold, command=["node", "--no-warnings", "main.js"]).correct
    assert not verdict(good.replace("slice(1)", "slice(2)"), gold).correct


@pytest.mark.parametrize(
    ("language", "good", "bad"),
    [
        ("python", "```python\nx = 1\n```", "```python\nx = = 1\n```"),
        ("c", "```c\nint f(void) { return 1; }\n```", "```c\nint f(void) { return 1 }\n```"),
        ("javascript", "```js\nlet x = 1;\n```", "```js\nlet = = 1;\n```"),
        (
            "coq",
            "```coq\nTheorem t : True. Proof. exact I. Qed.\n```",
            "```coq\nTheorem t : False. Proof. exact I. Qed.\n```",
        ),
    ],
)
def test_that_it_compiles_is_an_outcome(language, good, bad):
    gold = {"type": "compiles", "language": language}
    assert verdict(good, gold, seconds=20.0).correct
    assert verdict(bad, gold, seconds=20.0).status == "wrong"


@pytest.mark.parametrize(
    ("gold", "reason"),
    [
        ("gAAAA", "no JSON object"),
        (None, "no JSON object"),
        ([1], "no JSON object"),
        ({"tests": []}, "no type of test"),
        ({"type": "vibes"}, "no type of test is called 'vibes'"),
        ({"type": "call", "entry": "f", "tests": []}, "zero tests"),
        ({"type": "call", "entry": "f; x", "tests": [{"args": [], "out": 1}]}, "name of a function"),
        ({"type": "call", "entry": "f", "tests": [{"out": 1}]}, "args and out"),
        ({"type": "call", "entry": "f", "tests": [{"args": 1, "out": 1}]}, "args is a list"),
        ({"type": "call", "entry": "f", "tests": [{"args": [], "out": 1}], "tolerance": "x"}, "tolerance"),
        ({"type": "checker", "entry": "f", "check": "out ==", "tests": [{"args": []}]}, "no expression"),
        ({"type": "checker", "entry": "f", "check": "helper(out)", "tests": [{"args": []}]}, "helper"),
        ({"type": "checker", "entry": "f", "check": "[x for x in out] and x", "tests": [{"args": []}]}, "name, x"),
        ({"type": "checker", "entry": "f", "check": "await out", "tests": [{"args": []}]}, "no expression"),
        ({"type": "unittest", "entry": "f", "tests": []}, "zero tests"),
        ({"type": "unittest", "entry": "f", "tests": ["x = 1"]}, "no assertion"),
        ({"type": "unittest", "entry": "f", "tests": ["while 1:\n    assert f(1)"]}, "not compiled"),
        ({"type": "stdin", "tests": [{"in": 1, "out": "x"}]}, "texts"),
        ({"type": "stdin", "tests": [{"in": "", "out": "x"}], "language": "cobol"}, "no language"),
        ({"type": "compiles", "language": "cobol"}, "no language"),
        ({"type": "repo", "files": {}, "fail_to_pass": [], "pass_to_pass": []}, "zero tests"),
        ({"type": "repo", "files": {"../x": ""}, "hidden_tests": {}}, "paths"),
    ],
)
def test_a_gold_that_judges_nobody_is_ungraded_and_listed(gold, reason):
    task = Task.make(prompt="q", gold=gold)
    judged = code.verify("def f(): return 1", task)
    assert judged.status == "ungraded"
    assert reason in judged.reason
    assert reason in code.check_gold(task)


def test_a_program_that_knows_the_shown_tests_only_is_wrong_and_the_verdict_says_so():
    gold = ADD | {"visible_tests": 2}
    judged = verdict("def add(a, b): return {1: 3, 4: 9}.get(a, 0)", gold)
    assert judged.reason == "visible passed, hidden failed: another value"
    assert verdict("def add(a, b): return 0", gold).reason == "another value"
    assert verdict("def add(a, b): return {1: 3, 4: 9}.get(a, 0)", columns={"visible_tests": 2}).reason.startswith(
        "visible"
    )


def test_tests_run_in_an_order_drawn_from_the_task(monkeypatch):
    monkeypatch.setattr(running.sandbox, "run", lambda *a, **k: sandbox.Ran(kind="exited", status=0, level=3))
    orders = set()
    for i in range(6):
        gold = {"type": "call", "entry": "f", "tests": [{"args": [n], "out": 0} for n in range(8)]}
        plan = code.truth.plan_of(Task.make(prompt=str(i), gold=gold))
        seen = []
        passed = running.run(_Recording(plan, seen), {}, code._settings({}), key=str(i), level=None)
        assert not passed.failed
        orders.add(tuple(seen))
    assert len(orders) == 6


class _Recording:
    """A plan whose tests say when they are asked for a box, and pass."""

    def __init__(self, plan, seen):
        self.tests = tuple(_Says(i, seen) for i in range(len(plan.tests)))
        self.runs_as = plan.runs_as


class _Says:
    visible = False

    def __init__(self, i, seen):
        self.i, self.seen = i, seen

    def box(self, program, plan, settings):
        self.seen.append(self.i)
        return Box(command=("true",), limits=settings.limits(plan.runs_as))

    def judge(self, ran, box):
        return ""


def test_the_reference_solution_is_the_golds_answer_else_a_table_of_the_tests():
    task = Task.make(prompt="q", gold=ADD, columns={"solution": "def add(a, b): return a + b"})
    assert code.gold_answer(task) == "```python\ndef add(a, b): return a + b\n```"
    for gold in (ADD, call([[1, None], {"a": 1.5}], "x"), SUM, call([0], 1, generator=True)):
        task = Task.make(prompt="q", gold=gold)
        judged = code.verify(code.gold_answer(task), task)
        assert judged.correct, judged.reason
    assert code.gold_answer(Task.make(prompt="q", gold=unit("assert f(1) == 2"))) is None


def test_a_wrong_reference_solution_fails_its_own_gold():
    task = Task.make(prompt="q", gold=ADD | {"solution": "def add(a, b): return a"})
    assert not code.verify(code.gold_answer(task), task).correct


def test_shared_tests_are_marked_and_wanted_by_name():
    gold = unit("n = 0\nwhile n < 3:\n    assert f(n) == n * n\n    n += 1")
    task = Task.make(prompt="q", gold=gold)
    assert "not compiled" in code.check_gold(task)
    assert code.check_gold(task, shared=True) is None
    judged = code.verify("def f(n): return n * n", task, shared=True)
    assert (judged.status, judged.rule) == ("right", "code:unittest shared")
    assert not code.verify("def f(n): return n", task, shared=True).correct
    assert "does not have" in code.check_gold(
        Task.make(prompt="q", gold=unit("import numpy\nwhile f(1): pass")), shared=True
    )


def test_any_thread_may_call_and_many_at_once():
    statuses = []

    def one(source):
        statuses.append((source[-1], verdict(source).status))

    sources = ["def add(a, b): return a + b", "def add(a, b): return 0"] * 2
    threads = [threading.Thread(target=one, args=(s,)) for s in sources]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert sorted(statuses) == [("0", "wrong")] * 2 + [("b", "right")] * 2


class _Broken:
    """A sandbox that does not start, `times` times."""

    def __init__(self, times):
        self.times, self.asked, self.run = times, 0, sandbox.run

    def __call__(self, *args, **kwargs):
        self.asked += 1
        if self.asked <= self.times:
            return sandbox.Ran(kind="not_started", error="no keeper")
        return self.run(*args, **kwargs)


def test_a_sandbox_that_fails_once_is_asked_again_beside_a_probe(monkeypatch):
    broken = _Broken(1)
    monkeypatch.setattr(running.sandbox, "run", broken)
    assert verdict("def f(x): return x", call(1, 1)).correct
    assert broken.asked == 3


def test_a_sandbox_that_does_not_start_grades_nobody(monkeypatch):
    monkeypatch.setattr(running.sandbox, "run", _Broken(10**9))
    judged = verdict("def f(x): return x", call(1, 1))
    assert (judged.status, judged.reason) == ("ungraded", "the sandbox does not start: no keeper")


def test_level_2_gives_the_same_verdicts():
    assert verdict("def add(a, b): return a + b", level=2).isolation == 2
    assert verdict("def add(a, b): return a * b", level=2).status == "wrong"
