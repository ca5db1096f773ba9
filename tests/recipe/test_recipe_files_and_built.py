"""Named files and functions must be there; what this version has not built is refused, with what to use instead."""

from __future__ import annotations

from pathlib import Path

import pytest

from verigrad.errors import NotYet, Refused
from verigrad.recipe import check_built, check_paths, load, parse

FIXTURES = Path(__file__).parent / "fixtures"
SQL = (FIXTURES / "sql.toml").read_text()
CHECKS = """import os
from math import sqrt as root
LIMIT, (a, b) = 3, (4, 5)
def rows_match(answer, task): return True
if LIMIT:
    def same_on_fresh_rows(answer, task): return True
raise SystemExit("a check is never run to see whether it is there")
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "questions.jsonl").write_text("{}\n")
    (tmp_path / "checks.py").write_text(CHECKS)
    (tmp_path / "broken.py").write_text("x = 1\ndef (\n")
    (tmp_path / "star.py").write_text("from os.path import *\n")
    (tmp_path / "models" / "m").mkdir(parents=True)
    (tmp_path / "m.gguf").write_text("")
    return tmp_path


CHECK = '"checks.py:rows_match"'
THERE = [
    ("", ""),
    ('"Qwen/Qwen2.5-0.5B-Instruct"', '"gpt2"'),
    ('"Qwen/Qwen2.5-0.5B-Instruct"', '"models/m"'),
    ('"Qwen/Qwen2.5-0.5B-Instruct"', '"./m.gguf"'),
    ('"Qwen/Qwen2.5-0.5B-Instruct"', '"package:some_package/x.gguf"'),
    ("0.2\nsplit", '"./questions.jsonl"\nsplit'),
    (CHECK, '"checks.py:root"'),
    (CHECK, '"checks.py:b"'),
    (CHECK, '"checks.py:os"'),
    (CHECK, '"star.py:join"'),
    (CHECK, '"package.module:function"'),
    (CHECK, '"number"'),
    ("questions.jsonl", "checks.py:rows_match"),
    ("questions.jsonl", "times_table"),
    ("questions.jsonl", "hub:someone/something"),
]


@pytest.mark.parametrize(("old", "new"), THERE)
def test_what_is_there(folder: Path, old: str, new: str) -> None:
    check_paths(parse(SQL.replace(old, new, 1), file="sql.toml", folder=folder))


NOT_THERE = [
    (CHECK, '"checks.py:rows_macth"', "reward.0.verifier", "checks.py has no rows_macth; did you mean rows_match?"),
    (CHECK, '"checks.py:raise"', "reward.0.verifier", "checks.py has no raise; there is rows_match"),
    (
        CHECK,
        '"chekcs.py:f"',
        "reward.0.verifier",
        'reward.verifier = "chekcs.py" does not exist; did you mean checks.py?',
    ),
    (CHECK, '"broken.py:f"', "reward.0.verifier", "broken.py:2: not Python: "),
    ('"overlong"', '"no.py:f"', "reward.1.shaping", 'reward.shaping = "no.py" does not exist'),
    ('shaping = "overlong"', 'model = "judge"', "reward.1.model", 'reward.model = "judge" does not exist'),
    (
        '"checks.py:same_on_fresh_rows"',
        '"checks.py:same_on_fresh_row"',
        "acceptance.0.grader",
        "checks.py has no same_on_fresh_row; ",
    ),
    (
        "questions.jsonl",
        "question.jsonl",
        "data.0.source",
        'data.source = "question.jsonl" does not exist; did you mean questions.jsonl?',
    ),
    ("0.2\nsplit", '"test.jsonl"\nsplit', "data.0.held_out", 'data.held_out = "test.jsonl" does not exist'),
    ("every ", "source = 'z.jsonl'\nevery ", "acceptance.0.source", 'acceptance.source = "z.jsonl" does not exist'),
    ("[data]", "template = 'chat.jinja'\n[data]", "model.template", 'model.template = "chat.jinja" does not exist'),
    ("Qwen/Qwen2.5-0.5B-Instruct", "./m", "model.path", 'model.path = "./m" does not exist'),
    (
        "Qwen/Qwen2.5-0.5B-Instruct",
        "n.gguf",
        "model.path",
        'model.path = "n.gguf" does not exist; did you mean m.gguf?',
    ),
    ("Qwen/Qwen2.5-0.5B-Instruct", "models/n", "model.path", 'model.path = "models/n" does not exist'),
    ("Qwen/Qwen2.5-0.5B-Instruct", "a/b/c", "model.path", 'model.path = "a/b/c" does not exist'),
]


@pytest.mark.parametrize(("old", "new", "key", "line"), NOT_THERE)
def test_what_is_not_there(folder: Path, old: str, new: str, key: str, line: str) -> None:
    assert old in SQL
    text = SQL.replace(old, new, 1)
    if key == "acceptance.0.source":
        text = text.replace("held_out = 0.2", "held_out = 0")
    recipe = parse(text, file="sql.toml", folder=folder)
    with pytest.raises(Refused) as caught:
        check_paths(recipe)
    assert str(caught.value).startswith(line), str(caught.value)
    assert "\n" not in str(caught.value)
    assert caught.value.key == key
    assert recipe.refusal(caught.value).startswith("sql.toml:")


def test_the_files_of_a_stage_are_looked_for_too(folder: Path) -> None:
    recipe = load(FIXTURES / "three_stages.toml")
    with pytest.raises(Refused, match=r'data.source = "sql.jsonl" does not exist'):
        check_paths(recipe)
    text = SQL + '[[stage]]\nkind = "rl"\n[stage.data]\nsource = "demos.jsonl"\n'
    text = text.replace("[[reward]]", "[[reward]] # ")
    recipe = parse(text, file="sql.toml", folder=folder)
    with pytest.raises(Refused) as caught:
        check_paths(recipe)
    assert caught.value.key == "stage.1.data.0.source"
    assert recipe.refusal(caught.value).startswith('sql.toml:42: stage.data.source = "demos.jsonl" does not exist; p')


NOT_BUILT = [
    ("max_tokens = 256", 'engine = "vllm"', 24, 'sampling.engine = "vllm" is not in this version yet; use engine = "l'),
    ("max_tokens = 256", 'engine = "http"', 24, 'sampling.engine = "http" is not in this version yet; use engine = "l'),
    ('"sql"\n', '"sql"\nworkers = "ray"\n', 39, 'run.workers = "ray" is not in this version yet; use workers = "inli'),
    ("[data]", "lora = { rank = 8, dropout = 0.1 }\n[data]", 5, "model.lora.dropout is not in this version yet; leave"),
    ("[run]", '[[stage]]\nkind="rl"\n[stage.sampling]\nengine="vllm"\n[run]', 40, 'sampling.engine = "vllm" is not'),
]


@pytest.mark.parametrize(("old", "new", "number", "line"), NOT_BUILT)
def test_what_is_not_built_says_what_to_use(old: str, new: str, number: int, line: str) -> None:
    assert old in SQL
    text = SQL.replace(old, new, 1)
    if "[[acceptance]]" in new:
        text = text.replace("\n[acceptance] ", "\n[[acceptance]] ")
    recipe = parse(text, file="sql.toml", folder=FIXTURES)
    with pytest.raises(NotYet) as caught:
        check_built(recipe)
    assert str(caught.value).startswith(line), str(caught.value)
    assert "\n" not in str(caught.value)
    assert recipe.refusal(caught.value) == f"sql.toml:{number}: {caught.value}"


def test_what_is_built_passes() -> None:
    check_built(parse(SQL, file="sql.toml", folder=FIXTURES))
    check_built(parse(SQL + '[[stage]]\nkind = "rl"\n', file="sql.toml", folder=FIXTURES))
    check_built(load(FIXTURES / "three_stages.toml"))
    for old, new in (
        ("[data]", "lora = 8\n[data]"),
        ('"sql"\n', '"sql"\nlog = "trackio"\n'),
        (CHECK, '"number"\n[[reward]]\nmodel = "j"'),
    ):
        assert old in SQL
        check_built(parse(SQL.replace(old, new, 1), file="sql.toml", folder=FIXTURES))
    for source in ("run:a", "hub:a/b", "hub:a/b/config:test", "gym:chain_sum", "a.parquet"):
        check_built(parse(SQL.replace("questions.jsonl", source, 1), file="sql.toml", folder=FIXTURES))
