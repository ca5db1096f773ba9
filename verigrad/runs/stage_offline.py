"""Stages that learn from examples at hand: sft, preference, reward_model. Left out: what is around a stage."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from verigrad.acceptance import PairNumbers, judged_pairs
from verigrad.losses import PreferenceMethod
from verigrad.models import LanguageModel, add_lora, freeze, new_scorer, save_scorer, score_texts
from verigrad.records import seed
from verigrad.runs.about import card
from verigrad.runs.accepting import look_of
from verigrad.runs.logs import open_log
from verigrad.runs.policy import Policy
from verigrad.runs.prepare import Prepared
from verigrad.runs.stage_rl import note
from verigrad.runs.talk import Talk
from verigrad.runs.watching import asked_to_stop
from verigrad.store import RunDirectory
from verigrad.training import (
    Ended,
    Learner,
    OfflineLoop,
    PreferenceLearner,
    RewardModelLearner,
    SftLearner,
    steps_of,
    train_offline,
)


def run_sft(run: RunDirectory, ready: Prepared, policy: Policy, talk: Talk) -> Ended:
    """Supervised fine-tuning on demonstrations."""
    train = ready.recipe.train
    steps = steps_of(len(ready.examples), train)
    learner = SftLearner(policy.lm, train, steps=steps, card=card(ready, None))
    return _run(run, ready, learner, policy, talk)


def run_preference(run: RunDirectory, ready: Prepared, policy: Policy, talk: Talk) -> Ended:
    """Learning from pairs, or from answers with a label."""
    train, method = ready.recipe.train, ready.loss
    assert isinstance(method, PreferenceMethod)
    reference = freeze(policy.lm) if method.needs_reference else None
    learner = PreferenceLearner(
        policy.lm,
        method,
        train,
        steps=steps_of(len(ready.examples), train),
        reference=reference,
        card=card(ready, None),
    )
    return _run(run, ready, learner, policy, talk)


def run_reward_model(run: RunDirectory, ready: Prepared, lm: LanguageModel, place: Path, talk: Talk) -> PairNumbers:
    """A judge from pairs, left in `place`; the policy stays as it is. Returns its accuracy on held-out pairs."""
    train = ready.recipe.train
    assert isinstance(ready.loss, float)
    scorer = new_scorer(lm, seed=ready.recipe.run.seed)
    if ready.recipe.model.lora is not None:
        adapters = seed("lora", ready.recipe.run.seed, ready.number) % 2**63
        scorer = add_lora(scorer, ready.recipe.model.lora, seed=adapters)
    steps = steps_of(len(ready.examples), train)
    learner = RewardModelLearner(scorer, train, steps=steps, center=ready.loss, card=card(ready, None))
    _run(run, ready, learner, None, talk)
    held = ready.held_pairs
    talk.phase(f"judging {len(held):,} held-out pairs")
    scored = score_texts(
        scorer, [*((p.task.prompt, p.chosen) for p in held), *((p.task.prompt, p.rejected) for p in held)]
    )
    numbers = judged_pairs(scored[: len(held)].tolist(), scored[len(held) :].tolist(), [p.task.family for p in held])
    with run.staged(place) as folder:
        save_scorer(scorer, folder, card(ready, None))
    return numbers


def _run(run: RunDirectory, ready: Prepared, learner: Learner, policy: Policy | None, talk: Talk) -> Ended:
    recipe, number = ready.recipe, ready.number
    start = max(run.checkpoints(number), default=0)
    if start:
        learner.load(run.checkpoint_path(number, start))
    run.cut_after(number, start)
    steps = steps_of(len(ready.examples), recipe.train)
    talk.phase(f"stage {number}: {ready.kind}", steps)
    talk.advance(start)
    looks = look_of(ready, policy.sampler) if policy is not None else None
    log_of = open_log(recipe.run, run.folder, stage=number, start=start, say=talk.line)
    with asked_to_stop(talk) as stop_asked, log_of as log:

        def told(step: int, metrics: Mapping[str, float], timings: Mapping[str, float]) -> None:
            log(step, metrics)
            run.set_status("training", stage=number, step=step)
            talk.advance(1, note(metrics, timings))

        def look(step: int) -> Mapping[str, float]:
            assert looks is not None
            assert policy is not None
            policy.sampler.changed()
            return looks[1](step)

        run.set_status("training", stage=number, step=start)
        ended = train_offline(
            OfflineLoop(
                learner=learner,
                examples=ready.examples,
                stage=number,
                run_seed=recipe.run.seed,
                train=recipe.train,
                limits=recipe.run.limits,
                run=run,
                look=look if looks else None,
                every=looks[0] if looks else 0,
                stop_asked=stop_asked,
                told=told,
                warn=talk.line,
            ),
            start=start,
        )
    if ended.best is not None and ended.best != ended.step:
        learner.load(run.checkpoint_path(number, ended.best))
    if policy is not None:
        policy.sampler.changed()
    return ended
