"""Charts are pure: numbers in, well-formed SVG out, whatever the numbers and names."""

import math
import xml.etree.ElementTree as ET

import pytest
from hypothesis import given
from hypothesis import strategies as st

from verigrad.reporting.charts import HEIGHT, WIDTH, Line, Whisker, areas, intervals, lines
from verigrad.reporting.scales import label, smooth, thin, ticks

NUMBER = st.floats(-1e9, 1e9) | st.sampled_from([math.nan, math.inf, -math.inf, 0.0])


def places(svg):
    """Every number in a path or a circle of the SVG."""
    root = ET.fromstring(svg)
    found = []
    for e in root.iter():
        words = e.get("d", "").replace("M", " ").replace("L", " ").replace("Z", " ").split()
        found += [float(w) for w in words] + [float(e.get(k)) for k in ("cx", "cy") if e.get(k)]
    return found


@given(st.lists(NUMBER, max_size=40), st.text(max_size=8), st.booleans())
def test_any_numbers_and_names_give_sound_svg(ys, name, percent):
    points = [(float(x), y) for x, y in enumerate(ys)]
    svg = lines(name, [Line(name=name, points=points)], percent=percent)
    if not any(math.isfinite(y) for y in ys):
        assert svg == ""
        return
    assert all(-1 <= place <= WIDTH + 1 for place in places(svg))


def test_a_line_is_drawn_where_its_values_are():
    svg = lines("t", [Line(name="a", points=[(0, 0.0), (10, 1.0)])])
    path = next(e for e in ET.fromstring(svg).iter() if e.get("class") == "line c0").get("d")
    assert path == f"M52.0 {HEIGHT - 26:.1f}L{WIDTH - 10:.1f} 10.0"


def test_areas_stack_to_one():
    svg = areas("t", [Line(name=n, points=[(1, s), (2, s)]) for n, s in (("a", 0.25), ("b", 0.75))])
    paths = [e.get("d") for e in ET.fromstring(svg).iter() if (e.get("class") or "").startswith("area")]
    top_of_a = paths[0].split("L")[0]
    assert top_of_a in "M" + paths[1].split("L")[-1].removesuffix("Z"), "b begins where a ends"
    assert paths[1].startswith("M52.0 10.0")
    with pytest.raises(ValueError, match="same steps"):
        areas("t", [Line(name="a", points=[(1, 1.0)]), Line(name="b", points=[(2, 0.0)])])


def test_a_chart_names_itself_and_its_ends_for_a_screen_reader():
    svg = lines("Share <right>", [Line(name="a&b", points=[(1, 0.25), (2, 0.5)])], percent=True)
    root = ET.fromstring(svg)
    assert root.get("aria-label") == "Share <right>"
    assert root.find("desc").text == "a&b: 25.0% at first, 50.0% at last"


def test_whiskers_keep_their_order_and_a_row_without_numbers_is_left_out():
    rows = [Whisker(name="x", value=0.5, low=0.4, high=0.7), Whisker(name="y", value=math.nan, low=0, high=1)]
    root = ET.fromstring(intervals("t", rows, marks=[(0.0, "none")]))
    circles = [float(e.get("cx")) for e in root.iter() if e.tag == "circle"]
    bars = [e for e in root.iter() if e.get("class") == "whisker"]
    assert len(circles) == 1
    assert float(bars[0].get("x1")) < circles[0] < float(bars[0].get("x2"))
    assert intervals("t", []) == ""


@pytest.mark.parametrize(
    ("low", "high", "says"),
    [
        (0.0, 1.0, [0.0, 0.2, 0.4, 0.6, 0.8, 1.0]),
        (3.0, 3.0, [1.0, 2.0, 3.0, 4.0, 5.0]),
        (0.0, 0.0, [-0.6, -0.4, -0.2, 0.0, 0.2, 0.4, 0.6]),
        (math.nan, 1.0, [0.0, 1.0]),
    ],
)
def test_ticks(low, high, says):
    assert ticks(low, high) == says


@given(st.floats(-1e12, 1e12), st.floats(1e-6, 1e12))
def test_ticks_cover_the_range_and_are_few(low, size):
    found = ticks(low, low + size)
    slack = 1e-6 * max(abs(low), size)
    assert found[0] <= low + slack
    assert found[-1] >= low + size - slack
    assert 2 <= len(found) <= 9


def test_labels():
    assert [label(x) for x in (0, 0.25, 1200, 2.5e-6, 0.000125)] == ["0", "0.25", "1,200", "2.5e-6", "1.25e-4"]
    assert label(0.075, percent=True) == "7.5%"


def test_thinning_loses_no_peak_and_smoothing_keeps_a_constant():
    points = [(float(x), 1.0 if x == 4321 else 0.0) for x in range(10_000)]
    few = thin(points, most=300)
    assert len(few) <= 310
    assert (4321.0, 1.0) in few
    assert smooth([(float(x), 2.0) for x in range(20)]) == [(float(x), 2.0) for x in range(20)]
