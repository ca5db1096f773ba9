"""Any text and any gold: the kind `format` and its grader answer, alike and every time the same; any row has a form or
none.
"""

from __future__ import annotations

import contextlib
import json

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from verigrad.acceptance.graders import format as grader
from verigrad.data.formats import adapted, formats, recognised
from verigrad.errors import DataError
from verigrad.records import Task
from verigrad.rewards import language
from verigrad.rewards.verifiers import format as kind

PIECES = st.sampled_from(
    [
        "<think>",
        "</think>",
        "<answer>",
        "</answer>",
        "We add both. ",
        "然后",
        " ",
        "\n",
        "7",
        "$x$",
        "```",
        "\u200b",
        "🙂",
    ]
)
TEXTS = st.lists(PIECES | st.text(max_size=5), max_size=12).map("".join)
RULES = st.sampled_from(["think_block", "think_answer_once", "think_language", "other"])
GOLDS = st.fixed_dictionaries(
    {"rule": RULES},
    optional={
        "min_reasoning_chars": st.integers(-2, 30) | st.text(max_size=2),
        "prefilled_open_tag": st.booleans() | st.none(),
        "lang": st.sampled_from(["en", "zh", "French", "xx", ""]),
    },
)
VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.text(max_size=8)
    | st.sampled_from(["#### 7", r"\boxed{1", "def check("]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=6,
)
COLUMNS = st.sampled_from(
    [
        *("question", "question_stem", "choices", "options", "answer", "answerKey", "problem", "solution", "prompt"),
        *("entry_point", "canonical_solution", "test", "text", "code", "test_list", "test_setup_code", "messages"),
        *("input_output", "solutions", "starter_code"),
    ]
)
FAST = settings(max_examples=150, deadline=None, suppress_health_check=list(HealthCheck))


@FAST
@given(answer=TEXTS, gold=GOLDS)
def test_any_answer_to_any_rule(answer, gold):
    task = Task.make(prompt="q", gold=gold)
    verdict, grade = kind.verify(answer, task), grader.grade(answer, task)
    assert verdict == kind.verify(answer, task)
    assert (verdict.status == "ungraded") == (grade.strict == "ungraded") == (kind.check_gold(task) is not None)
    if gold["rule"] != "think_language":
        assert (verdict.status == "right") == (grade.strict == "right")


@FAST
@given(text=st.text(max_size=200), code=st.sampled_from(sorted(language.LANGUAGES)))
def test_any_text_has_a_share_of_any_language(text, code):
    share = language.share(text, code)
    assert share is None or 0 <= share <= 1


@FAST
@given(row=st.dictionaries(COLUMNS, VALUES, max_size=6))
def test_any_row_has_a_form_or_none(row):
    form = recognised(row)
    for each in formats() if form is None else [form]:
        with contextlib.suppress(DataError):
            ((_, made),) = adapted(iter([("f:1", row)]), each, own_prompt=False)
            assert isinstance(made["prompt"], str)
            json.dumps(made["gold"])
