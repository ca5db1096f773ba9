"""No place carries a counter from one run to the next: nothing outside the box can be written, nothing inside stays."""

import os
import tempfile
from pathlib import Path

import pytest

from tests.sandbox import outside, places

INSIDE = {"file", "folder", "link", "pipe"}


@pytest.fixture(scope="module")
def ours():
    with tempfile.TemporaryDirectory(prefix="verigrad-places-") as folder:
        os.chmod(folder, 0o777)
        Path(folder, "file").write_text("ours")
        yield {level: places.hand_over(level, folder) for level in (2, 3)}
        assert os.listdir(folder) == ["file"]


@pytest.fixture(scope="module")
def ordinary():
    with outside.copy() as folder:
        open_to_all = folder / "open"
        open_to_all.mkdir()
        open_to_all.chmod(0o777)
        yield outside.as_ordinary(folder, "places.py", {"levels": [2, 3], "outside": str(open_to_all)})


@pytest.mark.parametrize("level", [2, 3])
@pytest.mark.parametrize("who", ["ours", "ordinary"])
def test_a_mark_is_left_only_in_the_box_and_not_found_again(who, level, request):
    given = request.getfixturevalue(who)
    left, found = given[level] if who == "ours" else given["said"][str(level)]
    assert found == []
    kinds = {name.partition(" in ")[0] for name in left}
    assert kinds <= INSIDE, "what was written is not in a folder of the box"
    assert "file in ." in left, "the program did try"
    written = {name.partition(" in ")[2] for name in left}
    if level == 3:
        assert written <= {".", "/tmp", "/dev/shm", "/box"}
    else:
        assert all(place == "." or (place.endswith(("/box", "/tmp")) and place != "/tmp") for place in written), written


def test_an_ordinary_users_own_files_stay_as_they_were(ordinary):
    assert ordinary["names"] == ["file"]
    assert ordinary["mode"] == 0o644
    assert ordinary["time"] != 7
