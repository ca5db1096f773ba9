"""Sources: what is read, how rows become tasks, and the one line for what is wrong."""

from __future__ import annotations

import codecs

import pytest

from verigrad.data import list_builtin, load, load_source, load_suite
from verigrad.errors import DataError, RecipeError, Refused
from verigrad.recipe import parse

SQL = {"question": "How many?", "db": "shop", "schema": "t(a)", "gold_sql": "SELECT 1"}
ROW = {"prompt": "p", "gold": 1}


def one_line(refused):
    text = str(refused.value)
    assert "\n" not in text
    assert "Traceback" not in text
    return text


def test_columns_prompt_and_system_make_the_task(table, jsonl, tmp_path):
    name = jsonl("questions.jsonl", SQL)
    said = {
        "prompt": "Schema:\n{schema}\n\nQuestion: {question}",
        "system": "Answer with SQL.",
        "columns": {"gold": "gold_sql"},
        "split_by": "db",
        "weight": 3,
    }
    (source,) = load([table(name, **said)], folder=tmp_path)
    (task,) = source.tasks
    assert [m["role"] for m in task.prompt] == ["system", "user"]
    assert task.prompt[1]["content"] == "Schema:\nt(a)\n\nQuestion: How many?"
    assert (task.gold, task.family, task.source) == ("SELECT 1", "shop", "questions")
    assert task.columns == {"question": "How many?", "db": "shop", "schema": "t(a)"}
    assert (source.places, source.weight, source.held_out) == (("questions.jsonl:1",), 3, 0.1)


def test_few_shot_turns_messages_and_mapped_names(table, jsonl, tmp_path):
    shots = [
        {"role": "user", "content": "2 + 2"},
        {"role": "assistant", "content": "4"},
        {"role": "user", "content": "{q}"},
    ]
    few = jsonl("few.jsonl", {"q": "3 + 3", "a": 6})
    chat = jsonl("chat.jsonl", {"messages": [{"role": "user", "content": "hi"}], "gold": None})
    trl = jsonl("trl.jsonl", {"prompt": [{"role": "user", "content": "hi"}], "gold": 1, "rest": [1]})
    sources = load(
        [
            table(few, prompt=shots, columns={"gold": "a", "q": "q"}),
            table(chat, system="Be kind."),
            table(trl, columns={"messages": "prompt"}),
        ],
        folder=tmp_path,
    )
    first, second, third = (s.tasks[0] for s in sources)
    assert [m["content"] for m in first.prompt] == ["2 + 2", "4", "3 + 3"]
    assert first.gold == 6
    assert [m["role"] for m in second.prompt] == ["system", "user"]
    assert third.prompt == ({"role": "user", "content": "hi"},)
    assert third.columns == {"rest": [1]}


def test_bom_blank_lines_and_crlf_are_fine(table, jsonl, tmp_path):
    name = jsonl("q.jsonl", codecs.BOM_UTF8 + b'{"prompt": "a", "gold": 1}', b"", b"  ", ROW, end=b"\r\n")
    (source,) = load([table(name)], folder=tmp_path)
    assert source.places == ("q.jsonl:1", "q.jsonl:4")


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ('{"prompt": "p", "gold": 1', "q.jsonl:2: not JSON"),
        ("[1, 2]", "q.jsonl:2: a row is one object {...} on its line, and this is a list"),
        ('"text"', "q.jsonl:2: a row is one object {...} on its line, and this is a text"),
        ("null", "q.jsonl:2: a row is one object {...} on its line, and this is null"),
        ("7", "q.jsonl:2: a row is one object {...} on its line, and this is a number"),
        ('{"prompt": "p", "gold": 1, "gold": 2}', 'q.jsonl:2: the key "gold" stands twice'),
        ('{"prompt": "p", "gold": {"a": 1, "a": 1}}', 'q.jsonl:2: the key "a" stands twice'),
        ('{"prompt": "p", "gold": NaN}', "q.jsonl:2: NaN is not JSON"),
        ('{"prompt": "p", "gold": -Infinity}', "q.jsonl:2: -Infinity is not JSON"),
        ('{"prompt": "p", "gold": 1e999}', "q.jsonl:2: the number 1e999 is too large"),
        ('{"prompt": "p", "gold": ' + "9" * 5000 + "}", "q.jsonl:2: a number of 5000 digits"),
        ('{"prompt": "p", "gold": ' + "[" * 200_000 + "]" * 200_000 + "}", "q.jsonl:2: nested too deeply"),
        ('{"prompt": "\\ud800", "gold": 1}', "q.jsonl:2: a text holds half a surrogate pair"),
        (b'{"prompt": "\xff", "gold": 1}', "q.jsonl:2: not UTF-8 (byte 13 of the line)"),
        ('{"prompt": "", "gold": 1}', "q.jsonl:2: column prompt holds no text"),
        ('{"prompt": 5, "gold": 1}', "q.jsonl:2: column prompt holds no text"),
        ('{"prompt": [], "gold": 1}', 'say data.columns = { messages = "prompt" }'),
        ('{"gold": 1}', "q.jsonl:2: column prompt holds no text"),
        ('{"prompt": "p", "messages": [1], "gold": 1}', "q.jsonl:2: has both prompt and messages"),
        ('{"messages": [{"role": "user"}], "gold": 1}', "q.jsonl:2: column messages: turn 1 is not"),
        ('{"prompt": "p"}', "q.jsonl:2: has no gold, and other rows of q.jsonl do"),
    ],
)
def test_a_malformed_row_is_named_by_file_and_line(table, jsonl, tmp_path, line, says):
    name = jsonl("q.jsonl", {"prompt": "first", "gold": 0}, line)
    with pytest.raises(DataError) as refused:
        load([table(name)], folder=tmp_path)
    assert says in one_line(refused)
    assert len(str(refused.value)) < 200


@pytest.mark.parametrize(
    ("rows", "said", "says"),
    [
        (
            [{"question": "q", "db": "d", "schema": "s", "sql": "x"}],
            {"columns": {"gold": "gold_sql"}},
            'questions.jsonl: data.columns.gold = "gold_sql", but the columns are question, db, schema, sql',
        ),
        (
            [SQL, {"question": "q"}],
            {"columns": {"gold": "gold_sql"}, "prompt": "{question}"},
            "questions.jsonl:2: data.",
        ),
        (
            [SQL],
            {"prompt": "{qestion}"},
            "questions.jsonl: data.prompt shows {qestion}, but the columns are question, db",
        ),
        ([SQL], {}, "questions.jsonl: no column prompt or messages, and no data.prompt; the columns are question, db"),
        ([ROW], {"split_by": "db"}, 'questions.jsonl: data.split_by = "db", but the columns are prompt, gold'),
        ([ROW | {"db": 1}, ROW], {"split_by": "db"}, "questions.jsonl:2: no value in db"),
        ([ROW], {"prompt": "{prompt}{"}, "data.prompt: braces hold one column's name"),
        ([{"prompt": " "}], {"prompt": "{prompt}"}, "questions.jsonl:1: turn 1 has no text"),
        ([], {}, "questions.jsonl: no rows"),
        (["", " "], {}, "questions.jsonl: no rows"),
        (
            [{"messages": [{"role": "system", "content": "s"}, {"role": "user", "content": "u"}]}],
            {"system": "other"},
            "questions.jsonl:1: the prompt has a system turn of its own",
        ),
        ([ROW], {"weight": 0}, "data.weight is 0; a share is above 0"),
        ([ROW], {"held_out": 1}, "data.held_out is 1; a share is 0 or more and below 1"),
    ],
)
def test_a_table_that_does_not_fit_its_file(table, jsonl, tmp_path, rows, said, says):
    name = jsonl("questions.jsonl", *rows)
    with pytest.raises(Refused) as refused:
        load([table(name, **said)], folder=tmp_path)
    assert says in one_line(refused)


@pytest.mark.parametrize(
    ("source", "kind", "says"),
    [
        ("run:.", DataError, "this run has no rollouts yet"),
        ("rows.parquet", DataError, "no such file"),
        ("times_tabel", RecipeError, "did you mean times_table?"),
        (
            "rows.csv",
            RecipeError,
            "is no built-in source, file.jsonl, file.parquet, hub:owner/name, gym:task, file.py:function or run:NAME",
        ),
        ("questoins.jsonl", DataError, "no such file; did you mean questions.jsonl?"),
        ("no/such/file.jsonl", DataError, "no such file"),
        ("nowhere.py:rows", DataError, "no file nowhere.py in the recipe's folder"),
    ],
)
def test_a_source_that_is_not_there(table, jsonl, tmp_path, source, kind, says):
    jsonl("questions.jsonl", ROW)
    with pytest.raises(kind) as refused:
        load([table(source)], folder=tmp_path)
    assert says in one_line(refused)
    assert refused.value.key == "data.source"


def test_a_folder_is_no_file(table, tmp_path):
    (tmp_path / "q.jsonl").mkdir()
    with pytest.raises(DataError, match="no such file"):
        load([table("q.jsonl")], folder=tmp_path)


def test_duplicates_are_kept_once_and_said_once(table, jsonl, tmp_path):
    name = jsonl("q.jsonl", ROW, {"prompt": "other", "gold": 1}, ROW, ROW)
    (source,) = load([table(name)], folder=tmp_path)
    assert source.places == ("q.jsonl:1", "q.jsonl:2")
    assert source.notes == ("q.jsonl: 2 duplicate row(s) left out (q.jsonl:3 repeats q.jsonl:1)",)


def test_two_sources_of_one_name_are_refused(table, jsonl, tmp_path):
    (tmp_path / "b").mkdir()
    names = [jsonl("q.jsonl", ROW), jsonl("b/q.jsonl", ROW)]
    with pytest.raises(RecipeError, match="two sources are named q") as refused:
        load([table(n) for n in names], folder=tmp_path)
    assert refused.value.key == "data.1.source"


PYTHON = """
import neighbour
def rows():
    print("talk")
    yield {"prompt": "p0", "gold": neighbour.GOLD}
    yield {"prompt": "p1", "gold": [1, None]}
def raises():
    yield {"prompt": "p", "gold": 1}
    raise ValueError("a\\nb")
def exits():
    raise SystemExit(0)
def nothing():
    pass
def text():
    return "rows"
def empty():
    return []
def not_json():
    return [{"prompt": "p", "gold": {1, 2}}]
def nan():
    return [{"prompt": "p", "gold": float("nan")}]
def not_dict():
    return [["p", 1]]
def forever():
    while True:
        yield {}
"""


@pytest.fixture
def python_file(tmp_path):
    (tmp_path / "tasks.py").write_text(PYTHON)
    (tmp_path / "neighbour.py").write_text("GOLD = 5\n")
    (tmp_path / "broken.py").write_text("def rows(:\n")
    return tmp_path


def test_a_function_gives_rows(table, python_file, capsys):
    (source,) = load([table("tasks.py:rows", columns={"gold": "gold"})], folder=python_file)
    assert (source.name, source.places) == ("rows", ("tasks.py:rows[0]", "tasks.py:rows[1]"))
    assert [t.gold for t in source.tasks] == [5, [1, None]]
    assert capsys.readouterr().out == ""


def test_a_function_from_python(table):
    def mine():
        return [ROW]

    (source,) = load([table(mine)])
    assert (source.name, source.tasks[0].gold, source.places) == ("mine", 1, ("mine[0]",))


@pytest.mark.parametrize(
    ("source", "says"),
    [
        ("tasks.py:raises", "tasks.py:raises failed: ValueError: a b"),
        ("tasks.py:exits", "tasks.py:exits failed: SystemExit: 0"),
        ("tasks.py:nothing", "tasks.py:nothing gave NoneType; it should return a list of dict rows"),
        ("tasks.py:text", "tasks.py:text gave str"),
        ("tasks.py:empty", "tasks.py:empty: no rows"),
        ("tasks.py:not_json", "tasks.py:not_json[0]: values are JSON values"),
        ("tasks.py:nan", "tasks.py:nan[0]: values are JSON values"),
        ("tasks.py:not_dict", "tasks.py:not_dict[0]: a row is a dict of columns, and this is list"),
        ("tasks.py:rowz", "tasks.py has no rowz; did you mean rows?"),
        ("broken.py:rows", "broken.py:rows failed: SyntaxError"),
        ("tasks.py:forever", "tasks.py:forever gave more than 100 rows"),
    ],
)
def test_a_function_that_fails_says_so_in_one_line(table, python_file, monkeypatch, source, says):
    monkeypatch.setattr("verigrad.data.functions.MAX_ROWS", 100)
    with pytest.raises(DataError) as refused:
        load([table(source)], folder=python_file)
    assert says in one_line(refused)


def test_built_in_sources_are_found_and_keep_their_promises():
    listed = list_builtin()
    assert {"times_table", "times_table_new", "arithmetic", "arithmetic_new"} <= {name for name, _, _ in listed}
    for name, line, items in listed:
        source = load_source(name)
        assert (len(source.tasks), source.notes) == (items, ()), name
        assert 0 < len(line) <= 120, name
        assert all(task.gold is not None for task in source.tasks), name
        assert source == load_source(name), name


@pytest.mark.parametrize("name", ["times_table", "arithmetic"])
def test_the_second_suite_shares_no_family_with_the_first(name):
    first, second = load_source(name), load_suite(f"{name}_new")
    assert len(second.tasks) >= 120
    assert not {t.family for t in first.tasks} & {t.family for t in second.tasks}


@pytest.mark.parametrize("name", ["times_table", "times_table_new", "arithmetic", "arithmetic_new"])
def test_golds_and_families_of_the_built_in_sums(name):
    for task in load_source(name).tasks:
        a, b, op = task.columns["a"], task.columns["b"], task.columns.get("op", "*")
        assert task.gold == {"+": a + b, "-": a - b, "*": a * b}[op]
        assert str(a) in task.prompt[0]["content"]
        assert str(b) in task.prompt[0]["content"]
        assert task.family == (f"{a}-{b}" if op == "-" else f"{min(a, b)}{op}{max(a, b)}")


def test_a_suite_is_read_like_the_table_its_rows_fit(table, jsonl, tmp_path):
    sql = table("q.jsonl", prompt="Q: {question}", columns={"gold": "gold_sql"}, system="S")
    own = {"prompt": "own", "gold": 1}
    like, plain = jsonl("like.jsonl", SQL), jsonl("plain.jsonl", own)
    task = load_suite(like, [sql], folder=tmp_path).tasks[0]
    assert [m["content"] for m in task.prompt] == ["S", "Q: How many?"]
    assert task.gold == "SELECT 1"
    assert [m["content"] for m in load_suite(plain, [sql], folder=tmp_path).tasks[0].prompt] == ["S", "own"]
    two = [sql, table("p.jsonl", prompt="Say: {prompt}")]
    assert [m["content"] for m in load_suite(plain, two, folder=tmp_path).tasks[0].prompt] == ["Say: own"]
    with pytest.raises(DataError, match="no column prompt or messages"):
        load_suite(jsonl("other.jsonl", {"x": 1}), [sql], folder=tmp_path)


def test_a_built_in_suite_keeps_its_wording_within_a_wrapping_prompt(table):
    own = table("times_table", prompt="{a} x {b}?", system="S")
    wrap = table("times_table", prompt="{prompt} Answer with one number.")
    first = load_suite("times_table_new").tasks[0].prompt[0]["content"]
    assert [m["content"] for m in load_suite("times_table_new", [own]).tasks[0].prompt] == ["S", first]
    wrapped = load_suite("times_table_new", [wrap]).tasks[0].prompt[0]["content"]
    assert wrapped == f"{first} Answer with one number."


def test_a_built_in_family_stays_under_another_prompt(table):
    (source,) = load([table("times_table", prompt="{a} x {b}?")])
    assert source.tasks[1].family == "2*3"
    assert source.tasks[1].prompt[0]["content"] == "2 x 3?"


def test_the_recipe_s_own_tables_are_read(jsonl, tmp_path):
    jsonl("questions.jsonl", SQL)
    text = """
[model]
path = "m"
[[data]]
source = "questions.jsonl"
system = "S"
columns = { gold = "gold_sql" }
split_by = "db"
weight = 3
prompt = [
  { role = "user", content = "2" }, { role = "assistant", content = "3" }, { role = "user", content = "{question}" },
]
[[data]]
source = "times_table"
prompt = "{prmopt}"
[[reward]]
verifier = "number"
[train]
steps = 1
[acceptance]
grader = "number"
"""
    recipe = parse(text, file="r.toml", folder=tmp_path)
    (source,) = load(recipe.data[:1], folder=tmp_path)
    assert [m["content"] for m in source.tasks[0].prompt] == ["S", "2", "3", "How many?"]
    with pytest.raises(DataError) as refused:
        load(recipe.data, folder=tmp_path)
    assert one_line(refused).startswith("times_table: data.1.prompt shows {prmopt}, but the columns are prompt, gold")
