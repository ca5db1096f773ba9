"""The four lines every window of a run opens with. Left out: everything they are about."""

from __future__ import annotations

from verigrad.losses import describe
from verigrad.recipe import Reward
from verigrad.runs.prepare import Judged, Prepared


def four_answers(ready: Prepared) -> tuple[str, str, str, str]:
    """Where the data comes from, who gives the reward, how the loss is computed, who accepts; one line each."""
    recipe, cut = ready.recipe, ready.split
    data = "; ".join(
        f"{name}: {len(cut.train[name]):,} to train on, {len(cut.validation.get(name, ())):,} to look at, "
        f"{len(cut.held_out.get(name, ())):,} held out"
        for name in cut.train
    )
    reward = ", ".join(_part(p) for p in recipe.reward)
    train = recipe.train
    loss = (
        f"{describe(ready.method)}; {train.steps} steps of {train.prompts} prompts x {train.group} answers, "
        f"lr {train.lr:g} {train.schedule.name}"
    )
    accepts = "; ".join(_accepts(j) for j in ready.suites)
    return (
        f"1. data    {data}",
        f"2. reward  {reward}",
        f"3. loss    {loss}",
        f"4. accepts {accepts}",
    )


def _part(part: Reward) -> str:
    kind = part.verifier or part.shaping or part.model
    name = kind if isinstance(kind, str) else getattr(kind, "__name__", "a function")
    role = "verifier" if part.verifier else "shaping" if part.shaping else "model"
    weight = "" if part.weight == 1 else f" x {part.weight:g}"
    return f"{role} {name}{weight}{' if right' if part.gated else ''}"


def _accepts(judged: Judged) -> str:
    rule = judged.suite.rule
    bound = f"not worse than {rule.margin:g}" if rule.margin is not None else f"gain over {rule.gain:g}"
    draws = f"{rule.answers} draws" if rule.test == "sampled" else "greedy"
    mark = "" if judged.grader.independent else ", NOT INDEPENDENT"
    name = judged.grader.name
    return f"grader {name} on {len(judged.tasks):,} of {judged.name} ({draws}, {bound}, p {rule.p:g}{mark})"
