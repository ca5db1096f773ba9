"""Tests of a repository: pytest in the box, over the files an answer writes, with the hidden files laid over them.

The ids that must pass are fixed before the answer is seen: the gold's lists, or the test functions of its hidden files.
Each must have passed in setup, call and teardown; missing, skipped, expected to fail or deselected is wrong. Of the
answer no conftest, plugin or configuration of pytest is used. The candidate's code runs in pytest's own process, so
this is `shared`: docs/code.md says what it cannot stop. Left out: applying patches.
"""

from __future__ import annotations

import ast
import importlib.util
import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from verigrad import sandbox
from verigrad.rewards.programs.calls import framed
from verigrad.rewards.programs.extraction import blocks, visible
from verigrad.rewards.programs.plan import Box, Plan, Settings, Unjudged
from verigrad.rewards.tokens import Unread

MAX_FILES = 500
SLOWER = 6
"""Times the seconds of one test that a run of pytest may take: importing it is a second of a busy machine."""
_DRIVER = Path(__file__).with_name("in_box_pytest.py").read_text(encoding="utf-8")
_HEADER = re.compile(r"^---[ \t]+(?:(?:new )?file:?[ \t]+)?([^\s\-][^\n]*?)[ \t]+---[ \t]*$", re.MULTILINE)
_UNUSED = re.compile(
    r"(?:^|/)(?:conftest\.py|\.?pytest\.(?:ini|toml)|tox\.ini|setup\.cfg|pyproject\.toml|sitecustomize\.py"
    r"|usercustomize\.py|[^/]*\.(?:pth|pyc|so)|__pycache__/.*)$"
)
"""Files of an answer that are left away: they would speak to pytest or to the interpreter, not to the tests."""
_TEST_FILE = re.compile(r"(?:^|/)(?:test_[^/]*|[^/]*_test)\.py$")
_PACKAGES = ("pytest", "_pytest", "pluggy", "iniconfig", "packaging")
_ALSO = ("pygments", "exceptiongroup", "tomli")
"""What some versions of pytest import besides."""


@dataclass(frozen=True, kw_only=True)
class RepoTest:
    """One run of pytest."""

    ids: tuple[str, ...]
    """Node ids that must pass; one without [...] stands for all its parametrised cases."""
    hidden: Mapping[str, bytes] = field(default_factory=dict)
    """Files laid over the candidate's."""
    visible: bool = False

    def box(self, program: Mapping[str, bytes], plan: Plan, settings: Settings) -> Box:
        """The candidate's files, the hidden ones over them, and pytest's own driver."""
        nonce = os.urandom(16).hex()
        files = {name: body for name, body in program.items() if name not in self.hidden}
        paths = list(dict.fromkeys(node.split("::")[0] for node in self.ids))
        conftest = any(name.rsplit("/", 1)[-1] == "conftest.py" for name in self.hidden)
        order = (nonce, paths, _packages(), conftest)
        return Box(
            command=(sandbox.python(), "-I", "-S", "-c", _DRIVER),
            files=files,
            locked=self.hidden,
            stdin=repr(order).encode(),
            limits=settings.limits(plan.runs_as, seconds=SLOWER * settings.seconds),
            reads=tuple(_packages().values()),
            nonce=nonce,
        )

    def judge(self, ran: sandbox.Ran, box: Box) -> str:
        """By the frame, id by id; see `plan.Test`."""
        frame = framed(ran, box)
        if isinstance(frame, str):
            return frame
        outcomes = frame.get("outcomes")
        if not isinstance(outcomes, list) or not all(isinstance(o, list) and len(o) == 2 for o in outcomes):
            return "a forged result"
        for node in self.ids:
            found = [o for name, o in outcomes if name == node or str(name).startswith(f"{node}[")]
            if not found:
                return f"{node[-60:]} was not run"
            if not all(o == ["passed", "passed", "passed"] for o in found):
                return f"{node[-60:]} did not pass"
        return ""


def plan_of(gold: Mapping[str, Any]) -> Plan:
    """The one run of a repository's tests. Raises Unjudged."""
    base, hidden = _files(gold, "files"), _files(gold, "hidden_tests")
    ids = [*_ids(gold, "fail_to_pass"), *_ids(gold, "pass_to_pass")]
    if not ids:
        named = {n: b for n, b in hidden.items() if _TEST_FILE.search(n)} or hidden
        ids = [node for name, body in named.items() for node in _nodes(name, body)]
    if not ids:
        raise Unjudged("zero tests")
    for name in dict.fromkeys(node.split("::")[0] for node in ids):
        if name not in hidden and name not in base:
            raise Unjudged(f"{name[:60]} is neither in hidden_tests nor in files")
        hidden = {**hidden, name: hidden.get(name, base.get(name, b""))}
    kept = {name: body for name, body in base.items() if name.rsplit("/", 1)[-1] == "conftest.py"}
    test = RepoTest(ids=tuple(ids), hidden={**kept, **hidden})
    why = "pytest runs the candidate's code in its own process"
    return Plan(type="repo", tests=(test,), shared=why, base=base)


def missing() -> str | None:
    """Why pytest cannot be run here; None where it can."""
    lacking = [name for name in _PACKAGES if importlib.util.find_spec(name) is None]
    return f"repository tests need {', '.join(lacking)}: pip install pytest" if lacking else None


def written(answer: str, plan: Plan) -> Mapping[str, bytes]:
    """The repository after the answer: its base with the files the answer writes. Raises Unread.

    Files are written as "--- PATH ---" (or "--- new file PATH ---") with the text below, or as fenced blocks with a
    path after the language; a lone block without one is the one file of a repository of one.
    """
    text = visible(answer)
    marks = list(_HEADER.finditer(text))
    ends = [*(m.start() for m in marks[1:]), len(text)][: len(marks)]
    files = {m[1].strip("`'\" "): _unfenced(text[m.end() + 1 : end]) for m, end in zip(marks, ends, strict=True)}
    if not marks:
        found = blocks(text)
        files = {b.path: b.text for b in found if b.path}
        sources = [name for name in plan.base if name.endswith(".py")]
        if not files and len(found) == 1 and len(sources) == 1:
            files = {sources[0]: found[0].text}
    if not files:
        raise Unread("no file is written")
    if len(files) > MAX_FILES:
        raise Unread(f"more than {MAX_FILES} files")
    for name in files:
        if not _plain(name):
            raise Unread("a path that leaves the repository")
    mine = {name: body.encode("utf-8", "replace") for name, body in files.items() if not _UNUSED.search(name)}
    if any(_under(name, mine) for name in mine):
        raise Unread("a file that is a folder too")
    above = {name[:i] for name in mine for i, c in enumerate(name) if c == "/"}
    return {**{n: b for n, b in plan.base.items() if n not in above and not _under(n, mine)}, **mine}


def spelled(files: Mapping[str, str]) -> str:
    """Files as an answer."""
    return "\n".join(f"--- {name} ---\n{body}" for name, body in files.items())


def _under(name: str, files: Mapping[str, bytes]) -> bool:
    return any(name.startswith(f"{other}/") for other in files)


def _plain(name: str) -> bool:
    parts = name.split("/")
    odd = any(c in "\\\0" or 0xD800 <= ord(c) < 0xE000 for c in name)
    return 0 < len(name) <= 200 and not odd and not {"", ".", "..", ".git"} & set(parts)


def _unfenced(text: str) -> str:
    found = blocks(text) if text.lstrip().startswith(("```", "~~~")) else []
    return found[0].text if len(found) == 1 else text


def _files(gold: Mapping[str, Any], key: str) -> dict[str, bytes]:
    files = gold.get(key) or {}
    good = isinstance(files, Mapping) and all(isinstance(b, str) and isinstance(n, str) for n, b in files.items())
    if not good or not all(_plain(name) for name in files):
        raise Unjudged(f"{key} is an object of paths and texts")
    return {name: body.encode("utf-8", "surrogatepass") for name, body in files.items()}


def _ids(gold: Mapping[str, Any], key: str) -> list[str]:
    ids = gold.get(key) or []
    if not isinstance(ids, list) or not all(isinstance(node, str) and "::" in node for node in ids):
        raise Unjudged(f"{key} is a list of pytest's node ids, file.py::test")
    return ids


def _nodes(name: str, body: bytes) -> list[str]:
    """The test functions of a file, by pytest's own rule of names."""
    if not name.endswith(".py") or name.rsplit("/", 1)[-1] == "conftest.py":
        return []
    try:
        tree = ast.parse(body)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise Unjudged(f"{name[:60]} is no Python: {str(error)[:60]}") from None
    functions = (ast.FunctionDef, ast.AsyncFunctionDef)
    found = [f"{name}::{n.name}" for n in tree.body if isinstance(n, functions) and n.name.startswith("test")]
    for node in tree.body:
        if isinstance(node, ast.ClassDef):
            case = any(ast.unparse(b).endswith("TestCase") for b in node.bases)
            if case or node.name.startswith("Test"):
                methods = [n.name for n in node.body if isinstance(n, functions) and n.name.startswith("test")]
                found += [f"{name}::{node.name}::{method}" for method in methods]
    return found


def _packages() -> dict[str, str]:
    """Folders by name of pytest and what it imports, nothing else of the environment they are installed in."""
    if why := missing():
        raise Unjudged(why)
    found = {}
    for name in (*_PACKAGES, *_ALSO):
        spec = importlib.util.find_spec(name)
        if spec is None or not spec.origin:
            continue
        found[name] = str(Path(spec.origin).parent)
    return found
