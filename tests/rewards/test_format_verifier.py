"""The kind `format`: one block of reasoning and then an answer, whoever opened it, in the language asked for."""

from __future__ import annotations

import time

import pytest

from verigrad.records import Task
from verigrad.rewards import language
from verigrad.rewards.reasoning import visible_chars
from verigrad.rewards.verifiers import format as kind

BLOCK = {"rule": "think_block"}
OPENED = {"rule": "think_block", "prefilled_open_tag": True}
ONCE = {"rule": "think_answer_once"}


def task(gold):
    return Task.make(prompt="q", gold=gold)


def status(answer, gold, **options):
    return kind.verify(answer, task(gold), **options).status


@pytest.mark.parametrize(
    ("gold", "answer", "wanted"),
    [
        (BLOCK, "<think>7 * 8 is 56</think> 56", "right"),
        (BLOCK, "\n<think>\n7 * 8 is 56\n</think>\n\nThe answer is 56.", "right"),
        (BLOCK, "<think>x</think>y", "right"),
        (BLOCK, "<think>7 * 8</think> <answer>56</answer>", "right"),
        (BLOCK, "<think> </think> 56", "wrong"),
        (BLOCK, "<think>...</think> 56", "wrong"),
        (BLOCK, "<think>\u200b\u3164\u2800</think> 56", "wrong"),
        (BLOCK, "<think>7 * 8</think>", "wrong"),
        (BLOCK, "<think>7 * 8</think> \n", "wrong"),
        (BLOCK, "<think>7 * 8</think> <answer></answer>", "wrong"),
        (BLOCK, "56", "wrong"),
        (BLOCK, "", "wrong"),
        (BLOCK, "7 * 8 is 56</think> 56", "wrong"),
        (BLOCK, "<think>7 * 8 is 56", "wrong"),
        (BLOCK, "<think>7</think><think>8</think> 56", "wrong"),
        (BLOCK, "<think><think>7</think></think> 56", "wrong"),
        (BLOCK, "<think><think>7</think> 56", "wrong"),
        (BLOCK, "</think> 56 <think>7 * 8", "wrong"),
        (BLOCK, "Sure! <think>7 * 8</think> 56", "wrong"),
        (BLOCK, "<THINK>7 * 8</THINK> 56", "wrong"),
        (BLOCK, "＜think＞7 * 8＜/think＞ 56", "wrong"),
        (BLOCK, "<think>7 * 8</think> 56 <think>", "wrong"),
        (BLOCK | {"min_reasoning_chars": 10}, "<think>7 * 8 = 56</think> 56", "right"),
        (BLOCK | {"min_reasoning_chars": 11}, "<think>7 * 8 = 56</think> 56", "wrong"),
        (BLOCK | {"min_reasoning_chars": 11}, "<think>7   *   8   =   56</think> 56", "wrong"),
        (BLOCK | {"min_reasoning_chars": 0}, "<think></think> 56", "right"),
        (OPENED, "7 * 8 is 56</think> 56", "right"),
        (OPENED, "<think>7 * 8 is 56</think> 56", "wrong"),
        (OPENED, "7 * 8 is 56", "wrong"),
        (OPENED, "</think> 56", "wrong"),
        (OPENED, "7</think> 8</think> 56", "wrong"),
        (ONCE, "<think>7 * 8</think><answer>56</answer>", "right"),
        (ONCE, "<think>7 * 8</think>\n<answer> 56 </answer>\n", "right"),
        (ONCE | {"prefilled_open_tag": True}, "7 * 8</think>\n<answer>56</answer>", "right"),
        (ONCE, "<think>7 * 8</think> 56", "wrong"),
        (ONCE, "<answer>56</answer><think>7 * 8</think>", "wrong"),
        (ONCE, "<think>7</think><answer>56</answer><answer>56</answer>", "wrong"),
        (ONCE, "<think>7</think><think>8</think><answer>56</answer>", "wrong"),
        (ONCE, "<think>7 <answer>56</answer></think><answer>56</answer>", "wrong"),
        (ONCE, "<think>7 <answer></think>56</answer>", "wrong"),
        (ONCE, "<think>7</think> so <answer>56</answer>", "wrong"),
        (ONCE, "<think>7</think><answer>56</answer> done", "wrong"),
        (ONCE, "<think>7</think><answer> </answer>", "wrong"),
        (ONCE, "<think>7</think><answer>56", "wrong"),
    ],
)
def test_one_block_and_then_an_answer(gold, answer, wanted):
    assert status(answer, gold) == wanted


@pytest.mark.parametrize(
    ("lang", "reasoning", "wanted"),
    [
        ("en", "We add both numbers and get 5.", "right"),
        ("English", "We add both numbers and get 5.", "right"),
        ("en", "首先我们把两个数相加。", "wrong"),
        ("en", "We add both numbers first. 然后检查结果是否正确。", "wrong"),
        ("en", "Wir addieren die beiden Zahlen und das ist 5.", "wrong"),
        ("en", "We add them. Das ist nicht so schwer, und es ist dann 5. Wir sind damit auch fertig.", "wrong"),
        ("en", "2 + 3 = 5", "wrong"),
        ("en", r"Let $x$ be the sum, so \(\frac{a}{b}\) is what we need; `für i in range(3)` does it.", "right"),
        ("de", "Wir addieren die beiden Zahlen und das ist 5.", "right"),
        ("de", "We add both numbers and this is what we get.", "wrong"),
        ("zh", "我们先算 x + y,再得到答案。", "right"),
        ("zh-CN", "我们先算 x + y,再得到答案。", "right"),
        ("zh", "We compute x + y and then the answer.", "wrong"),
        ("zh", "まず二つの数を足して、その結果を確かめます。", "wrong"),
        ("ja", "まず二つの数を足して、その結果を確かめます。", "right"),
        ("ja", "我们先把两个数相加然后检查结果。", "wrong"),
        ("ko", "두 수를 더하면 5 입니다.", "right"),
        ("ru", "Мы складываем оба числа и получаем 5.", "right"),
        ("ru", "We add both numbers and get 5.", "wrong"),
    ],
)
def test_the_reasoning_is_in_that_language(lang, reasoning, wanted):
    assert status(f"<think>{reasoning}</think> 5", {"rule": "think_language", "lang": lang}) == wanted


def test_the_answer_may_be_in_any_language():
    gold = {"rule": "think_language", "lang": "en"}
    assert status("<think>We add both numbers.</think> 答案是五。", gold) == "right"


@pytest.mark.parametrize("code", language.LANGUAGES)
def test_every_language_is_read_as_itself_and_not_as_another(code):
    sample = language.LANGUAGES[code].sample
    assert language.share(sample, code) == 1.0
    others = {c: language.share(sample, c) for c in language.LANGUAGES if c != code}
    assert max(others.values()) < 0.5, others


@pytest.mark.parametrize(
    ("gold", "says"),
    [
        (None, "want a rule"),
        ("think_block", "want a rule"),
        ({"rule": "think_twice"}, "'think_twice'"),
        ({"rule": "think_block", "max_chars": 3}, "think_block has no max_chars"),
        ({"rule": "think_block", "lang": "en"}, "think_block has no lang"),
        ({"rule": "think_block", "min_reasoning_chars": "5"}, "whole number"),
        ({"rule": "think_block", "min_reasoning_chars": True}, "whole number"),
        ({"rule": "think_block", "prefilled_open_tag": 1}, "true or false"),
        ({"rule": "think_language"}, "lang: want one of"),
        ({"rule": "think_language", "lang": "tlh"}, "lang: want one of"),
    ],
)
def test_a_rule_that_is_not_there_is_ungraded(gold, says):
    verdict = kind.verify("<think>7 * 8</think> 56", task(gold))
    assert verdict.status == "ungraded"
    assert says in verdict.reason
    assert says in kind.check_gold(task(gold))


@pytest.mark.parametrize(
    "gold",
    [
        BLOCK,
        OPENED,
        ONCE,
        ONCE | {"prefilled_open_tag": True},
        BLOCK | {"min_reasoning_chars": 5000},
        *({"rule": "think_language", "lang": code} for code in language.LANGUAGES),
    ],
)
def test_the_gold_is_right_by_its_own_rule(gold):
    assert kind.check_gold(task(gold)) is None
    assert status(kind.gold_answer(task(gold)), gold) == "right"


def test_another_tag():
    assert status("<reasoning>7 * 8</reasoning> 56", BLOCK, tag="reasoning") == "right"
    assert status("<think>7 * 8</think> 56", BLOCK, tag="reasoning") == "wrong"
    assert status(kind.gold_answer(task(BLOCK), tag="reasoning"), BLOCK, tag="reasoning") == "right"


@pytest.mark.parametrize(
    "piece", ["<think>", "</think>", "a", "`", "$a", "\\(a", "\\[a", "然后", "<a", "ﷺ", "\u0301", "``` "]
)
def test_no_answer_takes_long(piece):
    begun = time.process_time()
    for rule in ({"rule": "think_language", "lang": "en"}, ONCE):
        verdict = kind.verify(f"<think>{piece * (390_000 // len(piece))}</think> 5", task(rule))
        assert verdict.status == "wrong"
    assert time.process_time() - begun < 5
    too_long = kind.verify("a" * 400_001, task(BLOCK))
    assert too_long.reason.startswith("broke_check")


def test_what_prints_nothing_is_not_counted():
    assert visible_chars("a b") == 3
    assert visible_chars("a \n\t b\u200b") == 3
    assert visible_chars("?!") == 0
