"""What each stage of a run gained and lost: against where it started and against the first model.

Reads the numbers acceptance wrote and computes none of them again. Left out: the run's own decision (verdicts).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from verigrad.reporting.escape import text
from verigrad.reporting.markup import decision_pill, fold, number, percent, table


def stages_block(acceptance: Any) -> str:
    """One table over all stages, and each one's reason; "" for a run of one stage."""
    stages = acceptance.get("stages") if isinstance(acceptance, Mapping) else None
    if not isinstance(stages, list):
        return ""
    rows = [row for stage in stages if isinstance(stage, Mapping) for row in _rows(stage)]
    heads = ("stage", "of", "before", "after", "change", "decision", "the same against the first model")
    whys = "".join(
        f"<li>stage {number(s['stage'])}: {text(s.get('why', ''), limit=600)}</li>"
        for s in stages
        if isinstance(s, Mapping) and isinstance(s.get("stage"), int)
    )
    found = table(heads, rows)
    return f"<h3>Stage by stage</h3>{found}" + fold("Why, stage by stage", f"<ul>{whys}</ul>") if rows else ""


def _rows(stage: Mapping[str, Any]) -> Iterator[list[str]]:
    name = f"{text(stage.get('stage', '?'))} {text(stage.get('kind', ''), limit=40)}"
    judge = stage.get("kind") == "reward_model"
    mine = decision_pill(str(stage.get("verdict", ""))) + (" against 0.5" if judge else " against its start")
    first = stage.get("against_first")
    theirs = decision_pill(str(first.get("verdict", ""))) if isinstance(first, Mapping) else ""
    pairs = stage.get("pairs")
    if isinstance(pairs, Mapping):
        accuracy = _share(pairs.get("accuracy"))
        error = pairs.get("calibration_error")
        tail = f", calibration error {number(float(error))}" if isinstance(error, float | int) else ""
        yield [name, f"{text(pairs.get('pairs', '?'))} held-out pairs", "", accuracy + tail, "", mine, ""]
    for suite in stage.get("suites") or ():
        if isinstance(suite, Mapping):
            yield [name, text(suite.get("suite", ""), limit=80), *_sides(suite), mine, theirs]
    probe = stage.get("off_task")
    if isinstance(probe, Mapping):
        for key, words in (("format", "off task: the task's format"), ("refusing", "off task: no reason given")):
            before, after = (_number(probe, side, key) for side in ("before", "after"))
            if before is not None and after is not None:
                yield [name, words, percent(before), percent(after), f"{100 * (after - before):+.1f}", "", ""]


def _sides(suite: Mapping[str, Any]) -> list[str]:
    """Strict accuracy before and after by the answers the decision is about, and the decided gain with its interval."""
    decision = suite.get("decision")
    measure = "sampled" if _is_sampled(suite, decision) else "greedy"
    sides = suite.get(measure)
    shares = [_number(sides, side, "strict") if isinstance(sides, Mapping) else None for side in ("before", "after")]
    before, after = (f"{percent(share)} {measure}" if share is not None else "" for share in shares)
    change = ""
    if isinstance(decision, Mapping) and isinstance(decision.get("gain"), float | int):
        interval = decision.get("interval")
        ends = ""
        if isinstance(interval, list) and len(interval) == 2 and all(isinstance(x, float | int) for x in interval):
            ends = f" [{100 * interval[0]:+.1f}, {100 * interval[1]:+.1f}]"
        change = f"{100 * decision['gain']:+.1f}{ends} points"
    return [before, after, change]


def _is_sampled(suite: Mapping[str, Any], decision: Any) -> bool:
    """Whether the decision is about draws, as its reason says, and their numbers are there."""
    why = decision.get("why") if isinstance(decision, Mapping) else None
    sampled = suite.get("sampled")
    return "sampled gain" in str(why) and isinstance(sampled, Mapping) and bool(_number(sampled, "after", "count"))


def _number(of: Mapping[str, Any], side: str, key: str) -> float | None:
    numbers = of.get(side)
    value = numbers.get(key) if isinstance(numbers, Mapping) else None
    return float(value) if isinstance(value, float | int) else None


def _share(value: Any) -> str:
    return percent(float(value)) if isinstance(value, float | int) else ""
