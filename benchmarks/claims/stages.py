"""RLVR, then manner: what does each stage gain and lose?

    python -m benchmarks.claims.stages [--seeds 5] [--smoke]

Additions answered curtly or with steps, whichever the model likes. First GRPO without KL by the verifier; then DPO on
pairs made without the model: the same right number, with steps above curt. DPO alone stands beside it. Measured after
each stage on held-out additions (four draws each, the same seeds), and off-task, where a word is to be copied: share
copied, and share of answers in which a digit stands although no number is wanted.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from itertools import islice
from typing import Any

import numpy as np

from benchmarks.claims import claim, rl, tasks
from benchmarks.claims.controls import MOST
from benchmarks.claims.warm import warmed
from verigrad import models
from verigrad.losses import build, preferences
from verigrad.recipe import Train
from verigrad.records import Pair
from verigrad.records import seed as hashed
from verigrad.training import PreferenceLearner

NAME = "stages"
STEPS, PAIRS = 30, 32
STATES = ("warmed", "after RLVR", "after RLVR and preference", "after preference alone")
MEASURED = ("right", "explained", "tokens", "copied", "digits off-task")


def one(seed: int, smoke: bool) -> dict[str, Any]:
    """The states of one seed."""
    rng = np.random.default_rng(hashed("claims off task", seed))
    asked = rl.side("m", kept=True, smoke=smoke)
    words = list(islice(tasks.words(rng), 8 if smoke else 100))
    found = {"warmed": measured(warmed(seed, smoke), asked, words)}
    lm = warmed(seed, smoke)
    setting = rl.Setting(
        method=build("grpo", {"kl": "none"}), manner="m", steps=40, prompts=16, max_tokens=MOST, lr=1e-4
    )
    rl.train(lm, setting.small(smoke), seed=seed)
    found["after RLVR"] = measured(lm, asked, words)
    prefer(lm, seed, smoke)
    found["after RLVR and preference"] = measured(lm, asked, words)
    alone = warmed(seed, smoke)
    prefer(alone, seed, smoke)
    found["after preference alone"] = measured(alone, asked, words)
    return {"states": found}


def prefer(lm: Any, seed: int, smoke: bool) -> None:
    """DPO in place: with steps above curt, both right."""
    rng = np.random.default_rng(hashed("claims manner", seed))
    steps = 2 if smoke else STEPS
    source = islice(tasks.additions("m", kept=False, rng=rng), PAIRS * steps)
    pairs = [Pair(task=t, chosen=tasks.explained(t), rejected=tasks.curt(t)) for t in source]
    train = Train(steps=steps, prompts=PAIRS, lr=5e-5)
    learner = PreferenceLearner(lm, preferences["dpo"], train, steps=steps, reference=models.freeze(lm))
    learner.prepare(pairs)
    for step in range(1, steps + 1):
        learner.step(pairs[(step - 1) * PAIRS : step * PAIRS], step=step)


def measured(lm: Any, asked: Sequence[Any], words: Sequence[Any]) -> dict[str, float]:
    """On-task and off-task shares."""
    sums = [(c, t) for row, t in zip(rl.drawn(lm, asked, answers=4, max_tokens=MOST), asked, strict=True) for c in row]
    copies = [(row[0].text, t) for row, t in zip(rl.drawn(lm, words, answers=1, max_tokens=MOST), words, strict=True)]
    return {
        "right": float(np.mean([tasks.verify(c.text, t).correct for c, t in sums])),
        "explained": float(np.mean([tasks.has_format(c.text) and tasks.is_explained(c.text) for c, _ in sums])),
        "tokens": float(np.mean([len(c.token_ids) for c, _ in sums])),
        "copied": float(np.mean([text == t.gold for text, t in copies])),
        "digits off-task": float(np.mean([any(x.isdigit() for x in text) for text, _ in copies])),
    }


def table(result: dict[str, Any]) -> str:
    """The block of docs/claims.md."""
    seeds = result["seeds"]

    def of(state: str, name: str) -> list[float]:
        return [s["states"][state][name] for s in seeds]

    body = [[state, *(claim.told(of(state, m), 1 if m == "tokens" else 3) for m in MEASURED)] for state in STATES]
    lines = []
    for before, after in ((STATES[0], STATES[1]), (STATES[1], STATES[2]), (STATES[0], STATES[3])):
        right, steps, copied = (
            claim.difference(of(before, name), of(after, name)) for name in ("right", "explained", "copied")
        )
        lines.append(f"- {after} minus {before}, paired by seed: right {right}, with steps {steps}, copied {copied}.")
    head = ["", "right, held-out", "with steps", "tokens an answer", "words copied", "digits in words"]
    return claim.heading(result) + claim.rows(head, body) + "\n\n" + "\n".join(lines)


def draw(result: dict[str, Any]) -> str:
    """What stands after each stage, one line a seed."""

    def paint(name: str) -> Any:
        def into(ax: Any) -> None:
            for i, s in enumerate(result["seeds"]):
                y = [s["states"][state][name] for state in STATES]
                ax.plot(y[:3], color=claim.COLOURS[0], linewidth=0.9, marker="o", markersize=2.5,
                        label="RLVR, then preference" if i == 0 else None)  # fmt: skip
                ax.plot([0, 2], [y[0], y[3]], color=claim.COLOURS[1], linewidth=0.7, linestyle="--", marker="o",
                        markersize=2.5, label="preference alone" if i == 0 else None)  # fmt: skip
            ax.set_xticks(range(3), ["warmed", "RLVR", "preference"])
            ax.set_ylim(-0.02, 1.02)

        return into

    return claim.picture(
        [("", "right", paint("right")), ("", "with steps", paint("explained")), ("", "words copied", paint("copied"))]
    )


def main(given: Sequence[str] | None = None) -> int:
    """Measure, store, say."""
    claim.run(NAME, __doc__, given, one, table, draw)
    return 0


if __name__ == "__main__":
    sys.exit(main())
