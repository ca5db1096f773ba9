"""docs/reference/methods.md, generated from the records.

    python -c "from verigrad.losses import table; print(table(), end='')" > docs/reference/methods.md

A test compares the checked-in page with what this writes. Left out: anything that is not in the records themselves.
"""

from __future__ import annotations

import inspect
from dataclasses import fields

from verigrad.losses.axis import parameters, said, told
from verigrad.losses.method import AXES, Method, shown
from verigrad.losses.methods import METHODS
from verigrad.losses.wire import WORDS


def table() -> str:
    """The page: an overview, every method's choices with whose number each is, every axis's words."""
    columns = [axis for axis in AXES if axis not in ("mismatch", "entropy")]
    lines = [
        "# Methods",
        "",
        "Generated from `verigrad/losses/methods.py` by `verigrad.losses.table()`; do not edit.",
        "",
        "A method is one choice on every axis; a recipe may change any of them under `[loss]`. All of them weigh the",
        "mismatch between sampler and trainer (truncated, token, 2: exactly 1 where the two agree) and add no entropy",
        "bonus.",
        "",
        "| method | " + " | ".join(columns) + " |",
        "|" + "---|" * (len(columns) + 1),
    ]
    lines += [
        f"| [`{m.name}`](#{m.name}) | " + " | ".join(_brief(m, a) for a in columns) + " |" for m in METHODS.values()
    ]
    for method in METHODS.values():
        lines += ["", *_section(method)]
    lines += ["", "# Axes"]
    for axis, words in WORDS.items():
        lines += ["", f"## loss.{axis}", "", "| word | parameters | what it is |", "|---|---|---|"]
        for word in words:
            text = (inspect.getdoc(word) or "").split("\n\n")[0].replace("\n", " ").replace("|", "\\|")
            takes = ", ".join(f"`{said(f.name)}`" for f in fields(word))
            lines.append(f"| `{word.word}` | {takes} | {text} |")
    return "\n".join(lines) + "\n"


def _brief(method: Method, axis: str) -> str:
    value = getattr(method, axis)
    brief = [shown(v) for v in told(value).values() if v is not False]
    if axis == "scale":
        brief = [f"ddof {value.ddof}"] if hasattr(value, "ddof") else []
    if axis == "keep":
        brief = []
    return " ".join([value.word, *brief])


def _section(method: Method) -> list[str]:
    lines = [f"## {method.name}", "", method.source + ".", "", "| axis | value | whose |", "|---|---|---|"]
    for axis in AXES:
        value = getattr(method, axis)
        lines.append(f"| {axis} | `{value.word}` | {method.sources.get(axis, '')} |")
        for name, number in parameters(value).items():
            lines.append(f"| {axis}.{name} | {shown(number)} | {method.sources.get(f'{axis}.{name}', '')} |")
    for key, value in method.elsewhere.items():
        lines.append(f"| `{key}` | `{value}` | set outside [loss] |")
    if method.paper_sizes:
        sizes = ", ".join(f"`{key}` {size}" for key, size in method.paper_sizes.items())
        lines += ["", f"The paper's sizes (never set): {sizes}."]
    return [*lines, "", *(f"- {note}" for note in method.notes)]
