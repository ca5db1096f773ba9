"""Whatever a row holds, it is read or refused in one line that names it; and what is read holds what it should."""

from __future__ import annotations

import json
from types import SimpleNamespace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from verigrad.data import demonstrations, labelled, load, pairs
from verigrad.errors import Refused

TEXT = st.text(alphabet=st.characters(exclude_categories=("Cs",)), max_size=8)
TURN = st.one_of(
    st.fixed_dictionaries({"role": st.sampled_from(["user", "assistant", "system", "tool", 3]), "content": TEXT}),
    st.fixed_dictionaries({"from": st.sampled_from(["human", "gpt", "x", None]), "value": TEXT | st.none()}),
    st.dictionaries(TEXT, TEXT, max_size=2),
)
DIALOGUE = st.lists(st.tuples(st.sampled_from(["Human", "Assistant"]), TEXT), max_size=4).map(
    lambda turns: "".join(f"\n\n{who}: {said}" for who, said in turns)
)
VALUE = st.one_of(
    TEXT,
    DIALOGUE,
    st.lists(TURN, max_size=4),
    TURN,
    st.none(),
    st.booleans(),
    st.integers(-2, 3),
    st.floats(allow_nan=False, allow_infinity=False),
    st.lists(TEXT, max_size=2),
)
NAMES = ("prompt", "messages", "chosen", "rejected", "margin", "completion", "label", "gold", "other")
ASKED, SAID = {"role": "user", "content": "q"}, {"role": "assistant", "content": "a"}
WHOLE = (
    {"prompt": "q", "chosen": "a", "rejected": "b", "completion": "a", "label": True},
    {"prompt": [ASKED], "chosen": [SAID], "rejected": "b", "completion": [SAID], "label": 0},
    {"chosen": [ASKED, SAID], "rejected": [ASKED, SAID | {"content": "b"}], "other": 1},
    {"chosen": "\n\nHuman: q\n\nAssistant: a", "rejected": "\n\nHuman: q\n\nAssistant: b", "messages": [ASKED, SAID]},
    {"messages": [ASKED], "gold": 3, "other": "o"},
)
ROW = st.tuples(st.sampled_from(WHOLE), st.dictionaries(st.sampled_from(NAMES), VALUE, max_size=2)).map(
    lambda made: made[0] | made[1]
)
"""Rows that are whole, with up to two columns spoilt or added."""
TABLE = st.fixed_dictionaries(
    {
        "prompt": st.sampled_from([None, None, "Q: {other}"]),
        "columns": st.sampled_from([{}, {}, {"gold": "chosen", "chosen": "chosen"}, {"completion": "chosen"}]),
        "system": st.sampled_from([None, None, "s"]),
    }
)
READ = {
    "pairs": ("preference", False, pairs),
    "labels": ("preference", True, labelled),
    "demonstrations": ("sft", False, demonstrations),
}


@pytest.mark.parametrize("wants", READ)
@settings(max_examples=150, deadline=None)
@given(rows=st.lists(ROW, min_size=1, max_size=2), said=TABLE)
def test_any_row_is_read_or_refused_in_one_line(tmp_path_factory, wants, rows, said):
    kind, unpaired, examples_of = READ[wants]
    folder = tmp_path_factory.mktemp("fuzz")
    (folder / "rows.jsonl").write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    table = SimpleNamespace(source="rows.jsonl", held_out=0.0, split_by=None, weight=None, **said)
    tasks, line = (), "rows.jsonl"
    try:
        tasks = load([table], folder=folder, kind=kind, labelled=unpaired)[0].tasks
    except Refused as error:
        line = str(error)
    assert line.startswith("rows.jsonl")
    assert "\n" not in line
    for example in examples_of(tasks):
        answers = (example.chosen, example.rejected) if wants == "pairs" else (example.answer,)
        assert all(isinstance(answer, str) and answer.strip() for answer in answers)
        assert len({answer.strip() for answer in answers}) == len(answers)
        assert example.task.prompt[-1]["role"] == "user"
        assert all(turn["content"].strip() for turn in example.task.prompt)
