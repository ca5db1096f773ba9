"""The metrics of a step that come from its groups (docs/design.md 9), and the closed list of all names.

Left out: the update's own metrics (losses, update) and validation (runs).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from verigrad.records import BROKE_CHECK, STATUSES, Group, Scored
from verigrad.rollouts import Collected
from verigrad.training.selfcheck import rechecks

_NAMES = """
    reward/mean reward/right verdict/right verdict/wrong verdict/unreadable verdict/ungraded verdict/broke_check
    verdict/timed_out group/all_right group/all_wrong group/kept sample/generated sample/used length/mean length/right
    length/wrong length/truncated selfcheck loss/policy loss/kl loss/value entropy kl/reference clip/low clip/high
    ratio/max mismatch/mean mismatch/max mismatch/weight grad/norm lr tokens/sampled tokens/trained weights/lag
    weights/changed validation/right validation/disagree logp/chosen logp/rejected logp/moved
    preference/right preference/margin kl/coef kl/refreshed value/explained
"""
NAMES = frozenset(_NAMES.split())
"""Every metric name there is, but for `reward/part/NAME`, one for each reward part."""
TIMINGS = frozenset({"sample", "verify", "update", "sync", "save"})
"""Every timing, in seconds."""


def step_metrics(groups: Sequence[Group], collected: Collected, *, newest: int) -> dict[str, float]:
    """Of every answer drawn in the step, kept or not, unless said otherwise.

    reward/* and length/right, length/wrong are over graded answers; entropy is the sampled estimate, the mean of -log
    p of the tokens drawn (unbiased for the mean entropy at the sampling temperature); a name whose denominator is
    empty is left out. `newest` is the trainer's version of the weights.
    """
    everyone = [s for g in groups for s in (*g.members, *g.left_out)]
    graded = [s for s in everyone if s.reward is not None]
    used = [m for g in collected.kept for m in g.members]
    out: dict[str, float] = {
        "sample/generated": float(len(everyone)),
        "sample/used": float(len(used)),
        "tokens/sampled": float(sum(_tokens(s) for s in everyone)),
        "group/all_right": _share([bool(g.members) and g.num_right == len(g.members) for g in groups]),
        "group/all_wrong": _share([bool(g.members) and g.num_right == 0 for g in groups]),
        "group/kept": len(collected.kept) / len(groups),
        "selfcheck": _share([rechecks(s.rollout.answer) for s in everyone]),
        "length/truncated": _share([s.rollout.finish == "length" for s in everyone]),
        "verdict/broke_check": _share([s.verdict.reason.startswith(BROKE_CHECK) for s in everyone]),
        "verdict/timed_out": _share(["timed_out" in s.verdict.reason for s in everyone]),
        "weights/lag": float(max(newest - s.rollout.version[0] for s in everyone)),
    }
    for status in STATUSES:
        out[f"verdict/{status}"] = _share([s.verdict.status == status for s in everyone])
    means: dict[str, list[float]] = {
        "length/mean": [float(_tokens(s)) for s in everyone],
        "length/right": [float(_tokens(s)) for s in graded if s.verdict.correct],
        "length/wrong": [float(_tokens(s)) for s in graded if not s.verdict.correct],
        "reward/mean": [s.reward for s in graded if s.reward is not None],
        "reward/right": [float(s.verdict.correct) for s in graded],
        "entropy": [-float(x) for s in everyone for x in s.rollout.logp[s.rollout.chosen]],
    }
    for part in dict.fromkeys(name for s in graded for name in s.parts):
        means[f"reward/part/{part}"] = [s.parts[part] for s in graded if part in s.parts]
    out.update({name: float(np.mean(values)) for name, values in means.items() if values})
    return out


def merge(parts: Sequence[Mapping[str, float]]) -> dict[str, float]:
    """One mapping of several; a name stands in exactly one of them."""
    out: dict[str, float] = {}
    for part in parts:
        clash = out.keys() & part.keys()
        if clash:
            raise ValueError(f"metrics named twice: {sorted(clash)}")
        out.update(part)
    return out


def _tokens(scored: Scored) -> int:
    return len(scored.rollout.token_ids)


def _share(flags: Sequence[bool]) -> float:
    return sum(flags) / len(flags)
