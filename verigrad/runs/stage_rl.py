"""An rl stage: its pilot where it is not the first, its steps from the last checkpoint. Left out: what is around it."""

from __future__ import annotations

from collections.abc import Mapping

from verigrad.errors import Refused, Stopped
from verigrad.losses import needs
from verigrad.models import freeze
from verigrad.runs.about import card
from verigrad.runs.accepting import look_of
from verigrad.runs.logs import open_log
from verigrad.runs.piloting import run_pilot
from verigrad.runs.policy import Policy
from verigrad.runs.prepare import Prepared
from verigrad.runs.talk import Talk
from verigrad.runs.watching import asked_to_stop
from verigrad.store import RunDirectory
from verigrad.training import Ended, Loop, Trainer, train_rl
from verigrad.workers import Inline


def run_rl(run: RunDirectory, ready: Prepared, policy: Policy, talk: Talk) -> Ended:
    """The stage's steps; the policy ends with the weights of the step that is kept."""
    recipe, number, lm = ready.recipe, ready.number, policy.lm
    assert recipe.train.steps is not None
    assert ready.order is not None
    assert ready.rewards is not None
    trainer = Trainer(
        lm,
        ready.method,
        recipe.train,
        steps=recipe.train.steps,
        temperature=recipe.sampling.temperature,
        reference=freeze(lm) if needs(ready.method).reference else None,
        engine_dtype=policy.sampler.dtype,
    )
    if trainer.working.why_padded:
        talk.line(f"updates compute a prompt again for every answer, which is slow: {trainer.working.why_padded}")
    run.write_json(
        "resolved.json", {**run.read_json("resolved.json"), "update": {"why_padded": trainer.working.why_padded}}
    )
    workers = Inline(trainer, policy.sampler, ready.rewards, card=card(ready, None))
    start = max(run.checkpoints(number), default=0)
    if start:
        workers.load(run.checkpoint_path(number, start))
    elif number > 1:
        late_pilot(run, ready, policy, talk)
    run.cut_after(number, start)
    talk.phase("training", recipe.train.steps)
    talk.advance(start)
    looks = look_of(ready, policy.sampler)
    log_of = open_log(recipe.run, run.folder, stage=number, start=start, say=talk.line)
    with asked_to_stop(talk) as stop_asked, log_of as log:

        def told(step: int, metrics: Mapping[str, float], timings: Mapping[str, float]) -> None:
            log(step, metrics)
            run.set_status("training", stage=number, step=step)
            talk.advance(1, note(metrics, timings))

        run.set_status("training", stage=number, step=start)
        ended = train_rl(
            Loop(
                workers=workers,
                tasks=ready.order,
                plan=ready.draws,
                keep=ready.keep,
                train=recipe.train,
                limits=recipe.run.limits,
                run=run,
                look=looks[1] if looks else None,
                every=looks[0] if looks else 0,
                stop_asked=stop_asked,
                told=told,
            ),
            start=start,
        )
    if ended.best is not None and ended.best != ended.step:
        workers.load(run.checkpoint_path(number, ended.best))
    return ended


def late_pilot(run: RunDirectory, ready: Prepared, policy: Policy, talk: Talk) -> None:
    """The pilot of an rl stage that follows another: nothing to learn from ends the run, earlier stages stay.

    `--anyway` was said when the run began, and holds here too. Raises Stopped.
    """
    name = f"{ready.recipe.stages[0].name}/pilot.json"
    if not (run.folder / name).exists():
        run.set_status("pilot", stage=ready.number, step=0)
        try:
            pilot = run_pilot(ready, policy.sampler, talk)
        except Refused as error:
            raise Stopped(f"stage {ready.number}: {error}") from None
        run.write_json(name, pilot.as_json())
        for line in pilot.lines()[:3]:
            talk.line(line)
    advice = run.read_json(name)["advice"]
    if advice is None:
        return
    if not run.read_json("resolved.json")["anyway"]:
        raise Stopped(f"stage {ready.number}: {advice}; a new run with --anyway goes on over it")
    talk.line(f"{advice} (going on anyway)")


def note(metrics: Mapping[str, float], timings: Mapping[str, float]) -> str:
    """A step in a few words."""
    shown = (
        ("reward/mean", "reward", ".3f"),
        ("reward/right", "right", ".2f"),
        ("length/mean", "tokens", ".1f"),
        ("loss/policy", "loss", ".4f"),
        ("preference/right", "preferred", ".2f"),
        ("validation/right", "validation", ".3f"),
    )
    of_rl = "reward/mean" in metrics
    parts = [
        f"{word} {metrics[name]:{form}}"
        for name, word, form in shown
        if name in metrics and not (of_rl and name == "loss/policy")
    ]
    return "  ".join([*parts, f"{sum(timings.values()):.1f} s"])
