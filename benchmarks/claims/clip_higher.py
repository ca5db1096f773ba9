"""Clip-higher (DAPO): does a higher upper bound of the ratio keep the entropy up?

    python -m benchmarks.claims.clip_higher [--seeds 5] [--smoke]

GRPO without KL on curt additions, every batch used four times so that the clip acts; bounds 0.2 and 0.2 against 0.2 and
0.28, and no clip at all beside them. The same questions and draws' seeds in all three.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Any

from benchmarks.claims import claim, rl
from benchmarks.claims.warm import warmed
from verigrad.losses import build

NAME = "clip_higher"
CLIPS = {
    "0.2 / 0.2": {"name": "pessimistic", "low": 0.2, "high": 0.2},
    "0.2 / 0.28": {"name": "pessimistic", "low": 0.2, "high": 0.28},
    "no clip": "none",
}


def one(seed: int, smoke: bool) -> dict[str, Any]:
    """All conditions of one seed."""
    found = {}
    for name, clip in CLIPS.items():
        setting = rl.Setting(
            method=build("grpo", {"kl": "none", "clip": clip}), steps=50, passes=4, minibatches=2, lr=4e-5, every=5
        )
        curve = rl.train(warmed(seed, smoke), setting.small(smoke), seed=seed, look=rl.accuracy(smoke))
        found[name] = claim.kept(curve, "entropy", "held_out", "clip/low", "clip/high", "reward/right")
    return {"curves": found}


def table(result: dict[str, Any]) -> str:
    """The block of docs/claims.md."""
    ends, first = claim.ends, "0.2 / 0.2"
    body = [
        [
            f"clip {name}",
            claim.told(ends(result, name, "entropy", first=True)),
            claim.told(ends(result, name, "entropy", over=10)),
            claim.told(ends(result, name, "clip/low", over=999), 4),
            claim.told(ends(result, name, "clip/high", over=999), 4),
            claim.told(ends(result, name, "held_out", first=True, over=1)),
            claim.told(ends(result, name, "held_out", over=1)),
        ]
        for name in CLIPS
    ]
    gains = []
    for name in list(CLIPS)[1:]:
        entropy = claim.difference(*(ends(result, n, "entropy", over=10) for n in (first, name)))
        right = claim.difference(*(ends(result, n, "held_out", over=1) for n in (first, name)))
        gains.append(
            f"- {name} minus {first}, paired by seed: entropy of the last 10 steps {entropy} nats a token, "
            f"held-out accuracy {right}."
        )
    head = ["", "entropy, first 5 steps", "last 10", "held below", "held above", "accuracy before", "after"]
    return claim.heading(result) + claim.rows(head, body) + "\n\n" + "\n".join(gains)


def draw(result: dict[str, Any]) -> str:
    """Entropy and accuracy over steps."""

    def paint(metric: str, smooth: int) -> Any:
        def into(ax: Any) -> None:
            for name, colour in zip(CLIPS, claim.COLOURS, strict=False):
                claim.band(ax, result, name, metric, f"clip {name}", colour, smooth, gained=metric == "held_out")

        return into

    return claim.picture(
        [
            ("step", "entropy, nats a token", paint("entropy", 5)),
            ("step", "gain in held-out accuracy", paint("held_out", 1)),
        ]
    )


def main(given: Sequence[str] | None = None) -> int:
    """Measure, store, say."""
    claim.run(NAME, __doc__, given, one, table, draw)
    return 0


if __name__ == "__main__":
    sys.exit(main())
