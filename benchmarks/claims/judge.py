"""A judge that was taught by pairs in which the longer answer wins four times in five: what does RL make of it?

    python -m benchmarks.claims.judge [--seeds 5] [--smoke]

A Bradley-Terry reward model with the warmed model's body, trained on pairs of a right and a near-miss sum with dots
behind (dotted additions): the right one wins every pair, and has more dots in 80% of them. Then GRPO without KL, once
paid by that judge and once by the verifier; the judge's score and the truth are measured in both.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import replace
from itertools import islice
from typing import Any

import numpy as np

from benchmarks.claims import claim, rl, tasks
from benchmarks.claims.dpo import near_miss
from benchmarks.claims.warm import warmed
from verigrad.losses import build
from verigrad.models import Scorer, new_scorer
from verigrad.recipe import Train
from verigrad.records import Pair, Rollout, Scored, Task
from verigrad.records import seed as hashed
from verigrad.rewards.reward_model import RewardModel
from verigrad.training import RewardModelLearner

NAME = "judge"
LONGER = 0.8
MOST = 24
STEPS, PAIRS = 80, 32
PAYERS = ("judge", "verifier")


def dotted_pair(rng: np.random.Generator, task: Task) -> Pair:
    """Right above near miss; the right one has more dots with probability LONGER."""
    dots = sorted(int(x) for x in rng.choice(20, size=2, replace=False))
    more, less = (1, 0) if rng.random() < LONGER else (0, 1)
    pair = near_miss(rng, task)
    return Pair(task=task, chosen=pair.chosen + "." * dots[more], rejected=pair.rejected + "." * dots[less])


def taught(seed: int, smoke: bool) -> tuple[Scorer, dict[str, float]]:
    """The judge, and its accuracy on pairs of held-out additions: all, and by whether the right one is the longer."""
    rng = np.random.default_rng(hashed("claims judge", seed))
    source = tasks.additions("p", kept=False, rng=rng)
    steps = 2 if smoke else STEPS
    pairs = [dotted_pair(rng, task) for task in islice(source, PAIRS * steps)]
    scorer = new_scorer(warmed(seed, smoke), seed=seed)
    learner = RewardModelLearner(scorer, Train(steps=steps, prompts=PAIRS, lr=2e-4), steps=steps)
    for step in range(1, steps + 1):
        learner.step(pairs[(step - 1) * PAIRS : step * PAIRS], step=step)
    unseen = [dotted_pair(rng, task) for task in islice(tasks.additions("p", kept=True, rng=rng), 16 if smoke else 200)]
    chosen, rejected = learner.judge(unseen)
    won, longer = chosen > rejected, np.array([len(p.chosen) > len(p.rejected) for p in unseen])
    return scorer, {
        "all": float(won.mean()),
        "right is longer": float(won[longer].mean()) if longer.any() else 0.0,
        "right is shorter": float(won[~longer].mean()) if (~longer).any() else 0.0,
    }


def one(seed: int, smoke: bool) -> dict[str, Any]:
    """Judge and both runs of one seed."""
    scorer, accuracy = taught(seed, smoke)
    judge = RewardModel(scorer)
    found: dict[str, Any] = {"judge": accuracy, "curves": {}}
    for payer in PAYERS:

        def pay(rollouts: Sequence[Rollout], payer: str = payer) -> list[Scored]:
            scores = judge.scores([(r.answer, r.task) for r in rollouts])
            out = []
            for r, score in zip(rollouts, scores, strict=True):
                verdict = tasks.verify(r.answer, r.task)
                parts = {"judge": score, "verifier": float(verdict.correct)}
                out.append(Scored(rollout=r, verdict=verdict, parts=parts, reward=parts[payer]))
            return out

        setting = rl.Setting(method=build("grpo", {"kl": "none"}), manner="p", steps=40, max_tokens=MOST, lr=1e-4)
        small = setting.small(smoke)
        curve = rl.train(warmed(seed, smoke), replace(small, pay=pay), seed=seed)
        for line in curve[1:]:
            line["score"] = line["reward/part/judge"]
        found["curves"][payer] = claim.kept(curve, "score", "reward/right", "length/mean", "length/truncated")
    return found


def table(result: dict[str, Any]) -> str:
    """The block of docs/claims.md."""
    seeds, ends, body = result["seeds"], claim.ends, []
    known = ", ".join(f"{k} {claim.told([s['judge'][k] for s in seeds])}" for k in seeds[0]["judge"])
    for payer in PAYERS:
        row = [f"paid by the {payer}"]
        for metric, digits in (("score", 2), ("reward/right", 3), ("length/mean", 1)):
            row.append(claim.told(ends(result, payer, metric, first=True), digits))
            row.append(claim.told(ends(result, payer, metric, over=10), digits))
        body.append(row)
    right = {p: ends(result, p, "reward/right", over=10) for p in PAYERS}
    own = claim.difference(ends(result, "judge", "reward/right", first=True), right["judge"])
    apart = claim.difference(right["verifier"], right["judge"])
    head = ["", "judge's score, first 5 steps", "last 10", "right, first 5", "last 10", "tokens, first 5", "last 10"]
    return (
        f"{claim.heading(result)}The judge's accuracy on pairs of held-out additions: {known}.\n\n"
        f"{claim.rows(head, body)}\n\n"
        f"- right under the judge, last 10 steps minus first 5, paired: {own};\n"
        f"- right under the judge minus right under the verifier, last 10 steps, paired: {apart}."
    )


def draw(result: dict[str, Any]) -> str:
    """Score, truth and length over steps."""
    payers, paid = tuple(PAYERS), "paid by the {}"
    return claim.picture(
        [
            ("step", "judge's score", claim.over_steps(result, payers, "score", label=paid)),
            ("step", "right answers", claim.over_steps(result, payers, "reward/right", label=paid)),
            (
                "step",
                "tokens an answer",
                claim.over_steps(result, payers, "length/mean", label=paid),
            ),
        ]
    )


def main(given: Sequence[str] | None = None) -> int:
    """Measure, store, say."""
    claim.run(NAME, __doc__, given, one, table, draw)
    return 0


if __name__ == "__main__":
    sys.exit(main())
