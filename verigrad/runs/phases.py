"""The phases of a run, each of which leaves a file that says it is done.

pilot.json, before.jsonl, checkpoints, model/, acceptance.json: a resumed run skips what is there, so that a run
killed anywhere ends where the undisturbed one does. Left out: starting, resuming and ending badly (train, resume,
watching).
"""

from __future__ import annotations

import shutil
from collections.abc import Mapping, Sequence

from verigrad.acceptance import Measured, spot_check
from verigrad.errors import Refused
from verigrad.losses import needs
from verigrad.models import LanguageModel, freeze, save
from verigrad.models import load as load_model
from verigrad.records import Item
from verigrad.reporting import report
from verigrad.runs.about import card
from verigrad.runs.accepting import items_of, look_of, measure_suites, read_measured, verdict_of, write_measured
from verigrad.runs.logs import open_log
from verigrad.runs.piloting import run_pilot
from verigrad.runs.prepare import Prepared
from verigrad.runs.talk import Talk
from verigrad.runs.watching import asked_to_stop
from verigrad.sampling import LocalSampler
from verigrad.store import RunDirectory
from verigrad.training import Ended, Loop, Trainer, train_rl
from verigrad.workers import Inline


def open_model(ready: Prepared, talk: Talk) -> LanguageModel:
    """The recipe's model. Raises Refused with key model.path."""
    model = ready.recipe.model
    talk.phase(f"loading {model.path.rsplit('/', 1)[-1]}")
    return load_model(
        model.path, dtype=model.dtype, device=model.device, template=model.template, folder=ready.whole.folder
    )


def sampler_of(ready: Prepared, lm: LanguageModel, talk: Talk) -> LocalSampler:
    """The recipe's engine over this model; says what is not promised or slow with it."""
    sampler = LocalSampler.from_options(lm, ready.recipe.sampling.options)
    if sampler.fit.why_plain:
        talk.line(f"sampling recomputes every sequence, which is slow: {sampler.fit.why_plain}")
    elif not sampler.exact:
        talk.line(f"not promised here: the same text whatever the batch ({sampler.why_not_exact})")
    return sampler


def pilot_phase(run: RunDirectory, ready: Prepared, sampler: LocalSampler, talk: Talk, *, anyway: bool) -> None:
    """The pilot, unless it is done already. Raises Refused where there is nothing to learn from.

    Whatever ends it takes the folder along: nothing was trained, and it would stand in the way of the next try.
    """
    if (run.folder / "before.jsonl").exists():
        return
    try:
        if not (run.folder / "pilot.json").exists():
            run.set_status("pilot", stage=1, step=0)
            pilot = run_pilot(ready, sampler, talk)
            run.write_json("pilot.json", pilot.as_json())
            for line in pilot.lines()[:3]:
                talk.line(line)
        advice = run.read_json("pilot.json")["advice"]
        if advice is not None:
            if not anyway:
                raise Refused(f"{advice}; --anyway goes on")
            talk.line(f"{advice} (going on anyway)")
    except BaseException:
        run.close()
        shutil.rmtree(run.folder, ignore_errors=True)
        raise


def remaining_phases(run: RunDirectory, ready: Prepared, sampler: LocalSampler, talk: Talk) -> None:
    """All phases after the pilot, each skipped where its file is there."""
    lm = sampler.lm
    if not (run.folder / "before.jsonl").exists():
        run.set_status("accepting", stage=1, step=0)
        write_measured(run, "before.jsonl", _open_held_out(run, ready, sampler, talk, when="before"))
    if not (run.folder / "model").exists():
        ended = _train(run, ready, lm, sampler, talk)
        talk.line(f"trained: {ended.why}" + (f"; best on validation: step {ended.best}" if ended.best else ""))
    else:
        model = ready.recipe.model
        lm = load_model(
            str((run.folder / "model").resolve()),
            dtype=model.dtype,
            device=model.device,
            template=model.template,
            folder=ready.whole.folder,
        )
        sampler = LocalSampler.from_options(lm, ready.recipe.sampling.options)
    run.set_status("accepting")
    after = _open_held_out(run, ready, sampler, talk, when="after")
    items = items_of(read_measured(run, "before.jsonl"), after)
    run.write_items(items)
    openings = len(run.read_lines("openings.jsonl"))
    acceptance = verdict_of(ready, items, openings=openings)
    _spot_check(run, ready, items)
    run.write_text("model/README.md", card(ready, lm, acceptance))
    run.write_json("acceptance.json", acceptance)
    finish(run)


def finish(run: RunDirectory) -> None:
    """What stands after acceptance.json: the status and the page."""
    run.set_status("done", decision=run.read_json("acceptance.json")["verdict"])
    run.write_text("report.html", report([run.folder]))


def _open_held_out(
    run: RunDirectory, ready: Prepared, sampler: LocalSampler, talk: Talk, *, when: str
) -> list[Measured]:
    """Measure the held-out side; the opening is on record before it happens."""
    run.write_lines("openings.jsonl", [*run.read_lines("openings.jsonl"), {"when": when}])
    return measure_suites(ready, sampler, talk, when=when)


def _train(run: RunDirectory, ready: Prepared, lm: LanguageModel, sampler: LocalSampler, talk: Talk) -> Ended:
    """The rl stage, from its last checkpoint, and model/ with the weights it ends with."""
    recipe = ready.recipe
    assert recipe.train.steps is not None
    reference = freeze(lm) if needs(ready.method).reference else None
    trainer = Trainer(
        lm,
        ready.method,
        recipe.train,
        steps=recipe.train.steps,
        temperature=recipe.sampling.temperature,
        reference=reference,
    )
    if trainer.working.why_padded:
        talk.line(f"updates compute a prompt again for every answer, which is slow: {trainer.working.why_padded}")
    run.write_json(
        "resolved.json", {**run.read_json("resolved.json"), "update": {"why_padded": trainer.working.why_padded}}
    )
    workers = Inline(trainer, sampler, ready.rewards, card=card(ready, lm, None))
    start = max(run.checkpoints(1), default=0)
    if start:
        workers.load(run.checkpoint_path(1, start))
    run.cut_after(1, start)
    talk.phase("training", recipe.train.steps)
    talk.advance(start)
    looks = look_of(ready, sampler)
    with asked_to_stop(talk) as stop_asked, open_log(recipe.run.log, run.folder, start=start) as log:

        def told(step: int, metrics: Mapping[str, float], timings: Mapping[str, float]) -> None:
            log(step, metrics)
            run.set_status("training", stage=1, step=step)
            talk.advance(1, _note(metrics, timings))

        run.set_status("training", stage=1, step=start)
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
        workers.load(run.checkpoint_path(1, ended.best))
    with run.staged("model") as folder:
        save(lm, folder, card(ready, lm, None))
    return ended


def _note(metrics: Mapping[str, float], timings: Mapping[str, float]) -> str:
    parts = [f"reward {metrics['reward/mean']:.3f}"] if "reward/mean" in metrics else []
    parts += [f"right {metrics['reward/right']:.2f}"] if "reward/right" in metrics else []
    parts += [f"tokens {metrics['length/mean']:.1f}"] if "length/mean" in metrics else []
    parts += [f"validation {metrics['validation/right']:.3f}"] if "validation/right" in metrics else []
    return "  ".join([*parts, f"{sum(timings.values()):.1f} s"])


def _spot_check(run: RunDirectory, ready: Prepared, items: Sequence[Item]) -> None:
    rows = [
        row
        for judged in ready.suites
        if judged.suite.spot_check
        for row in spot_check([i for i in items if i.suite == judged.name], judged.suite.spot_check)
    ]
    if rows:
        run.write_lines("spotcheck.jsonl", rows)
