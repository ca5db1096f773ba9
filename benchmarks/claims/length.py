"""GRPO against Dr.GRPO: does dividing by an answer's length make wrong answers longer?

    python -m benchmarks.claims.length [--seeds 5] [--smoke]

Dotted additions: the number comes first, then dots without meaning, as many as the model likes, so that an answer's
length says nothing of whether it is right and has room to grow (6 dots in the mean, 48 tokens at most). GRPO without
KL against Dr.GRPO (neither std nor length), the same questions, same draws' seeds.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Any

from benchmarks.claims import claim, rl
from benchmarks.claims.warm import warmed
from verigrad.losses import build

NAME = "length"
METHODS = {
    "grpo": build("grpo", {"kl": "none"}),
    "dr_grpo": build("dr_grpo", {}),
}
MOST = 48


def one(seed: int, smoke: bool) -> dict[str, Any]:
    """Both methods of one seed."""
    found = {}
    for name, method in METHODS.items():
        setting = rl.Setting(method=method, manner="p", steps=50, max_tokens=MOST, lr=1e-4).small(smoke)
        curve = rl.train(warmed(seed, smoke), setting, seed=seed)
        found[name] = claim.kept(curve, "length/wrong", "length/right", "length/truncated", "reward/right", "grad/norm")
    return {"curves": found}


def table(result: dict[str, Any]) -> str:
    """The block of docs/claims.md."""
    ends = claim.ends
    body = [
        [
            name,
            claim.told(ends(result, name, "length/wrong", first=True), 1),
            claim.told(ends(result, name, "length/wrong", over=10), 1),
            claim.told(ends(result, name, "length/right", first=True), 1),
            claim.told(ends(result, name, "length/right", over=10), 1),
            claim.told(ends(result, name, "length/truncated", over=10)),
            claim.told(ends(result, name, "reward/right", first=True)),
            claim.told(ends(result, name, "reward/right", over=10)),
        ]
        for name in METHODS
    ]

    def grown(name: str, metric: str) -> list[float]:
        before, after = ends(result, name, metric, first=True), ends(result, name, metric, over=10)
        return [b - a for a, b in zip(before, after, strict=True)]

    lines = [
        f"- growth of {kind} answers, grpo minus dr_grpo, paired by seed: "
        f"{claim.difference(grown('dr_grpo', f'length/{kind}'), grown('grpo', f'length/{kind}'), 1)} tokens."
        for kind in ("wrong", "right")
    ]
    head = ["", "wrong answers, first 5 steps", "last 10", "right answers, first 5", "last 10", "cut at 48",
            "right, first 5", "last 10"]  # fmt: skip
    return claim.heading(result) + claim.rows(head, body) + "\n\n" + "\n".join(lines)


def draw(result: dict[str, Any]) -> str:
    """Length of wrong and of right answers, and accuracy, over steps."""

    return claim.picture(
        [
            ("step", "tokens, wrong answers", claim.over_steps(result, tuple(METHODS), "length/wrong")),
            ("step", "tokens, right answers", claim.over_steps(result, tuple(METHODS), "length/right")),
            ("step", "right", claim.over_steps(result, tuple(METHODS), "reward/right")),
        ]
    )


def main(given: Sequence[str] | None = None) -> int:
    """Measure, store, say."""
    claim.run(NAME, __doc__, given, one, table, draw)
    return 0


if __name__ == "__main__":
    sys.exit(main())
