"""The third section's tables: what each stage ran, how it was computed and in which sizes.

Left out: the curves (training_charts) and the time (sections).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from verigrad.reporting.answers import four_answers
from verigrad.reporting.escape import text
from verigrad.reporting.markup import fold, pairs, scalar, table
from verigrad.reporting.view import View

_NOT_OF = {
    "rl": ("epochs",),
    "sft": ("steps", "group", "passes", "minibatches"),
    "reward_model": ("steps", "group", "passes", "minibatches"),
    "preference": ("steps", "group", "passes", "minibatches"),
}
"""Sizes that a stage of this kind does not read."""


def loss_tables(v: View) -> str:
    """The loss in a line, its record, what was changed about it, the sizes; with stages, each stage's own."""
    out = f"<p>{text(four_answers(v)[2], limit=600)}</p>"
    if v.staged:
        return out + "".join(_stage(v, stage) for stage in sorted(v.stages))
    return out + _record(v.resolved.get("method")) + _paper(v, "train.") + fold("Sizes and steps", _sizes(v, 1))


def _stage(v: View, stage: int) -> str:
    kind = v.stages[stage]
    found = _loss(v, stage)
    ran = found.get("ran", found.get("name")) or v.value(f"stage.{stage - 1}.loss.method", "")
    head = f"<h3>Stage {stage}, {text(kind, limit=40)}</h3><p>{text(ran, limit=600)}</p>"
    paper = _paper(v, f"stage.{stage - 1}.train.") if kind == "rl" and list(v.stages.values()).count("rl") == 1 else ""
    return head + _record(found) + paper + fold(f"Sizes and steps of stage {stage}", _sizes(v, stage))


def _loss(v: View, stage: int) -> Mapping[str, Any]:
    """What resolved.json holds of a stage's loss; {} before its turn has come."""
    said = v.resolved.get("stages")
    found = [s for s in said if isinstance(s, Mapping) and s.get("stage") == stage] if isinstance(said, list) else []
    loss = found[0].get("loss") if found else None
    return loss if isinstance(loss, Mapping) else {}


def _record(method: Any) -> str:
    if not isinstance(method, Mapping) or not method:
        return ""
    changes = next((method[k] for k in ("changed", "changes", "diff", "diffs") if method.get(k)), None)
    out = ""
    if isinstance(changes, list):
        out += "<ul>" + "".join(f"<li>{text(c, limit=300)}</li>" for c in changes) + "</ul>"
    return out + fold("The method's whole record", pairs(method))


def _paper(v: View, under: str) -> str:
    """The paper's sizes, which are those of the first stage's method where that is rl, beside what ran."""
    sizes = v.resolved.get("paper_sizes")
    if not isinstance(sizes, Mapping):
        return ""
    rows = []
    for key, paper in sizes.items():
        here = v.value(under + key.removeprefix("train."), v.value(key)) if key.startswith("train.") else v.value(key)
        rows.append((text(key), scalar(here), scalar(paper)))
    return fold("The paper's sizes beside this run's", table(("key", "here", "paper"), rows))


def _sizes(v: View, stage: int) -> str:
    under = f"stage.{stage - 1}.train." if v.staged else "train."
    unread = _NOT_OF.get(v.stages.get(stage, ""), ()) if v.staged else ()
    sizes = {k.removeprefix(under): x for k, (x, _) in v.values.items() if k.startswith(under)}
    return pairs({k: x for k, x in sizes.items() if k not in unread})
