"""A short RL run out of verigrad's own pieces: draw, judge, keep, update, publish; a line of metrics a step.

    curve = train(lm, Setting(method=build("grpo", {"kl": "none"}), manner="c", steps=40), seed=0)

All conditions of a claim with one seed ask the same additions in the same steps with the same draws' seeds, so that
their differences are paired. Left out: files, acceptance (a run of the command line has both).
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any

import numpy as np
import torch

from benchmarks.claims import tasks
from verigrad import models
from verigrad.losses import Method
from verigrad.models import Working
from verigrad.recipe import Optimizer, Train
from verigrad.records import Completion, Request, Rollout, Scored, Task, batch_of
from verigrad.records import seed as hashed
from verigrad.rollouts import DrawPlan, Keep, collect, select
from verigrad.sampling import LocalSampler
from verigrad.training import Trainer, step_metrics

Pay = Callable[[Sequence[Rollout]], list[Scored]]
Look = Callable[[models.LanguageModel], dict[str, float]]


def by_verifier(rollouts: Sequence[Rollout]) -> list[Scored]:
    """1 for a right sum, else 0."""
    return [paid(r, float(tasks.verify(r.answer, r.task).correct)) for r in rollouts]


def paid(rollout: Rollout, reward: float) -> Scored:
    """The rollout with this reward; its verdict is the truth, whoever paid."""
    verdict = tasks.verify(rollout.answer, rollout.task)
    return Scored(rollout=rollout, verdict=verdict, parts={"reward": reward}, reward=reward)


def by_form(rollouts: Sequence[Rollout]) -> list[Scored]:
    """For smoke runs, in which nothing is ever right: some number of the answer's, so that rewards vary."""
    return [paid(r, hashed("claims smoke", r.answer) % 7 / 6) for r in rollouts]


@dataclass(frozen=True, kw_only=True)
class Setting:
    """One condition of a claim."""

    method: Method
    """How the loss is computed."""
    manner: str = "c"
    """Which questions are asked (tasks)."""
    pay: Pay = by_verifier
    """Who gives the reward."""
    steps: int = 40
    """Rounds of sampling."""
    prompts: int = 16
    """A step."""
    group: int = 8
    """Answers a prompt."""
    passes: int = 1
    """Times each batch is used."""
    minibatches: int = 1
    """Updates a pass."""
    lr: float = 1e-4
    """Constant."""
    max_tokens: int = 6
    """Of an answer."""
    every: int = 0
    """Steps between looks; 0: before the first and after the last."""

    def small(self, smoke: bool) -> Setting:
        """Itself, or for a smoke run a few steps of it with rewards that vary."""
        return (
            replace(self, steps=2, prompts=4, group=4, pay=by_form, max_tokens=min(self.max_tokens, 8))
            if smoke
            else self
        )


def train(lm: models.LanguageModel, setting: Setting, *, seed: int, look: Look | None = None) -> list[dict[str, Any]]:
    """Train in place. One line a step; line 0 holds only what `look` says before."""
    sampler = LocalSampler(lm, rows=setting.prompts * setting.group)
    trainer = Trainer(
        lm,
        setting.method,
        Train(
            steps=setting.steps,
            prompts=setting.prompts,
            group=setting.group,
            passes=setting.passes,
            minibatches=setting.minibatches,
            lr=setting.lr,
            optimizer=Optimizer(),
        ),
        steps=setting.steps,
        temperature=1.0,
    )
    plan = DrawPlan(
        run_seed=seed,
        stage=1,
        group=setting.group,
        max_tokens=setting.max_tokens,
        temperature=1.0,
        greedy=trainer.needs.greedy,
    )
    keep = Keep(varied=setting.method.keep.word == "varied", rounds=getattr(setting.method.keep, "rounds", 10))
    memory_mb = held(trainer) / 1e6
    curve: list[dict[str, Any]] = [{"step": 0, "memory_mb": memory_mb} | (look(lm) if look else {})]
    for step in range(1, setting.steps + 1):
        begun = time.perf_counter()
        groups = collect(
            plan,
            asked(setting, seed, step),
            lambda round_, count, step=step: asked(setting, seed, step, round_)[:count],
            sampler.sample,
            setting.pay,
            keep,
            step=step,
        )
        collected = select(groups, keep, wanted=setting.prompts)
        line: dict[str, Any] = {"step": step} | step_metrics(groups, collected, newest=step - 1)
        if collected.kept:
            line |= trainer.step(batch_of(collected.kept, budget=setting.max_tokens), step=step)
        sampler.version += 1
        sampler.changed()
        line["seconds"] = time.perf_counter() - begun
        if look and (step == setting.steps or (setting.every and step % setting.every == 0)):
            line |= look(lm)
        curve.append(line)
    return curve


def held(trainer: Trainer) -> int:
    """Bytes that training holds for good: weights, gradients and two moments of policy and critic, in float32."""
    critic = [] if trainer.critic is None else [p for _, p in trainer.critic.named_parameters()]
    return 16 * sum(p.numel() for p in {*trainer.policy.module.parameters(), *critic})


def asked(setting: Setting, seed: int, step: int, round_: int = 0) -> list[Task]:
    """What a step asks: the same under every condition."""
    rng = np.random.default_rng(hashed("claims asked", seed, step, round_))
    return list(islice(tasks.additions(setting.manner, kept=False, rng=rng), setting.prompts))


def side(manner: str, *, kept: bool, smoke: bool = False) -> list[Task]:
    """All additions that are held out (`kept`), or all that are not; for a smoke run a few."""
    pairs = [(a, b) for a in range(10, 100) for b in range(2, 10)]
    return [tasks.addition(manner, a, b) for a, b in pairs if tasks.held_out(a, b) == kept][: 8 if smoke else None]


def accuracy(smoke: bool) -> Look:
    """A look: exact accuracy on the held-out curt additions, in line `held_out`."""
    measured = side("c", kept=True, smoke=smoke)
    return lambda lm: {"held_out": float(pass_rates(lm, measured).mean())}


@torch.no_grad()
def logps(lm: models.LanguageModel, rows: Sequence[tuple[Task, str]]) -> np.ndarray:
    """[N] float64: log-probability of each whole answer with its end at temperature 1."""
    answers = [models.encode_answer(lm, text) for _, text in rows]
    token_ids_NT = np.zeros((len(rows), max(map(len, answers))), dtype=np.int64)
    for row, ids in zip(token_ids_NT, answers, strict=True):
        row[: len(ids)] = ids
    working, out = Working(lm), []
    for at in range(0, len(rows), 128):
        part = slice(at, at + 128)
        found = working.logps(
            [models.encode(lm, task.prompt) for task, _ in rows[part]],
            token_ids_NT[part],
            np.array([len(a) for a in answers[part]]),
        )
        out.append(found.logp_BT.double().sum(dim=1).numpy())
    return np.concatenate(out)


def pass_rates(lm: models.LanguageModel, asked_: Sequence[Task]) -> np.ndarray:
    """[N]: exact probability of the one right answer to each curt question. No draw, no noise."""
    return np.exp(logps(lm, [(task, tasks.curt(task)) for task in asked_]))


def drawn(
    lm: models.LanguageModel, asked_: Sequence[Task], *, answers: int, max_tokens: int, seed: int = 0
) -> list[list[Completion]]:
    """`answers` draws to each task at temperature 1; the same seeds before and after."""
    requests = [
        Request(prompt=task.prompt, seed=hashed("claims measure", seed, task.key, n), max_tokens=max_tokens)
        for task in asked_
        for n in range(answers)
    ]
    found = LocalSampler(lm, rows=128).sample(requests)
    return [found[i : i + answers] for i in range(0, len(found), answers)]
