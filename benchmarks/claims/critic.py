"""PPO with a critic against GRPO, at equal samples and at equal memory.

    python -m benchmarks.claims.critic [--seeds 5] [--smoke]

The same questions, draws' seeds, answers, passes and learning rate in all conditions, without KL: only the advantage
differs. PPO's critic is a head on the policy (the memory of GRPO) or a model of its own (twice that memory). Accuracy
on held-out additions is exact; memory is what training holds for good: weights, gradients and two moments, in float32.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Any

from benchmarks.claims import claim, rl
from benchmarks.claims.warm import warmed
from verigrad.losses import build

NAME = "critic"
METHODS = {
    "grpo": build("grpo", {"kl": "none"}),
    "ppo, head": build("ppo", {"kl": "none", "baseline": {"value": "head", "lr": 1e-3}}),
    "ppo, own model": build("ppo", {"kl": "none", "baseline": {"value": "model", "lr": 3e-4}}),
}


def one(seed: int, smoke: bool) -> dict[str, Any]:
    """All conditions of one seed."""
    found: dict[str, Any] = {"curves": {}}
    for name, method in METHODS.items():
        setting = rl.Setting(method=method, steps=40, prompts=24, passes=2, lr=5e-5, every=4).small(smoke)
        curve = rl.train(warmed(seed, smoke), setting, seed=seed, look=rl.accuracy(smoke))
        found["curves"][name] = claim.kept(curve, "held_out", "reward/right", "value/explained", "memory_mb", "seconds")
    return found


def table(result: dict[str, Any]) -> str:
    """The block of docs/claims.md."""
    ends, body = claim.ends, []
    first = ends(result, "grpo", "held_out", over=1)
    for name in METHODS:
        last = ends(result, name, "held_out", over=1)
        explained = "" if name == "grpo" else claim.told(ends(result, name, "value/explained", over=10), 2)
        body.append(
            [
                name,
                f"{ends(result, name, 'memory_mb', over=1)[0]:.1f}",
                claim.told(ends(result, name, "seconds", over=999), 2),
                claim.told(ends(result, name, "held_out", first=True, over=1)),
                claim.told(last),
                "" if name == "grpo" else claim.difference(first, last),
                explained,
            ]
        )
    head = ["", "training holds, MB", "seconds a step", "accuracy before", "after", "minus grpo, paired",
            "variance explained, last 10 steps"]  # fmt: skip
    return claim.heading(result) + claim.rows(head, body)


def draw(result: dict[str, Any]) -> str:
    """Accuracy over steps, and what the critics explain."""

    def accuracy(ax: Any) -> None:
        for name, colour in zip(METHODS, claim.COLOURS, strict=False):
            claim.band(ax, result, name, "held_out", name, colour, gained=True)

    def explained(ax: Any) -> None:
        for name, colour in list(zip(METHODS, claim.COLOURS, strict=False))[1:]:
            claim.band(ax, result, name, "value/explained", name, colour, 5)
        ax.set_ylim(-0.5, 1)

    return claim.picture([("step", "gain in held-out accuracy", accuracy), ("step", "variance explained", explained)])


def main(given: Sequence[str] | None = None) -> int:
    """Measure, store, say."""
    claim.run(NAME, __doc__, given, one, table, draw)
    return 0


if __name__ == "__main__":
    sys.exit(main())
