"""The choice verifier: letters, words, texts, several right ones, the copied cases, hostile sizes."""

import json
import time
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from verigrad.records import Task
from verigrad.rewards.verifiers import choice

CASES = [
    json.loads(line) for line in (Path(__file__).parents[1] / "cases/verify_choice.jsonl").read_text().splitlines()
]
WORDS = Task.make(
    prompt="Is a dog animal, food, vehicle or clothing?",
    gold="animal",
    columns={"choices": ["animal", "food", "vehicle", "clothing"]},
)
TEXTS = Task.make(prompt="Capital of France?", gold="B", columns={"choices": ["London", "Paris", "Rome"]})
SEVERAL = Task.make(prompt="Which are prime?", gold={"answer": "ACD", "choices": "ABCD"})


@pytest.mark.parametrize(
    ("status", "answer"),
    [
        ("unreadable", "N/A"),
        ("unreadable", "A. iron\nB. wood"),
        ("unreadable", "Which?\n(B) wood\n\n(A) iron"),
        ("right", "B. wood is none.\nSo A."),
        ("right", "A. iron"),
        ("right", "A. iron\nA. iron"),
    ],
)
def test_a_list_of_choices_and_not_applicable_name_none(status, answer):
    got = choice.verify(answer, Task.make(prompt="Which?", gold={"answer": "A", "choices": "ABCD"}))
    assert got.status == status, got


@pytest.mark.parametrize("case", CASES, ids=[c["id"] for c in CASES])
def test_public_cases(case):
    got = choice.verify(case["completion"], Task.make(prompt=case["problem"], gold=case["truth"]))
    assert got.status in (("right",) if case["expected"] else ("wrong", "unreadable")), (case["why"], got)


@pytest.mark.parametrize(
    ("status", "answer"),
    [
        ("right", "animal"),
        ("right", "Animal."),
        ("right", "  ANIMAL!\n"),
        ("right", "**animal**"),
        ("right", "ａｎｉｍａｌ"),
        ("right", "A dog is an animal."),
        ("right", "The category is **animal**."),
        ("right", "Category: animal"),
        ("right", "The answer is animal."),
        ("right", "答案是animal。"),
        ("right", "<answer>animal</answer>"),
        ("right", "\\boxed{animal}"),
        ("right", "\\boxed{\\text{Animal}}"),
        ("right", "It is an animal, not a food."),
        ("right", "<think>food?</think>animal"),
        ("right", "Answer: food. Wait, no. Answer: animal"),
        ("right", "animal\nanimal"),
        ("wrong", "food"),
        ("wrong", "The answer is clothing."),
        ("unreadable", ""),
        ("unreadable", "I don't know"),
        ("unreadable", "animals"),
        ("unreadable", "anima"),
        ("unreadable", "xanimal"),
        ("unreadable", "not animal"),
        ("unreadable", "It is not an animal."),
        ("unreadable", "neither food nor animal"),
        ("unreadable", "animal or food"),
        ("unreadable", "maybe animal"),
        ("unreadable", "either animal"),
        ("unreadable", "animal, food"),
        ("unreadable", "animal food vehicle clothing"),
        ("unreadable", "food. animal."),
        ("unreadable", "food\nanimal"),
        ("unreadable", "animal\nfood"),
        ("unreadable", "Answer: food\nAnswer: animal"),
        ("unreadable", "\\boxed{food}\\boxed{animal}"),
        ("unreadable", "Is it an animal?"),
        ("unreadable", "Is a dog animal, food, vehicle or clothing?"),
        ("unreadable", "<think>animal"),
        ("unreadable", "<think>animal</think>"),
        ("unreadable", "\\boxed{animal"),
    ],
)
def test_words(status, answer):
    got = choice.verify(answer, WORDS)
    assert got.status == status, got
    given_as_option = choice.verify(
        answer, Task.make(prompt="?", gold="Animal"), choices="animal|food|vehicle|clothing"
    )
    assert given_as_option.status == status


@pytest.mark.parametrize(
    ("status", "answer"),
    [
        ("right", "B"),
        ("right", "(b)"),
        ("right", "b."),
        ("right", "Paris"),
        ("right", "B. Paris"),
        ("right", "the answer is (B) Paris"),
        ("right", "I think it is Paris."),
        ("right", "故选B"),
        ("right", "选项是B。"),
        ("right", "A big city: Paris."),
        ("wrong", "A"),
        ("wrong", "Rome"),
        ("unreadable", "D"),
        ("unreadable", "B. London"),
        ("unreadable", "A. B"),
        ("unreadable", "AB"),
        ("unreadable", "A and B"),
    ],
)
def test_letters_with_texts(status, answer):
    assert choice.verify(answer, TEXTS).status == status
    by_index = Task.make(prompt="?", gold=1, columns={"choices": {"A": "London", "B": "Paris", "C": "Rome"}})
    assert choice.verify(answer, by_index).status == status


@pytest.mark.parametrize(
    ("status", "answer"),
    [
        ("right", "ACD"),
        ("right", "A, C, D"),
        ("right", "d, c, a"),
        ("right", "Answer: A, C and D"),
        ("wrong", "AC"),
        ("wrong", "ABCD"),
        ("wrong", "A"),
        ("unreadable", "A, C or D"),
        ("unreadable", "ACX"),
    ],
)
def test_several_right_ones_need_all_and_no_other(status, answer):
    assert choice.verify(answer, SEVERAL).status == status


@pytest.mark.parametrize(
    ("gold", "columns", "options"),
    [
        ("animal", {}, {}),
        ("plant", {"choices": ["animal", "food"]}, {}),
        ("animal", {"choices": ["animal"]}, {}),
        ("animal", {"choices": ["animal", "Animal", "food"]}, {"choices": ["animal", ""]}),
        (None, {"choices": "ABCD"}, {}),
        (7, {"choices": ["London", "Paris"]}, {}),
        ({"answer": "E", "choices": "ABCD"}, {}, {}),
        ({"answer": "", "choices": "ABCD"}, {}, {}),
        ({"answer": "A"}, {}, {}),
        ("A", {"choices": 4}, {}),
    ],
)
def test_a_gold_that_is_no_choice_is_ungraded(gold, columns, options):
    asked = Task.make(prompt="?", gold=gold, columns=columns)
    assert choice.verify("animal", asked, **options).status == "ungraded"
    assert choice.check_gold(asked, **options)


@pytest.mark.parametrize("asked", [WORDS, TEXTS, SEVERAL], ids=["words", "texts", "several"])
def test_a_gold_is_right_as_its_own_answer(asked):
    assert choice.check_gold(asked) is None
    assert choice.verify(choice.gold_answer(asked), asked).status == "right"


@settings(max_examples=150, deadline=5000)
@given(
    st.lists(
        st.one_of(
            st.sampled_from(["animal", "food", " ", "not ", "\n", "Answer: ", "\\boxed{", "}"]), st.text(max_size=6)
        )
    )
)
def test_any_text_is_judged_without_an_error(pieces):
    got = choice.verify("".join(pieces), WORDS)
    assert got.status in ("right", "wrong", "unreadable")


@pytest.mark.parametrize(
    "answer", ["A" * 399_000, "A " * 190_000, "not " * 99_000, "A\n" * 190_000, "Answer: A " * 36_000]
)
def test_hostile_answers_return_quickly(answer):
    begun = time.perf_counter()
    assert choice.verify(answer, TEXTS).status in ("wrong", "unreadable")
    assert time.perf_counter() - begun < 3.0
