"""Examples for the loops without sampling: prompts to say ok to, learners over them, and a loop in a run."""

from __future__ import annotations

from pathlib import Path

import torch

from tests.training.training_cases import tiny
from verigrad.losses import preferences
from verigrad.models import LanguageModel, freeze, new_scorer
from verigrad.recipe import Limits, Optimizer, Train
from verigrad.records import Demonstration, Labelled, Pair, Task
from verigrad.store import RunDirectory
from verigrad.training import Learner, OfflineLoop, PreferenceLearner, RewardModelLearner, SftLearner

LETTERS = "abcdefghijkl"
OPTIMIZER = Optimizer(eps=1e-8, max_norm=1.0)


def task(letter: str) -> Task:
    """A prompt whose length depends on the letter, so that padding is uneven."""
    return Task.make(prompt=f"say {letter * (1 + ord(letter) % 3)}", source="letters")


def pairs(letters: str = LETTERS) -> list[Pair]:
    """ok is better than z, however often it stands there."""
    return [
        Pair(task=task(c), chosen="ok" if i % 2 else "okay", rejected="z" * (1 + i % 3)) for i, c in enumerate(letters)
    ]


def labels(letters: str = LETTERS) -> list[Labelled]:
    """The same answers without partners."""
    good = [Labelled(task=p.task, answer=p.chosen, good=True) for p in pairs(letters)]
    return [each for pair in zip(good, [Labelled(task=p.task, answer=p.rejected, good=False) for p in pairs(letters)],
                                 strict=True) for each in pair]  # fmt: skip


def demos(letters: str = LETTERS) -> list[Demonstration]:
    """The better answers alone."""
    return [Demonstration(task=p.task, answer=p.chosen) for p in pairs(letters)]


LEARNERS = ("sft", "reward_model", *preferences)


def learner(
    name: str, lm: LanguageModel, *, lr: float = 1e-2, steps: int = 16, tokens: int = 512, precomputed: bool = True
) -> Learner:
    """The learner of that name: sft, reward_model or a preference method, whose reference is the model as it is."""
    train = Train(epochs=1, lr=lr, optimizer=OPTIMIZER)
    if name == "sft":
        return SftLearner(lm, train, steps=steps, tokens=tokens)
    if name == "reward_model":
        return RewardModelLearner(new_scorer(lm, seed=1), train, steps=steps, tokens=tokens)
    method = preferences[name]
    reference = freeze(lm) if method.needs_reference else None
    return PreferenceLearner(
        lm, method, train, steps=steps, reference=reference, precomputed=precomputed, tokens=tokens
    )


def examples(name: str, letters: str = LETTERS) -> list[Demonstration] | list[Pair] | list[Labelled]:
    """What that learner learns from."""
    if name == "sft":
        return demos(letters)
    unpaired = name in preferences and not preferences[name].paired
    return labels(letters) if unpaired else pairs(letters)


def module(held: Learner):
    """What it trains."""
    return held.stepper.module


def moved(held: Learner) -> Learner:
    """The same with its weights a little away from where they were, and from the reference."""
    generator = torch.Generator().manual_seed(0)
    with torch.no_grad():
        for p in module(held).parameters():
            p.add_(0.02 * torch.randn(p.shape, generator=generator))
    if not isinstance(held, RewardModelLearner):
        held.working.sync()
    return held


def loop(run: RunDirectory, held: Learner, given, *, prompts: int = 5, epochs: int = 2, **more) -> OfflineLoop:
    """A loop of this learner in this run, stage 1."""
    train = Train(epochs=epochs, prompts=prompts, save_every=more.pop("save_every", 2), keep_last=2)
    return OfflineLoop(
        learner=held,
        examples=given,
        stage=1,
        run_seed=3,
        train=train,
        limits=more.pop("limits", Limits()),
        run=run,
        **more,
    )


def fresh(folder: Path) -> LanguageModel:
    """The tiny llama in float32, read afresh."""
    return tiny(folder)
