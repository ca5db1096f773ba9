"""Skipped rows save work alone: which rows are, in what order a step goes, and what is never computed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np
import pytest
import torch

from tests.training.training_cases import (
    BUDGET,
    TEMPERATURE,
    apart,
    batch,
    furthest,
    gradient,
    tiny,
    trainer,
    weights,
    with_greedy,
)
from verigrad.losses import Method, build, methods, needs
from verigrad.models import ResponseLogps, freeze
from verigrad.records import Batch, Completion, Request, Rollout, Scored, Task, batch_of, right, wrong
from verigrad.rollouts import DrawPlan, Keep, collect, select
from verigrad.sampling import LocalSampler, Sampler, Scripted
from verigrad.training import Trainer, step_metrics, update
from verigrad.training.step_metrics import merge


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("models")


@dataclass
class Watched:
    """A trainer whose forwards are written down, beside the arithmetic between them."""

    trainer: Trainer
    events: list[str] = field(default_factory=list)
    """What happened, in order: old, reference, advantages, skip, update."""
    prompts: list[bytes] = field(default_factory=list)
    """Every prompt of every forward."""
    answers: list[tuple[int, ...]] = field(default_factory=list)
    """Every answer of every forward."""


def watch(t: Trainer, monkeypatch: pytest.MonkeyPatch) -> Watched:
    watched = Watched(t)

    def said(name: str) -> None:
        if watched.events[-1:] != [name]:
            watched.events.append(name)

    for which, working in (("policy", t.working), ("reference", t.reference)):
        if working is None:
            continue

        def logps(
            prompt_ids: Sequence[np.ndarray],
            token_ids_BT: np.ndarray,
            length_B: np.ndarray,
            *,
            which: str = which,
            inner: object = working.logps,
            **more: object,
        ) -> ResponseLogps:
            said(which if which == "reference" else "update" if torch.is_grad_enabled() else "old")
            watched.prompts += [p.tobytes() for p in prompt_ids]
            watched.answers += [tuple(r[:n].tolist()) for r, n in zip(token_ids_BT, length_B, strict=True)]
            return inner(prompt_ids, token_ids_BT, length_B, **more)  # type: ignore[operator, no-any-return]

        monkeypatch.setattr(working, "logps", logps)
    for name, event in (("advantages", "advantages"), ("idle_rows", "skip")):

        def called(*args: object, event: str = event, inner: object = getattr(update, name)) -> object:
            said(event)
            return inner(*args)  # type: ignore[operator]

        monkeypatch.setattr(update, name, called)
    return watched


def rows_of(b: Batch, rows: Sequence[int] | np.ndarray) -> list[tuple[int, ...]]:
    return [tuple(b.token_ids_BT[i, : b.length_B[i]].tolist()) for i in rows]


ORDERS = [
    ("dapo", {}, {}, ["advantages", "skip", "update"]),
    ("dapo", {}, {"minibatches": 2}, ["advantages", "skip", "old", "update"]),
    ("dapo", {}, {"passes": 2}, ["advantages", "skip", "update"]),
    ("grpo", {}, {}, ["advantages", "skip", "reference", "update"]),
    ("rloo", {}, {}, ["old", "reference", "advantages", "skip", "update"]),
    ("reinforce_pp", {}, {"minibatches": 2}, ["old", "reference", "advantages", "skip", "update"]),
    ("ppo", {}, {"minibatches": 2}, ["old", "reference", "advantages", "skip", "update"]),
    ("ppo", {"kl": "none"}, {"minibatches": 2}, ["old", "advantages", "skip", "update"]),
    ("ppo", {"kl": "none", "baseline": {"value": "model"}}, {}, ["advantages", "skip", "update"]),
]


@pytest.mark.parametrize(("name", "axes", "sizes", "order"), ORDERS)
def test_the_order_of_a_step(
    name: str, axes: dict, sizes: dict, order: list[str], folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lm = tiny(folder)
    watched = watch(trainer(lm, build(name, axes), reference=freeze(lm), tokens=4096, **sizes), monkeypatch)
    watched.trainer.step(batch(0, constant=()), step=1)
    seen = [e for n, e in enumerate(watched.events) if e not in watched.events[:n]]
    assert seen == order
    assert watched.events.count("advantages") == 1  # of the whole step: whitening knows no minibatch


SKIPS: dict[str, tuple[Method, bool]] = {
    **{name: (methods[name], needs(methods[name]).group) for name in sorted(methods)},
    "grpo": (methods["grpo"], False),
    "grpo without kl": (build("grpo", {"kl": "none"}), True),
    "reinforce_pp_baseline": (methods["reinforce_pp_baseline"], False),
    "remax": (methods["remax"], True),
    "dapo, entropy bonus": (build("dapo", {"entropy": {"name": "bonus", "coefficient": 0.01}}), False),
}
"""Whether a group whose answers all earn the same (for remax: the greedy answer's reward) is skipped."""


@pytest.mark.parametrize("tokens", [1, 30, 4096])
@pytest.mark.parametrize("name", sorted(SKIPS))
def test_a_skipped_row_is_not_computed_and_its_prompt_neither(
    name: str, tokens: int, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    method, skips = SKIPS[name]
    lm, b = tiny(folder), batch(0, constant=(1, 3))
    b = replace(b, greedy_reward_B=np.repeat([0.5, 1.0, 0.5, 1.0], 3))
    free_before_advantages = not needs(method).old_first
    watched = watch(trainer(lm, method, reference=freeze(lm), tokens=tokens), monkeypatch)
    metrics = watched.trainer.step(b, step=1)
    idle = np.flatnonzero((b.group_B == 1) | (b.group_B == 3))
    active = [i for i in range(b.rows) if i not in idle or not skips]
    assert metrics["tokens/trained"] <= int(b.chosen_BT[active].sum())
    if not skips:
        assert metrics["tokens/trained"] == int(b.chosen_BT.sum())
        assert set(rows_of(b, range(b.rows))) <= set(watched.answers)
    elif free_before_advantages:
        assert not {b.prompt_ids[i].tobytes() for i in idle} & set(watched.prompts)
        assert not set(rows_of(b, idle)) & set(watched.answers) - set(rows_of(b, active))


@pytest.mark.parametrize("name", sorted(SKIPS))
def test_skipped_rows_stay_in_every_total_of_value_and_metrics(
    name: str, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Computing them changes nothing but the means over the tokens computed."""
    method, _ = SKIPS[name]
    b = with_greedy(batch(4, groups=5, constant=(0, 2)))
    results = []
    for all_computed in (False, True):
        lm = tiny(folder)
        t = trainer(lm, method, reference=freeze(lm), passes=2, minibatches=2)
        if all_computed:
            monkeypatch.setattr(update, "idle_rows", lambda *_: np.zeros(b.rows, dtype=bool))
        results.append((t.step(b, step=1), weights(lm), gradient(t)))
    (skipping, mine, first), (computing, others, second) = results
    assert furthest(mine, others) < 2e-6
    assert apart(first, second) < 1e-5
    for key in ("loss/policy", "loss/kl", "clip/low", "clip/high", "grad/norm"):
        assert skipping.get(key, 0.0) == pytest.approx(computing.get(key, 0.0), rel=1e-5, abs=1e-7), key
    assert computing["tokens/trained"] == 2 * int(b.chosen_BT.sum()) >= skipping["tokens/trained"]
    assert skipping.keys() == computing.keys()


def test_a_minibatch_of_skipped_rows_alone_counts_in_the_steps_means(folder: Path) -> None:
    b = batch(0, groups=2, constant=(1,))
    (half,) = [trainer(tiny(folder), methods["dapo"]).step(b.take(range(3)), step=1)]
    both = trainer(tiny(folder), methods["dapo"], minibatches=2).step(b, step=1)
    assert both["loss/policy"] == pytest.approx(half["loss/policy"] / 2, rel=1e-6)
    assert both["grad/norm"] == pytest.approx(half["grad/norm"] / 2, rel=1e-6)
    assert both["mismatch/mean"] == pytest.approx(half["mismatch/mean"], rel=1e-6)


def test_truncated_answers_that_are_masked_are_skipped_under_every_term(folder: Path) -> None:
    lm, b = tiny(folder), batch(0, constant=())
    b = replace(b, truncated_B=np.arange(b.rows) % 2 == 0)
    method = build("grpo", {"keep": {"truncated": "masked"}})
    metrics = trainer(lm, method, reference=freeze(lm)).step(b, step=1)
    assert metrics["tokens/trained"] == int(b.chosen_BT[1::2].sum())
    none = trainer(tiny(folder), method, reference=freeze(lm)).step(
        replace(b, truncated_B=np.ones(b.rows, dtype=bool)), step=1
    )
    assert none["tokens/trained"] == none["loss/kl"] == none["loss/policy"] == none["grad/norm"] == 0


def verify(rollouts: Sequence[Rollout]) -> list[Scored]:
    """The first task's answers are all wrong and earn unlike rewards; others take turns and earn the same."""
    out = []
    for r in rollouts:
        good = r.task.gold != 0 and r.draw.attempt % 2 == 0
        pays = 0.25 * max(r.draw.attempt, 0) if r.task.gold == 0 else 0.5 + 0.25 * good
        verdict = right("x") if good else wrong("y", score=0.0)
        out.append(Scored(rollout=r, verdict=verdict, parts={"check": pays}, reward=pays))
    return out


class Counted:
    """A sampler and the calls it got."""

    def __init__(self, sampler: Sampler) -> None:
        self.sampler = sampler
        self.calls: list[list[Request]] = []
        self.answers: list[list[Completion]] = []

    def sample(self, requests: Sequence[Request]) -> list[Completion]:
        self.calls.append(list(requests))
        self.answers.append(self.sampler.sample(requests))
        return self.answers[-1]


TASKS = [Task.make(prompt="q" * (1 + i), gold=i) for i in range(4)]


def test_a_filtered_group_is_in_no_total_and_is_drawn_again(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """By correctness: its rewards differ, those that stay could all be equal."""
    lm = tiny(folder)
    plan = DrawPlan(run_seed=3, stage=1, group=4, max_tokens=BUDGET, temperature=TEMPERATURE)
    sampler, keep = Counted(LocalSampler(lm)), Keep(varied=True, rounds=3)
    groups = collect(plan, TASKS[:2], lambda round_, n: TASKS[2 : 2 + n], sampler.sample, verify, keep, step=1)
    collected = select(groups, keep, wanted=2)
    assert [len(call) for call in sampler.calls] == [8, 4]
    assert [g.task.gold for g in collected.kept] == [1, 2]
    assert [g.task.gold for g in collected.dropped] == [0]
    b = batch_of(collected.kept, budget=BUDGET)
    assert b.totals.sequences == 8
    assert b.totals.groups == 2
    assert b.totals.tokens == sum(len(m.rollout.token_ids) for g in collected.kept for m in g.members)
    watched = watch(trainer(lm, methods["dapo"]), monkeypatch)
    metrics = merge([step_metrics(groups, collected, newest=0), watched.trainer.step(b, step=1)])
    assert metrics["sample/generated"] == 12
    assert metrics["tokens/sampled"] == sum(len(m.rollout.token_ids) for g in groups for m in g.members)
    assert metrics["tokens/trained"] == b.totals.tokens < metrics["tokens/sampled"]
    filtered = collected.dropped[0].members[0].rollout.prompt_ids
    assert filtered.tobytes() not in watched.prompts


@pytest.mark.parametrize("real", [True, False])
def test_the_greedy_answer_is_a_row_of_the_same_call_and_never_of_an_update(
    real: bool, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lm = tiny(folder)
    plan = DrawPlan(
        run_seed=3, stage=1, group=3, max_tokens=BUDGET, temperature=TEMPERATURE, greedy=needs(methods["remax"]).greedy
    )
    sampler = Counted(LocalSampler(lm) if real else Scripted(lambda r: "G" if r.temperature == 0 else f"{r.seed % 97}"))
    keep = Keep(rounds=0, grade_at_least=1)
    groups = collect(plan, TASKS[1:], lambda *_: [], sampler.sample, verify, keep, step=1)
    (call,), (answers,) = sampler.calls, sampler.answers
    assert [r.temperature for r in call] == [TEMPERATURE, TEMPERATURE, TEMPERATURE, 0.0] * 3
    greedy = [tuple(g.greedy.rollout.token_ids.tolist()) for g in groups if g.greedy is not None]
    assert greedy == [tuple(answers[i].token_ids.tolist()) for i in (3, 7, 11)]
    if real:
        alone = [LocalSampler(lm).sample([call[i]])[0] for i in (3, 7, 11)]
        assert greedy == [tuple(c.token_ids.tolist()) for c in alone]
    b = batch_of(groups, budget=BUDGET)
    assert b.rows == 9
    assert b.totals.sequences == 9
    assert b.greedy_reward_B is not None
    assert b.greedy_reward_B.tolist() == [g.greedy.reward for g in groups if g.greedy is not None for _ in range(3)]
    watched = watch(trainer(lm, methods["remax"], tokens=30), monkeypatch)
    watched.trainer.step(b, step=1)
    members = {tuple(m.rollout.token_ids.tolist()) for g in groups for m in g.members}
    assert set(watched.answers) <= members
    assert not set(greedy) & set(watched.answers) - members


@pytest.mark.parametrize("axes", [{}, {"entropy": {"name": "bonus", "coefficient": 0.01}}])
def test_a_step_and_its_update_name_no_metric_twice(axes: dict, folder: Path) -> None:
    """The step's entropy is the sampled estimate under every method, also where the update knows the exact one."""
    lm = tiny(folder)
    plan = DrawPlan(run_seed=3, stage=1, group=4, max_tokens=BUDGET, temperature=TEMPERATURE)
    groups = collect(plan, TASKS[1:3], lambda *_: [], LocalSampler(lm).sample, verify, Keep(), step=1)
    collected = select(groups, Keep(), wanted=2)
    told = trainer(lm, build("dapo", axes)).step(batch_of(collected.kept, budget=BUDGET), step=1)
    metrics = merge([step_metrics(groups, collected, newest=0), told])
    logp = np.concatenate([m.rollout.logp for g in groups for m in g.members])
    assert metrics["entropy"] == pytest.approx(-float(logp.mean()), rel=1e-5)
