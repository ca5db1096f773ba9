"""A repository's tests by pytest's JUnit report. The answer's code runs in pytest's process, so it could forge that.

Left out: everything that makes forging harder; a decision on such tasks should rest on a second suite.
"""

from __future__ import annotations

import importlib.util
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from verigrad import sandbox
from verigrad.acceptance.code_box import box
from verigrad.acceptance.reading import after_reasoning
from verigrad.records import Status

_PART = re.compile(r"^--- (?:new file )?(\S+) ---$", re.MULTILINE)
_COUNTS = re.compile(r'<testsuite [^>]*?errors="(\d+)" failures="(\d+)" skipped="(\d+)" tests="(\d+)"')
_RUN = """
import os, sys
site = sys.stdin.readline().strip()
sys.path += [os.getcwd(), site]
import pytest
os._exit(pytest.main(["-q", "--noconftest", "-c", os.devnull, "--rootdir", os.getcwd(), "--import-mode=importlib",
    "-p", "no:cacheprovider", "--junit-xml", "report.xml", *sys.argv[1:]]))
"""


def judge(answer: str, gold: Mapping[str, Any], *, seconds: float) -> tuple[Status, str]:
    """Right where every listed test passed and none was skipped. Raises NoBox."""
    base, hidden = dict(gold.get("files") or {}), dict(gold.get("hidden_tests") or {})
    ids = [*(gold.get("fail_to_pass") or []), *(gold.get("pass_to_pass") or [])]
    ids = ids or [name for name in hidden if re.search(r"(?:^|/)test_[^/]*\.py$|_test\.py$", name)]
    spec = importlib.util.find_spec("pytest")
    if not ids or spec is None or spec.origin is None:
        return "ungraded", "no tests" if not ids else "pytest is not installed"
    text = after_reasoning(answer)
    pieces = _PART.split(text) if text is not None else []
    written = dict(zip(pieces[1::2], (p.lstrip("\n") for p in pieces[2::2]), strict=False))
    if not written or any(name.startswith("/") or ".." in name.split("/") for name in written):
        return "unreadable", "no files"
    locked = {name: base[name] for name in {i.split("::")[0] for i in ids} if name in base} | hidden
    skipped = ("conftest.py", "sitecustomize.py", "usercustomize.py")
    files = {n: b for n, b in {**base, **written}.items() if n not in locked and n.rsplit("/", 1)[-1] not in skipped}
    site = str(Path(spec.origin).parent.parent)
    ran = box(
        [sandbox.python(), "-I", "-S", "-c", _RUN, *ids],
        files=files, locked=locked, stdin=site.encode(), reads=[site], keep=["report.xml"], seconds=3 * seconds,
    )  # fmt: skip
    counts = _COUNTS.search(ran.files.get("report.xml", b"").decode("utf-8", "replace"))
    if not ran.ok or counts is None:
        return "wrong", ran.kind if ran.kind != "exited" else f"pytest's exit status {ran.status}"
    errors, failures, left, tests = map(int, counts.groups())
    good = errors == failures == left == 0 and tests >= len(ids)
    return ("right", "shared process") if good else ("wrong", "a test did not pass")
