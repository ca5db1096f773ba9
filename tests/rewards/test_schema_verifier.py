"""The schema verifier: the shipped cases, siblings of every trap, golds, hostile texts within a time."""

import contextlib
import importlib.util
import json
import time
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from verigrad.records import Task
from verigrad.rewards.documents import formats, literal
from verigrad.rewards.documents.limits import Malformed
from verigrad.rewards.tokens import TooBig
from verigrad.rewards.verifiers import schema

_spec = importlib.util.spec_from_file_location("structured_answers", Path(__file__).with_name("structured_answers.py"))
table = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(table)
CASES = [
    case
    for line in (Path(__file__).parents[1] / "cases/verifier_cases.jsonl").read_text().splitlines()
    if (case := json.loads(line))["kind"] == "schema"
]
FITS = {"R": ("right",), "N": ("wrong", "unreadable"), "B": ("wrong",), "E": ("ungraded",)}


def verify(answer, gold, **options):
    return schema.verify(answer, Task.make(prompt="q", gold=gold), **options)


@pytest.mark.parametrize("case", CASES, ids=[c["id"] for c in CASES])
def test_shipped_cases(case):
    got = verify(case["completion"], case["truth"])
    assert got.status in (("right",) if case["expected"] else ("wrong", "unreadable")), (case["why"], got)


@pytest.mark.parametrize("i", range(len(table.SCHEMA)))
def test_siblings(i):
    gold, answer, wanted = table.SCHEMA[i]
    got = verify(answer, gold, seconds=1.5 if gold is table.HANGS and wanted == "B" else 30.0)
    assert got.status in FITS[wanted], (answer[:80], got)
    assert got.reason.startswith("broke_check") == (wanted == "B"), got
    assert len(got.read or "") <= 200


@pytest.mark.parametrize(
    ("gold", "options", "wanted"),
    [
        (table.P, {}, {"name": "", "age": 0}),
        (table.V, {}, {"name": "Ann", "age": 4}),
        ({"name": "Ann"}, {"gold_is": "value"}, {"name": "Ann"}),
        (table.PERSON, {"gold_is": "schema"}, {"name": "", "age": 0}),
        (json.dumps(table.P), {}, {"name": "", "age": 0}),
        ({"schema": {"type": "string", "pattern": "^[A-Z]{3}-[0-9]+$"}}, {}, "AAA-0"),
        ({"schema": {"type": "array", "items": {"enum": ["x", "y"]}, "minItems": 2}}, {}, ["x", "x"]),
        ({"schema": {"type": "integer", "exclusiveMinimum": 7, "multipleOf": 5}}, {}, 15),
        (
            {"schema": {"$defs": {"a": {"const": 5}}, "properties": {"k": {"$ref": "#/$defs/a"}}, "required": ["k"]}},
            {},
            {"k": 5},
        ),
        ({"schema": {"allOf": [{"type": "object"}, {"required": ["b"]}]}}, {}, {"b": None}),
        ({"schema": {"type": "object"}, "example": {"z": 1}}, {}, {"z": 1}),
    ],
)
def test_golds_pass_their_own_check(gold, options, wanted):
    task = Task.make(prompt="q", gold=gold)
    assert schema.check_gold(task, **options) is None
    answer = schema.gold_answer(task, **options)
    assert json.loads(answer) == wanted
    assert schema.verify(answer, task, **options).correct


@pytest.mark.parametrize("form", ["yaml", "toml"])
def test_golds_of_other_formats_pass_too(form):
    task = Task.make(prompt="q", gold={"value": {"a": 1, "b": {"c": ["x", 2.5, True]}}, "format": form})
    assert schema.verify(schema.gold_answer(task), task).correct


@pytest.mark.parametrize(
    "gold", [7, "no json", ["schema"], {"schema": 7}, {"schema": {"type": "strnig"}}, {"value": 1, "format": "xml"}]
)
def test_a_gold_that_cannot_be_read_is_named(gold):
    assert schema.check_gold(Task.make(prompt="q", gold=gold))
    assert verify("{}", gold).status == "ungraded"


def test_a_schema_nothing_satisfies_is_found_before_training():
    task = Task.make(prompt="q", gold={"schema": {"type": "integer", "minimum": 5, "maximum": 3}})
    assert not schema.verify(schema.gold_answer(task), task).correct


def test_loose_types_are_an_option():
    loose = {"schema": table.PERSON, "strict_types": False}
    assert verify('{"name": "Ann", "age": 4.0}', loose).correct
    assert verify('{"name": "Ann", "age": 4.0}', table.P, strict_types=False).correct
    assert not verify('{"name": "Ann", "age": true}', loose).correct


def test_hostile_shapes_are_bounded():
    begun = time.perf_counter()
    shapes = ["[" * 400_000, '{"a":' * 60_000, '"' * 99_999, "{" * 99_999 + "}" * 99_999, "```json\n" * 20_000]
    shapes += ["<answer>" * 30_000, '{"a": "' + "\\" * 99_990, "[1]\n" * 20_000, "{'" * 40_000, "1" * 90_000]
    for text in [*shapes, "[" + "1," * 49_000 + "1]"]:
        for gold in (table.A, {**table.L}, {"schema": {}, "format": "toml"}):
            assert verify(text, gold).status != "ungraded"
    assert time.perf_counter() - begun < 60


@settings(max_examples=150, deadline=None)
@given(st.text(alphabet=st.sampled_from("{}[]\",:'0123eE.+-\\untrlfas \n`<>"), max_size=60))
def test_no_text_raises(text):
    assert verify(text, table.A).status != "ungraded"
    assert verify(text, table.L).status != "ungraded"


LEAVES = st.none() | st.booleans() | st.integers(-(10**20), 10**20) | st.text(st.characters(codec="utf-8"), max_size=5)
KEYS = st.text(st.characters(codec="utf-8"), max_size=4)


@settings(max_examples=100, deadline=None)
@given(st.recursive(LEAVES, lambda x: st.lists(x, max_size=3) | st.dictionaries(KEYS, x, max_size=3), max_leaves=12))
def test_every_json_value_is_read_as_itself(value):
    assert formats.find("json").read(json.dumps(value, ensure_ascii=False)) == value
    assert formats.find("json").read(json.dumps(value)) == value


@settings(max_examples=150, deadline=None)
@given(st.text(max_size=80))
def test_every_reader_refuses_in_its_own_words(text):
    for read in (literal.read, *(formats.find(name).read for name in formats.names())):
        with contextlib.suppress(Malformed, TooBig):
            json.dumps(read(text))
