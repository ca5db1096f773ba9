"""Every shipped case gets the verdict it states, through `verify` itself and called the way the case says."""

from __future__ import annotations

import asyncio
import json
import threading
from pathlib import Path

import pytest

from verigrad.rewards import kinds
from verigrad.runs import verify

FILE = Path(__file__).parents[1] / "cases/verifier_cases.jsonl"
CASES = {case["id"]: case for case in map(json.loads, FILE.read_text(encoding="utf-8").splitlines())}
STATUSES = {True: {"right"}, False: {"wrong", "unreadable"}, "error": {"ungraded"}}


@pytest.fixture(scope="module")
def rows(tmp_path_factory):
    """The whole file, once, as the command judges it: id -> row."""
    judged = list(verify(file=FILE))
    assert [r["id"] for r in judged] == list(CASES)
    return {r["id"]: r for r in judged}


def test_the_collection_is_whole():
    assert len(CASES) == 136
    assert {c["kind"] for c in CASES.values()} <= set(kinds())
    assert {c["expected"] for c in CASES.values()} == set(STATUSES)


@pytest.mark.parametrize("name", CASES)
def test_a_case_gets_its_verdict(rows, name):
    row, case = rows[name], CASES[name]
    assert row["status"] in STATUSES[case["expected"]], (case["why"], row)
    assert row["agrees"]
    assert (row["score"] is None) == (row["status"] == "ungraded")
    assert row["read"] is None or len(row["read"]) <= 200
    assert row["rule"].partition(":")[0] == case["kind"]


def in_thread(work):
    out = []
    thread = threading.Thread(target=lambda: out.append(work()))
    thread.start()
    thread.join(timeout=60)
    return out[0]


def in_loop(work):
    async def main():
        return await asyncio.to_thread(work)

    return asyncio.run(main())


WAYS = {"call from a non-main thread": [in_thread, in_loop]}


@pytest.mark.parametrize("name", [name for name, case in CASES.items() if "env" in case])
def test_a_case_that_says_how_to_call_is_called_so(tmp_path, name):
    file = tmp_path / "case.jsonl"
    file.write_text(json.dumps(CASES[name]) + "\n", encoding="utf-8")
    for way in WAYS[CASES[name]["env"]]:
        assert [r["agrees"] for r in way(lambda: list(verify(file=file)))] == [True]


def test_every_kind_can_be_called_off_the_main_thread(tmp_path):
    firsts = {case["kind"]: case for case in reversed(CASES.values()) if case["expected"] is True}
    file = tmp_path / "cases.jsonl"
    file.write_text("".join(json.dumps(c) + "\n" for c in firsts.values()), encoding="utf-8")
    assert all(r["agrees"] for r in in_thread(lambda: list(verify(file=file))))
