"""Every learner without sampling learns; how rows are put together changes nothing; tokens are counted right."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import torch

from tests.training.offline_cases import LEARNERS, demos, examples, fresh, labels, learner, module, moved, pairs
from tests.training.training_cases import apart
from verigrad.errors import DataError, Stopped
from verigrad.losses import preferences
from verigrad.models import encode, encode_answer, freeze, response_logps
from verigrad.recipe import Train
from verigrad.records import Demonstration, Labelled, Pair, Task
from verigrad.training import NAMES, PreferenceLearner, SftLearner
from verigrad.training.preference import _mismatched
from verigrad.training.rows import Reading, bundles

SEEN, HELD = "abcdefgh", "ijkl"
PAIRED = [name for name, method in preferences.items() if method.paired]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("tiny")


def gradient_of(held) -> dict[str, np.ndarray]:
    return {n: p.grad.numpy().copy() for n, p in module(held).named_parameters() if p.grad is not None}


@pytest.mark.parametrize("name", LEARNERS)
def test_it_learns_what_it_was_not_shown(name: str, folder: Path) -> None:
    held = learner(name, fresh(folder))
    given, unseen = examples(name, SEEN), examples(name, HELD)
    held.prepare([*given, *unseen])
    before = held.measure(unseen)
    for step in range(1, 9):
        metrics = held.step(given, step=step)
        assert set(metrics) <= NAMES
        assert metrics["tokens/trained"] > 0
    after = held.measure(unseen)
    if name == "sft":
        assert after["loss/policy"] < before["loss/policy"] - 1
    else:
        # The random model ties with itself, or prefers by chance.
        assert after["preference/right"] == 1.0
        assert after["preference/margin"] > before["preference/margin"] + 0.1


@pytest.mark.parametrize("name", LEARNERS)
def test_the_split_into_micro_batches_changes_no_metric_and_no_gradient(name: str, folder: Path) -> None:
    given = examples(name, "abcde")
    found = []
    for tokens in (4096, 24):
        held = learner(name, fresh(folder), tokens=tokens)
        held.prepare(given)
        metrics = moved(held).step(given, step=1)
        found.append((metrics, gradient_of(held)))
    (whole, gradient), (metrics, other) = found
    assert metrics == pytest.approx(whole, rel=1e-3, abs=1e-4)
    assert apart(gradient, other) < 1e-3


@pytest.mark.parametrize("name", ["sft", "dpo", "kto", "aot", "reward_model"])
def test_the_order_of_a_steps_examples_changes_nothing(name: str, folder: Path) -> None:
    given = examples(name, "abcdef")
    found = []
    for order in (given, given[::-1]):
        held = learner(name, fresh(folder))
        held.prepare(given)
        held.step(order, step=1)
        found.append(gradient_of(held))
    assert apart(*found) < 1e-4


@pytest.mark.parametrize("name", ["dpo", "ipo_mean", "orpo", "simpo"])
def test_a_pairs_log_probs_are_those_of_a_padded_hand_loop(name: str, folder: Path) -> None:
    lm = fresh(folder)
    given = pairs("abcd")
    held = learner(name, lm, tokens=30)
    held.prepare(given)
    metrics = held.step(given, step=1)
    lm = fresh(folder)
    mean = {}
    for side in ("chosen", "rejected"):
        sums = []
        for pair in given:
            ids = [*encode(lm, pair.task.prompt), *encode_answer(lm, getattr(pair, side))]
            begin = len(encode(lm, pair.task.prompt))
            with torch.no_grad():
                logits = lm.module(torch.tensor([ids])).logits[0].log_softmax(-1)
            sums.append(sum(float(logits[i - 1, ids[i]]) for i in range(begin, len(ids))))
            assert ids[-1] in lm.eos_ids
            assert sum(i in lm.eos_ids for i in ids[begin:]) == 1
        mean[side] = np.mean(sums)
    assert metrics["logp/chosen"] == pytest.approx(mean["chosen"], abs=1e-3)
    assert metrics["logp/rejected"] == pytest.approx(mean["rejected"], abs=1e-3)


def test_sft_counts_answer_tokens_alone_by_a_hand_loop(folder: Path) -> None:
    lm = fresh(folder)
    given = [*demos("abc"), Demonstration(task=Task.make(prompt="long"), answer="a much longer answer")]
    held = SftLearner(lm, Train(epochs=1, lr=1e-3), steps=1, tokens=48)
    metrics = held.step(given, step=1)
    lm = fresh(folder)
    total, count = torch.zeros(()), 0
    for each in given:
        prompt, answer = encode(lm, each.task.prompt), encode_answer(lm, each.answer)
        logp_BT = response_logps(lm, [prompt], answer[None], np.array([len(answer)])).logp_BT
        total, count = total - logp_BT.sum(), count + len(answer)
    total = total / count
    total.backward()
    assert metrics["tokens/trained"] == count
    assert metrics["loss/policy"] == pytest.approx(float(total.detach()), rel=1e-5)
    norm = torch.stack([p.grad.norm() for p in lm.module.parameters()]).norm()
    assert metrics["grad/norm"] == pytest.approx(float(norm), rel=1e-4)


@pytest.mark.parametrize("name", [n for n, m in preferences.items() if m.needs_reference])
def test_precomputed_and_live_reference_say_the_same(name: str, folder: Path) -> None:
    given = examples(name, "abcd")
    told = []
    for precomputed in (True, False):
        held = learner(name, fresh(folder), precomputed=precomputed)
        held.prepare(given)
        told.append(moved(held).step(given[:4], step=1))
    assert told[0] == pytest.approx(told[1], rel=1e-3, abs=1e-4)


def test_moved_is_the_chosen_answers_log_prob_against_the_reference(folder: Path) -> None:
    held = learner("dpo", fresh(folder))
    given = pairs("abcdef")
    held.prepare(given)
    first, second = (held.step(given, step=step) for step in (1, 2))
    assert first["logp/moved"] == pytest.approx(0, abs=1e-4)
    assert second["logp/moved"] == pytest.approx(second["logp/chosen"] - first["logp/chosen"], abs=1e-4)
    assert second["logp/moved"] != pytest.approx(0, abs=1e-3)


def test_a_method_with_a_reference_must_be_given_one(folder: Path) -> None:
    with pytest.raises(ValueError, match="dpo compares with a reference"):
        PreferenceLearner(fresh(folder), preferences["dpo"], Train(epochs=1), steps=1)


@pytest.mark.parametrize("name", PAIRED)
def test_labelled_answers_are_no_pairs(name: str, folder: Path) -> None:
    held = learner(name, fresh(folder))
    with pytest.raises(DataError, match=rf"{name} compares pairs .*kto"):
        held.prepare(labels("ab"))


@pytest.mark.parametrize("name", ["kto", "aot_unpaired"])
def test_pairs_are_labelled_answers_too(name: str, folder: Path) -> None:
    told = []
    for given in (pairs("abcd"), labels("abcd")):
        held = learner(name, fresh(folder))
        held.prepare(labels("abcd"))
        told.append(held.step(given, step=1))
    assert told[0] == pytest.approx(told[1], rel=1e-4, abs=1e-5)


@pytest.mark.parametrize("good", [True, False])
@pytest.mark.parametrize("name", ["kto", "aot_unpaired"])
def test_a_step_with_one_side_alone_is_no_error(name: str, good: bool, folder: Path) -> None:
    given = [each for each in labels("abcd") if each.good is good]
    held = learner(name, fresh(folder))
    held.prepare(given)
    metrics = held.step(given, step=1)
    assert np.isfinite(list(metrics.values())).all()


def test_a_mismatched_answer_is_the_next_ones_to_another_prompt(folder: Path) -> None:
    a, b = Task.make(prompt="a"), Task.make(prompt="b")
    answers = [(a, "1"), (a, "2"), (b, "3"), (b, "4")]
    found = _mismatched(answers, Reading(fresh(folder)))
    assert found == {(a.key, "1"): "3", (a.key, "2"): "3", (b.key, "3"): "1", (b.key, "4"): "1"}
    assert _mismatched(answers[:2], Reading(fresh(folder))) == {}


def test_an_example_beyond_the_models_context_is_refused_in_one_line(folder: Path) -> None:
    long = Pair(task=Task.make(prompt="x", source="mine"), chosen="y" * 600, rejected="z")
    with pytest.raises(DataError, match=r"^mine: prompt and answer have 6\d\d tokens, the model reads 512 .*shorten"):
        learner("dpo", fresh(folder)).prepare([long])


def test_an_answers_end_token_stands_once(folder: Path) -> None:
    lm = fresh(folder)
    plain = encode_answer(lm, "ab")
    assert plain.tolist()[-1] == 2  # the template's end of turn, not the tokenizer's end of text
    assert len(plain) == 3
    assert encode_answer(lm, "ab<|im_end|>").tolist() == plain.tolist()


def test_bundles_keep_units_whole_and_take_every_one_once(folder: Path) -> None:
    rows = Reading(fresh(folder)).rows([(p.task, t) for side in ("chosen", "rejected") for p in pairs() for t in
                                        [getattr(p, side)]])  # fmt: skip
    units = [[i, 12 + i] for i in range(12)]
    for tokens in (1, 60, 10**6):
        found = bundles(rows, units, tokens, packed=True)
        assert sorted(u for bundle in found for u in bundle) == list(range(12))
    assert len(bundles(rows, units, 1, packed=True)) == 12
    assert len(bundles(rows, units, 10**6, packed=True)) == 1


def test_nan_stops_before_anything_moved(folder: Path) -> None:
    lm = fresh(folder)
    held = SftLearner(lm, Train(epochs=1, lr=1e-3), steps=1)
    with torch.no_grad():
        lm.module.model.norm.weight.fill_(float("nan"))
    before = lm.module.model.layers[0].mlp.up_proj.weight.clone()
    with pytest.raises(Stopped, match="step 1: the loss is nan"):
        held.step(demos("ab"), step=1)
    assert torch.equal(before, lm.module.model.layers[0].mlp.up_proj.weight)


def test_a_reference_is_bitwise_what_it_was(folder: Path) -> None:
    lm = fresh(folder)
    reference = freeze(lm)
    held = PreferenceLearner(lm, preferences["dpo"], Train(epochs=1, lr=1e-2), steps=3, reference=reference,
                             precomputed=False)  # fmt: skip
    before = {n: p.clone() for n, p in reference.module.named_parameters()}
    for step in (1, 2, 3):
        held.step(pairs("abcd"), step=step)
    assert all(torch.equal(before[n], p) for n, p in reference.module.named_parameters())


def test_labels_and_pairs_in_one_step_are_unpaired_rows(folder: Path) -> None:
    held = learner("kto", fresh(folder))
    given = [*pairs("ab"), Labelled(task=Task.make(prompt="q"), answer="c", good=True)]
    held.prepare(given)
    assert np.isfinite(held.step(given, step=1)["loss/policy"])
