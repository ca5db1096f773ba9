"""Prompts: the template formatter, turns, and the normalised form."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from verigrad.data import normalise
from verigrad.data.template import fill, message_fault, parse, turns
from verigrad.errors import DataError, RecipeError


@pytest.mark.parametrize(
    ("template", "columns", "text"),
    [
        ("{a} * {b}", {"a": 7, "b": 8}, "7 * 8"),
        ("{{{a}}}", {"a": "x"}, "{x}"),
        ("{{a}}", {}, "{a}"),
        ("}}{{", {}, "}{"),
        ("{gold sql}", {"gold sql": "s"}, "s"),
        ("{a}", {"a": "{b} {{}} {0.__class__}"}, "{b} {{}} {0.__class__}"),
        ("{a}", {"a": ["ü", 1.5, None, True]}, '["ü", 1.5, null, true]'),
        ("{a.b}", {"a.b": "a column named so"}, "a column named so"),
    ],
)
def test_a_template_is_filled(template, columns, text):
    assert fill(parse(template, key="data.prompt"), columns, place="q.jsonl:1") == text


@pytest.mark.parametrize(
    ("template", "says"),
    [
        ("{a.__class__}", "no attribute, index, conversion or format"),
        ("{a[0]}", "no attribute, index, conversion or format"),
        ("{a!r}", "no attribute, index, conversion or format"),
        ("{a:>999999999}", "no attribute, index, conversion or format"),
        ("{qestion}", "data.prompt shows {qestion}, but the columns are a, question; did you mean question?"),
        ("{none}", "q.jsonl:1: column none is null, but data.prompt shows it"),
    ],
)
def test_a_column_that_is_not_there_is_refused(template, says):
    columns = {"a": 1, "question": "?", "none": None} if "none" in template else {"a": 1, "question": "?"}
    with pytest.raises(DataError) as refused:
        fill(parse(template, key="data.prompt"), columns, place="q.jsonl:1")
    assert says in str(refused.value)
    assert str(refused.value).startswith("q.jsonl:1: ")


@pytest.mark.parametrize("template", ["{", "}", "{a", "a}", "{}", "{ }", "{a{b}}", "{{}", "{a}}"])
def test_unbalanced_braces_are_refused(template):
    with pytest.raises(RecipeError, match="a literal brace is doubled"):
        parse(template, key="data.prompt")


_texts = st.text(max_size=20)
_names = st.text(st.characters(exclude_characters="{}"), min_size=1, max_size=8).filter(str.strip)
_parts = st.lists(st.one_of(st.tuples(st.just("text"), _texts), st.tuples(st.just("column"), _names)), max_size=8)


@settings(deadline=None)
@given(_parts, st.data())
def test_any_literals_and_columns_come_back_in_order(parts, data):
    columns = {name: data.draw(_texts) for kind, name in parts if kind == "column"}
    written = "".join(
        "{" + v + "}" if kind == "column" else v.replace("{", "{{").replace("}", "}}") for kind, v in parts
    )
    wanted = "".join(columns[v] if kind == "column" else v for kind, v in parts)
    assert fill(parse(written, key="data.prompt"), columns, place="x") == wanted


@settings(deadline=None)
@given(st.text(alphabet="{}a.![]:0_ ", max_size=24))
def test_a_hostile_template_is_filled_or_refused_in_one_line(template):
    try:
        fill(parse(template, key="data.prompt"), {"a": "value"}, place="x")
    except (DataError, RecipeError) as error:
        refused = error
    else:
        return
    assert str(refused)
    assert "\n" not in str(refused)


@pytest.mark.parametrize(
    ("prompt", "says"),
    [
        ("  ", "is empty"),
        ([], "at least one"),
        ([{"role": "user"}], "turn 1 is not { role, content } alone"),
        ([{"role": "human", "content": "x"}], "roles are system, user, assistant"),
        ([{"role": "user", "content": ""}], "turn 1 has no text"),
        ([{"role": "user", "content": "x"}, {"role": "system", "content": "y"}], "only the first"),
        ([{"role": "user", "content": "x"}, {"role": "assistant", "content": "y"}], "the last turn is the assistant's"),
    ],
)
def test_what_is_no_prompt_is_refused(prompt, says):
    with pytest.raises(RecipeError, match=r"data\.prompt") as refused:
        turns(prompt, key="data.prompt")
    assert says in str(refused.value)


def test_turns_held_as_objects_are_read_too():
    class Turn:
        role, content = "user", "{a}"

    ((role, template),) = turns((Turn(),), key="data.prompt")
    assert (role, template.columns) == ("user", frozenset({"a"}))
    assert message_fault([{"role": "user", "content": "x"}]) == ""


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("What is 7 * 8?", "what is  7*8"),
        ("Hello, world!", "hello world"),
        ("ﬁne – Straße", "fine - STRASSE"),
        ("２＋２", "2+2"),
        ("well-known fact.", "Well known: “fact”"),
        ("a\u200bb\n\tc", "ab c"),
        ("3 \u2212 2", "3-2"),
    ],
)
def test_forms_of_one_question_are_one(one, other):
    assert normalise(one) == normalise(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("What is 12 - 5?", "What is 12 * 5?"),
        ("3.5", "35"),
        ("1,2", "1.2"),
        ("x * y", "x - y"),
        ("(3 + 2) * 5", "3 + 2 * 5"),
        ("50%", "50"),
        ("???", "!!!"),
        ("a + b", "a = b"),
    ],
)
def test_different_questions_stay_two(one, other):
    assert normalise(one) != normalise(other)


@settings(deadline=None)
@given(st.text(alphabet="aBz 09.,?!-*/()", max_size=40))
def test_case_and_width_of_spaces_never_matter(text):
    assert normalise(text.upper()) == normalise(text)
    assert normalise("  " + text.replace(" ", "\t \n") + " ") == normalise(f" {text} ")
