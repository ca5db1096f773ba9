"""The first three sections of a run's page, its head and its appendix, as markup from a View.

Left out: acceptance (verdicts), figures over steps (training_charts), the page around it (page).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from verigrad.reporting import training_charts
from verigrad.reporting.answers import QUESTIONS, four_answers
from verigrad.reporting.escape import text
from verigrad.reporting.losses import loss_tables
from verigrad.reporting.markup import duration, flat, fold, number, pairs, percent, pill, scalar, table
from verigrad.reporting.verdicts import acceptance_section, decision_words
from verigrad.reporting.view import Sample, View

_KINDS = {"right": "good", "wrong": "bad", "unreadable": "warn", "ungraded": "plain", "broke_check": "warn"}

_TILES = (
    ("reward/right", "right in training", True),
    ("entropy", "entropy", False),
    ("length/mean", "tokens an answer", False),
    ("length/truncated", "cut", True),
)


def run_head(v: View) -> str:
    """Name, where the run stands, the four answers, the decision, a few numbers."""
    answers = "".join(
        f'<li><a href="#{v_id(v)}-{n}">{text(q)}</a> <span>{text(a, limit=600)}</span></li>'
        for n, (q, a) in enumerate(zip(QUESTIONS, four_answers(v), strict=True), 1)
    )
    return (
        f'<header><h1 id="{v_id(v)}">{text(v.name, limit=120)}</h1>{_standing(v)}'
        f'<ol class="answers">{answers}</ol><div class="decision">{decision_words(v)}</div>'
        f"{_notes(v)}{_tiles(v)}</header>"
    )


def run_sections(v: View) -> str:
    """The four sections and the appendix."""
    parts = (
        data_section(v),
        reward_section(v),
        loss_section(v),
        training_charts.validation_figure(v) + acceptance_section(v),
    )
    out = "".join(
        f'<section id="{v_id(v)}-{n}"><h2><span class="nr">{n}</span> {text(question)}</h2>{html}</section>'
        for n, (question, html) in enumerate(zip(QUESTIONS, parts, strict=True), 1)
    )
    return out + appendix(v)


def v_id(v: View) -> str:
    """An id for anchors made of the folder's name: letters, digits and hyphens."""
    return "run-" + "".join(c if c.isascii() and c.isalnum() else "-" for c in v.name)[:60]


def data_section(v: View) -> str:
    """Sources, the prompt's form, what the pilot saw, what was drawn."""
    rows = [
        [text(d.get("source", "?")), scalar(d.get("held_out")), scalar(d.get("split_by")), scalar(d.get("weight"))]
        for d in v.children("data")
    ]
    out = table(("source", "held out", "kept together by", "weight"), rows)
    for key in ("data", "split", "counts"):
        if isinstance(v.resolved.get(key), Mapping):
            out += pairs(v.resolved[key])
    for d in v.children("data"):
        for word in ("system", "prompt"):
            if d.get(word):
                out += f"<p>{word}, {text(d.get('source', ''), limit=80)}:</p><pre>{text(d[word], limit=2000)}</pre>"
    if v.samples:
        task = v.samples[0].scored.rollout.task
        turns = "".join(
            f"<pre><b>{text(m['role'], limit=20)}</b>\n{text(m['content'], limit=2000)}</pre>" for m in task.prompt
        )
        out += fold("One prompt as the model sees it", f"{turns}<p>right answer: {text(task.gold, limit=500)}</p>")
    return out + _pilot(v.pilot) + training_charts.data_figures(v)


def reward_section(v: View) -> str:
    """The parts, their curves, answers of every status."""
    rows = []
    for r in v.paid:
        kind = next((k for k in ("verifier", "shaping", "model") if r.get(k) is not None), "verifier")
        options = {
            k.removeprefix("options."): x for k, x in r.items() if k.startswith("options") and x not in (None, {})
        }
        said = ", ".join(f"{text(k)} = {scalar(x)}" for k, x in options.items())
        rows.append([f"{kind} {scalar(r.get(kind))}", scalar(r.get("on") or "all"), scalar(r.get("weight", 1)),
                     scalar(r.get("gated", False)), said])  # fmt: skip
    out = table(("part", "on", "weight", "only when right", "options"), rows)
    if any(r.get("model") is not None for r in v.paid) and not any(r.get("verifier") is not None for r in v.paid):
        out += "<p>No program judges these answers: right and wrong are the sign of the judge's score.</p>"
    return out + training_charts.reward_figures(v) + sample_answers(v.samples, staged=len(v.stages) > 1)


def loss_section(v: View) -> str:
    """What ran in each stage, the curves, where the time went."""
    return loss_tables(v) + training_charts.loss_figures(v) + _time(v)


def appendix(v: View) -> str:
    """Every value with its origin, versions, hardware, seeds, the recipe, what could not be read."""
    rows = [(f"<code>{text(_said(k))}</code>", scalar(x), text(origin)) for k, (x, origin) in v.values.items()]
    out = fold("Every value and where it comes from", table(("key", "value", "origin"), rows))
    for key, title in (("hardware", "Hardware"), ("versions", "Versions"), ("seeds", "Seeds"), ("git", "Source state")):
        value = v.resolved.get(key)
        if value is not None:
            out += fold(title, pairs(value if isinstance(value, Mapping) else {key: value}))
    known = {"values", "method", "hardware", "versions", "seeds", "git", "data", "split", "counts", "answers", "notes"}
    known |= {"paper_sizes", "stages"}
    rest = [(k, x) for k, x in flat({k: x for k, x in v.resolved.items() if k not in known})]
    out += fold("Also in resolved.json", table(("", ""), [(text(k), scalar(x)) for k, x in rest]))
    out += fold("The recipe", f"<pre>{text(v.recipe, limit=20_000)}</pre>" if v.recipe else "")
    if v.unread:
        out += fold(
            "Could not be read",
            "<ul>" + "".join(f"<li>{text(u, limit=400)}</li>" for u in v.unread) + "</ul>",
            open_=True,
        )
    return f'<section><h2 id="{v_id(v)}-record">The record</h2>{out}</section>'


def _said(key: str) -> str:
    """A key path with stages counted from 1, as folders and --set count them."""
    table, _, rest = key.partition(".")
    number, _, name = rest.partition(".")
    return f"stage.{int(number) + 1}.{name}" if table == "stage" and number.isdigit() and name else key


def sample_answers(samples: Sequence[Sample], *, staged: bool = False) -> str:
    """Answers of each verdict status, early beside late; `staged` names the stage too."""
    if not samples:
        return ""
    out = []
    for status in ("right", "wrong", "unreadable", "broke_check", "ungraded"):
        there = [s for s in samples if s.status == status]
        cards = "".join(_card(s, staged) for s in there)
        title = f"Answers judged {status.replace('_', ' ')}: {len(there)} shown"
        out.append(fold(title, f'<div class="two">{cards}</div>' if cards else "", open_=True))
    return f"<h3>What the model wrote</h3>{''.join(out)}"


def _card(s: Sample, staged: bool) -> str:
    r, verdict = s.scored.rollout, s.scored.verdict
    question = r.task.prompt[-1]["content"] if r.task.prompt else ""
    paid = ", ".join(f"{text(k, limit=40)} {number(x)}" for k, x in s.scored.parts.items())
    facts = [f"gold {text(r.task.gold, limit=120)}", f"read {scalar(verdict.read)}"]
    facts += [text(verdict.reason, limit=200)] if verdict.reason else []
    facts += [
        f"reward {'none' if s.scored.reward is None else number(s.scored.reward)}" + (f" ({paid})" if paid else "")
    ]
    facts += [f"{len(r.token_ids)} tokens" + (", cut at the limit" if r.finish == "length" else "")]
    at = f"{s.when}, {f'stage {s.stage}, ' if staged else ''}step {s.step}"
    return (
        f'<article class="answer"><h5>{pill(s.status.replace("_", " "), _KINDS[s.status])} {at}</h5>'
        f'<pre class="prompt">{text(question, limit=800)}</pre><pre>{text(r.answer)}</pre>'
        f'<p class="small">{"; ".join(facts)}</p></article>'
    )


def _standing(v: View) -> str:
    phase, step, stage = v.status.get("phase", "unknown"), v.status.get("step"), v.status.get("stage")
    own = f"stage.{stage - 1}.train.steps" if v.staged and isinstance(stage, int) else "train.steps"
    steps = v.value(own)
    at = (f"stage {stage}, " if len(v.stages) > 1 else "") + f"step {step}" + (f" of {steps}" if steps else "")
    at = at if step else ""
    kinds = ", ".join(f"{n} {kind}" for n, kind in v.stages.items()) if len(v.stages) > 1 else ""
    model = v.value("model.path", "")
    parts = [f"phase {text(phase, limit=80)}", text(at), text(kinds), text(model, limit=200)]
    return f'<p class="small">{" · ".join(p for p in parts if p)}</p>'


def _tiles(v: View) -> str:
    tiles = []
    for metric, name, share in _TILES:
        values = [y for _, y in v.series(metric)]
        if values:
            few = max(1, len(values) // 10)
            first, last = sum(values[:few]) / few, sum(values[-few:]) / few
            shown = [percent(x) if share else number(x) for x in (first, last)]
            tiles.append((name, f"{shown[0]} → {shown[1]}"))
    seconds = sum(
        x for t in v.timings for k, x in t.items() if k not in ("stage", "step") and isinstance(x, float | int)
    )
    if seconds:
        tiles.append(("working time", duration(seconds)))
    if not tiles:
        return ""
    cells = "".join(f"<div><dt>{text(name)}</dt><dd>{value}</dd></div>" for name, value in tiles)
    note = "Means of the first and the last tenth of the steps. In charts thin: each step; thick: a moving mean."
    note += " Charts count steps through all stages." if len(v.stages) > 1 else ""
    return f'<dl class="tiles">{cells}</dl><p class="small">{note}</p>'


def _notes(v: View) -> str:
    """What a reader must know before the numbers: a refusal that was overridden, the run's own notes."""
    said = v.resolved.get("notes")
    notes = [text(n, limit=400) for n in said] if isinstance(said, list) else []
    if v.resolved.get("anyway"):
        notes.insert(0, f"{pill('--anyway', 'warn')} a refusal of pilot or plan was overridden for this run")
    return f'<ul class="plain small">{"".join(f"<li>{n}</li>" for n in notes)}</ul>' if notes else ""


def _pilot(pilot: Any) -> str:
    if not isinstance(pilot, Mapping):
        return ""
    rates = pilot.get("pass_rates")
    words = ""
    if isinstance(rates, list) and rates and all(isinstance(r, float | int) for r in rates):
        never, always = sum(r == 0 for r in rates), sum(r == 1 for r in rates)
        words = (
            f"<p>The pilot asked {len(rates)} prompts before training: {never} never right, {always} always right, "
            f"{len(rates) - never - always} between.</p>"
        )
    return words + fold("The pilot in numbers", pairs(pilot))


def _time(v: View) -> str:
    total: dict[str, float] = {}
    for line in v.timings:
        for key, x in line.items():
            if key not in ("stage", "step") and isinstance(x, float | int):
                total[key] = total.get(key, 0.0) + x
    whole = sum(total.values())
    if not whole:
        return ""
    bars = "".join(
        f'<i class="c{n % 8}" style="flex-grow:{x / whole:.4f}"></i>' for n, x in enumerate(total.values()) if x
    )
    keys = "".join(
        f'<li class="c{n % 8}">{text(k, limit=30)} {duration(x)} ({x / whole:.0%})</li>'
        for n, (k, x) in enumerate(total.items())
    )
    bar = f'<div class="bar">{bars}</div><ul class="legend">{keys}</ul>'
    return f"<figure><figcaption>Where the time went</figcaption>{bar}</figure>"
