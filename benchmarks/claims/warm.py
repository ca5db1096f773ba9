"""The warm-up every claim starts from: a model of 1.1 million parameters shown right answers until some are right.

    lm = warmed(seed=0, smoke=False)

Four kinds of question in one model (tasks), so that one warm-up a seed serves all claims; kept in build/claims, named
by seed and by a hash of what it is made of. Left out: rewards.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import time
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np

from benchmarks.claims import model, tasks
from benchmarks.common import ROOT
from verigrad import models
from verigrad.recipe import Optimizer, Schedule, Train
from verigrad.records import Demonstration
from verigrad.records import seed as hashed
from verigrad.training import SftLearner

CACHE = ROOT / "build/claims"
SHARES = {"c": 0.5, "p": 0.2, "m": 0.2, "w": 0.1}
"""Share of each kind of question."""


@dataclass(frozen=True, kw_only=True)
class Size:
    """How long, and with which model."""

    steps: int
    """Updates."""
    examples: int
    """Right answers an update."""
    lr: float
    """Peak; a tenth of the steps to warm up, then falling to 0 by a cosine."""
    shape: str
    """Of `model.SHAPES`."""


FULL = Size(steps=170, examples=128, lr=3e-3, shape="full")
SMOKE = Size(steps=3, examples=8, lr=3e-3, shape="smoke")


def warmed(seed: int, smoke: bool = False) -> models.LanguageModel:
    """The warmed model of this seed, made where it is not there yet; every call loads fresh weights."""
    size = SMOKE if smoke else FULL
    return models.load(str(_folder(seed, size)), dtype="float32", device="cpu")


def _folder(seed: int, size: Size) -> Path:
    said = json.dumps([asdict(size), SHARES, *(Path(m.__file__).read_text("utf-8") for m in (model, tasks))])
    folder = CACHE / f"{size.shape}-{hashlib.sha256(said.encode()).hexdigest()[:10]}-{seed}"
    if folder.exists():
        return folder
    begun, own = time.perf_counter(), folder.with_name(f"{folder.name}.{os.getpid()}")
    lm = model.fresh(own, seed=hashed("claims weights", seed) % 2**31, shape=size.shape)
    losses = imitate(lm, seed, size)
    models.save(lm, own, "Warmed by benchmarks/claims/warm.py.\n")
    told = {"seconds": round(time.perf_counter() - begun, 1), "loss": [losses[0], losses[-1]]}
    (own / "warm.json").write_text(json.dumps(told))
    try:
        own.rename(folder)
    except OSError:  # another claim was faster; its weights are the same
        shutil.rmtree(own)
    return folder


def imitate(lm: models.LanguageModel, seed: int, size: Size) -> list[float]:
    """Supervised steps on right answers; returns the losses."""
    rng = np.random.default_rng(hashed("claims warm", seed))
    source = {k: tasks.additions(k, kept=False, rng=rng) for k in tasks.MANNERS} | {"w": tasks.words(rng)}
    kinds, shares = list(SHARES), list(SHARES.values())
    train = Train(
        steps=size.steps,
        prompts=size.examples,
        lr=size.lr,
        schedule=Schedule(name="cosine", warmup=size.steps // 10),
        optimizer=Optimizer(betas=(0.9, 0.98), weight_decay=0.01),
    )
    learner, losses = SftLearner(lm, train, steps=size.steps, tokens=512), []
    for step in range(1, size.steps + 1):
        asked = [next(source[kinds[k]]) for k in rng.choice(len(kinds), size=size.examples, p=shares)]
        shown = [Demonstration(task=task, answer=tasks.demonstration(rng, task)) for task in asked]
        losses.append(round(float(learner.step(shown, step=step)["loss/policy"]), 4))
    return losses
