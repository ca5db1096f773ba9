"""Every attack of the table, at both levels, as whoever runs the tests and as an ordinary user."""

import os
import re
from pathlib import Path

import pytest

from tests.sandbox import escapes, outside
from verigrad import sandbox
from verigrad.sandbox import interpreter

TABLE = escapes.table(outside.calls())
PAGE = Path(__file__).resolve().parents[2] / "docs/sandbox.md"


@pytest.fixture(scope="module")
def facts():
    with outside.facts() as given:
        yield given


@pytest.fixture(scope="module")
def ours(facts):
    walks = os.geteuid() == 0 and not interpreter.reachable()
    return {level: escapes.attempt(TABLE, facts | {"walks": walks and level == 2}, level) for level in (2, 3)}


@pytest.fixture(scope="module")
def ordinary(facts):
    with outside.copy() as folder:
        found = outside.as_ordinary(folder, "escapes.py", {"facts": facts, "levels": [2, 3]})
    return {level: found[str(level)] for level in (2, 3)}


@pytest.fixture(scope="module")
def unboxed(facts):
    return outside.unboxed({name: attack for name, attack in TABLE.items() if attack.control}, facts)


def test_this_host_gives_every_level():
    assert [(one.number, one.available, one.why_not) for one in sandbox.levels()] == [(n, True, "") for n in (1, 2, 3)]
    assert sandbox.best() == 3


@pytest.mark.parametrize("name", TABLE)
@pytest.mark.parametrize("level", [2, 3])
@pytest.mark.parametrize("who", ["ours", "ordinary"])
def test_stopped(who, level, name, request):
    said = request.getfixturevalue(who)[level][name]
    if level == 2 and TABLE[name].level_2:
        assert said.startswith("escaped"), f"the table says that level 2 does not stop it: {said}"
    else:
        assert said == "stopped"


@pytest.mark.parametrize("name", [name for name, attack in TABLE.items() if attack.control])
def test_the_attack_works_outside_a_box(name, unboxed):
    assert unboxed[name].startswith("escaped")


def test_the_page_prints_what_level_2_does_not_stop():
    part = (
        PAGE.read_text(encoding="utf-8").partition("<!-- level 2: begin -->")[2].partition("<!-- level 2: end -->")[0]
    )
    rows = re.findall(r"^\| (.+?) \|", part, flags=re.M)
    said = {escapes.STAT, escapes.NAME, escapes.NUMBERS, escapes.DISK, escapes.SHARED, escapes.LOCKED}
    assert set(rows) - {"What a program at level 2 can still do or see"} == said
    assert {attack.level_2 for attack in TABLE.values()} - {""} <= said


def test_nobody_was_hurt(facts):
    os.kill(facts["victim"], 0)
