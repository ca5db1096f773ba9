"""Adapters in the loops without sampling: they learn by adapters alone, and resume bit for bit."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch
from peft import PeftModel
from transformers import AutoModelForSequenceClassification

from tests.training.offline_cases import OPTIMIZER, examples, fresh, learner, module
from verigrad.models import (
    add_lora,
    load_scorer,
    lora_of,
    merge,
    new_scorer,
    save_adapter,
    save_scorer,
    score_texts,
)
from verigrad.recipe import Lora, Train
from verigrad.training import Learner, RewardModelLearner

NAMES = ("sft", "dpo", "kto", "reward_model")
SEEN, HELD = "abcdefgh", "ijkl"
LORA = Lora(rank=4)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("tiny")


def adapted(name: str, folder: Path, *, seed: int = 5, lr: float = 2e-2) -> Learner:
    lm = fresh(folder)
    if name != "reward_model":
        return learner(name, add_lora(lm, LORA, seed=seed), lr=lr)
    train = Train(epochs=1, lr=lr, optimizer=OPTIMIZER)
    return RewardModelLearner(add_lora(new_scorer(lm, seed=1), LORA, seed=seed), train, steps=16)


def parameters(held: Learner) -> dict[str, torch.Tensor]:
    return {n: p.detach().clone() for n, p in module(held).named_parameters()}


@pytest.mark.parametrize("name", NAMES)
def test_it_learns_by_adapters_alone(name: str, folder: Path) -> None:
    held = adapted(name, folder)
    given, unseen = examples(name, SEEN), examples(name, HELD)
    held.prepare([*given, *unseen])
    before, weights = held.measure(unseen), parameters(held)
    for step in range(1, 9):
        held.step(given, step=step)
    after = held.measure(unseen)
    if name == "sft":
        assert after["loss/policy"] < before["loss/policy"] - 1
    else:
        assert after["preference/right"] == 1.0
        assert after["preference/margin"] > before["preference/margin"] + 0.1
    moved = {n for n, p in module(held).named_parameters() if not torch.equal(p, weights[n])}
    assert moved == {n for n in weights if ".lora_" in n or n == "score.weight"}


@pytest.mark.parametrize("name", NAMES)
def test_a_resumed_learner_goes_on_bit_for_bit(name: str, folder: Path, tmp_path: Path) -> None:
    given = examples(name, SEEN)
    held, other = adapted(name, folder), adapted(name, folder, seed=6)
    for each in (held, other):
        each.prepare(given)
    for step in (1, 2):
        held.step(given, step=step)
    held.save(tmp_path)
    assert sorted(p.name for p in tmp_path.iterdir()) == ["adapter", "state"]
    other.load(tmp_path)
    for step in (3, 4):
        assert held.step(given, step=step) == other.step(given, step=step)
    after = parameters(other)
    assert all(torch.equal(p, after[n]) for n, p in parameters(held).items())


@pytest.mark.filterwarnings("ignore:`is_gradient_checkpointing`:FutureWarning")  # peft's own call into transformers
def test_a_judge_is_saved_merged_and_its_adapters_are_pefts(folder: Path, tmp_path: Path) -> None:
    base = new_scorer(fresh(folder), seed=1)
    head = base.module.score.weight.detach().clone()
    scorer = add_lora(base, LORA, seed=5)
    given = examples("reward_model", SEEN)
    held = RewardModelLearner(scorer, Train(epochs=1, lr=2e-2, optimizer=OPTIMIZER), steps=16)
    held.prepare(given)
    for step in (1, 2):
        held.step(given, step=step)
    assert torch.equal(base.module.score.weight, head), "the base keeps its own head"
    asked = [(p.task.prompt, p.chosen) for p in given]
    right = score_texts(scorer, asked)
    assert lora_of(merge(scorer)) is None
    save_scorer(scorer, tmp_path / "model", "card")
    assert score_texts(load_scorer(str(tmp_path / "model"), dtype="float32"), asked) == pytest.approx(right, abs=1e-4)
    save_scorer(base, tmp_path / "base", "card")
    save_adapter(scorer, tmp_path / "adapter")
    theirs = AutoModelForSequenceClassification.from_pretrained(tmp_path / "base", dtype=torch.float32)
    theirs = PeftModel.from_pretrained(theirs, tmp_path / "adapter").eval()
    ids = torch.tensor([[5, 9, 30, 31, 32, 7]])
    with torch.no_grad():
        assert torch.equal(theirs(ids).logits, scorer.module(ids).logits)
