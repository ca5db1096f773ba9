"""What bombs, floods, daemons and deaf programs get: a limit or the clock, and nothing of them left behind."""

import os

import pytest

from tests.sandbox import bombs, outside

BOXES = [(who, level) for who in ("ours", "ordinary") for level in (2, 3)]


@pytest.fixture(scope="module")
def ours():
    return {level: bombs.drop(level) for level in (2, 3)}


@pytest.fixture(scope="module")
def ordinary():
    with outside.copy() as folder:
        found = outside.as_ordinary(folder, "bombs.py", {"levels": [2, 3]})
    return {level: found[str(level)] for level in (2, 3)}


@pytest.fixture(params=BOXES, ids=[f"{who}-{level}" for who, level in BOXES])
def box(request):
    who, level = request.param
    return level, request.getfixturevalue(who)[level]


def test_nothing_is_left_behind(box):
    _, became = box
    assert {name: one["left"] for name, one in became.items() if name and one["left"]} == {}
    assert became[""] == [], "no folder of any box"


def test_every_run_ends_soon(box):
    _, became = box
    slow = {name: one["seconds"] for name, one in became.items() if name not in ("", "busy") and one["seconds"] > 18}
    assert slow == {}


@pytest.mark.parametrize(("who", "level"), BOXES)
def test_locked_files_hold_but_where_the_table_says_so(who, level, request):
    one = request.getfixturevalue(who)[level]["locked"]
    if level == 2 and (who == "ordinary" or os.geteuid() != 0):
        assert (one["kind"], one["result"], one["error"]) == (
            "killed",
            "written",
            "changed a file it may only read: locked",
        )
    else:
        assert (one["kind"], one["result"]) == ("exited", "refused")


@pytest.mark.parametrize("name", ["forks", "threads"])
def test_processes_are_counted(box, name):
    assert 5 <= int(box[1][name]["result"]) <= 40, box[1][name]


@pytest.mark.parametrize("name", ["comet", "swarm", "sleeper", "deaf", "stopped", "a chain of sessions"])
def test_the_clock_ends_it(box, name):
    one = box[1][name]
    assert one["kind"] in ("timed_out", "exited"), one
    if name in ("sleeper", "deaf", "stopped"):
        assert (one["kind"], one["status"], one["error"]) == ("timed_out", None, "still running after 0.4 s")


def test_memory_of_one_process_is_bounded(box):
    assert box[1]["memory"]["result"] == "refused"


def test_memory_of_all_together_is_bounded(box):
    one = box[1]["memory of many"]
    assert (one["kind"], one["error"]) == ("killed", "used too much memory"), one


def test_a_file_is_bounded(box):
    assert int(box[1]["file"]["result"]) == 4 << 20


def test_many_files_are_bounded_at_level_3_and_the_table_says_that_they_are_not_at_level_2(box):
    level, became = box
    written = int(became["files"]["result"])
    assert written == 40 if level == 2 else written <= 24, written


def test_descriptors_are_bounded(box):
    assert int(box[1]["descriptors"]["result"]) <= 60


@pytest.mark.parametrize(("name", "where"), [("1", "stdout"), ("2", "stderr"), ("3", "result"), ("many", "stdout")])
def test_a_flood_is_cut_at_its_cap(box, name, where):
    one = box[1]["flood by many" if name == "many" else f"flood of {name}"]
    assert (one["kind"], one["status"], one[where]) == ("flooded", None, 1 << 20)


def test_as_much_as_may_be_is_no_flood(box):
    one = box[1]["as much as may be"]
    assert (one["kind"], one["status"], one["stdout"]) == ("exited", 0, 100_000)


def test_cpu_time_is_bounded(box):
    one = box[1]["busy"]
    assert one["kind"] == "killed"
    assert one["status"] in (-24, -9)


@pytest.mark.parametrize("name", ["daemon", "pipes held open"])
def test_who_stays_behind_holds_nobody_up(box, name):
    one = box[1][name]
    assert (one["kind"], one["status"], one["stdout"]) == ("exited", 0, 4)
    assert one["seconds"] < 10


@pytest.mark.parametrize(
    ("name", "kind", "status"),
    [("killed", "killed", -9), ("crash", "killed", -11), ("exit", "exited", 3), ("odd exit", "exited", 250)],
)
def test_how_it_ended_is_said(box, name, kind, status):
    assert (box[1][name]["kind"], box[1][name]["status"]) == (kind, status)
