"""The figures of one run or of several over each other, from metrics.jsonl. Left out: tables and words (sections)."""

from __future__ import annotations

from collections.abc import Sequence

from verigrad.reporting import charts
from verigrad.reporting.charts import Line
from verigrad.reporting.markup import figure, figures
from verigrad.reporting.view import View

CURVES: tuple[tuple[str, str, bool], ...] = (
    ("reward/right", "Share of answers that are right", True),
    ("reward/mean", "Mean reward", False),
    ("validation/right", "Right on the validation slice", True),
    ("length/mean", "Response length, tokens", False),
    ("length/truncated", "Answers cut at the token limit", True),
    ("entropy", "Entropy, nats a token", False),
    ("grad/norm", "Gradient norm before clipping", False),
    ("group/kept", "Groups kept for the update", True),
    ("kl/reference", "KL to the reference", False),
    ("mismatch/mean", "Sampler against trainer: mean mismatch", False),
)
"""(metric, caption, is a share): what several runs are compared by."""
_COLOURS = {"right": 2, "wrong": 1, "unreadable": 4, "ungraded": 7, "all": 0, "broke the check": 4, "timed out": 5}


def overlay(views: Sequence[View]) -> str:
    """The same curves of every run in one figure each."""
    out = []
    for metric, caption, share in CURVES:
        lines = [Line(name=v.name, points=v.series(metric), colour=n) for n, v in enumerate(views)]
        legend = [(n, v.name) for n, v in enumerate(views) if lines[n].points]
        out.append(figure(_chart(caption, lines, share=share), caption, legend))
    return figures(*out)


def data_figures(v: View) -> str:
    """What was drawn and what of it was used."""
    return figures(
        _figure(v, "Answers drawn and used, a step", {"sample/generated": "drawn", "sample/used": "used"}, floor=0),
        _figure(
            v,
            "Tokens sampled and trained on, a step",
            {"tokens/sampled": "sampled", "tokens/trained": "trained"},
            floor=0,
        ),
    )


def reward_figures(v: View) -> str:
    """Reward and its parts, verdicts, length of right and wrong answers."""
    parts = {name: name.removeprefix("reward/part/") for name in v.metric_names("reward/part/")}
    faults = {
        "verdict/ungraded": "ungraded",
        "verdict/broke_check": "broke the check",
        "verdict/timed_out": "timed out",
    }
    return figures(
        _figure(v, "Share of answers that are right", {"reward/right": "right"}, share=True),
        _figure(v, "Mean reward", {"reward/mean": "reward"}),
        _figure(v, "What each reward part paid, mean", parts) if len(parts) > 1 else "",
        _stack(v, "Verdicts", {f"verdict/{s}": s for s in ("right", "wrong", "unreadable", "ungraded")}),
        _figure(v, "Checks that had trouble", faults, share=True, only_nonzero=True),
        _figure(v, "Response length, tokens", {"length/right": "right", "length/wrong": "wrong", "length/mean": "all"}),
        _figure(v, "Answers cut at the token limit", {"length/truncated": "cut"}, share=True),
        _figure(v, "Answers that go back over themselves", {"selfcheck": "re-checking"}, share=True, only_nonzero=True),
    )


def loss_figures(v: View) -> str:
    """Groups, entropy, gradients, KL, mismatch, clipping, learning rate."""
    return figures(
        _groups(v),
        _figure(v, "Entropy, nats a token", {"entropy": "entropy"}, floor=0),
        _figure(v, "Gradient norm before clipping", {"grad/norm": "norm"}, floor=0),
        _figure(v, "Loss", {"loss/policy": "policy", "loss/kl": "kl", "loss/value": "value"}),
        _figure(v, "KL to the reference, nats a token", {"kl/reference": "kl"}, only_nonzero=True),
        _figure(
            v,
            "Sampler against trainer, nats a token",
            {"mismatch/mean": "mean", "mismatch/max": "largest"},
            floor=0,
            only_nonzero=True,
        ),
        _figure(v, "Tokens clipped", {"clip/low": "low", "clip/high": "high"}, share=True, only_nonzero=True),
        _figure(v, "Learning rate", {"lr": "lr"}, floor=0, exact=True),
        _figure(
            v,
            "Log-probs of chosen and rejected answers, nats an answer",
            {"logp/chosen": "chosen", "logp/rejected": "rejected"},
        ),
        _figure(v, "Pairs in which the better answer is ahead", {"preference/right": "ahead"}, share=True),
        _figure(v, "KL coefficient", {"kl/coef": "coefficient"}, floor=0),
        _figure(v, "Variance of the returns the critic explains", {"value/explained": "explained"}),
        _figure(v, "Engine weights a step changed", {"weights/changed": "changed"}, share=True),
    )


def validation_figure(v: View) -> str:
    """The looks at the validation slice."""
    names = {"validation/right": ("right", 2), "validation/disagree": ("grader and verifier disagree", 1)}
    lines = [Line(name=name, points=v.series(m), colour=c, marks=True) for m, (name, c) in names.items()]
    there = [line for line in lines if line.points]
    chart = _chart("Validation slice, by acceptance's grader", there, share=True)
    return figures(figure(chart, "Validation slice, by acceptance's grader", [(c.colour, c.name) for c in there]))


def _figure(
    v: View,
    caption: str,
    names: dict[str, str],
    *,
    share: bool = False,
    floor: float | None = None,
    only_nonzero: bool = False,
    exact: bool = False,
) -> str:
    lines = [
        Line(name=name, points=v.series(metric), colour=_COLOURS.get(name, c), marks=exact)
        for c, (metric, name) in enumerate(names.items())
    ]
    lines = [line for line in lines if line.points]
    if only_nonzero and not any(y for line in lines for _, y in line.points):
        return ""
    borders = [(float(n), f"stage {stage}: {v.stages.get(stage, '')}") for stage, n in v.borders().items()]
    chart = _chart(caption, lines, share=share, floor=floor, borders=borders)
    return figure(chart, caption, [(line.colour, line.name) for line in lines] if len(lines) > 1 else [])


def _chart(
    caption: str,
    lines: Sequence[Line],
    *,
    share: bool,
    floor: float | None = None,
    borders: Sequence[tuple[float, str]] = (),
) -> str:
    return charts.lines(caption, lines, percent=share, floor=0.0 if share else floor, borders=borders)


def _stack(v: View, caption: str, names: dict[str, str]) -> str:
    series = {name: dict(v.series(metric)) for metric, name in names.items()}
    xs = sorted({x for by_step in series.values() for x in by_step})
    lines = [
        Line(name=name, points=[(x, by_step.get(x, 0.0)) for x in xs], colour=_COLOURS[name])
        for name, by_step in series.items()
        if any(by_step.values())
    ]
    return figure(charts.areas(caption, lines), caption, [(line.colour, line.name) for line in lines])


def _groups(v: View) -> str:
    right, wrong = dict(v.series("group/all_right")), dict(v.series("group/all_wrong"))
    xs = sorted(right.keys() & wrong.keys())
    lines = [
        Line(name="all right", points=[(x, right[x]) for x in xs], colour=2),
        Line(name="mixed: these teach", points=[(x, max(0.0, 1 - right[x] - wrong[x])) for x in xs], colour=0),
        Line(name="all wrong", points=[(x, wrong[x]) for x in xs], colour=1),
    ]
    caption = "Groups by how many of their answers are right"
    return figure(charts.areas(caption, lines), caption, [(line.colour, line.name) for line in lines])
