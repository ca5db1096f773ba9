"""docs/reference/preferences.md, generated from the records.

    python -c "from verigrad.losses import preference_table; print(preference_table(), end='')"

Left out: anything that is not in the records themselves.
"""

from __future__ import annotations

import inspect
from dataclasses import fields

from verigrad.losses.axis import AxisValue, told
from verigrad.losses.method import shown
from verigrad.losses.preference_axes import ANCHORS, LINKS, PREFERENCE_AXES, SCORES, Prospect
from verigrad.losses.preference_methods import PREFERENCES
from verigrad.losses.preference_records import PreferenceMethod

_WORDS: dict[str, tuple[type[AxisValue], ...]] = {"score": SCORES, "link": (*LINKS, Prospect), "anchor": ANCHORS}


def preference_table() -> str:
    """The page: an overview, every method's choices with whose number each is, every axis's words."""
    lines = [
        "# Preference methods",
        "",
        "Generated from `verigrad/losses/preference_methods.py` by `verigrad.losses.preference_table()`; do not edit.",
        "",
        "A pair costs link(margin) plus the anchor's likelihood of the chosen answer; the margin is the chosen",
        "answer's score minus the rejected one's, both relative to the reference where the anchor is one. A recipe may",
        "change any axis under `[loss]`. Every mean is over the pairs (labels: the answers) of the whole step. A",
        "parameter that is not listed is off (0, or a weight of 1).",
        "",
        "| method | score | link | anchor | reference | data | whole step at once |",
        "|---|---|---|---|---|---|---|",
    ]
    lines += [f"| {_row(m)} |" for m in PREFERENCES.values()]
    for method in PREFERENCES.values():
        lines += ["", *_section(method)]
    lines += ["", "# Axes"]
    for axis, words in _WORDS.items():
        lines += ["", f"## loss.{axis}", "", "| word | parameters | what it is |", "|---|---|---|"]
        for word in words:
            said = (inspect.getdoc(word) or "").split("\n\n")[0].replace("\n", " ").replace("|", "\\|")
            takes = ", ".join(f"`{f.name}`" for f in fields(word))
            lines.append(f"| `{word.word}` | {takes} | {said} |")
    return "\n".join(lines) + "\n"


def _row(method: PreferenceMethod) -> str:
    cells = [f"[`{method.name}`](#{method.name})"]
    cells += [_brief(getattr(method, a)) if a in method.words else "" for a in PREFERENCE_AXES]
    cells += ["yes" if method.needs_reference else "no", "pairs" if method.paired else "labels"]
    return " | ".join([*cells, "no" if method.separable else "yes"])


def _brief(value: AxisValue) -> str:
    return ", ".join([value.word, *(f"{name} {shown(number)}" for name, number in told(value).items())])


def _section(method: PreferenceMethod) -> list[str]:
    lines = [f"## {method.name}", "", method.source + ".", "", "| axis | value | whose |", "|---|---|---|"]
    for axis in method.words:
        value = getattr(method, axis)
        lines.append(f"| {axis} | `{value.word}` | {method.sources.get(axis, '')} |")
        for name, number in told(value).items():
            lines.append(f"| {axis}.{name} | {shown(number)} | {method.sources.get(f'{axis}.{name}', '')} |")
    if method.paper_sizes:
        sizes = ", ".join(f"`{key}` {size}" for key, size in method.paper_sizes.items())
        lines += ["", f"The paper's sizes (never set): {sizes}."]
    return [*lines, "", *(f"- {note}" for note in method.notes)]
