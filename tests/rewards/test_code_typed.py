"""Plain values as typed JSON, what equals what, and printed output: no box is started here."""

import json
import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from verigrad.rewards.programs import printed, typed

SCALARS = st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.binary() | st.complex_numbers()
KEYS = st.integers() | st.text() | st.booleans() | st.tuples(st.integers(), st.text())
VALUES = st.recursive(
    SCALARS,
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.tuples(inner, inner)
        | st.dictionaries(KEYS, inner, max_size=4)
        | st.sets(st.integers() | st.text(), max_size=4)
        | st.frozensets(st.integers(), max_size=4)
    ),
    max_leaves=20,
)


def over_the_pipe(value):
    return typed.parse(json.dumps(typed.wire(value)).encode())


@given(VALUES)
@settings(deadline=None, max_examples=200)
def test_a_value_equals_itself_over_the_pipe_and_comes_back(value):
    wire = over_the_pipe(value)
    typed.check(wire)
    assert typed.same(wire, typed.wire(value))
    assert typed.same(wire, typed.wire(value), rule="json")
    assert repr(typed.value(wire)) == repr(typed.value(typed.wire(value)))


@given(st.binary(max_size=200) | st.text(max_size=200).map(str.encode))
@settings(deadline=None, max_examples=300)
def test_whatever_comes_back_is_a_frame_or_malformed(body):
    try:
        wire = typed.parse(body)
        typed.check(wire)
    except typed.Malformed:
        return
    for rule in ("json", "exact", "python"):
        typed.same(wire, [1], rule=rule)
        typed.same(wire, [1.5], rule=rule, tolerance=1e-6)
        typed.same([1.5, 2], wire, rule=rule, tolerance=1e-6, ordered=False)
    typed.said(wire)


TAGS = st.sampled_from(["t", "d", "D", "s", "z", "i", "c", "f", "b", "o", "x"])
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TAGS, inner, max_size=2),
    max_leaves=8,
)


@given(JSON, JSON)
@settings(deadline=None, max_examples=300)
def test_forged_tags_are_malformed_or_compare_without_an_exception(a, b):
    for wire in (a, b):
        try:
            typed.check(wire)
        except typed.Malformed:
            return
    assert typed.same(a, b) in (True, False)
    assert typed.same(a, b, rule="python", tolerance=0.1) in (True, False)


@pytest.mark.parametrize(
    ("a", "b", "rules"),
    [
        (1, 1, "json exact python"),
        (1, True, "python"),
        (1, 1.0, "python"),
        (0.0, -0.0, "json exact python"),
        ((1, 2), [1, 2], "json"),
        ({1: 2}, {"1": 2}, "json"),
        ({True: 2}, {"1": 2}, ""),
        ({1, 2}, [1, 2], ""),
        ({1, 2}, {2, 1}, "json exact python"),
        (frozenset([1]), {1}, "python"),
        (b"a", bytearray(b"a"), "python"),
        (b"a", "a", ""),
        (None, 0, ""),
        ("1", 1, ""),
        ([[1], (2,)], [[1], [2]], "json"),
        (math.nan, math.nan, "json exact"),
        (math.nan, 1.0, ""),
        (math.inf, 1e308, ""),
        (1 + 0j, 1, "python"),
        (2**53 + 1, 2.0**53, ""),
        ({"a": 1, "b": 2}, {"b": 2, "a": 1}, "json exact python"),
        ({"a": 1}, {"a": 1, "b": 2}, ""),
    ],
)
def test_what_equals_what(a, b, rules):
    agreed = [rule for rule in ("json", "exact", "python") if typed.same(over_the_pipe(a), typed.wire(b), rule=rule)]
    assert agreed == rules.split()


@pytest.mark.parametrize(
    ("a", "b", "close"),
    [
        (0.1 + 0.2, 0.3, True),
        ([1.0, (2.0000001,)], [1.0, [2.0]], True),
        (1.1, 1.0, False),
        (2, 2.0, True),
        (math.nan, 1.0, False),
        (math.inf, 1.0, False),
        ({"a": 1.0000001}, {"a": 1.0}, True),
        ({"b": 1.0}, {"a": 1.0}, False),
        ({1.0000001, 5.0}, {1.0, 5.0}, True),
        ([1.0], [1.0, 2.0], False),
        ("1.0", 1.0, False),
    ],
)
def test_tolerance(a, b, close):
    assert typed.same(over_the_pipe(a), typed.wire(b), rule="json", tolerance=1e-6) is close


def test_huge_whole_numbers():
    assert typed.same(over_the_pipe(10**5000), typed.wire(10**5000))
    assert not typed.same(over_the_pipe(10**5000), typed.wire(10**5000 + 1))
    assert not typed.same(over_the_pipe(10**400), 1.5, tolerance=1e-6)
    assert not typed.same(over_the_pipe(10**5000), 1.5, tolerance=1e-6)


def test_what_is_no_plain_value_equals_nothing_not_even_itself():
    thing = {"o": "Always"}
    for rule in ("json", "exact", "python"):
        assert not typed.same(thing, thing, rule=rule)
        assert not typed.same([thing], [thing], rule=rule, tolerance=1.0)


@pytest.mark.parametrize(
    "body",
    [
        b"[" * 200_000,
        b'{"t":[' * 5_000,
        b"9" * 100_000,
        b'{"i":"zz"}',
        b'{"i":9}',
        b'{"c":[1,2]}',
        b'{"d":[[1]]}',
        b'{"t":1,"s":2}',
        b"NaN",
        b"Infinity",
        b'{"b":"xyz"}',
        b"\xff",
        b"",
        b"[1",
        b"x" * (2 << 20),
    ],
)
def test_malformed_frames_are_refused(body):
    def read():
        typed.check(typed.parse(body))

    with pytest.raises(typed.Malformed):
        read()


@pytest.mark.parametrize(
    ("got", "want", "same"),
    [
        (b"6  \n\n", "6\n", True),
        (b"6", "6\n\n", True),
        (b"1\r\n2\r\n", "1\n2\n", True),
        (b" 6", "6", False),
        (b"1\n\n2", "1\n2", False),
        (b"1", "1\n2\n3\n", False),
        (b"1\n2\n3\n4", "1\n2\n3\n", False),
        (b"", "", True),
        (b"", "0", False),
        (b"\xff", "\ufffd", False),
    ],
)
def test_printed_up_to_trailing_white_space(got, want, same):
    assert printed.same(got, want) is same


def test_printed_numbers_within_a_tolerance():
    assert printed.same(b"x 0.3333334 y", "x 0.3333333 y", tolerance=1e-6)
    assert not printed.same(b"x 0.34 y", "x 0.3333333 y", tolerance=1e-6)
    assert not printed.same(b"nan", "1", tolerance=1e9)
    assert not printed.same(b"1 2", "1", tolerance=1e9)
