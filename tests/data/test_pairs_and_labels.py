"""Rows with answers in them, in the forms of the ecosystem: what is asked, what is learnt from, and what is refused."""

from __future__ import annotations

import pytest

from verigrad.data import check_leaks, demonstrations, labelled, load, load_suite, pairs, split
from verigrad.data.use import Use
from verigrad.errors import DataError, RecipeError, Refused
from verigrad.records import Demonstration, Labelled, Pair, Task


def user(text):
    return {"role": "user", "content": text}


def said(text):
    return {"role": "assistant", "content": text}


ASKED = (user("2 + 2?"),)
LONGER = (user("2 + 2?"), said("Which base?"), user("Ten."))
HUMAN = "\n\nHuman: 2 + 2?\n\nAssistant: Which base?\n\nHuman: Ten.\n\nAssistant: "


@pytest.fixture
def read(table, jsonl, tmp_path):
    def read(*rows, kind="preference", labelled=False, **said_of_table):
        name = jsonl("rows.jsonl", *rows)
        (source,) = load([table(name, **said_of_table)], folder=tmp_path, kind=kind, labelled=labelled)
        return source

    return read


def refusal(read, *rows, **how):
    with pytest.raises(Refused) as refused:
        read(*rows, **how)
    assert "\n" not in str(refused.value)
    return refused.value


PAIRS = {
    "texts": ({"prompt": "2 + 2?", "chosen": "4", "rejected": "5"}, {}, ASKED),
    "other names": (
        {"prompt": "2 + 2?", "win": "4", "lose": "5"},
        {"columns": {"chosen": "win", "rejected": "lose"}},
        ASKED,
    ),
    "another prompt": ({"q": "2 + 2?", "chosen": "4", "rejected": "5"}, {"columns": {"prompt": "q"}}, ASKED),
    "a template": ({"a": 2, "chosen": "4", "rejected": "5"}, {"prompt": "{a} + {a}?"}, ASKED),
    "a template and turns": ({"a": 2, "chosen": [said("4")], "rejected": [said("5")]}, {"prompt": "{a} + {a}?"}, ASKED),
    "prompt of turns": ({"prompt": [*LONGER], "chosen": [said("4")], "rejected": [said("5")]}, {}, LONGER),
    "prompt of turns, texts": ({"prompt": [*LONGER], "chosen": "4", "rejected": "5"}, {}, LONGER),
    "messages": ({"messages": [*LONGER], "chosen": "4", "rejected": [said("5")]}, {}, LONGER),
    "implicit": ({"chosen": [*LONGER, said("4")], "rejected": [*LONGER, said("5")]}, {}, LONGER),
    "explicit and whole": (
        {"prompt": "2 + 2?", "chosen": [*ASKED, said("4")], "rejected": [*ASKED, said("5")], "score_chosen": 9.0},
        {},
        ASKED,
    ),
    "UltraFeedback": (
        {
            "prompt": "2 + 2?",
            "messages": [*ASKED, said("4")],
            "chosen": [*ASKED, said("4")],
            "rejected": [*ASKED, said("5")],
        },
        {},
        ASKED,
    ),
    "a system turn of the conversation": (
        {
            "prompt": "2 + 2?",
            "chosen": [{"role": "system", "content": "s"}, *ASKED, said("4")],
            "rejected": [{"role": "system", "content": "s"}, *ASKED, said("5")],
        },
        {},
        ({"role": "system", "content": "s"}, *ASKED),
    ),
    "a system text of the table": (
        {"prompt": "2 + 2?", "chosen": "4", "rejected": "5"},
        {"system": "s"},
        ({"role": "system", "content": "s"}, *ASKED),
    ),
    "HH-RLHF": ({"chosen": HUMAN + "4", "rejected": HUMAN + "5"}, {}, LONGER),
    "from and value": (
        {
            "messages": [{"from": "human", "value": "2 + 2?"}],
            "chosen": {"from": "gpt", "value": "4"},
            "rejected": {"from": "gpt", "value": "5"},
        },
        {},
        ASKED,
    ),
    "keys that are null": (
        {"prompt": "2 + 2?", "chosen": [{**said("4"), "tool_calls": None}], "rejected": [said("5")]},
        {},
        ASKED,
    ),
}


@pytest.mark.parametrize("form", PAIRS)
@pytest.mark.parametrize("kind", ["preference", "reward_model"])
def test_a_pair_is_the_same_in_every_form(read, form, kind):
    row, table_says, asked = PAIRS[form]
    source = read(row, kind=kind, **table_says)
    (pair,) = pairs(source.tasks)
    assert (pair.task.prompt, pair.chosen, pair.rejected, pair.margin) == (asked, "4", "5", 0.0)
    assert (pair.task.columns["chosen"], pair.task.columns["rejected"]) == ("4", "5")
    assert not {"win", "lose", "prompt", "messages"} & set(pair.task.columns)
    assert source.places == ("rows.jsonl:1",)


@pytest.mark.parametrize("form", PAIRS)
def test_pairs_are_read_as_a_good_and_a_bad_answer(read, form):
    row, table_says, asked = PAIRS[form]
    source = read(row, labelled=True, **table_says)
    good, bad = labelled(source.tasks)
    assert (good.task.prompt, good.answer, good.good) == (asked, "4", True)
    assert (bad.task.prompt, bad.answer, bad.good) == (asked, "5", False)
    assert good.task.family == bad.task.family
    assert source.notes == ("rows.jsonl: each pair read as a good and a bad answer",)


@pytest.mark.parametrize(
    ("value", "good"), [(True, True), (False, False), (1, True), (0, False), (1.0, True), (0.0, False)]
)
@pytest.mark.parametrize("completion", ["4", [said("4")]])
def test_labels(read, value, good, completion):
    row = {"prompt": "2 + 2?", "text": completion, "ok": value}
    source = read(row, labelled=True, columns={"completion": "text", "label": "ok"})
    (one,) = labelled(source.tasks)
    assert one == Labelled(task=source.tasks[0], answer="4", good=good)
    assert one.task.columns == {"completion": "4", "label": good}


DEMONSTRATIONS = {
    "completion": ({"prompt": "2 + 2?", "completion": "4"}, {}, ASKED, "4", 0),
    "completion wins over gold": ({"prompt": "2 + 2?", "completion": "four", "gold": 4}, {}, ASKED, "four", 0),
    "completion of turns": ({"prompt": [*ASKED], "completion": [said("4")]}, {}, ASKED, "4", 0),
    "messages": ({"messages": [*LONGER, said("4")]}, {}, LONGER, "4", 0),
    "UltraChat": ({"prompt": "2 + 2?", "messages": [*LONGER, said("4")]}, {}, LONGER, "4", 0),
    "conversation as completion": (
        {"chosen": [*ASKED, said("4")]},
        {"columns": {"completion": "chosen"}},
        ASKED,
        "4",
        0,
    ),
    "Alpaca": (
        {"instruction": "2 + 2?", "output": "4"},
        {"columns": {"completion": "output"}, "prompt": "{instruction}"},
        ASKED,
        "4",
        0,
    ),
    "gold of text": ({"prompt": "2 + 2?", "gold": "4"}, {}, ASKED, "4", 1),
    "gold of a number": ({"prompt": "2 + 2?", "answer": 4}, {"columns": {"gold": "answer"}}, ASKED, "4", 1),
    "gold of a whole float": ({"prompt": "2 + 2?", "gold": 4.0}, {}, ASKED, "4", 1),
    "GSM8K": ({"question": "2 + 2?", "answer": "2 + 2 = <<2+2=4>>4\n#### 4"}, {}, ASKED, "4", 2),
    "GSM8K, worked": (
        {"question": "2 + 2?", "answer": "2 + 2\n#### 4"},
        {"columns": {"completion": "answer"}},
        ASKED,
        "2 + 2\n#### 4",
        1,
    ),
}


@pytest.mark.parametrize("form", DEMONSTRATIONS)
def test_demonstrations(read, form):
    row, table_says, asked, answer, notes = DEMONSTRATIONS[form]
    source = read(row, kind="sft", **table_says)
    assert demonstrations(source.tasks) == (Demonstration(task=source.tasks[0], answer=answer),)
    assert source.tasks[0].prompt == asked
    assert source.tasks[0].columns["completion"] == answer
    assert len(source.notes) == notes


def test_a_gold_stays_the_gold_of_a_demonstration(read):
    source = read({"prompt": "2 + 2?", "answer": "4"}, kind="sft", columns={"gold": "answer", "completion": "answer"})
    assert source.tasks[0].gold == "4"
    assert source.tasks[0].columns == {"completion": "4"}


@pytest.mark.parametrize("better", ["better", "chosen"])
def test_the_better_answer_may_be_the_gold_too(read, better):
    columns = {"gold": better, "chosen": better, "rejected": "worse", "other": "hint"}
    row = {"prompt": "2 + 2?", better: "4", "worse": "5", "hint": 1, "gold": 9}
    (task,) = read(row, columns=columns).tasks
    assert (task.gold, task.columns) == ("4", {"chosen": "4", "rejected": "5", "other": 1})


PAIR = {"prompt": "2 + 2?", "chosen": "4", "rejected": "5"}


@pytest.mark.parametrize(
    ("row", "says"),
    [
        (PAIR | {"rejected": "4"}, "rows.jsonl:2: chosen and rejected are the same answer"),
        (PAIR | {"rejected": " 4\n"}, "rows.jsonl:2: chosen and rejected are the same answer"),
        (PAIR | {"rejected": ""}, "rows.jsonl:2: column rejected is empty"),
        (PAIR | {"chosen": " \n"}, "rows.jsonl:2: column chosen is empty"),
        (PAIR | {"chosen": None}, "rows.jsonl:2: column chosen is null"),
        (PAIR | {"chosen": []}, "rows.jsonl:2: column chosen is neither a text nor a list"),
        (PAIR | {"chosen": 4}, "rows.jsonl:2: column chosen is neither a text nor a list"),
        (PAIR | {"chosen": [user("4")]}, "rows.jsonl:2: column chosen ends in the user's turn"),
        (PAIR | {"chosen": [said("")]}, "rows.jsonl:2: column chosen: turn 1 is empty"),
        (PAIR | {"chosen": [{"role": "tool", "content": "4"}]}, "column chosen: turn 1 has the role 'tool'"),
        (PAIR | {"chosen": [{**said("4"), "images": [1]}]}, "column chosen: turn 1 is not { role, content } alone"),
        (PAIR | {"chosen": [user("3 + 3?"), said("4")]}, "rows.jsonl:2: column chosen does not begin with the prompt"),
        (PAIR | {"chosen": [*LONGER, said("4")]}, "rows.jsonl:2: column chosen does not begin with the prompt"),
        (
            {"chosen": [user("a"), said("4")], "rejected": [user("b"), said("5")]},
            "rows.jsonl:2: the prompt is no prefix of both: chosen and rejected differ before their last turn",
        ),
        (
            {"chosen": [*LONGER, said("4")], "rejected": [*ASKED, said("5")]},
            "the prompt is no prefix of both",
        ),
        (
            {"chosen": "4", "rejected": "5"},
            "no prompt: no column prompt or messages, and chosen and rejected are no conversations",
        ),
        ({"prompt": "2 + 2?", "chosen": "4"}, "rows.jsonl:2: no column rejected like the first row"),
        (PAIR | {"prompt": ""}, "rows.jsonl:2: column prompt holds no text"),
        (PAIR | {"messages": [user("other")]}, "rows.jsonl:2: has both prompt and messages"),
        (PAIR | {"margin": -1}, "rows.jsonl:2: column margin is -1; a margin is a number of at least 0"),
        (PAIR | {"margin": "big"}, 'rows.jsonl:2: column margin is "big"'),
        (PAIR | {"margin": True}, "rows.jsonl:2: column margin is true"),
    ],
)
def test_a_row_at_fault_is_named(read, row, says):
    error = refusal(read, PAIR, row)
    assert isinstance(error, DataError)
    assert says in str(error)


@pytest.mark.parametrize(
    ("how", "row", "says"),
    [
        (
            {},
            {"prompt": "q", "win": "4"},
            "rows.jsonl: no column chosen; the columns are prompt, win: say which is it with",
        ),
        (
            {"columns": {"chosen": "wni"}},
            {"prompt": "q", "win": "4"},
            'data.columns.chosen = "wni", but the columns are',
        ),
        ({"labelled": True}, {"prompt": "q", "completion": "4"}, "rows.jsonl: no column label; the columns are"),
        ({"labelled": True}, {"prompt": "q", "label": True}, "rows.jsonl: no column completion; the columns are"),
        (
            {"labelled": True},
            {"prompt": "q", "completion": "4", "label": "yes"},
            'column label is "yes"; a label is true',
        ),
        ({"labelled": True}, {"prompt": "q", "completion": "4", "label": 2}, "column label is 2; a label is true"),
        (
            {"labelled": True},
            {"prompt": "q", "completion": "4", "label": None},
            "column label is null; a label is true",
        ),
        ({"kind": "sft"}, {"prompt": "q"}, "rows.jsonl: no column completion, no messages that end in the assistant's"),
        (
            {"kind": "sft"},
            {"prompt": "q", "gold": [1]},
            "rows.jsonl:1: no completion, and its gold is no text or number",
        ),
        (
            {"kind": "sft"},
            {"prompt": "q", "gold": True},
            "rows.jsonl:1: no completion, and its gold is no text or number",
        ),
        ({"kind": "sft"}, {"completion": "4"}, "rows.jsonl:1: no prompt"),
        ({"kind": "sft"}, {"prompt": "other", "messages": [*ASKED, said("4")]}, "column messages does not begin with"),
        (
            {"prompt": "q"},
            {"chosen": [*ASKED, said("4")], "rejected": [*ASKED, said("5")]},
            "column chosen is a whole conversation, and data.prompt writes the prompt: leave that out",
        ),
    ],
)
def test_a_table_that_does_not_fit_its_rows(read, how, row, says):
    assert says in str(refusal(read, row, **how))


@pytest.mark.parametrize(
    ("how", "shown"),
    [
        ({}, "chosen"),
        ({}, "rejected"),
        ({"columns": {"chosen": "win"}}, "win"),
        ({"kind": "sft"}, "completion"),
        ({"labelled": True}, "completion"),
    ],
)
def test_an_answer_never_stands_in_the_prompt(read, how, shown):
    row = {"q": "2 + 2?", "win": "4", "chosen": "4", "rejected": "5", "completion": "4", "label": True}
    error = refusal(read, row, prompt=f"{{q}} {{{shown}}}", **how)
    assert isinstance(error, RecipeError)
    assert str(error) == f"data.prompt shows {{{shown}}}: the answer would stand in the question"
    assert error.key == "data.prompt"


def test_margins(read):
    source = read(PAIR | {"gap": 2}, PAIR | {"gap": None, "chosen": "four"}, columns={"margin": "gap"})
    assert [pair.margin for pair in pairs(source.tasks)] == [2.0, 0.0]


def test_pairs_of_one_prompt_are_one_family_on_one_side(table, jsonl, tmp_path):
    rows = [
        {"prompt": form.format(n), "chosen": f"It is {n}.", "rejected": f"{wrong}"}
        for n in range(40)
        for form, wrong in (("Say {}.", "no"), ("say  {} !", "never"))
    ]
    (source,) = load([table(jsonl("p.jsonl", *rows), held_out=0.3)], folder=tmp_path, kind="preference")
    cut = split([source])
    check_leaks(cut)
    sides = [{task.family for task in side["p"]} for side in (cut.train, cut.validation, cut.held_out)]
    assert all(sides)
    assert sum(map(len, sides)) == len(set.union(*sides)) == 40
    assert sum(len(side["p"]) for side in (cut.train, cut.validation, cut.held_out)) == 80


def test_a_pair_whose_prompt_is_held_out_elsewhere_leaks(table, jsonl, tmp_path):
    learn = jsonl("p.jsonl", *(PAIR | {"prompt": f"Say {n}."} for n in range(9)))
    kept = jsonl("kept.jsonl", {"prompt": "Say 3.", "chosen": "three", "rejected": "four"})
    (source,) = load([table(learn, held_out=kept)], folder=tmp_path, kind="preference")
    with pytest.raises(DataError, match=r"kept.jsonl:1 is also p.jsonl:4"):
        check_leaks(split([source]))


def test_a_pair_that_stands_twice_is_one(read):
    source = read(PAIR, PAIR, PAIR | {"rejected": "6"})
    assert [pair.rejected for pair in pairs(source.tasks)] == ["5", "6"]
    assert source.notes == ("rows.jsonl: 1 duplicate row(s) left out (rows.jsonl:2 repeats rows.jsonl:1)",)


def test_rl_takes_no_notice_of_answers(read):
    (task,) = read(PAIR, kind="rl").tasks
    assert task.columns == {"chosen": "4", "rejected": "5"}
    (task,) = read({"prompt": "2 + 2?", "completion": "4", "label": 3}, kind="rl").tasks
    assert task.columns == {"completion": "4", "label": 3}


@pytest.mark.parametrize(
    ("function", "says"), [(pairs, "holds no pair"), (labelled, "no labelled answer"), (demonstrations, "no demonstr")]
)
def test_tasks_read_for_something_else_are_refused(function, says):
    with pytest.raises(DataError, match=says):
        function([Task.make(prompt="2 + 2?", gold=4)])


def test_a_suite_of_pairs_is_read_like_the_table_it_fits(table, jsonl, tmp_path):
    columns = {"chosen": "win", "rejected": "lose"}
    learn = jsonl("p.jsonl", {"prompt": "q", "win": "4", "lose": "5"})
    more = [*ASKED, said("4")], [*ASKED, said("5")]
    use = Use(kind="reward_model")
    suite = load_suite(
        jsonl("s.jsonl", {"prompt": "2 + 2?", "win": "4", "lose": "5"}),
        [table(learn, columns=columns)],
        folder=tmp_path,
        use=use,
    )
    other = load_suite(
        jsonl("t.jsonl", {"win": more[0], "lose": more[1]}), [table(learn, columns=columns)], folder=tmp_path, use=use
    )
    assert [Pair(task=t.tasks[0], chosen="4", rejected="5") for t in (suite, other)] == [
        *pairs(suite.tasks),
        *pairs(other.tasks),
    ]
    assert suite.tasks[0].prompt == other.tasks[0].prompt == ASKED


def test_conversations_in_parquet(table, tmp_path):
    pyarrow = pytest.importorskip("pyarrow")
    from pyarrow import parquet

    columns = {"chosen": [[*LONGER, said("4")]], "rejected": [[*LONGER, said("5")]]}
    parquet.write_table(pyarrow.table(columns), tmp_path / "p.parquet")
    (source,) = load([table("p.parquet")], folder=tmp_path, kind="preference")
    assert pairs(source.tasks) == (Pair(task=source.tasks[0], chosen="4", rejected="5"),)
    assert source.tasks[0].prompt == LONGER
