"""DPO's falling chosen probability: the margin grows, and both answers become less likely?

    python -m benchmarks.claims.dpo [--seeds 5] [--smoke]

Pairs of a right sum and a near miss (1 or 10 off), which share most of their tokens. DPO, and two losses made against
the fall: RPO (adds the chosen answer's likelihood) and DPOP (a penalty while it is below the reference). The
log-probabilities are exact, of 160 pairs that are trained on; accuracy is exact on held-out additions. On three answers
alone the effect is arithmetic: tests/losses has it as a golden test.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from itertools import islice
from typing import Any

import numpy as np

from benchmarks.claims import claim, rl, tasks
from benchmarks.claims.warm import warmed
from verigrad import models
from verigrad.losses import preferences
from verigrad.recipe import Train
from verigrad.records import Pair, Task
from verigrad.records import seed as hashed
from verigrad.training import PreferenceLearner

NAME = "dpo"
METHODS = ("dpo", "rpo", "dpop")
STEPS, PAIRS, EVERY = 50, 32, 5


def near_miss(rng: np.random.Generator, task: Task) -> Pair:
    """The right sum against one that is 1 or 10 off."""
    off = int(rng.choice([-10, -1, 1, 10]))
    return Pair(task=task, chosen=tasks.curt(task), rejected=str(max(0, int(task.gold) + off)))


def one(seed: int, smoke: bool) -> dict[str, Any]:
    """All losses of one seed, on the same pairs in the same order."""
    rng = np.random.default_rng(hashed("claims pairs", seed))
    source = tasks.additions("c", kept=False, rng=rng)
    steps = 2 if smoke else STEPS
    pairs = [near_miss(rng, task) for task in islice(source, PAIRS * steps)]
    watched = pairs[: 8 if smoke else 160]
    accuracy, found = rl.accuracy(smoke), {}
    for name in METHODS:
        lm = warmed(seed, smoke)
        reference = models.freeze(lm)
        train = Train(steps=steps, prompts=PAIRS, lr=5e-5)
        learner = PreferenceLearner(lm, preferences[name], train, steps=steps, reference=reference)
        learner.prepare(pairs)
        lines = [{"step": 0} | looked(lm, watched) | accuracy(lm)]
        for step in range(1, steps + 1):
            told = learner.step(pairs[(step - 1) * PAIRS : step * PAIRS], step=step)
            lines.append({"step": step} | dict(told))
            if step % EVERY == 0 or step == steps:
                lines[-1] |= looked(lm, watched) | accuracy(lm)
        found[name] = claim.kept(lines, "chosen", "rejected", "neither", "right_pairs", "held_out")
    return {"curves": found}


def looked(lm: Any, watched: Sequence[Pair]) -> dict[str, float]:
    """Mean log-probability of chosen and rejected answers, and the probability left for any other."""
    chosen = rl.logps(lm, [(p.task, p.chosen) for p in watched])
    rejected = rl.logps(lm, [(p.task, p.rejected) for p in watched])
    return {
        "chosen": float(chosen.mean()),
        "rejected": float(rejected.mean()),
        "neither": float((1 - np.exp(chosen) - np.exp(rejected)).mean()),
        "right_pairs": float((chosen > rejected).mean()),
    }


def table(result: dict[str, Any]) -> str:
    """The block of docs/claims.md."""
    body, names = [], ("chosen", "rejected", "neither", "right_pairs", "held_out")
    for name in ("before", *METHODS):
        at = [
            claim.ends(result, METHODS[0] if name == "before" else name, m, first=name == "before", over=1)
            for m in names
        ]
        body.append([name, *(claim.told(v, 2 if i < 2 else 3) for i, v in enumerate(at))])
    lines = []
    for name in METHODS:
        before, after = (
            claim.ends(result, name, "chosen", first=True, over=1),
            claim.ends(result, name, "chosen", over=1),
        )
        lines.append(f"- {name}: chosen after minus before, paired by seed: {claim.difference(before, after, 2)} nats.")
    head = ["", "log-prob, chosen", "rejected", "probability of neither", "chosen above rejected", "right, held-out"]
    return claim.heading(result) + claim.rows(head, body) + "\n\n" + "\n".join(lines)


def draw(result: dict[str, Any]) -> str:
    """Log-probabilities and accuracy over steps."""

    def paint(metric: str) -> Any:
        def into(ax: Any) -> None:
            for name, colour in zip(METHODS, claim.COLOURS, strict=False):
                claim.band(ax, result, name, metric, name, colour, gained=True)

        return into

    return claim.picture(
        [
            ("step", "change of log-prob, chosen", paint("chosen")),
            ("step", "change of log-prob, rejected", paint("rejected")),
            ("step", "gain in held-out accuracy", paint("held_out")),
        ]
    )


def main(given: Sequence[str] | None = None) -> int:
    """Measure, store, say."""
    claim.run(NAME, __doc__, given, one, table, draw)
    return 0


if __name__ == "__main__":
    sys.exit(main())
