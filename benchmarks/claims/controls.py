"""Controls: what do a reward of coin tosses and one for the form alone do?

    python -m benchmarks.claims.controls [--seeds 5] [--smoke]

Additions that the model answers curtly or with steps, whichever it likes. Three rewards under one method (GRPO without
KL): right or not; heads or tails, a hash of the draw; and 1 for steps before the number, right or wrong. Accuracy and
the share with steps, by four draws to each held-out addition, the same seeds before and after.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Any

import numpy as np

from benchmarks.claims import claim, rl, tasks
from benchmarks.claims.warm import warmed
from verigrad.losses import build
from verigrad.records import Rollout, Scored
from verigrad.records import seed as hashed

NAME = "controls"


def by_coin(rollouts: Sequence[Rollout]) -> list[Scored]:
    """Heads or tails."""
    return [rl.paid(r, float(hashed("claims coin", r.draw.seed) % 2)) for r in rollouts]


def by_format(rollouts: Sequence[Rollout]) -> list[Scored]:
    """1 for steps before the number, right or wrong."""
    return [rl.paid(r, float(tasks.has_format(r.answer) and tasks.is_explained(r.answer))) for r in rollouts]


REWARDS = {"verifier": rl.by_verifier, "random": by_coin, "format only": by_format}
MOST = 14


def one(seed: int, smoke: bool) -> dict[str, Any]:
    """All rewards of one seed."""
    asked = rl.side("m", kept=True, smoke=smoke)
    found: dict[str, Any] = {"curves": {}, "before": measured(warmed(seed, smoke), asked), "after": {}}
    for name, pay in REWARDS.items():
        setting = rl.Setting(
            method=build("grpo", {"kl": "none"}), manner="m", pay=pay, steps=40, prompts=16, max_tokens=MOST, lr=1e-4
        ).small(smoke)
        lm = warmed(seed, smoke)
        curve = rl.train(lm, setting, seed=seed)
        found["curves"][name] = claim.kept(curve, "reward/mean", "reward/right", "length/mean", "entropy")
        found["after"][name] = measured(lm, asked)
    return found


def measured(lm: Any, asked: Sequence[Any]) -> dict[str, float]:
    """Shares over four draws to each task."""
    found = [
        (c.text, t) for row, t in zip(rl.drawn(lm, asked, answers=4, max_tokens=MOST), asked, strict=True) for c in row
    ]
    return {
        "right": float(np.mean([tasks.verify(text, t).correct for text, t in found])),
        "format": float(np.mean([tasks.has_format(text) for text, _ in found])),
        "explained": float(np.mean([tasks.has_format(text) and tasks.is_explained(text) for text, _ in found])),
    }


def table(result: dict[str, Any]) -> str:
    """The block of docs/claims.md."""
    seeds = result["seeds"]
    before = {k: [s["before"][k] for s in seeds] for k in ("right", "explained", "format")}
    body = [["warmed", *(claim.told(before[k]) for k in ("right", "explained", "format")), ""]]
    for name in REWARDS:
        after = {k: [s["after"][name][k] for s in seeds] for k in before}
        body.append([name, *(claim.told(after[k]) for k in before), claim.difference(before["right"], after["right"])])
    head = ["reward", "right, held-out", "with steps", "in the format", "gain in right, paired"]
    return claim.heading(result) + claim.rows(head, body)


def draw(result: dict[str, Any]) -> str:
    """The reward itself, and how often the truth was met, over steps."""

    return claim.picture(
        [
            ("step", "reward paid", claim.over_steps(result, tuple(REWARDS), "reward/mean")),
            ("step", "right answers", claim.over_steps(result, tuple(REWARDS), "reward/right")),
            ("step", "tokens an answer", claim.over_steps(result, tuple(REWARDS), "length/mean")),
        ]
    )


def main(given: Sequence[str] | None = None) -> int:
    """Measure, store, say."""
    claim.run(NAME, __doc__, given, one, table, draw)
    return 0


if __name__ == "__main__":
    sys.exit(main())
