"""The fourth section: what acceptance.json says, suite by suite, and the held-out answers that changed.

Reads the numbers acceptance wrote and computes none of them again. Left out: the decision (acceptance), training's own
numbers (sections).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from verigrad.records import Item, Reply
from verigrad.reporting import charts
from verigrad.reporting.beside import holm_words, off_task_block, pass_curve
from verigrad.reporting.charts import Whisker
from verigrad.reporting.escape import text
from verigrad.reporting.markup import (
    decision_pill,
    figure,
    figures,
    flat,
    fold,
    number,
    percent,
    pill,
    points,
    scalar,
    table,
)
from verigrad.reporting.stages import stages_block
from verigrad.reporting.view import View

_SHARES = (
    ("strict", "strict: the one committed answer"),
    ("lenient", "lenient: the last answer anywhere"),
    ("unread", "unread: strict found none"),
    ("truncated", "cut at the token limit"),
    ("disagreement", "grader and training verifier disagree"),
)
_KNOWN = {"suite", "grader", "independent", "items", "families", "interval_p", "greedy", "sampled", "decision", "holm"}
_KNOWN |= {"pass_gain"}


_WHY = re.compile(
    r"(?:accepted|not accepted|undecided): (?P<of>greedy|sampled) gain \S+, (?P<level>\S+ %) interval \[.*?\] "
    r"against (?P<bound>(?:gain|margin) \S+), p .*? by .*?, (?P<rest>\d+ items in \d+ families.*)"
)
"""A decision's reason as acceptance words it: what of it the suite's own line does not say yet."""


def suites(acceptance: Any) -> list[Mapping[str, Any]]:
    """Every suite's numbers in acceptance.json, wherever they stand in it, but for those of single stages."""
    return list(_suites(_whole(acceptance)))


def decision_words(v: View) -> str:
    """The run's decision as markup: label, why, and each suite's gain with its interval."""
    there = suites(v.acceptance)
    whole = v.status.get("decision") or _verdict(v.acceptance)
    if whole is None and len(there) == 1:
        whole = _verdict(there[0])
    if whole is None and not there:
        phase = str(v.status.get("phase", "unknown"))
        step = v.status.get("step")
        at = f", step {step}" if step else ""
        return f"<p>{pill('no decision yet', 'plain')} phase: {text(phase)}{at}</p>"
    rows = "".join(f"<li>{_suite_words(s)}</li>" for s in there)
    why = v.acceptance.get("why") if isinstance(v.acceptance, Mapping) else None
    tail = f" {text(_least(why, there), limit=600)}" if why and len(there) != 1 else ""
    return f"<p>{decision_pill(whole)}{tail}</p>" + (f'<ul class="plain">{rows}</ul>' if rows else "")


def acceptance_section(v: View) -> str:
    """Tables and whiskers of every suite, other things acceptance.json holds, gained and lost items."""
    there = suites(v.acceptance)
    out = [_suite(s) for s in there]
    if isinstance(v.acceptance, Mapping):
        out += [off_task_block(v.acceptance), stages_block(v.acceptance)]
        rest = [(k, x) for k, x in flat(_whole(v.acceptance)) if not _in_suite(k, v.acceptance) and ".each." not in k]
        rest = [(k, x) for k, x in rest if not k.startswith("off_task.")]
        out.append(fold("Also in acceptance.json", table(("", ""), [(text(k), scalar(x)) for k, x in rest])))
    if v.acceptance is None:
        out.append("<p>Nothing has been accepted or refused yet: there is no acceptance.json.</p>")
    for suite in dict.fromkeys(i.suite for i in v.items):
        out.append(_changed([i for i in v.items if i.suite == suite], suite))
    return "".join(out)


def _whole(acceptance: Any) -> Any:
    """What is said of the run, without what is said of each of its stages."""
    return {k: x for k, x in acceptance.items() if k != "stages"} if isinstance(acceptance, Mapping) else acceptance


def _suites(value: Any) -> Iterator[Mapping[str, Any]]:
    if isinstance(value, Mapping):
        if "suite" in value and ("greedy" in value or "decision" in value):
            yield value
            return
        for below in value.values():
            yield from _suites(below)
    elif isinstance(value, list):
        for below in value:
            yield from _suites(below)


def _in_suite(path: str, value: Any) -> bool:
    """Whether a dotted path lies inside a suite's numbers, which have their own table."""
    for part in path.split("."):
        if isinstance(value, Mapping) and part in value:
            value = value[part]
        elif isinstance(value, list) and part.isdigit() and int(part) < len(value):
            value = value[int(part)]
        else:
            return False
        if isinstance(value, Mapping) and "suite" in value and ("greedy" in value or "decision" in value):
            return True
    return False


def _verdict(value: Any) -> str | None:
    if not isinstance(value, Mapping):
        return None
    decision = value.get("decision", value.get("verdict"))
    if isinstance(decision, Mapping):
        decision = decision.get("verdict")
    return decision if isinstance(decision, str) else None


def _suite_words(s: Mapping[str, Any]) -> str:
    d = s.get("decision")
    name = f"<strong>{text(s['suite'], limit=80)}</strong>"
    if not isinstance(d, Mapping):
        return f"{name}: measured, no decision"
    words = f"{name}: {decision_pill(d.get('verdict'))} "
    why = str(d.get("why") or "")
    said = _WHY.fullmatch(why)
    if isinstance(d.get("gain"), float | int):
        words += (f"{said['of']} " if said else "") + f"gain {points(d['gain'])} points"
        interval = _interval(d.get("interval"))
        level = f"{said['level']} " if said else ""
        words += f" ({level}interval {points(interval[0])} to {points(interval[1])})" if interval else ""
    words += f" against {text(said['bound'], limit=40)}" if said else ""
    if isinstance(d.get("p_value"), float | int):
        words += f", p {number(float(d['p_value']))} by {text(d.get('test', 'its test'), limit=80)}"
        words += holm_words(s)
    rest = said["rest"] if said else why
    return words + _independence(s) + (f'<br> <span class="why">{text(rest, limit=600)}</span>' if rest else "")


def _least(why: Any, there: Sequence[Mapping[str, Any]]) -> str:
    """The run's reason; where it is one suite's own, which stands below in full, that suite's name."""
    for s in there:
        d = s.get("decision")
        if isinstance(d, Mapping) and d.get("why") and why == f"{s['suite']}: {d['why']}":
            return f"as its least suite, {s['suite']}"
    return str(why)


def _independence(s: Mapping[str, Any]) -> str:
    return f" {pill('NOT INDEPENDENT', 'bad')}" if s.get("independent") is False else ""


def _suite(s: Mapping[str, Any]) -> str:
    kinds = [(kind, s[kind]) for kind in ("greedy", "sampled") if _has_answers(s.get(kind))]
    rows = [
        Whisker(name=f"{kind}, {side}", value=value, low=ends[0], high=ends[1], colour=0 if side == "before" else 2)
        for kind, sides in kinds
        for side in ("before", "after")
        if isinstance(value := sides[side].get("strict"), float | int)
        and (ends := _interval(sides[side].get("strict_interval")))
    ]
    caption = "Strict accuracy before and after, with intervals"
    charts_ = [figure(charts.intervals(caption, rows), caption)]
    gain = [
        w
        for key, name in (("decision", "gain"), ("against_best", "gain over best base"))
        for w in _gain(s.get(key), name)
    ]
    charts_.append(
        figure(charts.intervals("Gain", gain, marks=[(0.0, "no gain")]), "Gain, after minus before, with its interval")
    )
    charts_.append(pass_curve(s))
    extra = [(k, x) for k, x in flat({k: x for k, x in s.items() if k not in _KNOWN}) if x is not None]
    head = f"<h3>{text(s['suite'], limit=80)}</h3><p>{_suite_words(s)}</p>"
    counts = [f"{s[k]:,} {k}" for k in ("items", "families") if isinstance(s.get(k), int)]
    counts.append("grader " + text(s.get("grader", "?"), limit=80))
    head += f'<p class="small">{", ".join(counts)}{_independence(s)}</p>'
    return (
        f'<section class="suite">{head}{figures(*charts_)}'
        + "".join(_numbers(kind, sides) for kind, sides in kinds)
        + fold("More of this suite", table(("", ""), [(text(k), scalar(x)) for k, x in extra]))
        + "</section>"
    )


def _numbers(kind: str, sides: Mapping[str, Any]) -> str:
    before, after = sides["before"], sides["after"]
    rows = [
        (text(words), _share(before, word), _share(after, word))
        for word, words in _SHARES
        if before.get(word) is not None or after.get(word) is not None
    ]
    for word in ("pass_at_k", "pass_hat_k"):
        a = after.get(word) or {}
        name = "pass@" if word == "pass_at_k" else "pass^"
        rows += [(f"{name}{text(k)}", _at(before, word, k), _at(after, word, k)) for k in a]
    for word, words in (("mean_tokens", "mean tokens"), ("count", "answers"), ("ungraded", "ungraded, in no share")):
        rows.append((words, _number(before.get(word)), _number(after.get(word))))
    return table((kind, "before", "after"), rows)


def _at(side: Mapping[str, Any], word: str, k: str) -> str:
    """One point of a curve over k, with its interval."""
    one = {"share": (side.get(word) or {}).get(k), "share_interval": (side.get(f"{word}_interval") or {}).get(k)}
    return _share(one, "share")


def _share(side: Mapping[str, Any], word: str) -> str:
    ends = _interval(side.get(f"{word}_interval"))
    tail = f' <span class="small">[{percent(ends[0])}, {percent(ends[1])}]</span>' if ends else ""
    return _number(side.get(word), share=True) + tail


def _number(value: Any, *, share: bool = False) -> str:
    if isinstance(value, bool) or not isinstance(value, float | int):
        return "–"
    return percent(float(value)) if share else scalar(value)


def _gain(decision: Any, name: str) -> list[Whisker]:
    if not isinstance(decision, Mapping):
        return []
    ends, gain = _interval(decision.get("interval")), decision.get("gain")
    return [Whisker(name=name, value=gain, low=ends[0], high=ends[1], colour=2)] if ends and gain is not None else []


def _interval(value: Any) -> tuple[float, float] | None:
    if isinstance(value, list | tuple) and len(value) == 2 and all(isinstance(x, float | int) for x in value):
        return float(value[0]), float(value[1])
    return None


def _has_answers(sides: Any) -> bool:
    return (
        isinstance(sides, Mapping)
        and all(isinstance(sides.get(side), Mapping) for side in ("before", "after"))
        and bool(sides["after"].get("count"))
    )


def _changed(items: Sequence[Item], suite: str, each: int = 3) -> str:
    """Items whose greedy answer became right, then those that became wrong."""
    gained = [i for i in items if _right(i.greedy_after) and not _right(i.greedy_before)]
    lost = [i for i in items if _right(i.greedy_before) and not _right(i.greedy_after)]
    shown = "".join(_pair(i) for i in [*gained[:each], *lost[:each]])
    words = f"{suite}: {len(gained)} items became right by the greedy answer, {len(lost)} became wrong"
    return fold(words, shown) if shown else f"<p>{text(words)}.</p>"


def _right(reply: Reply) -> bool:
    return reply.grade.strict == "right"


def _pair(i: Item) -> str:
    prompt = text(i.task.prompt[-1]["content"] if i.task.prompt else "", limit=1500)
    sides = "".join(
        f"<div><h5>{name} {pill(reply.grade.strict, 'good' if _right(reply) else 'bad')}</h5>"
        f"<pre>{text(reply.answer, limit=2000)}</pre>"
        f'<p class="small">read: {scalar(reply.grade.read)}; {reply.tokens} tokens, {text(reply.finish)}</p></div>'
        for name, reply in (("before", i.greedy_before), ("after", i.greedy_after))
    )
    gold = text(i.task.gold, limit=300)
    head = f'<pre class="prompt">{prompt}</pre><p>right answer: {gold}</p>'
    return f'<article class="answer">{head}<div class="two">{sides}</div></article>'
