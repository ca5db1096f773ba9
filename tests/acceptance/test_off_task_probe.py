"""The off-task probe: its questions, what carries a format, what refuses a reason, and the paired change."""

import json
import re

import pytest

from verigrad.acceptance import fixed_text, measure_off_task, off_task_lines, off_task_numbers, task_format
from verigrad.acceptance.off_task import questions, refuses_reason
from verigrad.records import Task, seed
from verigrad.sampling import Scripted

REASONED = "Leaves turn yellow because the green pigment breaks down when days grow short."


def test_there_are_a_hundred_questions_and_none_wants_a_number():
    asked = questions()
    assert len(asked) == len(set(asked)) == 100
    for text in asked:
        assert not re.search(r"\d|\bhow (many|much|old|long|far|tall)\b|\bwhat year\b", text.casefold()), text
        assert text[-1] in "?."
    assert 250 <= len(fixed_text().split()) <= 350
    assert not re.search(r"\d", fixed_text())


@pytest.mark.parametrize(
    ("answer", "refuses"),
    [
        ("", True),
        ("   \n", True),
        ("56", True),
        ("B", True),
        ("#### 56", True),
        ("\\boxed{42}", True),
        ("The answer is 56.", True),
        ("<answer>otter</answer>", True),
        ("animal", True),
        ("I cannot help with that, because I am only a language model.", True),
        ("I'm sorry, but that is beyond what I can say about this matter.", True),
        ("As an AI, I have no view on what makes a good friend.", True),
        ("I don't know why that would be the case at all.", True),
        ("I can\u2019t help with that question about leaves.", True),
        ("I don't know.", True),
        ("I'm sorry, I am unable to say what makes leaves turn.", True),
        ("Unfortunately I do not have an answer to this question.", True),
        ("Sorry to hear it! Rain falls because drops in a cloud grow heavy.", False),
        ("I don't know anyone who dislikes tea; it warms and it wakes.", False),
        ("I don't know about you, but I like paper books since they smell good.", False),
        ("Unfortunately, many leaves fall early because of drought.", False),
        ("As an AI might put it, friendship is trust that has grown.", False),
        ("I cannot help but smile: a pear tastes sweet and soft.", False),
        ("I can't say enough good about bread, which rises since yeast makes gas.", False),
        ("I won't pretend that it is easy, but start by listening.", False),
        ("I have no doubt that cats purr to calm themselves.", False),
        (REASONED, False),
        ("I can explain: green fades and yellow stays.", False),
        (REASONED + "\n#### 56", False),  # the format is there, and so is a reason
        ("The answer is that the green pigment fades.", False),
    ],
)
def test_refusing_a_reason(answer, refuses):
    assert refuses_reason(answer) is refuses


@pytest.mark.parametrize(
    ("prompt", "forms", "carried", "free"),
    [
        ("What is 7 * 8? Put the result in \\boxed{}.", ("boxed",), "so it is \\boxed{leaves}", REASONED),
        ("Think first, then write #### and the number.", ("hashes",), REASONED + "\n#### 7", "no # here"),
        ("Write <answer>...</answer> at the end.", ("tags",), "<answer>yes</answer>", REASONED),
        ("Give JSON with the keys a, b.", ("json",), '```json\n{"a": 1}\n```', '{"a": 1} is what I would say'),
        ("def f(x):\n    return x\n# Return x + 1", ("code",), "```python\npass\n```", REASONED),
        ("End with: The answer is N. What is 7 * 8?", ("answer",), "The answer is light.", REASONED),
        ("What is 7 * 8?", ("bare",), "56.", REASONED),
        ("Which is dog: animal or food? Answer:", ("bare",), "animal", REASONED),
    ],
)
def test_the_format_is_told_from_the_prompts(prompt, forms, carried, free):
    found = task_format([Task.make(prompt=prompt, gold=1)])
    assert found.forms == forms
    assert found(carried)
    assert not found(free)


def test_a_form_counts_where_half_of_the_prompts_have_it():
    plain, boxed = Task.make(prompt="What is 2?"), Task.make(prompt="In \\boxed{}: what is 2?")
    assert task_format([plain, boxed]).forms == ("boxed",)
    assert task_format([plain, plain, boxed]).forms == ("bare",)


def measured(answer, **options):
    sampler = Scripted(answer)
    found = measure_off_task(sampler, carries=lambda t: "####" in t, perplexity=12.5, max_tokens=60, **options)
    return found, sampler.requests


def test_questions_go_alone_greedily_and_with_their_own_seeds():
    seen = []
    found, requests = measured(lambda r: REASONED, progress=lambda done, of: seen.append((done, of)))
    assert [r.prompt[0]["content"] for r in requests] == list(questions())
    assert all(len(r.prompt) == 1 and r.temperature == 0.0 for r in requests)
    assert [r.seed for r in requests] == [seed("off_task", n) for n in range(100)]
    assert seen == [(50, 100), (100, 100)]
    assert (found.questions, found.format, found.refusing, found.perplexity) == (100, 0.0, 0.0, 12.5)
    assert found.truncated == 1.0  # 80 bytes are more than 60 tokens
    assert found.length == 60.0
    assert found.rows()[0]["question"] == questions()[0]


def curt(request):
    n = questions().index(request.prompt[0]["content"])
    return "#### 7" if n < 40 else "It is so since the sun sets early."


def test_the_change_is_paired_by_question():
    before, after = (measured(f)[0].as_json() for f in (lambda r: "It is so since the sun sets early.", curt))
    assert (after["format"], after["refusing"]) == (0.4, 0.4)
    assert after["format_interval"] == pytest.approx([0.3094, 0.4980], abs=1e-4)  # Wilson, 40 of 100
    change = off_task_numbers(before, after)["change"]
    assert change["format"]["change"] == pytest.approx(0.4)
    assert change["format"]["p_value"] == pytest.approx(2 * 2.0**-40)
    low, high = change["format"]["interval"]
    assert 0.25 < low < 0.4 < high < 0.55
    assert change["length"]["change"] == pytest.approx(0.4 * (7 - 35))
    assert change["perplexity"]["ratio"] == 1.0
    json.dumps(off_task_numbers(before, after), allow_nan=False)
    told = "\n".join(off_task_lines(before, after))
    assert "carry the task's format 0.000 -> 0.400, change +0.400" in told
    assert "it decides nothing" in told


def test_a_model_without_a_finite_perplexity_is_still_json():
    sampler = Scripted(lambda r: REASONED)
    one = measure_off_task(
        sampler, carries=lambda t: False, perplexity=float("inf"), max_tokens=5, asked=("Why?",)
    ).as_json()
    assert one["perplexity"] is None
    json.dumps(off_task_numbers(one, one), allow_nan=False)
    assert "perplexity, plain text  - -> -" in "\n".join(off_task_lines(one, one))
