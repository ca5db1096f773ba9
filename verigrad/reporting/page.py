"""report.html: one static, self-contained file; no script, nothing fetched, light and dark, on a phone and on paper.

Left out: what stands in it (sections, verdicts) and the numbers' arithmetic (whoever wrote the files).
"""

from __future__ import annotations

from collections.abc import Sequence
from importlib import resources
from pathlib import Path

from verigrad.errors import Refused
from verigrad.reporting.escape import text
from verigrad.reporting.sections import run_head, run_sections, v_id
from verigrad.reporting.training_charts import overlay
from verigrad.reporting.view import View, view

_POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:"
"""Should escaping ever fail, the browser still runs and fetches nothing."""


def report(run_folders: Sequence[Path | str]) -> str:
    """The page of one run, or of several with their curves over each other, as HTML text.

    A run that is not finished is shown as far as it is. Raises Refused where a folder is no run, or none is given.
    """
    if not run_folders:
        raise Refused("report needs at least one run folder")
    views = [view(folder) for folder in run_folders]
    title = " and ".join(v.name for v in views) if len(views) < 4 else f"{len(views)} runs"
    body = _one(views[0]) if len(views) == 1 else _several(views)
    style = resources.files("verigrad.reporting").joinpath("style.css").read_text(encoding="utf-8")
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        '<meta name="color-scheme" content="light dark">'
        f"<title>{text(title, limit=120)} · verigrad</title><style>{style}</style></head><body>{body}</body></html>\n"
    )


def _one(v: View) -> str:
    return f"<main>{run_head(v)}{run_sections(v)}</main>"


def _several(views: Sequence[View]) -> str:
    links = "".join(
        f'<li class="c{n % 8}"><a href="#{v_id(v)}">{text(v.name, limit=80)}</a></li>' for n, v in enumerate(views)
    )
    head = f'<header><h1>{len(views)} runs</h1><ul class="legend">{links}</ul></header>'
    runs = "".join(f'<article class="run">{run_head(v)}{run_sections(v)}</article>' for v in views)
    return f"<main>{head}<section><h2>Over each other</h2>{overlay(views)}</section>{runs}</main>"
