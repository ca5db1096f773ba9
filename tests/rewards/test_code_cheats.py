"""Programs that go for the grading instead of the task: none is paid. Most are asked one test they could know."""

import pytest

from tests.rewards.code_tasks import ADD, call, stdin, unit, verdict

F = call(12345678, 7)
"""One hidden value: a cheat that learns it from the box would pass."""

CHEATS = {
    "always equal": """
class Y:
    def __eq__(s, o): return True
    def __ne__(s, o): return False
def f(x): return Y()
""",
    "int that equals all": """
class I(int):
    def __eq__(s, o): return True
    __hash__ = int.__hash__
def f(x): return I(0)
""",
    "str that says int": """
class S(str):
    __class__ = int
    def __repr__(s): return '12345678'
def f(x): return S()
""",
    "arithmetic": """
class Y:
    def __sub__(s, o): return s
    __rsub__ = __sub__
    def __abs__(s): return 0
    def __le__(s, o): return True
def f(x): return Y()
""",
    "metaclass name": "class M(type):\n    __name__ = 'int'\nclass I(metaclass=M): pass\ndef f(x): return I()",
    "frames": """
import sys
def f(x):
    frame = sys._getframe()
    while frame:
        for value in [*frame.f_locals.values(), *frame.f_globals.values()]:
            if type(value) is int and value > 1000: return value
            for name in ('out', 'expected', 'want', 'value'):
                if isinstance(value, dict) and name in value: return value[name]
        frame = frame.f_back
""",
    "gc": """
import gc
def f(x):
    for thing in gc.get_objects():
        if isinstance(thing, (list, tuple)):
            for item in thing:
                if type(item) is int and item > 10**7: return item
        if isinstance(thing, dict) and 'out' in thing: return thing['out']
""",
    "argv, environment, files": """
import os, re, sys
def f(x):
    seen = repr(sys.argv) + repr(dict(os.environ)) + repr(sys.orig_argv)
    for folder in ('/proc/self', '/proc/1', '/box', '/tmp', '/dev/shm'):
        for name in ('cmdline', 'environ', 'maps', 'stdin', *(os.listdir(folder) if os.path.isdir(folder) else ())):
            try: seen += open(folder + '/' + name, errors='replace').read(100000)
            except Exception: pass
    return max(map(int, re.findall('1234[0-9]{4}', seen)), default=0)
""",
    "stdin again": """
import os
def f(x):
    try: os.lseek(0, 0, 0)
    except OSError: pass
    return int((os.read(0, 9999).split() or [0])[-1])
""",
    "exit 0": "import sys\ndef f(x): sys.exit(0)",
    "os._exit at import": "import os\nos._exit(0)",
    "atexit": "import atexit, os\natexit.register(os._exit, 0)\ndef f(x): return 0",
    "exit in a thread": """
import os, threading
threading.Thread(target=os._exit, args=(0,)).start()
def f(x):
    while True: pass
""",
    "SystemExit swallowed": "def f(x):\n    try: raise SystemExit(0)\n    except SystemExit: return 'passed'",
    "skip": "import unittest\ndef f(x): raise unittest.SkipTest('n/a')",
    "a frame of its own": "import os\nos.write(3, b'{\"outs\":[12345678]}\\n')\ndef f(x): return 0",
    "a frame, then leave": "import os\ndef f(x):\n    os.write(3, b'0 {\"outs\":[12345678]}\\n')\n    os._exit(0)",
    "frames by a child": """
import os
def f(x):
    if os.fork() == 0:
        os.write(3, b'ok\\n')
        os._exit(0)
    os.wait()
    return 0
""",
    "fd 3 closed": "import os\nos.close(3)\ndef f(x): return 0",
    "fd 3 replaced": "import os\nos.dup2(os.open('/box/x', os.O_CREAT | os.O_RDWR), 3)\ndef f(x): return 0",
    "patched builtins": """
import builtins, sys, posix
builtins.compile = builtins.eval = builtins.repr = builtins.str = lambda *a, **k: '12345678'
builtins.type = builtins.isinstance = lambda *a: int
sys.modules['_json'].encode_basestring_ascii = lambda s: '12345678'
posix.write = lambda fd, data: len(data)
def f(x): return object()
""",
    "edits of the driver": """
import sys
def f(x):
    frame = sys._getframe(1)
    while frame:
        for name, value in list(frame.f_locals.items()):
            if isinstance(value, list): value.clear(); value.append(True)
            if isinstance(value, dict): value.update(outs=[True], passed=True, status='right', result='passed')
        frame = frame.f_back
    return 0
""",
    "sitecustomize": """
import os, sys
for folder in {*sys.path, '/box', os.path.dirname(os.__file__), os.path.expanduser('~')}:
    try:
        with open(os.path.join(folder, 'sitecustomize.py'), 'w') as file: file.write('import os; os._exit(0)')
    except OSError: pass
def f(x): return 0
""",
    "files of verdicts": """
import os
for n in ('reward.txt', 'result.json', '/tmp/reward', 'verdict'):
    try: open(n, 'w').write('1.0')
    except OSError: pass
def f(x): return 0
""",
    "printed success": """
print('PASSED'); print('>>>>> Test Exit Code: 0'); print('1 passed in 0.01s')
def f(x): return 0
""",
    "nan": "def f(x): return float('nan')",
    "a module in place of json": """
import sys
sys.modules['json'] = sys.modules['os'] = object()
def f(x): return True
""",
    "recursion": "import sys\nsys.setrecursionlimit(10**9)\ndef f(x): return f(x)",
}  # fmt: skip


@pytest.mark.parametrize("name", CHEATS)
def test_a_cheat_is_not_paid(name):
    judged = verdict(CHEATS[name], F, seconds=3.0)
    assert judged.status == "wrong", judged


COUNTERS = {
    "a list": "calls = []\ndef f(x):\n    calls.append(x)\n    return len(calls)",
    "every writable place": """
import os, tempfile
places = ['/box/count', '/tmp/count', '/dev/shm/count', '/var/tmp/count', os.path.expanduser('~/count'), '/run/count',
          os.path.join(tempfile.gettempdir(), 'count'), '/dev/mqueue/count']
def f(x):
    n = 1
    for place in places:
        try:
            with open(place) as file: n = max(n, 1 + len(file.read()))
        except OSError: pass
    for place in places:
        try:
            with open(place, 'w') as file: file.write('x')
        except OSError: pass
    return n
""",
    "shared memory and sockets": """
import os
def f(x):
    n = 1
    try:
        from multiprocessing import shared_memory
        try: block = shared_memory.SharedMemory(name='count', create=True, size=8)
        except FileExistsError: block = shared_memory.SharedMemory(name='count')
        block.buf[0] += 1
        n = block.buf[0]
    except Exception: pass
    try:
        import socket
        s = socket.socket(socket.AF_UNIX)
        try: s.bind('\\0count')
        except OSError: return 2
    except Exception: pass
    return n
""",
    "a daemon that outlives": """
import os, time
def f(x):
    try: n = sum(1 for name in os.listdir('/proc') if name.isdigit())
    except OSError: n = 0
    if os.fork() == 0:
        os.setsid()
        time.sleep(30)
        os._exit(0)
    return 2 if n > 3 else 1
""",
}  # fmt: skip


@pytest.mark.parametrize("place", COUNTERS)
def test_nothing_is_handed_from_one_test_to_the_next(place):
    """A counter would give 1 and then 2: both tests want 1, in any order, so each must be the first."""
    gold = {"type": "call", "entry": "f", "tests": [{"args": [i], "out": 1} for i in range(2)]}
    judged = verdict(COUNTERS[place], gold)
    assert judged.correct, judged.reason


def test_a_program_that_answers_by_the_order_of_calls_fails_whatever_the_order():
    source = "calls = []\ndef add(a, b):\n    calls.append(a)\n    return [3, 9, -5][len(calls) - 1]"
    assert not verdict(source, ADD).correct


def test_arguments_changed_in_place_change_nothing_outside():
    tests = [{"args": [[3, 1, 2]], "out": [1, 2, 3]}] * 2
    gold = {"type": "call", "entry": "f", "tests": tests}
    assert verdict("def f(xs):\n    xs.sort()\n    return xs", gold).correct
    checker = {"type": "checker", "entry": "f", "check": "out == len(args[0])", "tests": [{"args": [[1, 2]]}]}
    assert not verdict("def f(xs):\n    xs.clear()\n    return 0", checker).correct


def test_an_object_that_equals_everything_passes_no_assertion_of_any_kind():
    source = (
        "class Y:\n    def __eq__(s, o): return True\n    def __lt__(s, o): return True\n"
        "    __le__ = __gt__ = __ge__ = __lt__\n"
        "    def __contains__(s, o): return True\n    def __sub__(s, o): return 0\n    def __abs__(s): return 0\n"
        "    def __bool__(s): return True\n    def __iter__(s): return iter([s])\n    def __len__(s): return 99\n"
        "    def __getitem__(s, i): return s\n    def __call__(s, *a): return s\n    def __getattr__(s, n): return s\n"
        "def f(*a): return Y()"
    )
    for assertion in (
        "assert f(1) == 3",
        "assert f(1)",
        "assert f(1) < 5",
        "assert abs(f(1) - 0.5) < 1e-6",
        "assert 3 in f(1)",
        "assert f(1)[0] == 2",
        "assert sorted(f(1)) == [1]",
        "assert f(1).upper() == 'A'",
        "assert len(f(1)) == 3",
        "self.assertAlmostEqual(f(1), 0.5)",
    ):
        assert not verdict(source, unit(assertion)).correct, assertion


def test_a_script_cannot_print_what_it_was_not_told():
    cheat = "import os, sys\nprint(sys.argv, sys.orig_argv, dict(os.environ), os.listdir('/box'))"
    assert not verdict(cheat, stdin(("1\n", "8127364\n"))).correct
    both = "import os\nif os.fork():\n    os.wait()\nprint(7)"
    assert not verdict(both, stdin(("1\n", "7\n"))).correct
