"""Before and after through a scripted sampler: seeds, pairing, disagreement, and the headline that follows."""

import json
import subprocess
import sys

import numpy as np
import pytest

from verigrad.acceptance import accuracy, decide, headline, lines, measure, open_grader, pair, spot_check
from verigrad.acceptance.measure import Measured
from verigrad.errors import DataError
from verigrad.records import Completion, Task, right, seed, wrong


class Scripted:
    """Answers from a function of (question, seed, temperature); remembers what was asked."""

    def __init__(self, answer):
        self.answer, self.requests = answer, []

    def sample(self, requests):
        self.requests += requests
        out = []
        for r in requests:
            text = self.answer(r.prompt[-1]["content"], r.seed, r.temperature)
            ids = np.arange(len(text.split()) + 1)
            finish = "length" if text.endswith("...") else "stop"
            out.append(
                Completion(prompt_ids=ids, token_ids=ids, logp=np.zeros(len(ids), np.float32), text=text, finish=finish)
            )
        return out


TASKS = [Task.make(prompt=f"{a} * 7", gold=str(a * 7), family=f"{a}x7") for a in range(2, 42)]


def product(question):
    a, _, b = question.split()
    return int(a) * int(b)


def weak(question, seed_, temperature):
    if temperature == 0:
        return f"The answer is {product(question)}." if product(question) % 5 == 0 else "The answer is 1."
    return str(product(question)) if seed_ % 4 == 0 else f"{product(question)} or 3" if seed_ % 4 == 1 else "I..."


def strong(question, seed_, temperature):
    return f"{question} = {product(question)}" if temperature == 0 or seed_ % 4 else "8 * 1..."


class Greedy:
    test, answers, p, gain, margin = "greedy", 4, 0.01, 0.0, None


class Sampled(Greedy):
    test = "sampled"


def run(answer, **options):
    sampler = Scripted(answer)
    measured = measure(
        sampler,
        TASKS,
        suite="times",
        grade=open_grader("number").grade,
        answers=4,
        max_tokens=16,
        temperature=0.7,
        stop=("\n",),
        batch=7,
        **options,
    )
    return sampler, measured


def contains(answer, task):
    return right() if task.gold in answer else wrong()


def test_the_whole_way():
    before_sampler, before = run(weak, training_verdict=contains)
    seen = []
    after_sampler, after = run(strong, training_verdict=contains, progress=lambda done, of: seen.append((done, of)))
    assert seen[0] == (7, 40)
    assert seen[-1] == (40, 40)
    assert before_sampler.requests == after_sampler.requests
    assert len(before_sampler.requests) == 40 * 5
    first = before_sampler.requests[:5]
    assert [r.seed for r in first] == [seed("accept", TASKS[0].key, i) for i in (-1, 0, 1, 2, 3)]
    assert [r.temperature for r in first] == [0.0, 0.7, 0.7, 0.7, 0.7]
    assert {(r.max_tokens, r.stop) for r in first} == {(16, ("\n",))}
    items = pair(before, after)
    assert [i.task for i in items] == TASKS
    assert accuracy(before) == pytest.approx(8 / 40)
    assert accuracy(after) == 1.0
    assert accuracy(after, test="sampled") == np.mean([r.grade.strict == "right" for m in after for r in m.sampled])

    for rule in (Greedy(), Sampled()):
        decision = decide(items, rule)
        assert decision.verdict == "accepted", decision
        numbers = headline(items, suite="times", grader="number", independent=True, decision=decision)
        assert json.loads(json.dumps(numbers, allow_nan=False)) == numbers
    greedy = numbers["greedy"]
    assert greedy["before"]["strict"] == pytest.approx(0.2)
    assert greedy["after"]["strict_interval"] == pytest.approx([0.9124, 1.0], abs=1e-4)  # Wilson 40/40
    assert greedy["after"]["disagreement"] == 0.0
    sampled = numbers["sampled"]["before"]
    # "35 or 3" holds the gold: the training verifier pays it, strict reading does not
    hedged = np.mean([r.answer.endswith("or 3") for m in before for r in m.sampled])
    assert sampled["disagreement"] == pytest.approx(hedged)
    assert hedged > 0
    assert sampled["truncated"] == np.mean([r.answer == "I..." for m in before for r in m.sampled])
    assert sampled["unread"] == pytest.approx(sampled["truncated"] + hedged)
    assert sampled["compared"] == sampled["count"] == 160
    assert list(sampled["pass_at_k"]) == ["1", "2", "4"]
    assert sampled["pass_at_k"]["1"] == pytest.approx(sampled["strict"])
    assert sampled["pass_at_k"]["4"] >= sampled["pass_at_k"]["2"] >= sampled["pass_at_k"]["1"]
    assert sampled["pass_hat_k"]["4"] <= sampled["pass_hat_k"]["1"]
    text = "\n".join(lines(numbers))
    for word in ("strict", "lenient", "unread", "truncated", "disagreement", "accepted: sampled gain"):
        assert word in text
    assert "NOT INDEPENDENT" not in text
    same = headline(items, suite="times", grader="same", independent=False)
    assert "NOT INDEPENDENT" in lines(same)[0]

    rows = spot_check(items, 12)
    assert len(rows) == 12
    assert all(r["disagree"] for r in rows)  # the disagreements come first
    assert rows == spot_check(items, 12)
    assert len({(r["key"], r["side"], r["draw"]) for r in spot_check(items, 10_000)}) == 400
    json.dumps(rows)


def test_a_headline_of_nothing_holds_no_number():
    numbers = headline([], suite="none", grader="number", independent=True)
    assert numbers["greedy"]["after"]["strict"] is None
    assert json.loads(json.dumps(numbers)) == numbers
    assert lines(numbers) == ["none: 0 items in 0 families, grader number"]


def test_items_must_match_and_occur_once():
    _, before = run(weak)
    with pytest.raises(DataError, match="not measured on the same items"):
        pair(before[1:], before)
    other = Measured(task=before[0].task, suite="other", greedy=before[0].greedy)
    with pytest.raises(DataError, match="not measured on the same items"):
        pair(before, (other, *before[1:]))
    with pytest.raises(DataError, match="occurs twice"):
        measure(Scripted(weak), [TASKS[0]] * 2, suite="s", grade=open_grader("number").grade, answers=1, max_tokens=4)


def test_importing_acceptance_brings_neither_sympy_nor_torch_nor_training():
    code = (
        "import sys, verigrad.acceptance, verigrad.acceptance.graders as g; [g.find(n) for n in g.names()];"
        "bad = [m for m in ('sympy', 'math_verify', 'torch', 'verigrad.rewards', 'verigrad.rollouts',"
        "'verigrad.losses', 'verigrad.training') if m in sys.modules]; assert not bad, bad"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
