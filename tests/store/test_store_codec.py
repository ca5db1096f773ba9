"""Every field of every record comes back as it went, whatever is in it."""

import json
from dataclasses import fields, is_dataclass

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from verigrad.errors import DataError
from verigrad.records import STATUSES, Draw, Grade, Group, Item, Reply, Rollout, Scored, Task, Verdict
from verigrad.store import RunDirectory, codec, files

TEXT = st.text(alphabet=st.characters(exclude_categories=()), max_size=12)
"""Lone surrogates, control characters and line separators included: model output is hostile."""
JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**70), 2**70) | st.floats(allow_nan=False) | TEXT,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=3),
    max_leaves=6,
)
INT64 = st.integers(-(2**63), 2**63 - 1)


@st.composite
def tasks(draw):
    return Task(
        key=draw(TEXT),
        family=draw(TEXT),
        prompt=tuple(draw(st.lists(st.fixed_dictionaries({"role": TEXT, "content": TEXT}), max_size=3))),
        gold=draw(JSON),
        columns=draw(st.dictionaries(TEXT, JSON, max_size=3)),
        source=draw(TEXT),
    )


@st.composite
def verdicts(draw):
    status = draw(st.sampled_from(STATUSES))
    return Verdict(
        status=status,
        score=None if status == "ungraded" else draw(st.floats(0, 1)),
        reason=draw(TEXT),
        read=draw(st.none() | TEXT),
        rule=draw(TEXT),
        isolation=draw(st.integers(0, 3)),
        seconds=draw(st.floats(0, 1e6)),
        process=draw(st.none() | st.lists(st.floats(allow_nan=False), max_size=3).map(tuple)),
    )


@st.composite
def scoreds(draw, task):
    n = draw(st.integers(0, 4))
    bits = draw(st.lists(st.integers(0, 2**32 - 1), min_size=n, max_size=n))
    rollout = Rollout(
        task=draw(st.just(task) | tasks()),
        draw=Draw(
            stage=draw(st.integers(1, 99)),
            step=draw(st.integers(0, 10**6)),
            attempt=draw(st.integers(-1, 99)),
            seed=draw(st.integers(0, 2**64 - 1)),
        ),
        answer=draw(TEXT),
        prompt_ids=np.array(draw(st.just([1, 2]) | st.lists(INT64, max_size=3)), dtype=np.int64),
        token_ids=np.array(draw(st.lists(INT64, min_size=n, max_size=n)), dtype=np.int64),
        chosen=np.array(draw(st.lists(st.booleans(), min_size=n, max_size=n)), dtype=bool),
        logp=np.array(bits, dtype=np.uint32).view(np.float32),
        finish=draw(st.sampled_from(["stop", "length"])),
        version=(draw(st.integers(0, 99)), draw(st.integers(0, 99))),
    )
    verdict = draw(verdicts())
    return Scored(
        rollout=rollout,
        verdict=verdict,
        parts=draw(st.dictionaries(TEXT, st.floats(allow_nan=False), max_size=3)),
        reward=None if verdict.score is None else draw(st.floats(allow_nan=False)),
    )


@st.composite
def groups(draw):
    task = draw(tasks())
    some = st.lists(scoreds(task), max_size=2).map(tuple)
    return Group(task=task, members=draw(some), left_out=draw(some), greedy=draw(st.none() | scoreds(task)))


def same(a, b):
    """Equal in type and to the last bit, through records, arrays, tuples and mappings in order."""
    if isinstance(a, np.ndarray):
        return a.dtype == b.dtype and a.shape == b.shape and a.tobytes() == b.tobytes()
    if is_dataclass(a):
        return type(a) is type(b) and all(same(getattr(a, f.name), getattr(b, f.name)) for f in fields(a))
    if isinstance(a, (list, tuple)):
        return type(a) is type(b) and len(a) == len(b) and all(map(same, a, b))
    if isinstance(a, dict):
        return list(a) == list(b) and all(same(a[k], b[k]) for k in a)
    return type(a) is type(b) and (a == b and str(a) == str(b))


@settings(max_examples=50, deadline=None)
@given(st.lists(groups(), max_size=2))
def test_a_step_comes_back_exactly(tmp_path_factory, written):
    path = tmp_path_factory.mktemp("step") / "step.jsonl.zst"
    path.write_bytes(files.pack([codec.line_of(codec.group(g)) for g in written]))
    assert same([codec.to_group(v) for v in files.unpack(path)], written)


def test_same_tells_one_bit_apart():
    a = np.array([0x3F800000], dtype=np.uint32).view(np.float32)
    b = np.array([0x3F800001], dtype=np.uint32).view(np.float32)
    assert same(a, a.copy())
    assert not same(a, b)
    assert not same(0.0, -0.0)


def reply(answer="56", **more):
    grade = Grade(strict="right", lenient="right", read="56", reason="")
    return Reply(answer=answer, seed=2**64 - 1, tokens=3, finish="stop", grade=grade, **more)


def test_items_come_back_exactly(tmp_path):
    task = Task.make(prompt="7*8?", gold=56, columns={"b": 1, "a": [None, {"x": 1.5}]})
    items = [
        Item(task=task, suite="s", greedy_before=reply(training="wrong"), greedy_after=reply("\ud800")),
        Item(
            task=task,
            suite="t",
            greedy_before=reply(),
            greedy_after=reply(),
            sampled_before=(reply(), reply("x" * 10_000)),
            sampled_after=(reply(training="ungraded"),),
        ),
    ]
    with RunDirectory.create(tmp_path / "r", recipe_text="", resolved={}) as run:
        assert run.read_items() == []
        run.write_items(items)
        assert same(run.read_items(), items)


@pytest.mark.parametrize(
    ("gold", "named"),
    [((1, 2), "tuple"), ({1: 2}, "dict"), (b"x", "bytes"), ([{"a": {1}}], "set"), (np.float32(1), "float32")],
)
def test_a_gold_that_json_would_change_is_refused(gold, named):
    with pytest.raises(DataError, match=f"gold holds a {named}; a task holds JSON values only"):
        codec.task(Task.make(prompt="q", gold=gold))


def test_seconds_are_kept_but_are_no_part_of_equality():
    task = Task.make(prompt="q", gold=1, columns={"verdict": {"seconds": 5}})

    def value(seconds, gold_seconds=5):
        t = Task.make(prompt="q", gold=1, columns={"verdict": {"seconds": gold_seconds}}) if gold_seconds != 5 else task
        rollout = Rollout(
            task=t,
            draw=Draw(stage=1, step=1, attempt=0, seed=1),
            answer="1",
            prompt_ids=np.array([1]),
            token_ids=np.array([1]),
            chosen=np.array([True]),
            logp=np.array([-0.5], np.float32),
            finish="stop",
        )
        verdict = Verdict(status="right", score=1.0, seconds=seconds)
        return codec.group(Group(task=t, members=(Scored(rollout=rollout, verdict=verdict, reward=1.0),)))

    assert codec.to_group(value(0.25)).members[0].verdict.seconds == 0.25
    assert codec.without_seconds(value(0.25)) == codec.without_seconds(value(9.0))
    assert codec.without_seconds(value(0.25)) != codec.without_seconds(value(0.25, gold_seconds=6))


def test_a_line_holds_no_line_break_whatever_the_text():
    assert "\n" not in codec.line_of({"answer": "a\nb\r\x0b\x85\u2028"})
    assert json.loads(codec.line_of({"x": float("inf")}))["x"] == float("inf")
