"""The grader `format`: what it accepts, that it agrees with the shipped verifier, and that planted faults are caught.

The faults are planted in the shipped verifier itself.
"""

from __future__ import annotations

import pytest

from verigrad.acceptance import languages, open_grader
from verigrad.acceptance.graders import format as grader
from verigrad.records import Task
from verigrad.rewards import language, reasoning
from verigrad.rewards.verifiers import format as verifier

BLOCK = {"rule": "think_block"}
ONCE = {"rule": "think_answer_once"}
ENGLISH = {"rule": "think_language", "lang": "en"}
TABLE = [
    (BLOCK, "<think>7 * 8 is 56</think> 56"),
    (BLOCK, "<think>7 * 8 is 56</think> <answer>56</answer>"),
    (BLOCK, "<think> </think> 56"),
    (BLOCK, "<think>...</think> 56"),
    (BLOCK, "<think>\u3164</think> 56"),
    (BLOCK, "<think>7 * 8</think> \n"),
    (BLOCK, "56"),
    (BLOCK, "7 * 8</think> 56"),
    (BLOCK, "<think>7 * 8"),
    (BLOCK, "<think>7</think><think>8</think> 56"),
    (BLOCK, "<think><think>7</think> 56"),
    (BLOCK, "Sure! <think>7 * 8</think> 56"),
    (BLOCK | {"min_reasoning_chars": 10}, "<think>7 * 8 = 56</think> 56"),
    (BLOCK | {"min_reasoning_chars": 11}, "<think>7 * 8 = 56</think> 56"),
    (BLOCK | {"prefilled_open_tag": True}, "7 * 8</think> 56"),
    (BLOCK | {"prefilled_open_tag": True}, "<think>7 * 8</think> 56"),
    (BLOCK | {"prefilled_open_tag": True}, "7 * 8 is 56"),
    (ONCE, "<think>7 * 8</think>\n<answer>56</answer>\n"),
    (ONCE, "<think>7 * 8</think> 56"),
    (ONCE, "<think>7</think><answer>56</answer><answer>56</answer>"),
    (ONCE, "<think>7 <answer>56</answer></think><answer>56</answer>"),
    (ONCE, "<think>7</think> so <answer>56</answer>"),
    (ONCE, "<think>7</think><answer>56</answer> done"),
    (ONCE, "<think>7</think><answer> </answer>"),
    (ENGLISH, "<think>We add both numbers and get 5.</think> 5"),
    (ENGLISH, "<think>首先我们把两个数相加。</think> 5"),
    (ENGLISH, "<think>We add both numbers first. 然后检查结果是否正确。</think> 5"),
    (ENGLISH, "<think>Wir addieren die beiden Zahlen und das ist 5, also ist es gut.</think> 5"),
    (ENGLISH, "<think>2 + 3 = 5</think> 5"),
    ({"rule": "think_language", "lang": "zh"}, "<think>我们先算 x + y,再得到答案。</think> 五"),
    ({"rule": "think_language", "lang": "zh"}, "<think>We compute the sum and then the answer.</think> 五"),
]


def differ():
    """The rows on which verifier and grader do not say the same."""
    out = []
    for gold, answer in TABLE:
        task = Task.make(prompt="q", gold=gold)
        if (verifier.verify(answer, task).status == "right") != (grader.grade(answer, task).strict == "right"):
            out.append((gold, answer))
    return out


def test_the_shipped_verifier_is_not_contradicted():
    assert differ() == []


FAULTS = {
    "any block will do": (verifier, "block", lambda text, **_: reasoning.Block(reasoning="x" * 99, rest=" 56")),
    "empty reasoning passes": (verifier, "visible_chars", lambda text: 10**6),
    "white space is reasoning": (verifier, "visible_chars", len),
    "the template's tag is not asked for": (
        verifier,
        "block",
        lambda text, tag="think", opened=False: reasoning.block(text, tag=tag, opened="<think>" not in text),
    ),
    "every language is the one asked for": (language, "share", lambda text, code: 1.0),
    "numbers have a language": (language, "share", lambda text, code: 1.0 if text.isascii() else 0.0),
    "the last block counts": (
        verifier,
        "block",
        lambda text, tag="think", opened=False: reasoning.block(
            text[max(text.rfind(f"<{tag}>"), 0) :], tag=tag, opened=opened
        ),
    ),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_planted_fault_is_caught(monkeypatch, fault):
    monkeypatch.setattr(*FAULTS[fault])
    assert differ()


@pytest.mark.parametrize(
    "gold", [None, "x", {"rule": "other"}, BLOCK | {"lang": "en"}, BLOCK | {"more": 1}, ENGLISH | {"lang": "x"}]
)
def test_a_rule_that_is_not_there_is_ungraded(gold):
    task = Task.make(prompt="q", gold=gold)
    assert grader.grade("<think>7</think> 8", task).strict == "ungraded"
    assert grader.gold_as(task) == []


def test_lenient_takes_text_around_the_tags():
    graded = grader.grade("Sure! <think>7 * 8</think> 56", Task.make(prompt="q", gold=BLOCK))
    assert (graded.strict, graded.lenient, graded.read) == ("wrong", "right", "56")


@pytest.mark.parametrize("lang", languages._EXAMPLE)
def test_every_gold_is_accepted_by_the_grader_and_by_the_verifier(lang):
    gold = {"rule": "think_language", "lang": lang, "min_reasoning_chars": 30}
    task = Task.make(prompt="q", gold=gold)
    with open_grader("format") as opened:
        assert opened.unaccepted(task) == ""
    assert verifier.verify(grader.gold_as(task)[0], task).status == "right"
    assert grader.grade(verifier.gold_answer(task), task).strict == "right"


def test_the_languages_are_the_verifiers():
    assert set(languages._EXAMPLE) == set(language.LANGUAGES)


@pytest.mark.parametrize("piece", ["<think>", "a ", "然后", "$", "`a", "\u0301", "ﷺ"])
def test_no_answer_takes_long(piece):
    answer = f"<think>{piece * (90_000 // len(piece))}</think> 5"
    assert grader.grade(answer, Task.make(prompt="q", gold=ENGLISH)).strict == "wrong"
