"""Dead groups: how many teach nothing at a pass rate p, and what does drawing others in their place save and cost?

    python -m benchmarks.claims.dead_groups [--seeds 5] [--smoke]

First without training: 96 curt additions whose pass rate p under the warmed model is known exactly (the probability of
the one right answer), 64 draws each, cut into groups of G; the share of groups all right or all wrong beside
p^G + (1-p)^G. Then GRPO without KL with every group and with dynamic sampling (DAPO 3.2), same questions and draws'
seeds, the same number of updates; accuracy on held-out additions is exact, too.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from benchmarks.claims import claim, rl, tasks
from benchmarks.claims.warm import warmed
from verigrad.losses import build

NAME = "dead_groups"
GROUPS = (2, 4, 8, 16)
DRAWS = 64
KEEPS = {"every group": "all", "dynamic sampling": "varied"}
BINS = (0.0, 0.02, 0.1, 0.3, 0.6, 0.9, 1.0)


def one(seed: int, smoke: bool) -> dict[str, Any]:
    """Groups of the warmed model, then both runs."""
    found: dict[str, Any] = {"shares": shares(seed, smoke), "curves": {}}
    for name, keep in KEEPS.items():
        setting = rl.Setting(method=build("grpo", {"kl": "none", "keep": keep}), steps=40, prompts=24, every=4).small(
            smoke
        )
        curve = rl.train(warmed(seed, smoke), setting, seed=seed, look=rl.accuracy(smoke))
        total = 0.0
        for line in curve[1:]:
            total += line["sample/generated"]
            line["drawn"] = total
        curve[0]["drawn"] = 0.0
        found["curves"][name] = claim.kept(
            curve, "held_out", "drawn", "sample/generated", "group/kept", "group/all_right", "group/all_wrong"
        )
    return found


def shares(seed: int, smoke: bool) -> dict[str, Any]:
    """Pass rate of each question, and its share of dead groups by formula and by count, for each G."""
    lm, rng = warmed(seed, smoke), np.random.default_rng(seed)
    side = rl.side("c", kept=False, smoke=smoke)
    asked = [side[i] for i in rng.choice(len(side), size=min(96, len(side)), replace=False)]
    p_N = rl.pass_rates(lm, asked)
    drawn = rl.drawn(lm, asked, answers=DRAWS, max_tokens=6, seed=seed)
    right_ND = np.array([[tasks.verify(c.text, t).correct for c in row] for row, t in zip(drawn, asked, strict=True)])
    out: dict[str, Any] = {"pass_rate": p_N, "drawn_right": right_ND.mean(axis=1)}
    for size in GROUPS:
        right_NgG = right_ND.reshape(len(asked), -1, size).sum(axis=2)
        out[f"counted {size}"] = ((right_NgG == 0) | (right_NgG == size)).mean(axis=1)
        out[f"formula {size}"] = p_N**size + (1 - p_N) ** size
    return out


def reached(lines: Sequence[dict[str, Any]], level: float) -> tuple[float, float]:
    """Updates and drawn answers at which the accuracy first stands at `level`, by straight lines between looks; those
    of the last look where it never does.
    """
    looks = [line for line in lines if "held_out" in line]
    for before, after in pairwise(looks):
        if after["held_out"] >= level:
            rise = after["held_out"] - before["held_out"]
            part = 1.0 if rise <= 0 else float(np.clip((level - before["held_out"]) / rise, 0, 1))
            return tuple(before[k] + part * (after[k] - before[k]) for k in ("step", "drawn"))  # type: ignore[return-value]
    return looks[-1]["step"], looks[-1]["drawn"]


def table(result: dict[str, Any]) -> str:
    """The block of docs/claims.md."""
    seeds = result["seeds"]
    body = []
    for size in GROUPS:
        formula, counted = (
            [float(np.mean(s["shares"][f"{kind} {size}"])) for s in seeds] for kind in ("formula", "counted")
        )
        mean = [
            float(np.mean(s["shares"]["pass_rate"])) ** size + (1 - float(np.mean(s["shares"]["pass_rate"]))) ** size
            for s in seeds
        ]
        body.append(
            [size, claim.told(counted), claim.told(formula), claim.difference(formula, counted), claim.told(mean)]
        )
    first = claim.rows(
        ["G", "dead, counted", "mean of p^G + (1-p)^G", "counted - formula", "the formula at the mean p"], body
    )
    level = [min(claim.ends({"seeds": [s]}, n, "held_out", over=1)[0] for n in KEEPS) for s in seeds]
    rows = []
    for name in KEEPS:
        at = [reached(s["curves"][name], goal) for s, goal in zip(seeds, level, strict=True)]
        rows.append(
            [
                name,
                claim.told(
                    [
                        sum(claim.ends({"seeds": [s]}, name, f"group/all_{k}", over=999)[0] for k in ("right", "wrong"))
                        for s in seeds
                    ],
                    2,
                ),
                claim.told([s["curves"][name][-1]["drawn"] for s in seeds], 0),
                claim.told(claim.ends(result, name, "held_out", first=True, over=1)),
                claim.told(claim.ends(result, name, "held_out", over=1)),
                claim.told([u for u, _ in at], 1),
                claim.told([d for _, d in at], 0),
            ]
        )
    second = claim.rows(
        ["", "dead of the groups drawn", "answers drawn", "accuracy before", "after", "updates to the common level",
         "answers drawn to it"],
        rows,
    )  # fmt: skip
    every, dynamic = ([reached(s["curves"][n], g) for s, g in zip(seeds, level, strict=True)] for n in KEEPS)
    after = claim.difference(*(claim.ends(result, n, "held_out", over=1) for n in KEEPS))
    lines = [
        f"- accuracy after, dynamic sampling minus every group, paired by seed: {after};",
        f"- updates to the common level: {claim.difference([u for u, _ in every], [u for u, _ in dynamic], 1)};",
        f"- answers drawn to it: {claim.difference([d for _, d in every], [d for _, d in dynamic], 0)}.",
    ]
    return f"{claim.heading(result)}{first}\n\n{second}\n\n" + "\n".join(lines)


def draw(result: dict[str, Any]) -> str:
    """Dead share against pass rate; accuracy against updates and against answers drawn."""

    def against_p(ax: Any) -> None:
        p = np.linspace(0, 1, 101)
        for size, colour in zip((2, 8, 16), claim.COLOURS, strict=False):
            ax.plot(p, p**size + (1 - p) ** size, color=colour, linewidth=1, label=f"G = {size}")
            rate, counted = (
                np.concatenate([s["shares"][k] for s in result["seeds"]]) for k in ("pass_rate", f"counted {size}")
            )
            for low, high in pairwise(BINS):
                inside = (rate >= low) & (rate <= high)
                if inside.any():
                    ax.plot(rate[inside].mean(), counted[inside].mean(), "o", color=colour, markersize=3)

    def against_updates(ax: Any) -> None:
        for name, colour in zip(KEEPS, claim.COLOURS, strict=False):
            claim.band(ax, result, name, "held_out", name, colour, gained=True)

    def against_draws(ax: Any) -> None:
        for name, colour in zip(KEEPS, claim.COLOURS, strict=False):
            for i, s in enumerate(result["seeds"]):
                looks = [line for line in s["curves"][name] if "held_out" in line]
                x, y = [line["drawn"] for line in looks], [line["held_out"] for line in looks]
                ax.plot(x, y, color=colour, linewidth=0.8, label=name if i == 0 else None)

    return claim.picture(
        [
            ("pass rate p", "share of dead groups", against_p),
            ("updates", "gain in held-out accuracy", against_updates),
            ("answers drawn", "held-out accuracy", against_draws),
        ]
    )


def main(given: Sequence[str] | None = None) -> int:
    """Measure, store, say."""
    claim.run(NAME, __doc__, given, one, table, draw)
    return 0


if __name__ == "__main__":
    sys.exit(main())
