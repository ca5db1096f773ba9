"""Parquet files, hub snapshots and gym tasks: what is read, and the one line for what is wrong."""

from __future__ import annotations

import datetime
import decimal
import itertools
import json
import logging

import datasets
import pyarrow
import pyarrow.parquet
import pytest

from verigrad.data import gym, hub, load_source, parquet, plain
from verigrad.data.rows import reading
from verigrad.errors import DataError, RecipeError, Refused
from verigrad.records import Task

ROWS = [
    {"prompt": "p0", "gold": 1, "tags": ["a", "b"], "about": {"n": 1.5}},
    {"prompt": "p1", "gold": 2, "tags": [], "about": {"n": None}},
]


def write(path, rows):
    path.parent.mkdir(parents=True, exist_ok=True)
    pyarrow.parquet.write_table(pyarrow.Table.from_pylist(rows), path, row_group_size=1)


def one_line(refused):
    assert "\n" not in str(refused.value)
    assert "Traceback" not in str(refused.value)
    return str(refused.value)


def test_parquet_rows_are_those_of_the_same_jsonl(jsonl, tmp_path):
    write(tmp_path / "rows.parquet", ROWS)
    name = jsonl("rows.jsonl", *ROWS)
    one, other = load_source("rows.parquet", folder=tmp_path), load_source(name, folder=tmp_path)
    assert one.tasks == other.tasks
    assert one.places == ("rows.parquet[0]", "rows.parquet[1]")
    assert [t.columns["tags"] for t in one.tasks] == [["a", "b"], []]


def test_parquet_is_read_in_batches(tmp_path, monkeypatch):
    monkeypatch.setattr(parquet, "BATCH", 2)
    write(tmp_path / "rows.parquet", [{"prompt": f"p{i}", "gold": i} for i in range(7)])
    assert [t.gold for t in load_source("rows.parquet", folder=tmp_path).tasks] == list(range(7))


def test_a_parquet_file_of_a_known_form(tmp_path):
    write(tmp_path / "q.parquet", [{"question": "What is 3 + 4?", "answer": "#### 7"}])
    source = load_source("q.parquet", folder=tmp_path)
    assert (source.tasks[0].gold, source.notes[0][:27]) == ("7", "q.parquet: read as GSM8K: p")


def test_typed_values_become_json_values():
    row = {
        "day": datetime.date(2026, 1, 2),
        "at": datetime.datetime(2026, 1, 2, 3, 4, 5),
        "price": decimal.Decimal("1.50"),
        "missing": float("nan"),
        "pairs": [("a", 1)],
        "yes": True,
    }
    assert plain.plain_row(row, "f[0]") == {
        "day": "2026-01-02",
        "at": "2026-01-02T03:04:05",
        "price": "1.50",
        "missing": None,
        "pairs": [["a", 1]],
        "yes": True,
    }


@pytest.mark.parametrize(
    ("value", "says"),
    [
        (b"png", "f[3]: column x holds bytes"),
        (float("inf"), "f[3]: column x holds an infinity"),
        ({1, 2}, "f[3]: column x holds set"),
        ("\ud800", "half a surrogate pair"),
    ],
)
def test_values_that_are_no_rows(value, says):
    with pytest.raises(DataError) as refused:
        plain.plain_row({"x": value}, "f[3]")
    assert says in one_line(refused)
    deep: list = []
    for _ in range(200):
        deep = [deep]
    with pytest.raises(DataError, match="nested too deeply"):
        plain.plain_row({"x": deep}, "f[3]")


@pytest.mark.parametrize("content", [b"", b"PAR1", b"PAR1" + b"\0" * 200 + b"PAR1", b'{"prompt": 1}'])
def test_a_file_that_is_no_parquet(tmp_path, content):
    (tmp_path / "rows.parquet").write_bytes(content)
    with pytest.raises(DataError) as refused:
        load_source("rows.parquet", folder=tmp_path)
    assert one_line(refused).startswith("rows.parquet: no Parquet file that can be read: ")


@pytest.mark.parametrize("content", [[{"prompt": "p", "gold": float("inf")}], []])
def test_parquet_rows_are_checked(tmp_path, content):
    table = pyarrow.Table.from_pylist(content, schema=pyarrow.schema([("prompt", "string"), ("gold", "float64")]))
    pyarrow.parquet.write_table(table, tmp_path / "rows.parquet")
    with pytest.raises(DataError, match="infinity" if content else "no rows"):
        load_source("rows.parquet", folder=tmp_path)


CARD = """---
configs:
- config_name: main
  data_files:
  - split: train
    path: main/train*
  - split: test
    path: main/test*
- config_name: hard
  data_files:
  - split: train
    path: hard/*
---
"""


@pytest.fixture
def snapshot(tmp_path):
    """A data set's folder as the hub has it: a card with two configurations, Parquet and JSONL below."""
    home = tmp_path / "made/sums"
    write(
        home / "main/train-0.parquet", [{"question": f"What is {i} + 1?", "answer": f"#### {i + 1}"} for i in range(3)]
    )
    write(home / "main/test-0.parquet", [{"question": "What is 50 + 1?", "answer": "#### 51"}])
    (home / "hard").mkdir()
    (home / "hard/train.jsonl").write_text(json.dumps({"prompt": "p", "gold": 1}) + "\n")
    (home / "README.md").write_text(CARD)
    return tmp_path


@pytest.mark.parametrize(
    ("source", "golds"),
    [
        ("hub:made/sums/main", ["1", "2", "3"]),
        ("hub:made/sums/main:train", ["1", "2", "3"]),
        ("hub:made/sums/main:test", ["51"]),
        ("hub:made/sums/hard", [1]),
    ],
)
def test_a_snapshot_is_read_in_the_hubs_place(snapshot, source, golds):
    read = load_source(source, folder=snapshot)
    assert [t.gold for t in read.tasks] == golds
    assert read.name == source.removeprefix("hub:")
    assert read.places[0] == f"{source}[0]"


def test_the_test_split_may_be_what_is_held_out(snapshot, table):
    from verigrad.data import load

    said = table("hub:made/sums/main", held_out="hub:made/sums/main:test", prompt="{question} Think.")
    (source,) = load([said], folder=snapshot)
    assert source.held_out.tasks[0].prompt[0]["content"] == "What is 50 + 1? Think."
    assert source.held_out.tasks[0].gold == "51"


@pytest.mark.parametrize(
    ("source", "says"),
    [
        ("hub:made/sums/easy", "cannot be loaded"),
        ("hub:made/sums/main:dev", "cannot be loaded"),
        ("hub:made/sums", "cannot be loaded"),
    ],
)
def test_what_a_snapshot_has_not(snapshot, source, says):
    with pytest.raises(DataError) as refused:
        load_source(source, folder=snapshot)
    assert says in one_line(refused)
    assert refused.value.key == "data.source"


def test_a_hub_that_cannot_be_reached_says_what_to_do(tmp_path, monkeypatch, caplog):
    asked = []

    def load_dataset(path, *, name, split, streaming):
        asked.append((path, name, split, streaming))
        logging.getLogger("huggingface_hub.utils._http").warning("Retrying in 1s [Retry 1/5].")
        raise ConnectionError("Couldn't reach\nthe Hub")

    monkeypatch.setattr(datasets, "load_dataset", load_dataset)
    with pytest.raises(DataError) as refused:
        load_source("hub:someone/set/config:test", folder=tmp_path)
    assert asked == [("someone/set", "config", "test", False)]
    assert one_line(refused) == (
        'data.source = "hub:someone/set/config:test": cannot be loaded: ConnectionError: Couldn\'t reach the Hub '
        "(someone/set; or put a snapshot into that folder beside it)"
    )
    assert not caplog.records
    logging.getLogger("huggingface_hub.utils._http").warning("as before")
    assert caplog.messages == ["as before"]


@pytest.mark.parametrize("source", ["hub:", "hub:a/b:c:d", "hub:a/b:train[:5]", "hub:a/b/", "hub:a b", "hub:/a\n"])
def test_names_that_are_none(tmp_path, source):
    with pytest.raises(RecipeError, match="want"):
        hub.named(source, folder=tmp_path, key="data.source")


@pytest.fixture
def few(monkeypatch):
    monkeypatch.setattr(gym, "ITEMS", 12)


def test_gym_tasks_are_rows_with_a_gold_for_logic(few):
    source = load_source("gym:chain_sum", how=reading(prompt="{prompt} Answer with one number."))
    first = source.tasks[0]
    assert isinstance(first, Task)
    assert (source.name, len(source.tasks), source.places[0]) == ("chain_sum", 12, "gym:chain_sum[0]")
    assert set(first.gold) == {"type", "task", "answer", "metadata"}
    assert (first.gold["type"], first.gold["task"]) == ("gym", "chain_sum")
    assert json.loads(json.dumps(first.gold)) == first.gold
    assert str(first.gold["metadata"]["expression"]) in first.prompt[0]["content"]
    assert first.prompt[0]["content"].endswith(" Answer with one number.")


def test_items_of_neighbouring_seeds_are_unrelated():
    seeds = [gym.item_seed(name, i) for name in ("chain_sum", "countdown") for i in range(1000)]
    assert len(set(seeds)) > 1990
    assert all(0 <= s < 2**31 for s in seeds)
    steps = {b - a for a, b in itertools.pairwise(seeds)}
    assert len(steps) > 1990


def test_a_gym_task_whose_items_are_never_the_same_is_refused():
    with pytest.raises(RecipeError, match="time of day"):
        load_source("gym:codeio")


def test_items_are_the_same_in_every_process(few, monkeypatch):
    made = []
    for text_hash in ("1", "2"):
        monkeypatch.setenv("PYTHONHASHSEED", text_hash)
        made.append(load_source("gym:ransom_note"))
    assert made[0] == made[1]


@pytest.fixture
def instead(tmp_path, monkeypatch):
    """Another package in reasoning-gym's place."""

    def put(text):
        (tmp_path / "reasoning_gym").mkdir()
        (tmp_path / "reasoning_gym/__init__.py").write_text(text)
        (tmp_path / "reasoning_gym/factory.py").write_text("DATASETS = {'chain_sum': 1}")
        monkeypatch.setenv("PYTHONPATH", str(tmp_path))

    return put


def test_the_gym_may_be_missing(instead):
    instead("raise ImportError('none')")
    with pytest.raises(Refused) as refused:
        load_source("gym:chain_sum")
    assert one_line(refused).endswith('reasoning-gym is not installed; pip install "verigrad[gym]"')
    assert refused.value.key == "data.source"


def test_the_gym_may_die_or_print(instead, few):
    instead(
        "import os\n"
        "def create_dataset(name, seed, size):\n"
        "    print('talk')\n"
        "    create_dataset.n = getattr(create_dataset, 'n', 0) + 1\n"
        "    if create_dataset.n == 3: os._exit(1)\n"
        "    return [{'question': str(seed), 'answer': None, 'metadata': {'at': {1}, 'pair': (1, 2)}}]\n"
    )
    rows = gym.read("gym:chain_sum", key="data.source")
    (_, row), _ = next(rows), next(rows)
    assert row["gold"]["metadata"] == {"at": "{1}", "pair": [1, 2]}
    with pytest.raises(DataError, match="ended early"):
        next(rows)


def test_a_gym_task_that_is_not_there_or_cannot_be_made(instead):
    instead("def create_dataset(name, seed, size):\n    raise AssertionError('none\\nat all')\n")
    with pytest.raises(RecipeError) as unknown:
        load_source("gym:chain_sun")
    assert "did you mean chain_sum?" in one_line(unknown)
    with pytest.raises(DataError) as broken:
        load_source("gym:chain_sum")
    assert one_line(broken) == "gym:chain_sum[0]: not made: AssertionError: none at all"
