"""The four lines every window of a run opens with. Left out: everything they are about."""

from __future__ import annotations

from verigrad.losses import build, build_preference, describe, describe_preference
from verigrad.recipe import POLICY_AXES, PREFERENCE_AXES, Recipe, Reward
from verigrad.runs.prepare import Prepared
from verigrad.runs.suites import Judged


def four_answers(ready: Prepared) -> tuple[str, str, str, str]:
    """Where the data comes from, who gives the reward, how the loss is computed, who accepts; one line each."""
    cut, whole = ready.split, ready.whole
    data = "; ".join(
        f"{name}: {len(cut.train[name]):,} to train on, {len(cut.validation.get(name, ())):,} to look at, "
        f"{len(cut.held_out.get(name, ())):,} held out"
        for name in cut.train
    )
    stages = whole.flat or (whole,)
    paid = [_part(p) for stage in stages if stage.stages[0].kind == "rl" for p in stage.reward]
    reward = ", ".join(dict.fromkeys(paid)) or "nobody: no stage is paid"
    loss = ", then ".join(loss_words(stage) for stage in stages)
    suites = [_accepts(j) for j in ready.suites]
    if not suites:  # a reward model's stage: its own, and who judges the policies after it
        graders = [s.grader for s in whole.acceptance if any(k.kind != "reward_model" for k in whole.stages)]
        suites = ["accuracy on held-out pairs (a reward model)", *(f"then grader {_named(g)}" for g in graders)]
    accepts = "; ".join(suites)
    return (
        f"1. data    {data}",
        f"2. reward  {reward}",
        f"3. loss    {loss}",
        f"4. accepts {accepts}",
    )


def loss_words(stage: Recipe) -> str:
    """One flattened stage's loss and sizes: "dapo; 300 steps of 8 prompts x 8 answers, lr 1e-06 constant"."""
    train, kind = stage.train, stage.stages[0].kind
    rate = f"lr {train.lr:g} {train.schedule.name}"
    if kind == "rl":
        method = describe(build(stage.loss.method, {k: v for k, v in stage.loss.axes.items() if k in POLICY_AXES}))
        return f"{method}; {train.steps} steps of {train.prompts} prompts x {train.group} answers, {rate}"
    words = {"sft": "sft: likelihood of the completion", "reward_model": "reward model: Bradley-Terry"}
    if kind in words:
        method = words[kind]
    else:
        axes = {k: v for k, v in stage.loss.axes.items() if k in PREFERENCE_AXES}
        method = describe_preference(build_preference(stage.loss.method, axes))
    return f"{method}; {train.epochs} epoch{'s' * (train.epochs != 1)} of {train.prompts} examples a step, {rate}"


def _part(part: Reward) -> str:
    kind = part.verifier or part.shaping or part.model
    name = _named(kind)
    role = "verifier" if part.verifier else "shaping" if part.shaping else "model"
    weight = "" if part.weight == 1 else f" x {part.weight:g}"
    return f"{role} {name}{weight}{' if right' if part.gated else ''}"


def _named(what: object) -> str:
    return what if isinstance(what, str) else getattr(what, "__name__", "a function")


def _accepts(judged: Judged) -> str:
    rule = judged.suite.rule
    bound = f"not worse than {rule.margin:g}" if rule.margin is not None else f"gain over {rule.gain:g}"
    draws = f"{rule.answers} draws" if rule.test == "sampled" else "greedy"
    mark = "" if judged.grader.independent else ", NOT INDEPENDENT"
    name = judged.grader.name
    return f"grader {name} on {len(judged.tasks):,} of {judged.name} ({draws}, {bound}, p {rule.p:g}{mark})"
