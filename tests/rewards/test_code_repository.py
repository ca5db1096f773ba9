"""Repository tests: pytest in the box, hidden files over the answer's, nothing of the answer's that steers pytest."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.rewards.code_tasks import verdict
from verigrad.records import Task
from verigrad.rewards.programs import repository, truth
from verigrad.rewards.tokens import TooBig, Unread
from verigrad.rewards.verifiers import code

WRONG = "def add(a, b):\n    return a - b\n"
FIXED = "def add(a, b):\n    return a + b\n"
TESTS = (
    "from lib import add\n\ndef test_add():\n    assert add(1, 2) == 3\n\ndef test_zero():\n    assert add(0, 0) == 0\n"
)
GOLD = {"type": "repo", "files": {"lib.py": WRONG, "README": "x"}, "hidden_tests": {"test_lib.py": TESTS}}


def answer(files):
    return "\n".join(f"--- {name} ---\n{body}" for name, body in files.items())


def test_the_fix_is_right_and_marked_shared():
    judged = verdict(answer({"lib.py": FIXED}), GOLD)
    assert (judged.status, judged.rule, judged.read) == ("right", "code:repo shared", "lib.py")


@pytest.mark.parametrize(
    ("files", "reason"),
    [
        ({"lib.py": WRONG + "# no change\n"}, "test_add did not pass"),
        ({"test_lib.py": "def test_add(): pass\n\ndef test_zero(): pass\n"}, "test_add did not pass"),
        ({"lib.py": "import pytest\npytest.skip('n/a', allow_module_level=True)\n"}, "was not run"),
        ({"lib.py": "def add(a, b):\n    import pytest\n    pytest.skip('n/a')\n"}, "did not pass"),
        ({"lib.py": "def add(a, b):\n    import pytest\n    pytest.xfail('n/a')\n"}, "did not pass"),
        ({"lib.py": "import os\nos._exit(0)\n"}, "no result (exit status 0)"),
        ({"lib.py": 'import os\nos.write(3, b\'{"outcomes": []}\\n\')\n' + FIXED}, "a forged result"),
        ({"lib.py": WRONG, "conftest.py": "def pytest_runtest_call(item): pass\n"}, "did not pass"),
        ({"lib.py": WRONG, "pytest.ini": "[pytest]\naddopts = --deselect test_lib.py::test_add -p evil\n",
          "setup.cfg": "[tool:pytest]\naddopts = -k nothing\n", "evil.py": "raise SystemExit(0)\n"}, "did not pass"),
        ({"lib.py": WRONG, "sitecustomize.py": "import os; os._exit(0)\n", "pytest.py": "1 / 0\n"}, "did not pass"),
    ],
)  # fmt: skip
def test_what_is_not_the_fix_is_wrong(files, reason):
    judged = verdict(answer(files), GOLD)
    assert judged.status == "wrong"
    assert reason in judged.reason


def test_an_innocent_conftest_and_config_of_the_answer_are_left_away():
    files = {"conftest.py": "import only_here\n", "pytest.ini": "[pytest]\naddopts = --nonsense\n", "lib.py": FIXED}
    assert verdict(answer(files), GOLD).correct


def test_ids_of_lists_trusted_conftest_parametrised_and_in_folders():
    tests = (
        "import pytest\nfrom pkg.lib import add\n\n@pytest.mark.parametrize('a', [1, 2])\ndef test_add(a, one):\n"
        "    assert add(a, one) == a + 1\n\nclass TestMore:\n    def test_two(self):\n        assert add(1, 1) == 2\n"
    )
    conftest = "import pytest\n\n@pytest.fixture\ndef one():\n    return 1\n"
    gold = {
        "type": "repo",
        "files": {"pkg/__init__.py": "", "pkg/lib.py": WRONG, "tests/test_a.py": tests, "tests/conftest.py": conftest},
        "fail_to_pass": ["tests/test_a.py::test_add"],
        "pass_to_pass": ["tests/test_a.py::TestMore::test_two"],
    }
    assert verdict(answer({"pkg/lib.py": FIXED, "tests/conftest.py": "import nothing"}), gold).correct
    assert not verdict(answer({"pkg/lib.py": "def add(a, b): return 2\n"}), gold).correct
    missing = gold | {"pass_to_pass": ["tests/test_a.py::test_gone"]}
    assert "was not run" in verdict(answer({"pkg/lib.py": FIXED}), missing).reason


def test_ids_are_fixed_before_the_answer_is_seen():
    plan = truth.plan_of(Task.make(prompt="q", gold=GOLD))
    assert plan.tests[0].ids == ("test_lib.py::test_add", "test_lib.py::test_zero")
    assert plan.tests[0].hidden == {"test_lib.py": TESTS.encode()}


def test_as_a_reward_it_is_refused_unless_the_recipe_allows_it():
    task = Task.make(prompt="q", gold=GOLD)
    assert "options.shared = true" in code.check_gold(task)
    assert code.check_gold(task, shared=True) is None
    solved = Task.make(prompt="q", gold=GOLD | {"solution": {"lib.py": FIXED}})
    assert code.gold_answer(solved) == f"--- lib.py ---\n{FIXED}"
    assert code.gold_answer(task) is None


@pytest.mark.parametrize(
    "text",
    [
        "no files",
        "--- ../lib.py ---\nx",
        "--- /etc/passwd ---\nx",
        "--- .git/config ---\nx",
        "<think>--- lib.py ---\nx",
        "\n".join(f"--- a{i}.py ---\nx" for i in range(600)),
    ],
)
def test_answers_that_write_no_files_or_leave_the_repository(text):
    with pytest.raises(Unread):
        repository.written(text, repository.plan_of(GOLD))


@pytest.mark.parametrize(
    "text",
    [
        f"--- lib.py ---\n{FIXED}",
        f"I changed it:\n\n--- lib.py ---\n```python\n{FIXED}```\n",
        f"```python lib.py\n{FIXED}```",
        f"```python:lib.py\n{FIXED}```",
        f"```lib.py\n{FIXED}```",
        f"```python\n{FIXED}```",
        f"--- new file lib.py ---\n{FIXED}",
    ],
)
def test_ways_to_write_a_file(text):
    files = repository.written(text, repository.plan_of(GOLD))
    assert files["lib.py"].decode().strip() == FIXED.strip()
    assert files["README"] == b"x"


PIECES = (
    *("--- ", " ---", "lib.py", "new file ", "```", "```python", "\n", "\n", "/", "..", "x = 1", "<think>", "</think>"),
    *("\0", "\ud800", "conftest.py", "a/b", "README", "README/x.py"),
)


@given(st.lists(st.sampled_from(PIECES), max_size=25).map("".join))
@settings(deadline=None, max_examples=300)
def test_any_text_writes_files_inside_or_none(text):
    try:
        files = repository.written(text, repository.plan_of(GOLD))
    except (Unread, TooBig):
        return
    assert all(not name.startswith("/") and ".." not in name.split("/") for name in files)
    assert not any(other.startswith(f"{name}/") for name in files for other in files)


def test_without_pytest_nobody_is_judged(monkeypatch):
    monkeypatch.setattr(repository.importlib.util, "find_spec", lambda name: None)
    judged = verdict(answer({"lib.py": FIXED}), GOLD)
    assert judged.status == "ungraded"
    assert "pip install pytest" in judged.reason
